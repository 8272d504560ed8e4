"""Machines and replicas: how few, how many, of which types, and how they are bought.

One entry is one thing that is scaled: `{at, kind, minimum, maximum, capacity, types}`. `kind` is
"pool" (nodes of a cluster), "group" (machines of a group), "endpoint" (replicas of a served model)
or "template" (what machines are started from). `capacity` is "spot", "on-demand", "reserved" or
"mixed" (spot above an on-demand base).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from tidegate.policy.facts import endpoints
from tidegate.policy.facts.reading import (
    Fact,
    absent,
    entries,
    hidden,
    is_hidden,
    known,
    read,
    read_number,
    texts,
)
from tidegate.policy.graph import Resource

Machines = dict[str, Any]


def build_machines(resource: Resource) -> list[Machines]:
    """Return every thing that a resource scales; nothing for other resources."""
    build = _BUILDERS.get(resource.type)
    return [] if build is None else list(build(resource.properties))


def has_machines(type_token: str) -> bool:
    """Return whether resources of a type scale machines or replicas, or are some."""
    return type_token in _BUILDERS


def _machines(kind: str, at: str = "", **facts: Fact) -> Machines:
    return {"kind": kind, "at": at, **facts}


def _chosen(fact: Fact, *spot: str) -> Fact:
    """Return how machines are bought by a word that says it; on demand where none does."""
    if fact["state"] == "hidden":
        return fact
    if fact["state"] == "absent":
        return known("on-demand", fact["property"])
    return known("spot" if fact["value"] in spot else "on-demand", fact["property"])


def _types(properties: Any, path: str, at: str = "") -> Fact:
    """Return a fact whose value is a list of machine types, of one that is a text or a list."""
    fact = read(properties, path, at)
    if fact["state"] != "known":
        return fact
    value = fact["value"]
    if isinstance(value, str):
        return {**fact, "value": [value]}
    names = texts(value)
    is_whole = isinstance(value, list) and len(names) == len(value)
    return {**fact, "value": names} if is_whole else hidden(fact["property"])


def _eks(properties: Any) -> Iterator[Machines]:
    capacity = read(properties, "capacityType")
    bought = _chosen(capacity, "SPOT")
    if capacity["value"] == "CAPACITY_BLOCK":
        bought = known("reserved", capacity["property"])
    yield _machines(
        "pool",
        minimum=read_number(properties, "scalingConfig.minSize"),
        maximum=read_number(properties, "scalingConfig.maxSize"),
        capacity=bought,
        types=_types(properties, "instanceTypes"),
    )


def _auto_scaling_group(properties: Any) -> Iterator[Machines]:
    overrides = entries(properties, "mixedInstancesPolicy.launchTemplate.overrides")
    names = [read(item, "instanceType")["value"] for _, item in overrides]
    path = "mixedInstancesPolicy.launchTemplate.overrides"
    types = known(names, path) if names and None not in names else absent(path)
    yield _machines(
        "group",
        minimum=read_number(properties, "minSize"),
        maximum=read_number(properties, "maxSize"),
        capacity=_distribution(properties),
        types=types,
    )


def _distribution(properties: Any) -> Fact:
    path = "mixedInstancesPolicy.instancesDistribution"
    share = read_number(properties, f"{path}.onDemandPercentageAboveBaseCapacity")
    base = read_number(properties, f"{path}.onDemandBaseCapacity")
    if read(properties, "mixedInstancesPolicy")["state"] == "absent":
        # Its launch template says so, which is judged by itself.
        return absent("launchTemplate")
    if "hidden" in (share["state"], base["state"]):
        return hidden(share["property"])
    if share["state"] == "absent" or share["value"] >= 100:
        return known("on-demand", share["property"])
    is_pure = share["value"] == 0 and not base["value"]
    return known("spot" if is_pure else "mixed", share["property"])


def _launch_template(properties: Any) -> Iterator[Machines]:
    market = read(properties, "instanceMarketOptions.marketType")
    bought = _chosen(market, "spot")
    if market["state"] == "absent":
        # A group or node group may still buy spot with it.
        bought = absent(market["property"])
    if market["value"] == "capacity-block":
        bought = known("reserved", market["property"])
    yield _machines("template", capacity=bought, types=_types(properties, "instanceType"))


def _instance(properties: Any) -> Iterator[Machines]:
    yield _machines(
        "machine",
        capacity=_chosen(read(properties, "instanceMarketOptions.marketType"), "spot"),
        types=_types(properties, "instanceType"),
    )


def _gke(properties: Any) -> Iterator[Machines]:
    scaling = "autoscaling."
    sizes = (f"{scaling}totalMaxNodeCount", f"{scaling}maxNodeCount")
    maximum = read_number(properties, *sizes)
    if maximum["property"].endswith(".maxNodeCount") and maximum["state"] == "known":
        maximum = _times_zones(maximum, properties)
    yield _machines(
        "pool",
        minimum=read_number(properties, f"{scaling}totalMinNodeCount", f"{scaling}minNodeCount"),
        maximum=maximum,
        capacity=_google_capacity(properties, "nodeConfig."),
        types=_types(properties, "nodeConfig.machineType"),
    )


def _times_zones(each: Fact, properties: Any) -> Fact:
    """Return a size that holds for each zone as that of the pool; hidden where zones are."""
    zones = read(properties, "nodeLocations")
    if zones["state"] == "known" and isinstance(zones["value"], list):
        return {**each, "value": each["value"] * max(len(zones["value"]), 1)}
    # Where none are named, they are the cluster's, which are not told here.
    return hidden(each["property"])


def _google_capacity(properties: Any, at: str) -> Fact:
    affinity = read(properties, f"{at}reservationAffinity.consumeReservationType")
    if affinity["value"] == "SPECIFIC_RESERVATION":
        return known("reserved", affinity["property"])
    flags = [read(properties, f"{at}{name}") for name in ("spot", "preemptible")]
    flags.append(read(properties, f"{at}scheduling.provisioningModel"))
    flags.append(read(properties, f"{at}scheduling.preemptible"))
    for flag in flags:
        if flag["value"] in (True, "SPOT"):
            return known("spot", flag["property"])
    unseen = next((flag for flag in flags if flag["state"] == "hidden"), None)
    return unseen or known("on-demand", flags[0]["property"])


def _google_template(properties: Any) -> Iterator[Machines]:
    yield _machines(
        "template",
        capacity=_google_capacity(properties, ""),
        types=_types(properties, "machineType"),
    )


def _google_instance(properties: Any) -> Iterator[Machines]:
    yield {**next(_google_template(properties)), "kind": "machine"}


def _google_autoscaler(properties: Any) -> Iterator[Machines]:
    policy = "autoscalingPolicy."
    minimum = read_number(properties, f"{policy}minReplicas")
    maximum = read_number(properties, f"{policy}maxReplicas")
    yield _machines("group", minimum=minimum, maximum=maximum)


def _aks(properties: Any) -> Iterator[Machines]:
    yield _aks_pool(properties, "")


def _aks_cluster(properties: Any) -> Iterator[Machines]:
    for at, profile in entries(properties, "agentPoolProfiles"):
        if not is_hidden(profile):
            yield _aks_pool(profile, at)


def _aks_pool(profile: Any, at: str) -> Machines:
    scales = read(profile, "enableAutoScaling", at)
    maximum = read_number(profile, "maxCount", at=at)
    if scales["value"] is not True and scales["state"] != "hidden":
        maximum = absent(f"{at}maxCount")
    bought = _chosen(read(profile, "scaleSetPriority", at), "Spot")
    group = read(profile, "capacityReservationGroupID", at)
    if group["state"] != "absent":
        bought = known("reserved", group["property"])
    return _machines(
        "pool",
        at,
        minimum=read_number(profile, "minCount", at=at),
        maximum=maximum,
        capacity=bought,
        types=_types(profile, "vmSize", at),
    )


def _scale_set(properties: Any) -> Iterator[Machines]:
    base = read_number(properties, "priorityMixPolicy.baseRegularPriorityCount")
    share = read_number(properties, "priorityMixPolicy.regularPriorityPercentageAboveBase")
    bought = _chosen(read(properties, "virtualMachineProfile.priority"), "Spot", "Low")
    if bought["value"] == "spot" and (base["value"] or share["value"]):
        bought = known("mixed", base["property"])
    yield _machines(
        "group",
        capacity=bought,
        types=_types(properties, "sku.name"),
    )


def _azure_machine(properties: Any) -> Iterator[Machines]:
    yield _machines(
        "machine",
        capacity=_chosen(read(properties, "priority"), "Spot", "Low"),
        types=_types(properties, "hardwareProfile.vmSize"),
    )


def _azure_training(properties: Any) -> Iterator[Machines]:
    inner = "properties.properties."
    if read(properties, "properties.computeType")["value"] != "AmlCompute":
        return
    yield _machines(
        "pool",
        minimum=read_number(properties, f"{inner}scaleSettings.minNodeCount"),
        maximum=read_number(properties, f"{inner}scaleSettings.maxNodeCount"),
        capacity=_chosen(read(properties, f"{inner}vmPriority"), "LowPriority"),
        types=_types(properties, f"{inner}vmSize"),
    )


def _karpenter(properties: Any) -> Iterator[Machines]:
    bought = absent("spec.template.spec.requirements")
    for at, requirement in entries(properties, "spec.template.spec.requirements"):
        if read(requirement, "key")["value"] == "karpenter.sh/capacity-type":
            values = read(requirement, "values", at)
            bought = _karpenter_capacity(values)
    yield _machines(
        "pool",
        minimum=known(0, "spec"),
        maximum=_karpenter_maximum(properties),
        capacity=bought,
        types=absent("spec.template.spec.requirements"),
    )


def _karpenter_maximum(properties: Any) -> Fact:
    """Return the most nodes; null where another limit (cores, memory) ends the growth."""
    limits = read(properties, "spec.limits")
    nodes = read_number(properties, "spec.limits.nodes")
    if nodes["state"] == "absent" and limits["state"] == "known":
        return known(None, limits["property"])
    return nodes


def _karpenter_capacity(values: Fact) -> Fact:
    if values["state"] != "known" or not isinstance(values["value"], list):
        return hidden(values["property"])
    kinds = set(texts(values["value"]))
    if kinds == {"spot"}:
        return known("spot", values["property"])
    word = "mixed" if "spot" in kinds else "reserved" if kinds == {"reserved"} else "on-demand"
    return known(word, values["property"])


_BUILDERS: dict[str, Callable[[Any], Iterator[Machines]]] = {
    "aws:eks/nodeGroup:NodeGroup": _eks,
    "aws:autoscaling/group:Group": _auto_scaling_group,
    "aws:ec2/launchTemplate:LaunchTemplate": _launch_template,
    "aws:ec2/instance:Instance": _instance,
    "gcp:container/nodePool:NodePool": _gke,
    "gcp:compute/instanceTemplate:InstanceTemplate": _google_template,
    "gcp:compute/regionInstanceTemplate:RegionInstanceTemplate": _google_template,
    "gcp:compute/instance:Instance": _google_instance,
    "gcp:compute/autoscaler:Autoscaler": _google_autoscaler,
    "gcp:compute/regionAutoscaler:RegionAutoscaler": _google_autoscaler,
    "azure-native:containerservice:AgentPool": _aks,
    "azure-native:containerservice:ManagedCluster": _aks_cluster,
    "azure-native:compute:VirtualMachineScaleSet": _scale_set,
    "azure-native:compute:VirtualMachine": _azure_machine,
    "azure-native:machinelearningservices:Compute": _azure_training,
    "kubernetes:karpenter.sh/v1:NodePool": _karpenter,
    **endpoints.BUILDERS,
}
