"""One thing wrong for each rule of the policy pack: `tidegate check --program examples/bad`."""

# ruff: noqa: INP001 - Pulumi runs the folder as a program

import pulumi
import pulumi_aws as aws
import pulumi_gcp as gcp
import pulumi_kubernetes as kubernetes

LABELS = {
    "environment": "prod",
    "owner": "ml-platform",
    "business-unit": "research",
    "platform-project": "vision",
    "workload-class": "training",
    "cost-center": "cc-100",
}
REGION = "us-east-1"
afar = aws.Provider("afar", region="ap-south-1")

# Labels
aws.s3.Bucket("unlabelled", tags={"owner": "a"})
aws.s3.Bucket("another-value", tags={**LABELS, "workload-class": "mining"})
aws.s3.Bucket("undeclared", tags={**LABELS, "run-id": "1234"})
aws.s3.Bucket("outlived", tags={**LABELS, "expires-on": "2026-01-31"})
aws.autoscaling.Group(
    "two-centres",
    max_size=1,
    min_size=0,
    tags=[
        {"key": key, "value": value, "propagate_at_launch": True} for key, value in LABELS.items()
    ],
)
template = aws.ec2.LaunchTemplate(
    "other-centre",
    tags=LABELS,
    tag_specifications=[
        {"resource_type": kind, "tags": {**LABELS, "cost-center": "cc-200"}}
        for kind in ("instance", "volume", "network-interface")
    ],
)

# Places
aws.s3.Bucket("elsewhere", tags=LABELS, opts=pulumi.ResourceOptions(provider=afar))
aws.s3.Bucket("people", tags={**LABELS, "data-class": "personal"})
aws.s3.Bucket("images", tags={**LABELS, "dataset": "images"})

# Capacity
aws.eks.NodeGroup(
    "never-idle",
    cluster_name="c",
    node_role_arn="arn:aws:iam::123456789012:role/nodes",
    subnet_ids=["subnet-1"],
    instance_types=["p5.48xlarge"],
    scaling_config={"min_size": 2, "desired_size": 2, "max_size": 100_000},
    tags={**LABELS, "dataset": "images"},
    opts=pulumi.ResourceOptions(provider=afar),
)
aws.eks.NodeGroup(
    "dear",
    cluster_name="c",
    node_role_arn="arn:aws:iam::123456789012:role/nodes",
    subnet_ids=["subnet-1"],
    instance_types=["p5.48xlarge"],
    capacity_type="ON_DEMAND",
    scaling_config={"min_size": 0, "desired_size": 0, "max_size": 64},
    tags=LABELS,
)
for work in ("training", "inference"):
    aws.eks.NodeGroup(
        f"spot-{work}",
        cluster_name="c",
        node_role_arn="arn:aws:iam::123456789012:role/nodes",
        subnet_ids=["subnet-1"],
        instance_types=["g5.xlarge"],
        capacity_type="SPOT",
        scaling_config={"min_size": 0, "desired_size": 0, "max_size": 1},
        tags={**LABELS, "workload-class": work},
    )
aws.appautoscaling.Target(
    "always-on",
    max_capacity=4,
    min_capacity=1,
    resource_id="endpoint/e/variant/v",
    scalable_dimension="sagemaker:variant:DesiredInstanceCount",
    service_namespace="sagemaker",
)
aws.sagemaker.EndpointConfiguration(
    "serving",
    production_variants=[
        {
            "variant_name": "v",
            "model_name": "m",
            "instance_type": "ml.g5.xlarge",
            "initial_instance_count": 1,
        }
    ],
    tags={**LABELS, "workload-class": "inference"},
)
aws.sagemaker.NotebookInstance(
    "left-on",
    instance_type="ml.g5.xlarge",
    role_arn="arn:aws:iam::123456789012:role/notebook",
    tags={**LABELS, "workload-class": "notebook"},
)

# Commitments
aws.ec2.CapacityReservation(
    "for-ever",
    availability_zone="us-east-1a",
    instance_count=2,
    instance_platform="Linux/UNIX",
    instance_type="p5.48xlarge",
    tags=LABELS,
)
gcp.compute.RegionCommitment(
    "long",
    region="us-central1",
    project="vision",
    plan="THIRTY_SIX_MONTH",
    auto_renew=True,
    resources=[{"type": "VCPU", "amount": "8"}],
)

# Storage
aws.s3.Bucket("scratch-space", tags={**LABELS, "data-class": "scratch"})
aws.s3.Bucket(
    "careless",
    tags=LABELS,
    versioning={"enabled": True},
    lifecycle_rules=[
        {
            "enabled": True,
            "expiration": {"days": 0},
            "transitions": [{"days": 1, "storage_class": "STANDARD_IA"}],
        }
    ],
)

# Telemetry
aws.cloudwatch.LogGroup("kept-for-ever", tags={**LABELS, "expected-gib-per-month": "99999"})
aws.cloudwatch.LogMetricFilter(
    "per-run",
    log_group_name="kept-for-ever",
    pattern="[run_id]",
    metric_transformation={
        "name": "losses",
        "namespace": "training",
        "value": "1",
        "dimensions": {"run_id": "$run_id"},
    },
)
aws.lambda_.Function(
    "talkative",
    role="arn:aws:iam::123456789012:role/f",
    environment={"variables": {"LOG_LEVEL": "DEBUG"}},
    tags=LABELS,
)

# Budgets and quotas
aws.budgets.Budget(
    "silent",
    budget_type="COST",
    time_unit="MONTHLY",
    limit_amount="1",
    limit_unit="USD",
    cost_filters=[{"name": "TagKeyValue", "values": ["user:cost-center$cc-999"]}],
    tags=LABELS,
)
kubernetes.core.v1.Namespace("unlimited", metadata={"name": "team", "labels": LABELS})
kubernetes.apiextensions.CustomResource(
    "lingering",
    api_version="keda.sh/v1alpha1",
    kind="ScaledObject",
    metadata={"namespace": "team", "labels": LABELS},
    spec={"minReplicaCount": 0, "cooldownPeriod": 86_400, "scaleTargetRef": {"name": "server"}},
)

# What is wrong with the stack as a whole is said here.
pulumi.export("labels", LABELS)
