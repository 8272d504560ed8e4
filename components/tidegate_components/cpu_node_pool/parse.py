"""From the arguments of a CPU node pool to its specification, with every fault at once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tidegate.catalog.catalog import Catalog
from tidegate.catalog.model import InstanceType
from tidegate.vocabulary.capacity import Cloud
from tidegate_components.arguments import Arguments
from tidegate_components.cpu_node_pool import args as shapes
from tidegate_components.hardware import check_offered
from tidegate_components.names import check_identifier
from tidegate_components.node_pools.choices import read_aws_choices
from tidegate_components.node_pools.hardware import Hardware, check_one_shape, find_types
from tidegate_components.node_pools.parse import Defaults, parse_nodes
from tidegate_components.node_pools.spec import GcpChoices, PoolSpec

DEFAULTS = Defaults(disk_gib=100, boot_seconds=120)


def parse_cpu_pool(name: str, raw: Mapping[str, Any], catalog: Catalog) -> PoolSpec:
    """Return the pool that the arguments declare; `name` is its id.

    Raises:
        InvalidInput: With one problem for each fault, naming property, value and remedy.
    """
    read = Arguments(f"pool {name}", raw, shapes.CpuNodePoolArgs)
    check_identifier(read, name)
    cloud = read.choice("cloud", Cloud)
    hardware = _parse_hardware(read, cloud, catalog)
    return parse_nodes(read, name, cloud, hardware, lambda own, _: _read_choices(own), DEFAULTS)


def _parse_hardware(read: Arguments, cloud: Cloud, catalog: Catalog) -> Hardware | None:
    before = len(read.problems)
    region, zones = read.text("region"), read.texts("zones")
    types = find_types(read, cloud, catalog)
    for index, each in enumerate(types):
        _check_plain(read, f"instance_types[{index}]", each)
        check_offered(read, f"instance_types[{index}]", each, (region, zones), catalog)
    check_one_shape(read, cloud, types)
    if len(read.problems) > before:
        return None
    return Hardware(region, zones, None, 0, types)


def _check_plain(read: Arguments, key: str, each: InstanceType) -> None:
    """Refuse an accelerator that plain work would pay for and never see."""
    if each.accelerator:
        reason = f"has {each.accelerator}, for which this pool has no taint, driver or count"
        read.refuse(key, each.name, reason, "a plain machine, or a GpuNodePool")


def _read_choices(read: Arguments) -> dict[str, Any]:
    gcp = read.nested("gcp", shapes.CpuNodePoolGcpArgs)
    read.nested("azure", shapes.CpuNodePoolAzureArgs)  # refuses what is no argument
    compact = gcp.flag("compact_placement", False) if gcp else False
    return {"aws": read_aws_choices(read), "gcp": GcpChoices(compact=compact)}
