"""What is recorded in four ways: each shape that a rule reads, and all of it can be created."""

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


class Archive(pulumi.ComponentResource):
    """A component whose child is declared inside it."""

    def __init__(self, name: str) -> None:
        super().__init__("recorded:index:Archive", name)
        options = pulumi.ResourceOptions(parent=self)
        self.bucket = aws.s3.Bucket(f"{name}-bucket", tags={"owner": "a"}, opts=options)
        self.register_outputs({})


data = aws.s3.Bucket("data", tags=LABELS)
aws.s3.Bucket("bare", tags={"owner": "ml-platform"}, opts=pulumi.ResourceOptions(protect=True))
aws.s3.Bucket("by-provider", opts=pulumi.ResourceOptions(provider=BY_PROVIDER))
aws.s3.Bucket("secret", tags={**LABELS, "owner": SECRET})
aws.s3.Bucket("all-secret", tags=pulumi.Output.secret({**LABELS, "owner": SECRET}))
aws.cloudwatch.LogGroup("run-logs", retention_in_days=30, tags={**LABELS, "owner": data.id})
aws.cloudwatch.LogGroup("for-ever", tags=LABELS)
aws.iam.Role(
    "nodes",
    assume_role_policy='{"Version":"2012-10-17","Statement":[]}',
    tags=LABELS,
    opts=pulumi.ResourceOptions(ignore_changes=["description"]),
)
aws.ec2.LaunchTemplate(
    "gpu",
    tags=LABELS,
    tag_specifications=[
        {"resource_type": kind, "tags": LABELS} for kind in ("instance", "network-interface")
    ],
)
Archive("archive")
cluster = gcp.container.Cluster(
    "cluster",
    location="us-central1",
    initial_node_count=1,
    remove_default_node_pool=True,
    deletion_protection=False,
    resource_labels=LABELS,
)
for name, nodes, labels in (("gpu-unlabelled", 0, None), ("gpu-idle", 1, LABELS)):
    gcp.container.NodePool(
        name,
        cluster=cluster.name,
        location="us-central1",
        initial_node_count=nodes,
        autoscaling={"min_node_count": nodes, "max_node_count": 4},
        node_config={
            "machine_type": "a3-highgpu-8g",
            "labels": LABELS,
            "resource_labels": labels,
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
    sku={"name": "PerGB2018"},
    tags=LABELS,
)
