"""Which behaviour each AWS type has; every other type of the SDK is stored, no more."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from tidegate.localclouds.aws import (
    application_scaling,
    autoscaling,
    cost_explorer,
    eks,
    events,
    iam,
    network,
    queues,
    routing,
    s3_settings,
    sagemaker,
    sagemaker_studio,
    topics,
)
from tidegate.localclouds.aws.access_entries import AccessEntry, PodIdentityAssociation
from tidegate.localclouds.aws.alarms import MetricAlarm
from tidegate.localclouds.aws.budgets import Budget
from tidegate.localclouds.aws.capacity import CapacityReservation
from tidegate.localclouds.aws.capacity_block import CapacityBlockReservation
from tidegate.localclouds.aws.clients import Clients
from tidegate.localclouds.aws.instance_profile import InstanceProfile
from tidegate.localclouds.aws.launch_template import LaunchTemplate
from tidegate.localclouds.aws.logs import LogGroup
from tidegate.localclouds.aws.placement_group import PlacementGroup
from tidegate.localclouds.aws.s3_bucket import Bucket
from tidegate.localclouds.aws.savings_plans import SavingsPlan
from tidegate.localclouds.aws.security_group import SecurityGroup
from tidegate.localclouds.aws.snapshots import LifecyclePolicy
from tidegate.localclouds.contracts import TypeBehaviour

_TIERING = "bucketIntelligentTieringConfiguration:BucketIntelligentTieringConfiguration"
_ENCRYPTION = "bucketServerSideEncryptionConfiguration:BucketServerSideEncryptionConfiguration"
_NOTEBOOK_LIFECYCLE = (
    "notebookInstanceLifecycleConfiguration:NotebookInstanceLifecycleConfiguration"
)

BEHAVIOURS: Mapping[str, Callable[[Clients], TypeBehaviour]] = {
    "aws:appautoscaling/policy:Policy": application_scaling.Policy,
    "aws:appautoscaling/target:Target": application_scaling.Target,
    "aws:autoscaling/group:Group": autoscaling.Group,
    "aws:autoscaling/tag:Tag": autoscaling.Tag,
    "aws:budgets/budget:Budget": Budget,
    "aws:cloudwatch/eventRule:EventRule": events.EventRule,
    "aws:cloudwatch/eventTarget:EventTarget": events.EventTarget,
    "aws:cloudwatch/logGroup:LogGroup": LogGroup,
    "aws:cloudwatch/metricAlarm:MetricAlarm": MetricAlarm,
    "aws:costexplorer/anomalyMonitor:AnomalyMonitor": cost_explorer.AnomalyMonitor,
    "aws:costexplorer/anomalySubscription:AnomalySubscription": cost_explorer.AnomalySubscription,
    "aws:costexplorer/costAllocationTag:CostAllocationTag": cost_explorer.CostAllocationTag,
    "aws:dlm/lifecyclePolicy:LifecyclePolicy": LifecyclePolicy,
    "aws:ec2/capacityBlockReservation:CapacityBlockReservation": CapacityBlockReservation,
    "aws:ec2/capacityReservation:CapacityReservation": CapacityReservation,
    "aws:ec2/internetGateway:InternetGateway": routing.InternetGateway,
    "aws:ec2/launchTemplate:LaunchTemplate": LaunchTemplate,
    "aws:ec2/placementGroup:PlacementGroup": PlacementGroup,
    "aws:ec2/routeTable:RouteTable": routing.RouteTable,
    "aws:ec2/routeTableAssociation:RouteTableAssociation": routing.RouteTableAssociation,
    "aws:ec2/securityGroup:SecurityGroup": SecurityGroup,
    "aws:ec2/subnet:Subnet": network.Subnet,
    "aws:ec2/vpc:Vpc": network.Vpc,
    "aws:eks/accessEntry:AccessEntry": AccessEntry,
    "aws:eks/cluster:Cluster": eks.Cluster,
    "aws:eks/nodeGroup:NodeGroup": eks.NodeGroup,
    "aws:eks/podIdentityAssociation:PodIdentityAssociation": PodIdentityAssociation,
    "aws:iam/instanceProfile:InstanceProfile": InstanceProfile,
    "aws:iam/policy:Policy": iam.Policy,
    "aws:iam/role:Role": iam.Role,
    "aws:iam/rolePolicyAttachment:RolePolicyAttachment": iam.RolePolicyAttachment,
    "aws:s3/bucket:Bucket": Bucket,
    f"aws:s3/{_TIERING}": s3_settings.BucketTiering,
    "aws:s3/bucketLifecycleConfiguration:BucketLifecycleConfiguration": s3_settings.BucketLifecycle,
    "aws:s3/bucketPublicAccessBlock:BucketPublicAccessBlock": s3_settings.BucketPublicAccessBlock,
    f"aws:s3/{_ENCRYPTION}": s3_settings.BucketEncryption,
    "aws:s3/bucketVersioning:BucketVersioning": s3_settings.BucketVersioning,
    "aws:sagemaker/domain:Domain": sagemaker_studio.Domain,
    "aws:sagemaker/endpoint:Endpoint": sagemaker.Endpoint,
    "aws:sagemaker/endpointConfiguration:EndpointConfiguration": sagemaker.EndpointConfiguration,
    "aws:sagemaker/model:Model": sagemaker.Model,
    "aws:sagemaker/notebookInstance:NotebookInstance": sagemaker.NotebookInstance,
    f"aws:sagemaker/{_NOTEBOOK_LIFECYCLE}": sagemaker.NotebookLifecycle,
    "aws:sagemaker/space:Space": sagemaker_studio.Space,
    "aws:sagemaker/userProfile:UserProfile": sagemaker_studio.UserProfile,
    "aws:savingsplans/savingsPlan:SavingsPlan": SavingsPlan,
    "aws:sns/topic:Topic": topics.Topic,
    "aws:sns/topicPolicy:TopicPolicy": topics.TopicPolicy,
    "aws:sqs/queue:Queue": queues.Queue,
    "aws:sqs/queuePolicy:QueuePolicy": queues.QueuePolicy,
}


def build_behaviours(clients: Clients) -> dict[str, TypeBehaviour]:
    """Return the behaviour of each type that an API backs."""
    return {token: build(clients) for token, build in BEHAVIOURS.items()}
