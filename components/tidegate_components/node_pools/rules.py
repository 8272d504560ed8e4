"""What one cloud alone allows or forbids for a node pool."""

from __future__ import annotations

from tidegate.vocabulary.capacity import Cloud, Scaler
from tidegate_components.arguments import Arguments
from tidegate_components.node_pools.aws_rules import check_aws
from tidegate_components.node_pools.gcp_rules import check_gcp
from tidegate_components.node_pools.spec import PoolSpec


def check_cloud(read: Arguments, spec: PoolSpec) -> None:
    """Note what the pool's cloud does not allow."""
    for other in Cloud:
        if other is not spec.cloud and read.has(other.value):
            reason = f"concerns {other.value}, and the pool is in {spec.cloud.value}"
            read.refuse(other.value, None, reason, "leave it out")
    if spec.scaler is Scaler.KARPENTER and spec.cloud is not Cloud.AWS:
        reason = f"makes nodes on AWS only, and the pool is in {spec.cloud.value}"
        expected = "tidegate, cluster-autoscaler or provider"
        read.refuse("scaler", spec.scaler.value, reason, expected)
    checks = {Cloud.AWS: check_aws, Cloud.GCP: check_gcp, Cloud.AZURE: _check_azure}
    checks[spec.cloud](read, spec)


def _check_azure(read: Arguments, spec: PoolSpec) -> None:
    if spec.is_reserved and len(spec.zones) > 1:
        reason = "are more than a capacity reservation has"
        read.refuse("zones", ", ".join(spec.zones), reason, "the reservation's one zone")
