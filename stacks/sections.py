"""The sections of a stack's configuration: which component reads each, and what a cluster adds.

A section that is not used loads no component, which keeps the program's start short.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Section:
    """One configuration key that holds components by id.

    Attributes:
        key: The configuration key, camelCase; with `attribute` in Python's spelling.
        holds: What it holds, for people.
        component: The component's class.
        parser: Where its arguments are checked, as `module:function`.
        inputs: What of a cluster its components take, where the cluster's cloud has it.
        after_cluster: Whether its resources come after the cluster's nodes.
        zoned: Whether its zones are the cluster's where none are given.
        joins: Whether its components name the cluster that they join.
        stands_alone: Whether its components need no cluster of this stack.
    """

    key: str
    holds: str
    component: str
    parser: str
    inputs: tuple[str, ...] = ()
    after_cluster: bool = False
    zoned: bool = False
    joins: bool = False
    stands_alone: bool = False

    @property
    def parse(self) -> Callable[..., Any]:
        """The function that checks one component's arguments."""
        module, _, name = self.parser.partition(":")
        found: Callable[..., Any] = getattr(importlib.import_module(module), name)
        return found

    @property
    def declare(self) -> Callable[..., Any]:
        """The component's class."""
        package = self.parser.partition(":")[0].rpartition(".")[0]
        found: Callable[..., Any] = getattr(
            importlib.import_module(f"{package}.component"), self.component
        )
        return found


SECTIONS: tuple[Section, ...] = (
    # Reservations first: pools consume them.
    Section(
        "commitments",
        "reserved capacity by id",
        "CommittedCapacity",
        "tidegate_components.committed_capacity.parse:parse_reservation",
        ("project", "resource_group_name"),
    ),
    Section(
        "pools",
        "GPU node pools by id",
        "GpuNodePool",
        "tidegate_components.gpu_node_pool.parse:parse_pool",
        ("node_role_arn", "subnet_ids", "project", "resource_group_name"),
        after_cluster=True,
        zoned=True,
        joins=True,
    ),
    Section(
        "existingPools",
        "pools that were made otherwise, by id",
        "ExistingPool",
        "tidegate_components.existing_pool.parse:parse_existing",
        stands_alone=True,
    ),
    Section(
        "buckets",
        "tiered buckets by id",
        "StorageTiers",
        "tidegate_components.storage_tiers.parse:parse_bucket",
        ("project", "resource_group_name"),
    ),
    Section(
        "telemetry",
        "telemetry streams by id",
        "Telemetry",
        "tidegate_components.telemetry.parse:parse_stream",
        ("project", "resource_group_name"),
    ),
)
"""In the order of their declaration."""
