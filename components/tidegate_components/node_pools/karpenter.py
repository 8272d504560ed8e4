"""A node pool that Karpenter fills: a NodePool and its EC2NodeClass, as Kubernetes objects.

Field names are those of Karpenter's CRDs (karpenter.sh/v1 and karpenter.k8s.aws/v1, read from
the module github.com/aws/karpenter-provider-aws v1.8.2).
"""

from __future__ import annotations

from typing import Any

import pulumi

from tidegate.sdks.imports import narrow_imports
from tidegate.vocabulary.capacity import CapacityType
from tidegate_components.children import child_options
from tidegate_components.ec2_machines import BOTTLEROCKET_DATA_DEVICE, ROOT_DEVICE
from tidegate_components.names import KARPENTER_NODE_POOL, derive_name
from tidegate_components.node_pools.karpenter_budgets import build_budgets
from tidegate_components.node_pools.spec import KarpenterChoices, PoolSpec

with narrow_imports("pulumi_kubernetes.apiextensions"):
    from pulumi_kubernetes.apiextensions.CustomResource import CustomResource

CAPACITY_TYPES = {
    CapacityType.ON_DEMAND: ["on-demand"],
    CapacityType.SPOT: ["spot"],
    CapacityType.RESERVED: ["reserved"],
}


def declare(
    parent: pulumi.ComponentResource,
    spec: PoolSpec,
    inputs: dict[str, Any],
    opts: pulumi.ResourceOptions | None,
) -> dict[str, pulumi.Input[str]]:
    """Declare the node class and the pool, and return their names."""
    name = spec.cloud_name or derive_name(spec.id, KARPENTER_NODE_POOL)
    # Cost labels hold in Kubernetes' grammar too. The name is fixed, because Karpenter's own
    # labels and tags carry it, so that the old object goes first.
    metadata: Any = {"name": name, "labels": spec.cost_labels}
    node_class = CustomResource(
        f"{spec.id}-class",
        api_version="karpenter.k8s.aws/v1",
        kind="EC2NodeClass",
        metadata=metadata,
        spec=build_node_class(spec, inputs),
        opts=child_options(parent, opts, CustomResource, delete_before_replace=True),
    )
    CustomResource(
        spec.id,
        api_version="karpenter.sh/v1",
        kind="NodePool",
        metadata=metadata,
        spec=build_node_pool(spec, name),
        opts=child_options(
            parent, opts, CustomResource, delete_before_replace=True, depends_on=[node_class]
        ),
    )
    return {
        "cluster": inputs["cluster"],
        "nodePool": name,
        "nodeClass": name,
        "region": spec.region,
    }


def build_node_class(spec: PoolSpec, inputs: dict[str, Any]) -> dict[str, Any]:
    """Return what EC2 makes for a node: image, disk, network, role, tags."""
    choices = spec.aws.karpenter or KarpenterChoices()
    node_class: dict[str, Any] = {
        "amiSelectorTerms": [{"alias": choices.ami_alias}],
        "role": pulumi.Output.from_input(inputs["node_role_arn"]).apply(name_role),
        "subnetSelectorTerms": _by_id(inputs["subnet_ids"]),
        "securityGroupSelectorTerms": _by_id(inputs["security_group_ids"]),
        "blockDeviceMappings": [
            {
                "deviceName": choose_device(choices.ami_alias),
                "rootVolume": True,
                "ebs": {
                    "volumeSize": f"{spec.disk_gib}Gi",
                    "volumeType": "gp3",
                    "encrypted": True,
                    "deleteOnTermination": True,
                },
            }
        ],
        "metadataOptions": {
            "httpEndpoint": "enabled",
            "httpTokens": "required",
            "httpPutResponseHopLimit": 2,
        },
        "tags": {**spec.cost_labels, "Name": spec.id},
    }
    if spec.is_reserved:
        node_class["capacityReservationSelectorTerms"] = [{"id": inputs["reservation_target"]}]
    return node_class


def choose_device(ami_alias: str) -> str:
    """Return the device whose size counts for images and pods."""
    is_bottlerocket = ami_alias.startswith("bottlerocket@")
    return BOTTLEROCKET_DATA_DEVICE if is_bottlerocket else ROOT_DEVICE


def build_node_pool(spec: PoolSpec, name: str) -> dict[str, Any]:
    """Return which nodes Karpenter may make, how many, and when it may take them away."""
    choices = spec.aws.karpenter or KarpenterChoices()
    template: dict[str, Any] = {
        "nodeClassRef": {"group": "karpenter.k8s.aws", "kind": "EC2NodeClass", "name": name},
        "requirements": build_requirements(spec),
        "taints": [
            {"key": taint.key, "value": taint.value, "effect": taint.effect}
            for taint in spec.taints
        ],
        "expireAfter": f"{choices.expire_after_hours}h" if choices.expire_after_hours else "Never",
    }
    if choices.termination_grace_seconds:
        template["terminationGracePeriod"] = f"{choices.termination_grace_seconds}s"
    pool: dict[str, Any] = {
        "template": {"metadata": {"labels": spec.node_labels}, "spec": template},
        "limits": build_limits(spec),
        "disruption": {
            "consolidationPolicy": choices.consolidation_policy,
            "consolidateAfter": f"{choices.consolidate_after_seconds}s",
            "budgets": build_budgets(spec.disruption_budget.max_unavailable_nodes, spec.windows),
        },
    }
    if spec.priority:
        pool["weight"] = spec.priority
    return pool


def build_requirements(spec: PoolSpec) -> list[dict[str, Any]]:
    """Return which machines may be made, in Kubernetes' well-known labels."""
    types = spec.instance_types
    wanted = {
        "node.kubernetes.io/instance-type": [each.name for each in types],
        "karpenter.sh/capacity-type": CAPACITY_TYPES[spec.capacity_type],
        "kubernetes.io/arch": sorted({each.arch for each in types if each.arch}),
        "topology.kubernetes.io/zone": list(spec.zones),
    }
    return [
        {"key": key, "operator": "In", "values": values} for key, values in wanted.items() if values
    ]


def build_limits(spec: PoolSpec) -> dict[str, str]:
    """Return what all nodes together may have.

    Karpenter may pass a limit for a moment when nodes are made at once, so it is stated in every
    measure that the pool's bound gives: accelerators, and CPUs where the catalog knows them.
    """
    limits: dict[str, str] = {}
    if spec.resource:
        # Karpenter counts accelerators as EC2 states them, whoever shares them later.
        limits[spec.resource] = str(spec.max_nodes * spec.accelerators_per_node)
    vcpus = spec.instance_types[0].vcpus
    if vcpus:
        limits["cpu"] = str(spec.max_nodes * vcpus)
    return limits


def name_role(arn: str) -> str:
    """Return the name of a role, which Karpenter wants, from its ARN."""
    return arn.rpartition("/")[2]


def _by_id(identifiers: Any) -> pulumi.Output[list[dict[str, str]]]:
    return pulumi.Output.from_input(identifiers).apply(
        lambda found: [{"id": identifier} for identifier in found]
    )
