"""Declares what the plan says, and gathers what the components return."""

from __future__ import annotations

from typing import Any

import pulumi
from joined import Joined
from plan import Plan
from relations import add_scopes, add_stack
from sections import SECTIONS, Section

from tidegate.catalog.catalog import Catalog
from tidegate.vocabulary.capacity import Cloud, Scaler


def declare_components(
    plan: Plan, joined: dict[str, Joined], catalog: Catalog
) -> tuple[list[dict[str, Any]], dict[str, dict[str, pulumi.Output[Any]]]]:
    """Declare every component; return their fragments, and their bindings by section and id."""
    targets: dict[str, pulumi.Output[str]] = {}
    fragments: list[dict[str, Any]] = []
    bindings: dict[str, dict[str, pulumi.Output[Any]]] = {}
    for section in SECTIONS:
        for identifier, planned in plan.arguments[section.key].items():
            cluster = joined.get(planned["cloud"])
            args = _add_inputs(section, planned, cluster)
            if planned.get("reservation"):
                args["reservation_target"] = targets[planned["reservation"]]
            if section.key == "controllerAccess" and cluster:
                args = add_scopes(args, plan.arguments, bindings, cluster)
            if section.key == "controllers":
                args = add_stack(args, plan.arguments, bindings)
            earlier = plan.renamed[section.key].get(identifier)
            opts = pulumi.ResourceOptions(
                aliases=[pulumi.Alias(name=earlier)] if earlier else None,
                depends_on=[cluster.resource] if cluster and section.after_cluster else None,
                providers=_find_providers(section, planned, cluster),
            )
            each = section.declare(identifier, args, opts, catalog)
            if section.key == "commitments":
                targets[identifier] = each.reservation_target
            fragments.append(each.capacity)
            own = each.bindings.apply(lambda found, name=identifier: found.get(name, found))
            bindings.setdefault(section.key, {})[identifier] = own
    return fragments, bindings


def _find_providers(
    section: Section, planned: dict[str, Any], cluster: Joined | None
) -> list[pulumi.ProviderResource] | None:
    """Return the cluster's Kubernetes, where objects of it are declared."""
    within = section.key in ("queues", "controllers") or planned.get("scaler") == Scaler.KARPENTER
    if cluster and (within or "kubernetes" in planned):
        return [cluster.take("kubernetes")]
    return None


def _add_inputs(
    section: Section, planned: dict[str, Any], cluster: Joined | None
) -> dict[str, Any]:
    """Return the arguments with what is known only once the cluster is declared.

    What the configuration states itself goes first.
    """
    args = dict(planned)
    for path in section.inputs if cluster else ():
        block, _, name = path.partition(".")
        if block == planned["cloud"] or (block in planned and block not in set(Cloud)):
            own = dict(args.get(block) or {})
            value = own.get(name) or (cluster.take(name) if cluster else None)
            if value is not None:
                args[block] = {**own, name: value}
    return args
