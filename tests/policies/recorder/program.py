"""What is recorded: each shape that a rule reads, known, unknown and secret, on three clouds."""

from __future__ import annotations

import pulumi
import pulumi_aws as aws
import pulumi_azure_native as azure
import pulumi_gcp as gcp

LABELS = {
    "environment": "prod",
    "owner": "ml-platform",
    "business-unit": "research",
    "platform-project": "vision",
    "workload-class": "training",
    "cost-center": "cc-100",
}
SECRET = pulumi.Output.secret("plaintext-of-a-secret")
BY_PROVIDER = aws.Provider("labelled", region="us-east-1", default_tags={"tags": LABELS})

data = aws.s3.Bucket("data", tags=LABELS)
aws.s3.Bucket("bare", tags={"owner": "ml-platform"})
aws.s3.Bucket("by-provider", opts=pulumi.ResourceOptions(provider=BY_PROVIDER))
aws.s3.Bucket("secret", tags={**LABELS, "owner": SECRET})
aws.cloudwatch.LogGroup("run-logs", retention_in_days=30, tags={**LABELS, "owner": data.id})
aws.cloudwatch.LogGroup("for-ever", tags=LABELS)
role = aws.iam.Role("nodes", assume_role_policy="{}", tags=LABELS)
template = aws.ec2.LaunchTemplate(
    "gpu",
    tags=LABELS,
    tag_specifications=[
        {"resource_type": kind, "tags": LABELS}
        for kind in ("instance", "volume", "network-interface")
    ],
)
for name, minimum in (("gpu-idle", 1), ("gpu-from-zero", 0)):
    aws.eks.NodeGroup(
        name,
        cluster_name="cluster",
        node_role_arn=role.arn,
        subnet_ids=["subnet-0123456789abcdef0"],
        instance_types=["p5.48xlarge"],
        scaling_config={"min_size": minimum, "desired_size": minimum, "max_size": 4},
        launch_template={"id": template.id, "version": template.latest_version.apply(str)},
        tags=LABELS,
        opts=pulumi.ResourceOptions(ignore_changes=["scalingConfig.desiredSize"]),
    )
gcp.container.NodePool(
    "gpu-unlabelled",
    cluster="cluster",
    location="us-central1",
    autoscaling={"total_min_node_count": 0, "total_max_node_count": 4},
    node_config={
        "machine_type": "a3-highgpu-8g",
        "labels": LABELS,
        "tags": ["ssh"],
    },
)
gcp.logging.ProjectBucketConfig(
    "gcp-run-logs", project="p", location="us-central1", bucket_id="run-logs", retention_days=365
)
group = azure.resources.ResourceGroup("group", location="eastus", tags={"Owner": "ml-platform"})
azure.operationalinsights.Workspace(
    "workspace",
    resource_group_name=group.name,
    location="eastus",
    retention_in_days=30,
    tags=LABELS,
)
azure.containerservice.AgentPool(
    "gpu",
    resource_group_name=group.name,
    resource_name_="cluster",
    agent_pool_name="gpu",
    vm_size="Standard_NC24ads_A100_v4",
    mode="User",
    enable_auto_scaling=True,
    count=1,
    min_count=1,
    max_count=4,
    tags=LABELS,
)

serving = {**LABELS, "workload-class": "inference"}
aws.s3.BucketLifecycleConfiguration(
    "data",
    bucket=data.id,
    rules=[
        {
            "id": "tier",
            "status": "Enabled",
            "filter": {"prefix": ""},
            "transitions": [{"days": 30, "storage_class": "STANDARD_IA"}],
            "expiration": {"days": 40},
        }
    ],
)
gcp.storage.Bucket(
    "scratch",
    location="US-CENTRAL1",
    labels={**LABELS, "run-id": "7f3"},
    lifecycle_rules=[{"action": {"type": "Delete"}, "condition": {"num_newer_versions": 3}}],
)
aws.ec2.CapacityReservation(
    "endless",
    availability_zone="us-east-1b",
    instance_type="g6.12xlarge",
    instance_platform="Linux/UNIX",
    instance_count=1,
    end_date_type="unlimited",
    tags=LABELS,
)
gcp.container.NodePool(
    "spot-serving",
    cluster="cluster",
    location="us-central1",
    autoscaling={"total_min_node_count": 0, "total_max_node_count": 400},
    node_config={"machine_type": "g2-standard-4", "spot": True, "resource_labels": serving},
)
gcp.workbench.Instance(
    "idle", location="us-central1-a", gce_setup={"machine_type": "g2-standard-4"}, labels=LABELS
)
aws.budgets.Budget(
    "silent",
    budget_type="COST",
    time_unit="MONTHLY",
    limit_amount="100",
    limit_unit="USD",
    cost_filters=[{"name": "TagKeyValue", "values": ["user:cost-center$cc-9"]}],
    tags=LABELS,
)
pulumi.export(
    "capacity", {"version": "tidegate/capacity/v1", "pools": [], "hourlyCeiling": {"amount": "1"}}
)
