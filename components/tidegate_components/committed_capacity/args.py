"""The arguments of reserved capacity, as Pulumi's schema and a Python program see them."""

# Pulumi infers the package schema from these annotations at run time; it cannot read
# postponed annotations, Literal, Union or tuple, so this file has none.

from typing import NotRequired, TypedDict

import pulumi

from tidegate_components.commitments.args import AcknowledgementArgs, PurchaseArgs


class CommittedCapacityGcpArgs(TypedDict):
    """What only a Compute Engine reservation takes."""

    project: NotRequired[pulumi.Input[str]]
    """The project, where it is not the provider's."""


class CommittedCapacityAzureArgs(TypedDict):
    """What only an Azure capacity reservation takes."""

    resource_group_name: NotRequired[pulumi.Input[str]]
    """The resource group of the reservation. Required on Azure."""


class CommittedCapacityArgs(TypedDict):
    """What is reserved or committed to, and paid for whether used or not, until a day."""

    cloud: str
    """aws, gcp or azure."""
    region: str
    """The cloud's own name of the region."""
    account: NotRequired[str]
    """The account, project or subscription that pays, for the manifest."""
    kind: NotRequired[str]
    """capacity-reservation unless stated; capacity-block, savings-plan or reserved-instance on
    AWS; future-reservation, resource-cud or flexible-cud on Google Cloud; azure-reservation or
    savings-plan on Azure. What no resource type buys is bought elsewhere and only recorded."""
    zone: NotRequired[str]
    """The one zone of reserved machines. Required for them."""
    instance_type: NotRequired[str]
    """The cloud's own instance type. Required where machines are committed to."""
    accelerator: NotRequired[str]
    """The accelerator, where the instance type leaves a choice."""
    accelerators_per_node: NotRequired[int]
    """How many of it a machine has, where the instance type leaves a choice."""
    units: NotRequired[int]
    """How many machines. Required where machines are committed to."""
    acknowledge: NotRequired[AcknowledgementArgs]
    """What is agreed to. Required: nothing is bought without it."""
    purchase: NotRequired[PurchaseArgs]
    """What only some kinds say of their purchase."""
    labels: dict[str, str]
    """The cost labels."""
    gcp: NotRequired[CommittedCapacityGcpArgs]
    """What only Compute Engine takes."""
    azure: NotRequired[CommittedCapacityAzureArgs]
    """What only Azure takes."""
