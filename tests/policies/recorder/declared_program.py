"""What is recorded before and after a change: each fact that only the stack's manifest declares."""

from __future__ import annotations

import pulumi
import pulumi_aws as aws
import pulumi_gcp as gcp

LABELS = {
    "environment": "dev",
    "owner": "ml-platform",
    "business-unit": "research",
    "platform-project": "vision",
    "workload-class": "training",
    "cost-center": "cc-100",
}
MOST = pulumi.Config("recorded").require_int("most")
"""The change: how far pools grow."""


def add_pool(name: str, workload_class: str, *, spot: bool) -> None:
    labels = {**LABELS, "workload-class": workload_class, "capacity-pool": name}
    gcp.container.NodePool(
        name,
        cluster=cluster.name,
        location="us-central1",
        node_locations=["us-central1-a"],
        initial_node_count=0,
        autoscaling={"total_min_node_count": 0, "total_max_node_count": MOST},
        node_config={
            "machine_type": "g2-standard-4",
            "spot": spot,
            "labels": labels,
            "resource_labels": labels,
        },
    )


cluster = gcp.container.Cluster(
    "cluster",
    location="us-central1",
    initial_node_count=1,
    remove_default_node_pool=True,
    deletion_protection=False,
    resource_labels=LABELS,
)
add_pool("saves", "training", spot=True)
add_pool("forgets", "training", spot=True)
add_pool("bears-it", "inference", spot=True)
add_pool("suffers", "training", spot=True)
add_pool("base", "training", spot=False)
add_pool("lingers", "training", spot=False)
aws.s3.Bucket("tmp-corpus", tags=LABELS)
aws.s3.Bucket("tmp-parts", tags=LABELS)
aws.cloudwatch.LogGroup("logs", retention_in_days=30, tags=LABELS)
for name in ("kept", "endless"):
    aws.ec2.CapacityReservation(
        name,
        instance_type="g6.xlarge",
        instance_platform="Linux/UNIX",
        availability_zone="us-east-1a",
        instance_count=1,
        tags=LABELS,
        opts=pulumi.ResourceOptions(protect=True),
    )
role = aws.iam.Role(
    "serving",
    assume_role_policy='{"Version":"2012-10-17","Statement":[]}',
    tags=LABELS,
)
model = aws.sagemaker.Model(
    "model",
    execution_role_arn=role.arn,
    primary_container={"image": "123456789012.dkr.ecr.us-east-1.amazonaws.com/chat:1"},
    tags=LABELS,
)
for name in ("chat", "unowned"):
    aws.sagemaker.EndpointConfiguration(
        name,
        production_variants=[
            {
                "model_name": model.name,
                "variant_name": "all",
                "instance_type": "ml.g5.xlarge",
                "initial_instance_count": 1,
            }
        ],
        tags=LABELS,
    )


def pool(name: str, tolerance: str, seconds: int | None = None, base: int = 0) -> dict[str, object]:
    checkpoint = None if seconds is None else {"intervalSeconds": seconds}
    return {
        "id": name,
        "interruptionTolerance": tolerance,
        "checkpoint": checkpoint,
        "onDemandBaseNodes": base,
    }


pulumi.export(
    "capacity",
    {
        "version": "tidegate/capacity/v1",
        "project": "recorded",
        "stack": "dev",
        "hourlyCeiling": {"amount": "1", "currency": "USD"},
        "pools": [
            pool("saves", "tolerant", 600),
            pool("forgets", "tolerant"),
            pool("bears-it", "tolerant"),
            pool("suffers", "intolerant", 600),
            pool("base", "tolerant", base=1),
            pool("lingers", "tolerant"),
        ],
        "endpoints": [{"id": "chat", "serviceLevel": "p99", "labels": {"owner": "chat"}}],
        "commitments": [{"id": "kept", "end": "2027-06-30"}],
        "buckets": [{"id": "tmp-corpus", "storageClass": "dataset"}],
        "telemetry": [{"id": "logs", "expectedGibPerMonth": "10"}],
    },
)
