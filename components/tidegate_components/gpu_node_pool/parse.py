"""From the arguments of a GPU node pool to its specification, with every fault at once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tidegate.catalog.catalog import Catalog
from tidegate.vocabulary.capacity import Cloud
from tidegate_components.arguments import Arguments
from tidegate_components.gpu_node_pool.args import GpuNodePoolArgs
from tidegate_components.gpu_node_pool.choices import read_choices
from tidegate_components.gpu_node_pool.hardware import parse_hardware
from tidegate_components.names import check_identifier
from tidegate_components.node_pools.parse import Defaults, parse_nodes
from tidegate_components.node_pools.spec import PoolSpec

DEFAULTS = Defaults(disk_gib=200, boot_seconds=300)


def parse_pool(name: str, raw: Mapping[str, Any], catalog: Catalog) -> PoolSpec:
    """Return the pool that the arguments declare; `name` is its id.

    Raises:
        InvalidInput: With one problem for each fault, naming property, value and remedy.
    """
    read = Arguments(f"pool {name}", raw, GpuNodePoolArgs)
    check_identifier(read, name)
    cloud = read.choice("cloud", Cloud)
    hardware = parse_hardware(read, cloud, catalog)
    return parse_nodes(read, name, cloud, hardware, read_choices, DEFAULTS)
