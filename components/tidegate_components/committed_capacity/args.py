"""The arguments of reserved capacity, as Pulumi's schema and a Python program see them."""

# Pulumi infers the package schema from these annotations at run time; it cannot read
# postponed annotations, Literal, Union or tuple, so this file has none.

from typing import NotRequired, TypedDict

import pulumi


class AcknowledgementArgs(TypedDict):
    """What is agreed to before anything is bought."""

    hourly_amount: str
    """What the reservation may cost an hour, used or not, as a decimal string."""
    currency: str
    """The amount's currency, as ISO 4217 writes it."""
    end_date: str
    """The last day that is paid for, as YYYY-MM-DD."""


class CommittedCapacityGcpArgs(TypedDict):
    """What only a Compute Engine reservation takes."""

    project: NotRequired[pulumi.Input[str]]
    """The project, where it is not the provider's."""


class CommittedCapacityAzureArgs(TypedDict):
    """What only an Azure capacity reservation takes."""

    resource_group_name: NotRequired[pulumi.Input[str]]
    """The resource group of the reservation. Required on Azure."""


class CommittedCapacityArgs(TypedDict):
    """Machines that are reserved, and paid for whether used or not, until a day."""

    cloud: str
    """aws, gcp or azure."""
    region: str
    """The cloud's own name of the region."""
    account: NotRequired[str]
    """The account, project or subscription that pays, for the manifest."""
    zone: str
    """The one zone of the machines."""
    instance_type: str
    """The cloud's own instance type."""
    accelerator: NotRequired[str]
    """The accelerator, where the instance type leaves a choice."""
    accelerators_per_node: NotRequired[int]
    """How many of it a machine has, where the instance type leaves a choice."""
    units: int
    """How many machines."""
    acknowledge: NotRequired[AcknowledgementArgs]
    """What is agreed to. Required: nothing is bought without it."""
    labels: dict[str, str]
    """The cost labels."""
    gcp: NotRequired[CommittedCapacityGcpArgs]
    """What only Compute Engine takes."""
    azure: NotRequired[CommittedCapacityAzureArgs]
    """What only Azure takes."""
