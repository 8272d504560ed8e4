"""Declares what the plan says, and gathers what the components return."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pulumi
from joined import Joined
from plan import Plan
from tidegate_components import CommittedCapacity, GpuNodePool, StorageTiers, Telemetry

from tidegate.catalog.catalog import Catalog

INPUTS = {
    "commitments": ("project", "resource_group_name"),
    "pools": ("node_role_arn", "subnet_ids", "project", "resource_group_name"),
    "buckets": ("project", "resource_group_name"),
    "telemetry": ("project", "resource_group_name"),
}
"""What each section's components take of a cluster, where its cloud has it."""


def declare_components(
    plan: Plan, joined: dict[str, Joined], catalog: Catalog
) -> tuple[list[dict[str, Any]], dict[str, pulumi.Output[Any]]]:
    """Declare every component; return their fragments, and their bindings by section and id."""
    targets: dict[str, pulumi.Output[str]] = {}
    made: list[tuple[str, str, Any]] = []

    def declare(section: str, component: Callable[..., Any]) -> None:
        for identifier, planned in plan.arguments[section].items():
            cluster = joined[planned["cloud"]]
            args = _add_inputs(section, planned, cluster)
            opts = pulumi.ResourceOptions()
            if section == "pools":
                opts.depends_on = [cluster.resource]
                if planned.get("reservation"):
                    args["reservation_target"] = targets[planned["reservation"]]
            each = component(identifier, args, opts, catalog)
            if section == "commitments":
                targets[identifier] = each.reservation_target
            made.append((section, identifier, each))

    # Reservations first: pools consume them.
    declare("commitments", CommittedCapacity)
    declare("pools", GpuNodePool)
    declare("buckets", StorageTiers)
    declare("telemetry", Telemetry)
    bindings: dict[str, Any] = {}
    for section, identifier, each in made:
        own = each.bindings.apply(lambda found, name=identifier: found[name])
        bindings.setdefault(section, {})[identifier] = own
    return [each.capacity for _, _, each in made], bindings


def _add_inputs(section: str, planned: dict[str, Any], cluster: Joined) -> dict[str, Any]:
    """Return the arguments with what is known only once the cluster is declared."""
    cloud = planned["cloud"]
    inputs = {key: cluster.inputs[key] for key in INPUTS[section] if key in cluster.inputs}
    own = {**dict(planned.get(cloud) or {}), **inputs}
    return {**planned, cloud: own} if own else dict(planned)
