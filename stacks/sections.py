"""The sections of a stack's configuration: which component reads each, and what a cluster adds.

A section that is not used loads no component, which keeps the program's start short.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pulumi

from tidegate.catalog.catalog import Catalog


@dataclass(frozen=True, slots=True)
class Section:
    """One configuration key that holds components by id.

    Attributes:
        key: The configuration key, camelCase.
        holds: What it holds, for people.
        component: The component's class.
        parser: Where its arguments are checked, as `module:function`.
        inputs: What its components take of a cluster, as `block.argument`: a block that is a
            cloud's name stands for that cloud's components, another for those that have it.
        after_cluster: Whether its resources come after the cluster's nodes.
        has_region: Whether its components have a region.
        zoned: Whether its zones are the cluster's where none are given.
        joins: Whether its components name the cluster that they join.
        stands_alone: Whether its components need no cluster of this stack.
        omits: What every entry has and its components do not take.
        takes_catalog: Whether its components look anything up.
    """

    key: str
    holds: str
    component: str
    parser: str
    inputs: tuple[str, ...] = ()
    after_cluster: bool = False
    has_region: bool = True
    zoned: bool = False
    joins: bool = False
    stands_alone: bool = False
    omits: tuple[str, ...] = ()
    takes_catalog: bool = True

    def check(self, identifier: str, args: dict[str, Any], catalog: Catalog) -> Any:
        """Return the specification that one component's arguments mean."""
        module, _, name = self.parser.partition(":")
        parse: Callable[..., Any] = getattr(importlib.import_module(module), name)
        return parse(identifier, self._own(args), *self._facts(catalog))

    def declare(
        self,
        identifier: str,
        args: dict[str, Any],
        opts: pulumi.ResourceOptions,
        catalog: Catalog,
    ) -> Any:
        """Declare one component and return it."""
        package = self.parser.partition(":")[0].rpartition(".")[0]
        kind: Callable[..., Any] = getattr(
            importlib.import_module(f"{package}.component"), self.component
        )
        return kind(identifier, self._own(args), opts, *self._facts(catalog))

    def _own(self, args: dict[str, Any]) -> dict[str, Any]:
        return {key: value for key, value in args.items() if key not in self.omits}

    def _facts(self, catalog: Catalog) -> tuple[Catalog, ...]:
        return (catalog,) if self.takes_catalog else ()


_PLACE = ("gcp.project", "azure.resource_group_name")
_NODES = ("aws.node_role_arn", "aws.subnet_ids", *_PLACE)

SECTIONS: tuple[Section, ...] = (
    # Reservations first: pools consume them.
    Section(
        "commitments",
        "reserved capacity by id",
        "CommittedCapacity",
        "tidegate_components.committed_capacity.parse:parse_reservation",
        _PLACE,
    ),
    Section(
        "pools",
        "GPU node pools by id",
        "GpuNodePool",
        "tidegate_components.gpu_node_pool.parse:parse_pool",
        _NODES,
        after_cluster=True,
        zoned=True,
        joins=True,
    ),
    Section(
        "cpuPools",
        "CPU node pools by id",
        "CpuNodePool",
        "tidegate_components.cpu_node_pool.parse:parse_cpu_pool",
        _NODES,
        after_cluster=True,
        zoned=True,
        joins=True,
    ),
    Section(
        "spotGroups",
        "groups of diversified spot machines by id",
        "SpotGroup",
        "tidegate_components.spot_group.parse:parse_spot_group",
        (
            "aws.subnet_ids",
            "gcp.subnetwork",
            "azure.subnet_id",
            "azure.subscription",
            "gcp.resource_manager_tags",
            *_PLACE,
        ),
        zoned=True,
    ),
    Section(
        "existingPools",
        "pools that were made otherwise, by id",
        "ExistingPool",
        "tidegate_components.existing_pool.parse:parse_existing",
        stands_alone=True,
    ),
    Section(
        "endpoints",
        "what serves models, by id",
        "InferenceCapacity",
        "tidegate_components.inference_capacity.parse:parse_endpoint",
        ("sagemaker.execution_role_arn", "azure_ml.workspace_name", *_PLACE),
        after_cluster=True,
    ),
    Section(
        "notebooks",
        "interactive machines by id",
        "Notebooks",
        "tidegate_components.notebooks.parse:parse_notebook",
        ("aws.role_arn", "azure.workspace_name", *_PLACE),
    ),
    Section(
        "trainingCompute",
        "training that a cloud runs, by id",
        "TrainingCompute",
        "tidegate_components.training_compute.parse:parse_training",
        ("aws.role_arn", "azure.workspace_name", *_PLACE),
    ),
    Section(
        "buckets",
        "tiered buckets by id",
        "StorageTiers",
        "tidegate_components.storage_tiers.parse:parse_bucket",
        _PLACE,
    ),
    Section(
        "telemetry",
        "telemetry streams by id",
        "Telemetry",
        "tidegate_components.telemetry.parse:parse_stream",
        _PLACE,
    ),
    Section(
        "budgets",
        "budgets of cost labels by id",
        "CostBudget",
        "tidegate_components.cost_budget.parse:parse_budget",
        ("gcp.project", "azure.scope"),
        has_region=False,
    ),
    Section(
        "queues",
        "queues of a cluster's node pools by id",
        "Queues",
        "tidegate_components.queues.parse:parse_queues",
        after_cluster=True,
        has_region=False,
        omits=("cloud", "account"),
    ),
    # Held to what stands before it.
    Section(
        "controllerAccess",
        "what the controller may do, by id",
        "ControllerAccess",
        "tidegate_components.controller_access.parse:parse_access",
        ("azure.principal_id", "azure.subscription"),
        after_cluster=True,
        has_region=False,
        takes_catalog=False,
    ),
    # Last: it works on all that stands before it, as whom the access says.
    Section(
        "controllers",
        "controllers in a cluster by id",
        "Controller",
        "tidegate_components.controller.parse:parse_controller",
        ("azure.client_id", "azure.tenant_id"),
        after_cluster=True,
        has_region=False,
        omits=("account",),
        takes_catalog=False,
    ),
)
"""In the order of their declaration."""
