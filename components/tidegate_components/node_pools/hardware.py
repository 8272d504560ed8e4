"""Which machines a pool is made of, held against the catalog."""

from __future__ import annotations

from dataclasses import dataclass

from tidegate.catalog.catalog import Catalog
from tidegate.catalog.model import InstanceType
from tidegate.vocabulary.accelerators import Accelerator
from tidegate.vocabulary.capacity import Cloud
from tidegate.vocabulary.problems import InvalidInput
from tidegate_components.arguments import Arguments


@dataclass(frozen=True, slots=True)
class Hardware:
    """The machines of a pool, equal and in one region; `accelerator` is None for plain ones."""

    region: str
    zones: tuple[str, ...]
    accelerator: Accelerator | None
    per_node: int
    instance_types: tuple[InstanceType, ...]


def find_types(read: Arguments, cloud: Cloud, catalog: Catalog) -> tuple[InstanceType, ...]:
    """Return the instance types that the arguments name; none when one of them is refused."""
    names = read.texts("instance_types")
    if not names:
        read.refuse("instance_types", None, "names no instance type", "at least one")
    if cloud is not Cloud.AWS and len(names) > 1:
        what = {Cloud.GCP: "a GKE node pool", Cloud.AZURE: "an AKS agent pool"}[cloud]
        reason = f"are too many: {what} has one machine type"
        read.refuse("instance_types", ", ".join(names), reason, "one, and a pool for each other")
    found: list[InstanceType] = []
    for index, name in enumerate(names):
        try:
            found.append(catalog.instance_type(cloud, name))
        except InvalidInput as error:
            read.adopt(error, f"instance_types[{index}]")
    return tuple(found) if len(found) == len(names) else ()


def check_one_shape(read: Arguments, cloud: Cloud, types: tuple[InstanceType, ...]) -> None:
    """Cluster Autoscaler sizes a group from its first type only, so all must be equal."""
    shapes = {(each.vcpus, each.memory_gib, each.arch) for each in types}
    if cloud is Cloud.AWS and len(shapes) > 1:
        names = ", ".join(each.name for each in types)
        reason = "differ in CPU, memory or architecture; an autoscaler sees the first only"
        read.refuse("instance_types", names, reason, "types of one shape, or a pool for each")
