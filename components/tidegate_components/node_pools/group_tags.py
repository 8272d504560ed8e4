"""The tags of an Auto Scaling group, by which an autoscaler knows a node that is not there yet."""

from __future__ import annotations

from tidegate_components.arguments import Arguments
from tidegate_components.node_pools.efa import EFA_RESOURCE, count_adapters
from tidegate_components.node_pools.spec import PoolSpec

MAX_TAGS = 50
MAX_KEY_LENGTH = 128
EKS_TAGS = 5
"""Tags that EKS itself puts on the group."""

_TEMPLATE = "k8s.io/cluster-autoscaler/node-template"


def build_group_tags(spec: PoolSpec) -> dict[str, tuple[str, bool]]:
    """Return the tags of the Auto Scaling group: key → value, and whether nodes inherit it.

    Node-group tags do not reach the group, so Cluster Autoscaler could not know a node of an
    empty pool (eksctl#1571, pulumi-eks#658).
    """
    tags: dict[str, tuple[str, bool]] = {
        key: (value, True) for key, value in spec.cost_labels.items()
    }
    for key, value in spec.node_labels.items():
        tags[f"{_TEMPLATE}/label/{key}"] = (value, False)
    for taint in spec.taints:
        tags[f"{_TEMPLATE}/taint/{taint.key}"] = (f"{taint.value}:{taint.effect}", False)
    if spec.resource:
        count = str(spec.resources_per_node)
        tags[f"{_TEMPLATE}/resources/{spec.resource}"] = (count, False)
    if spec.aws.efa:
        adapters = str(count_adapters(spec.instance_types[0].name))
        tags[f"{_TEMPLATE}/resources/{EFA_RESOURCE}"] = (adapters, False)
    tags[f"{_TEMPLATE}/resources/ephemeral-storage"] = (f"{spec.disk_gib}Gi", False)
    return tags


def check_group_tags(read: Arguments, spec: PoolSpec) -> None:
    """Refuse labels and taints that the group's tags could not carry whole."""
    tags = build_group_tags(spec)
    room = MAX_TAGS - EKS_TAGS
    if len(tags) > room:
        reason = f"make {len(tags)} tags on the Auto Scaling group, which has room for {room}"
        read.refuse("node_labels", None, f"and taints {reason}", "fewer labels or taints")
    for key in tags:
        if len(key) > MAX_KEY_LENGTH:
            own = key.removeprefix(f"{_TEMPLATE}/").partition("/")[2]
            reason = f"is too long for an AWS tag, of which {len(key) - len(own)} are the prefix"
            read.refuse("node_labels", own, reason, f"a tag key of at most {MAX_KEY_LENGTH}")
    keys = [taint.key for taint in spec.taints]
    for key in sorted({key for key in keys if keys.count(key) > 1}):
        reason = "has two effects, and a tag can tell an autoscaler of one only"
        read.refuse("taints", key, reason, "one effect for each key on EKS")
