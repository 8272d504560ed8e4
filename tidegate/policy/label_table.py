"""Where each resource type carries cost labels: the carriers, by type token.

A type that is not here is *not known*, which no rule may read as a pass. An empty tuple is a
type that is known to take no cost labels. Read from pulumi-aws 7.51.1, pulumi-gcp 10.2.0 and
pulumi-azure-native 3.29.0 (2026-11-30); a test compares every row with the installed SDKs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum


class Scope(StrEnum):
    """What the labels at a carrier end up on."""

    RESOURCE = "resource"
    INSTANCES = "instances"
    VOLUMES = "volumes"
    NETWORK_INTERFACES = "network interfaces"
    NODES = "nodes"


class Shape(StrEnum):
    """How labels are written at a carrier."""

    MAP = "map"
    LIST = "list"
    """A list of `{key, value, propagateAtLaunch}`: what the Auto Scaling group itself carries."""
    PROPAGATED_LIST = "propagated-list"
    """Of the same list, only what the group's instances get."""
    TAG_SPECIFICATION = "tag-specification"
    """Within a list of `{resourceType, tags}`, the entry of one resource type."""
    LAUNCH_TEMPLATE = "launch-template"
    """Not here: in the launch template that the resource refers to."""


@dataclass(frozen=True, slots=True)
class Carrier:
    """One place of a resource type that carries cost labels.

    Attributes:
        property: Path of the property; `[]` stands for each element of a list.
        scope: What the labels end up on.
        shape: How they are written.
        inherits: Whether the provider's default labels are merged in.
        resource_type: For TAG_SPECIFICATION, EC2's name of what is labelled.
    """

    property: str
    scope: Scope = Scope.RESOURCE
    shape: Shape = Shape.MAP
    inherits: bool = False
    resource_type: str = ""


TAGS = (Carrier("tags", inherits=True),)
"""AWS: a map of tags, merged with the provider's default tags."""

LABELS = (Carrier("labels", inherits=True),)
"""Google Cloud: a map of labels, merged with the provider's default labels."""

AZURE_TAGS = (Carrier("tags"),)
"""Azure: a map of tags; azure-native has no default tags."""

NONE: tuple[Carrier, ...] = ()

# EC2's names of what a launch template labels → what that is to a reader.
LAUNCHED: Mapping[str, Scope] = {
    "instance": Scope.INSTANCES,
    "volume": Scope.VOLUMES,
    "network-interface": Scope.NETWORK_INTERFACES,
}

_LAUNCH_TEMPLATE = tuple(
    Carrier("tagSpecifications", scope, Shape.TAG_SPECIFICATION, resource_type=name)
    for name, scope in LAUNCHED.items()
)

