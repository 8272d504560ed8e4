"""Words for capacity: clouds, how capacity is bought, who scales it, what runs on it."""

from __future__ import annotations

from decimal import ROUND_CEILING, Decimal
from enum import StrEnum


class Cloud(StrEnum):
    """The clouds Tidegate works on. Values are Pulumi's and FOCUS-friendly short names."""

    AWS = "aws"
    GCP = "gcp"
    AZURE = "azure"


class CapacityType(StrEnum):
    """How a node is bought (Karpenter's `karpenter.sh/capacity-type` values)."""

    ON_DEMAND = "on-demand"
    SPOT = "spot"
    RESERVED = "reserved"


class Scaler(StrEnum):
    """The one thing that may change a pool's size."""

    PROVIDER = "provider"
    CLUSTER_AUTOSCALER = "cluster-autoscaler"
    KARPENTER = "karpenter"
    TIDEGATE = "tidegate"


class PoolKind(StrEnum):
    """What a pool is made of in its cloud."""

    EKS_NODE_GROUP = "eks-node-group"
    GKE_NODE_POOL = "gke-node-pool"
    AKS_AGENT_POOL = "aks-agent-pool"
    AUTO_SCALING_GROUP = "auto-scaling-group"
    INSTANCE_GROUP = "instance-group"
    SCALE_SET = "scale-set"
    KARPENTER_NODE_POOL = "karpenter-node-pool"
    MANAGED_TRAINING = "managed-training"


class SharingStrategy(StrEnum):
    """How several pods share one accelerator."""

    MIG = "mig"
    TIME_SHARING = "time-sharing"
    MPS = "mps"


class WorkloadClass(StrEnum):
    """Values of the cost label `workload-class`."""

    TRAINING = "training"
    INFERENCE = "inference"
    NOTEBOOK = "notebook"
    PIPELINE = "pipeline"
    PLATFORM = "platform"


class InterruptionTolerance(StrEnum):
    """Whether work on a pool survives losing a node."""

    TOLERANT = "tolerant"
    INTOLERANT = "intolerant"


class StorageClass(StrEnum):
    """What a bucket holds; decides its default tiers and expiry."""

    DATASET = "dataset"
    CHECKPOINT = "checkpoint"
    ARTIFACT = "artifact"
    LOG = "log"
    SCRATCH = "scratch"


class TelemetryClass(StrEnum):
    """What a telemetry stream holds; decides the floor and ceiling of its retention."""

    RUN_LOGS = "run-logs"
    SERVING_LOGS = "serving-logs"
    PLATFORM_LOGS = "platform-logs"
    AUDIT_LOGS = "audit-logs"
    DEBUG_LOGS = "debug-logs"


def split_purchase(nodes: Decimal, base: int, percent_above: int) -> tuple[Decimal, Decimal]:
    """Return (on-demand nodes, spot nodes) of a spot pool with a floor bought on demand.

    The first `base` nodes are on demand, and `percent_above` percent of those above them. A whole
    number of nodes is split into whole numbers, the on-demand part rounded up, as EC2 Auto Scaling
    rounds; an average (1.5 nodes) is split exactly.
    """
    floor = min(nodes, Decimal(base))
    share = (nodes - floor) * percent_above / 100
    if nodes == nodes.to_integral_value():
        share = share.to_integral_value(ROUND_CEILING)
    return floor + share, nodes - floor - share
