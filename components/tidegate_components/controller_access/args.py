"""The arguments of the controller's access, as Pulumi's schema and a Python program see them."""

# Pulumi infers the package schema from these annotations at run time; it cannot read
# postponed annotations, Literal, Union or tuple, so this file has none.

from typing import NotRequired, TypedDict

import pulumi


class PodIdentityArgs(TypedDict):
    """A controller on EKS that gets its role through EKS Pod Identity."""

    cluster: pulumi.Input[str]
    """The cluster, by name; its Pod Identity agent has to be installed."""
    region: NotRequired[str]
    """The cluster's region, where it is not the provider's."""
    namespace: str
    """The namespace of the controller."""
    service_account: str
    """The Kubernetes service account of the controller."""


class IrsaArgs(TypedDict):
    """A controller on Kubernetes that gets its role through an OpenID Connect provider."""

    provider_arn: pulumi.Input[str]
    """The IAM OpenID Connect provider of the cluster."""
    issuer: pulumi.Input[str]
    """The cluster's issuer, with or without https://."""
    namespace: str
    """The namespace of the controller."""
    service_account: str
    """The Kubernetes service account of the controller."""


class ControllerAccessAwsArgs(TypedDict):
    """What only AWS takes: who gets the role, one way of three, and what it is held to."""

    pools: NotRequired[list[str]]
    """The pools that it may resize, by id: their resources carry it as the tag capacity-pool.
    Required on AWS."""
    regions: NotRequired[list[str]]
    """The regions of the pools. Required on AWS."""
    pod_identity: NotRequired[PodIdentityArgs]
    """The controller runs on EKS and gets the role through Pod Identity."""
    irsa: NotRequired[IrsaArgs]
    """The controller runs on Kubernetes and gets the role through OpenID Connect."""
    principal_arns: NotRequired[pulumi.Input[list[pulumi.Input[str]]]]
    """The controller runs elsewhere: the principals that may take the role on."""


class GroupTagArgs(TypedDict):
    """The Resource Manager tag that managed instance groups of pools carry."""

    key: str
    """The tag's key with its parent, as conditions spell it: 123456789012/capacity-pools."""
    value: str
    """The tag's short value."""


class WorkloadIdentityArgs(TypedDict):
    """A controller on GKE that acts as the service account through Workload Identity."""

    project: NotRequired[pulumi.Input[str]]
    """The project of the controller's cluster, where it is another."""
    namespace: str
    """The namespace of the controller."""
    service_account: str
    """The Kubernetes service account of the controller."""


class GcpFederationArgs(TypedDict):
    """A controller on Kubernetes elsewhere that acts as the service account by its own tokens."""

    identity_pool: pulumi.Input[str]
    """The workload identity pool whose provider trusts the cluster, as \
projects/NUMBER/locations/global/workloadIdentityPools/POOL."""
    namespace: str
    """The namespace of the controller."""
    service_account: str
    """The Kubernetes service account of the controller."""


class ControllerAccessGcpArgs(TypedDict):
    """What only Google Cloud takes."""

    project: NotRequired[pulumi.Input[str]]
    """The project of the pools. Required on Google Cloud."""
    clusters: NotRequired[list[str]]
    """The clusters whose node pools it may resize, by name; none unless stated."""
    group_tag: NotRequired[GroupTagArgs]
    """The tag of the instance groups that it may resize; none unless stated."""
    notice_subscriptions: NotRequired[list[pulumi.Input[str]]]
    """The Pub/Sub subscriptions of interruption notices, by path."""
    workload_identity: NotRequired[WorkloadIdentityArgs]
    """The controller runs on GKE."""
    federation: NotRequired[GcpFederationArgs]
    """The controller runs on Kubernetes elsewhere."""


class FederationArgs(TypedDict):
    """A controller on Kubernetes that acts as a user-assigned identity by its own tokens."""

    identity_name: pulumi.Input[str]
    """The identity, by name: the one of principal_id."""
    resource_group_name: pulumi.Input[str]
    """The identity's resource group."""
    issuer: pulumi.Input[str]
    """The cluster's OpenID Connect issuer, as AKS and others tell it."""
    namespace: str
    """The namespace of the controller."""
    service_account: str
    """The Kubernetes service account of the controller."""


class ControllerAccessAzureArgs(TypedDict):
    """What only Azure takes."""

    principal_id: NotRequired[pulumi.Input[str]]
    """The object id of the controller's identity. Required on Azure."""
    subscription: NotRequired[pulumi.Input[str]]
    """The subscription's id as a path, /subscriptions/…: where quotas and offers are read.
    Required on Azure."""
    pool_scopes: NotRequired[list[pulumi.Input[str]]]
    """What it may resize: agent pools, scale sets and fleets by id, their subnets, or resource
    groups. Required on Azure."""
    queue_scopes: NotRequired[list[pulumi.Input[str]]]
    """The queues of interruption notices, by id."""
    workspace_scopes: NotRequired[list[pulumi.Input[str]]]
    """The machine-learning workspaces whose endpoints and notebooks it may scale and stop."""
    federation: NotRequired[FederationArgs]
    """The controller runs on Kubernetes."""


class ControllerAccessArgs(TypedDict):
    """The least privilege that the controller needs on one cloud."""

    cloud: str
    """aws, gcp or azure."""
    account: NotRequired[str]
    """The AWS account's id, for the names of resources; any that IAM allows when absent."""
    labels: dict[str, str]
    """The cost labels."""
    aws: NotRequired[ControllerAccessAwsArgs]
    """What only AWS takes."""
    gcp: NotRequired[ControllerAccessGcpArgs]
    """What only Google Cloud takes."""
    azure: NotRequired[ControllerAccessAzureArgs]
    """What only Azure takes."""