_AWS_TAGGED = (
    "aws:bedrock/provisionedModelThroughput:ProvisionedModelThroughput",
    "aws:cloudwatch/logGroup:LogGroup",
    "aws:cloudwatch/metricAlarm:MetricAlarm",
    "aws:dynamodb/table:Table",
    "aws:ebs/volume:Volume",
    "aws:ec2/capacityBlockReservation:CapacityBlockReservation",
    "aws:ec2/capacityReservation:CapacityReservation",
    "aws:ec2/eip:Eip",
    "aws:ec2/internetGateway:InternetGateway",
    "aws:ec2/natGateway:NatGateway",
    "aws:ec2/placementGroup:PlacementGroup",
    "aws:ec2/routeTable:RouteTable",
    "aws:ec2/securityGroup:SecurityGroup",
    "aws:ec2/subnet:Subnet",
    "aws:ec2/vpc:Vpc",
    "aws:ec2/vpcEndpoint:VpcEndpoint",
    "aws:ecr/repository:Repository",
    "aws:ecs/cluster:Cluster",
    "aws:ecs/service:Service",
    "aws:efs/fileSystem:FileSystem",
    "aws:eks/addon:Addon",
    "aws:eks/cluster:Cluster",
    "aws:fsx/lustreFileSystem:LustreFileSystem",
    "aws:iam/instanceProfile:InstanceProfile",
    "aws:iam/openIdConnectProvider:OpenIdConnectProvider",
    "aws:iam/policy:Policy",
    "aws:iam/role:Role",
    "aws:kms/key:Key",
    "aws:lambda/function:Function",
    "aws:lb/loadBalancer:LoadBalancer",
    "aws:rds/instance:Instance",
    "aws:s3/bucket:Bucket",
    "aws:s3/bucketV2:BucketV2",
    "aws:sagemaker/endpoint:Endpoint",
    "aws:sagemaker/endpointConfiguration:EndpointConfiguration",
    "aws:sagemaker/model:Model",
    "aws:sagemaker/notebookInstance:NotebookInstance",
    "aws:savingsplans/savingsPlan:SavingsPlan",
    "aws:secretsmanager/secret:Secret",
    "aws:sns/topic:Topic",
    "aws:sqs/queue:Queue",
)
_AWS_UNTAGGED = (
    # Single tags, attachments and settings of another resource.
    "aws:autoscaling/tag:Tag",
    "aws:ec2/internetGatewayAttachment:InternetGatewayAttachment",
    "aws:ec2/route:Route",
    "aws:ec2/routeTableAssociation:RouteTableAssociation",
    "aws:ec2/securityGroupRule:SecurityGroupRule",
    "aws:ec2/tag:Tag",
    "aws:iam/policyAttachment:PolicyAttachment",
    "aws:iam/rolePolicy:RolePolicy",
    "aws:iam/rolePolicyAttachment:RolePolicyAttachment",
    "aws:s3/bucketIntelligentTieringConfiguration:BucketIntelligentTieringConfiguration",
    "aws:s3/bucketLifecycleConfiguration:BucketLifecycleConfiguration",
    "aws:s3/bucketOwnershipControls:BucketOwnershipControls",
    "aws:s3/bucketPolicy:BucketPolicy",
    "aws:s3/bucketPublicAccessBlock:BucketPublicAccessBlock",
    "aws:s3/bucketServerSideEncryptionConfiguration:BucketServerSideEncryptionConfiguration",
    "aws:s3/bucketVersioning:BucketVersioning",
    # `tags` chooses what they watch, it does not label them.
    "aws:devopsguru/resourceCollection:ResourceCollection",
    "aws:inspector/resourceGroup:ResourceGroup",
)
_GCP_LABELLED = (
    "gcp:artifactregistry/repository:Repository",
    "gcp:bigquery/dataset:Dataset",
    "gcp:bigquery/table:Table",
    "gcp:compute/address:Address",
    "gcp:compute/disk:Disk",
    "gcp:compute/image:Image",
    "gcp:compute/instance:Instance",
    "gcp:filestore/instance:Instance",
    "gcp:pubsub/subscription:Subscription",
    "gcp:pubsub/topic:Topic",
    "gcp:secretmanager/secret:Secret",
    "gcp:storage/bucket:Bucket",
    "gcp:workbench/instance:Instance",
)
_GCP_UNLABELLED = (
    "gcp:billing/budget:Budget",
    "gcp:compute/firewall:Firewall",
    "gcp:compute/network:Network",
    "gcp:compute/regionCommitment:RegionCommitment",
    "gcp:compute/reservation:Reservation",
    "gcp:compute/resourcePolicy:ResourcePolicy",
    "gcp:compute/subnetwork:Subnetwork",
    "gcp:logging/projectBucketConfig:ProjectBucketConfig",
    "gcp:logging/projectExclusion:ProjectExclusion",
    "gcp:logging/projectSink:ProjectSink",
    "gcp:projects/iAMMember:IAMMember",
    "gcp:projects/service:Service",
    "gcp:serviceaccount/account:Account",
    "gcp:storage/bucketIAMMember:BucketIAMMember",
    # Their labels never reach the bill.
    "gcp:monitoring/alertPolicy:AlertPolicy",
    "gcp:monitoring/notificationChannel:NotificationChannel",
)
_AZURE_TAGGED = (
    "azure-native:compute:CapacityReservation",
    "azure-native:compute:CapacityReservationGroup",
    "azure-native:compute:Disk",
    "azure-native:compute:VirtualMachine",
    "azure-native:compute:VirtualMachineScaleSet",
    "azure-native:containerregistry:Registry",
    "azure-native:containerservice:AgentPool",
    "azure-native:machinelearningservices:Workspace",
    "azure-native:managedidentity:UserAssignedIdentity",
    "azure-native:network:NetworkSecurityGroup",
    "azure-native:network:PublicIPAddress",
    "azure-native:network:VirtualNetwork",
    "azure-native:operationalinsights:Workspace",
    "azure-native:resources:ResourceGroup",
    "azure-native:storage:StorageAccount",
)
_AZURE_UNTAGGED = (
    "azure-native:authorization:RoleAssignment",
    "azure-native:consumption:Budget",
    "azure-native:costmanagement:Budget",
    "azure-native:insights:DiagnosticSetting",  # its name before azure-native 3
    "azure-native:monitor:DiagnosticSetting",
    "azure-native:network:Subnet",
    "azure-native:operationalinsights:Table",
    "azure-native:storage:BlobContainer",
    "azure-native:storage:BlobServiceProperties",
    "azure-native:storage:ManagementPolicy",
)

LABEL_TABLE: Mapping[str, tuple[Carrier, ...]] = {
    **dict.fromkeys(_AWS_TAGGED, TAGS),
    **dict.fromkeys(_AWS_UNTAGGED, NONE),
    **dict.fromkeys(_GCP_LABELLED, LABELS),
    **dict.fromkeys(_GCP_UNLABELLED, NONE),
    **dict.fromkeys(_AZURE_TAGGED, AZURE_TAGS),
    **dict.fromkeys(_AZURE_UNTAGGED, NONE),
    # The group's own tags are a list, default tags do not reach it, and its instances get only
    # what propagates (hashicorp/terraform-provider-aws#19387).
    "aws:autoscaling/group:Group": (
        Carrier("tags", Scope.RESOURCE, Shape.LIST),
        Carrier("tags", Scope.INSTANCES, Shape.PROPAGATED_LIST),
    ),
    # Default tags do not reach tag specifications either (the same report).
    "aws:ec2/launchTemplate:LaunchTemplate": (*TAGS, *_LAUNCH_TEMPLATE),
    "aws:ec2/instance:Instance": (
        *TAGS,
        Carrier("volumeTags", Scope.VOLUMES, inherits=True),
    ),
    # A node group's tags stay on the node group (pulumi/pulumi-eks#635).
    "aws:eks/nodeGroup:NodeGroup": (
        *TAGS,
        Carrier("launchTemplate", Scope.INSTANCES, Shape.LAUNCH_TEMPLATE),
    ),
    "gcp:container/cluster:Cluster": (Carrier("resourceLabels", inherits=True),),
    # `nodeConfig.labels` are Kubernetes labels and `nodeConfig.tags` network tags; neither is
    # on the bill (hashicorp/terraform-provider-google#19436).
    "gcp:container/nodePool:NodePool": (Carrier("nodeConfig.resourceLabels", Scope.NODES),),
    "azure-native:containerservice:ManagedCluster": (
        *AZURE_TAGS,
        Carrier("agentPoolProfiles[].tags", Scope.NODES),
    ),
}
