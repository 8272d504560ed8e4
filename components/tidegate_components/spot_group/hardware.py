"""Which machines a spot group is made of: several types, all of one shape."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tidegate.catalog.catalog import Catalog
from tidegate.catalog.model import InstanceType
from tidegate.vocabulary.capacity import Cloud
from tidegate.vocabulary.problems import InvalidInput
from tidegate_components.arguments import Arguments
from tidegate_components.hardware import check_offered

MAX_TYPES = {Cloud.AWS: 40, Cloud.AZURE: 5}
"""Overrides of a mixed instances policy; sizes of a scale set's instance mix."""
MAX_FLEET_SIZES = 15
"""Sizes of an Azure Fleet."""


@dataclass(frozen=True, slots=True)
class Machines:
    """The machines of a group; `accelerator` is empty for plain ones."""

    instance_types: tuple[InstanceType, ...]
    accelerator: str
    per_node: int


def parse_machines(
    read: Arguments, cloud: Cloud, catalog: Catalog, place: tuple[str, tuple[str, ...]]
) -> Machines | None:
    """Return the machines that the arguments name; None when they are refused."""
    before = len(read.problems)
    types = _find_types(read, cloud, catalog)
    if not types or len(read.problems) > before:
        return None
    _check_one_shape(read, types)
    per_node = _count(read, types)
    for index, each in enumerate(types):
        check_offered(read, f"instance_types[{index}]", each, place, catalog)
    if len(read.problems) > before:
        return None
    return Machines(types, types[0].accelerator, per_node)


def check_number(read: Arguments, cloud: Cloud, types: int, *, fleet: bool) -> None:
    """Refuse more types than one group takes."""
    limit = MAX_FLEET_SIZES if fleet else MAX_TYPES.get(cloud)
    if limit is not None and types > limit:
        what = {Cloud.AWS: "a mixed instances policy", Cloud.AZURE: "a scale set's instance mix"}
        taker = "an Azure Fleet" if fleet else what[cloud]
        reason = f"are more than {taker} takes"
        read.refuse("instance_types", types, reason, f"at most {limit}")


def _find_types(read: Arguments, cloud: Cloud, catalog: Catalog) -> tuple[InstanceType, ...]:
    names = read.texts("instance_types")
    if not names:
        read.refuse("instance_types", None, "names no instance type", "at least one")
    found: list[InstanceType] = []
    for index, name in enumerate(names):
        if name in names[:index]:
            read.refuse(f"instance_types[{index}]", name, "is named twice", "each type once")
        try:
            found.append(catalog.instance_type(cloud, name))
        except InvalidInput as error:
            read.adopt(error, f"instance_types[{index}]")
    return tuple(found) if len(found) == len(names) else ()


def _check_one_shape(read: Arguments, types: tuple[InstanceType, ...]) -> None:
    """Autoscalers size a group from its first type, so all must offer the same."""
    if len(types) == 1:
        return
    names = ", ".join(each.name for each in types)
    unknown = [each.name for each in types if None in (each.vcpus, each.memory_gib)]
    if unknown:
        reason = f"cannot be compared: no source states CPU and memory of {', '.join(unknown)}"
        read.refuse("instance_types", names, reason, "types whose shape the catalog knows")
        return
    differences = [
        f"{what} ({', '.join(f'{each.name} {key(each)}' for each in types)})"
        for what, key in _SHAPE.items()
        if len({key(each) for each in types}) > 1
    ]
    if differences:
        reason = f"differ in {' and '.join(differences)}; an autoscaler sees the first only"
        read.refuse("instance_types", names, reason, "types of one shape, or a group for each")


_SHAPE: dict[str, Callable[[InstanceType], object]] = {
    "CPU": lambda each: each.vcpus,
    "memory": lambda each: each.memory_gib,
    "architecture": lambda each: each.arch,
    "GPU": lambda each: (
        f"{each.accelerators_per_node}× {each.accelerator}" if each.accelerator else "none"
    ),
}


def _count(read: Arguments, types: tuple[InstanceType, ...]) -> int:
    """Return the accelerators of one machine, as the catalog knows them or as given."""
    given = read.optional_whole("accelerators_per_node", minimum=1)
    first = types[0]
    own = first.accelerators_per_node if first.accelerator else 0
    if own is None and given is None:
        reason = f"is not known to the catalog for {first.name}"
        read.refuse("accelerators_per_node", None, reason, "the number that a machine offers")
    if own is not None and given is not None and given != own:
        reason = f"is not what a {first.name} has"
        read.refuse("accelerators_per_node", given, reason, str(own))
    return own or given or 0
