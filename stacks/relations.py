"""What components take of other components of the same stack."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from joined import Joined

NODE_SECTIONS = ("pools", "cpuPools")
GROUP_SECTIONS = (*NODE_SECTIONS, "spotGroups")
"""Sections whose pools carry the label `capacity-pool` in their cloud, and may be resized."""

Arguments = dict[str, dict[str, dict[str, Any]]]
Bindings = Mapping[str, Mapping[str, Any]]


def complete_access(args: dict[str, Any], planned: Arguments, cluster: str) -> dict[str, Any]:
    """Return the controller's access with what it is held to: the stack's own pools."""
    cloud = args["cloud"]
    own = dict(args.get(cloud) or {})
    pools = _find_pools(planned, GROUP_SECTIONS, cloud)
    if cloud == "aws":
        own.setdefault("pools", sorted(pools))
        own.setdefault("regions", sorted({pool["region"] for pool in pools.values()}))
        if "pod_identity" in own:
            own["pod_identity"] = {"cluster": cluster, **own["pod_identity"]}
    elif cloud == "gcp":
        own.setdefault("project", args["account"])
        own.setdefault("clusters", [cluster])
        if planned["spotGroups"]:
            own.setdefault("group_tag", build_group_tag(own["project"]))
    return {**args, cloud: own}


def build_group_tag(project: str) -> dict[str, str]:
    """Return the Resource Manager tag by which IAM knows the instance groups of pools."""
    return {"key": f"{project}/capacity-pools", "value": "tidegate"}


def complete_queues(
    args: dict[str, Any], fragments: Sequence[Mapping[str, Any]], cluster: str
) -> dict[str, Any]:
    """Return the queues with the node pools of their cluster that the stack declares."""
    pools = [
        pool
        for fragment in fragments
        for pool in fragment.get("pools", ())
        if pool["cloud"] == args["cloud"] and pool.get("cluster") == cluster
    ]
    return {**args, "cluster": cluster, "pools": pools}


def complete_controller(
    args: dict[str, Any], planned: Arguments, manifest: Mapping[str, Any], cluster: str
) -> dict[str, Any]:
    """Return the controller with the stack that it works on, known on each cloud with an access."""
    clouds = {access["cloud"] for access in planned["controllerAccess"].values()}
    identities = {cloud: args.get(cloud) or {} for cloud in sorted(clouds)}
    return {**args, **identities, "cluster": cluster, "capacity": manifest}


def add_stack(args: dict[str, Any], planned: Arguments, bindings: Bindings) -> dict[str, Any]:
    """Return the controller with what is known after creation: bindings, and whom Google knows."""
    made = dict(args)
    for name, access in planned["controllerAccess"].items():
        if access["cloud"] == "gcp":
            account = bindings["controllerAccess"][name]["serviceAccount"]
            made["gcp"] = {"service_account": account, **made["gcp"]}
    return {**made, "bindings": {section: dict(known) for section, known in bindings.items()}}


def add_scopes(
    args: dict[str, Any], planned: Arguments, bindings: Bindings, cluster: Joined
) -> dict[str, Any]:
    """Return the controller's access with what is known after creation: ids of pools and queues."""
    cloud = args["cloud"]
    own = dict(args.get(cloud) or {})
    groups = [bindings["spotGroups"][name] for name in _find_pools(planned, ["spotGroups"], cloud)]
    if cloud == "gcp" and groups:
        notices = [group["interruptionSubscription"] for group in groups]
        own.setdefault("notice_subscriptions", notices)
    if cloud == "azure":
        ids = [
            bindings[section][name]["id"]
            for section in GROUP_SECTIONS
            for name in _find_pools(planned, [section], cloud)
        ]
        # Whoever resizes a scale set joins its subnet with every machine.
        subnets = [cluster.take("subnet_id")] if groups else []
        own.setdefault("pool_scopes", [*ids, *subnets])
        own.setdefault("queue_scopes", [group["interruptionQueueId"] for group in groups])
    return {**args, cloud: own}


def _find_pools(
    planned: Arguments, sections: Sequence[str], cloud: str
) -> dict[str, dict[str, Any]]:
    return {
        name: pool
        for section in sections
        for name, pool in planned[section].items()
        if pool["cloud"] == cloud
    }
