"""The arguments of a budget, as Pulumi's schema and a Python program see them."""

# Pulumi infers the package schema from these annotations at run time; it cannot read
# postponed annotations, Literal, Union or tuple, so this file has none.

from typing import NotRequired, TypedDict

import pulumi


class AnomalyArgs(TypedDict):
    """Unexpected spend that is told as it happens, whatever the budget says."""

    minimum_impact: NotRequired[float]
    """The unexpected spend from which on it is told, in the budget's currency. Required on AWS;
    Azure has no such threshold."""
    frequency: NotRequired[str]
    """AWS, for e-mail: DAILY (the default) or WEEKLY. A topic is told at once."""
    until: NotRequired[str]
    """Azure: the day on which the alert ends, as 2027-11-30. Required there."""


class CostBudgetAwsArgs(TypedDict):
    """What only AWS takes."""

    sns_topic_arn: NotRequired[pulumi.Input[str]]
    """A topic that is told; its policy lets budgets.amazonaws.com and costalerts.amazonaws.com
    publish."""
    create_topic: NotRequired[bool]
    """Whether a topic is made for the budget, with that policy; what subscribes to it is told."""
    activate_cost_allocation_tag: NotRequired[bool]
    """Whether the label becomes a cost allocation tag, without which AWS counts nothing for it.
    Only a management account may, once the label was seen in its bill; it stays active after."""


class CostBudgetGcpArgs(TypedDict):
    """What only Google Cloud takes."""

    billing_account: NotRequired[pulumi.Input[str]]
    """The billing account that is charged. Required on Google Cloud."""
    projects: NotRequired[list[pulumi.Input[str]]]
    """Only these projects, as numbers or projects/NUMBER; all of the account when absent."""
    project: NotRequired[pulumi.Input[str]]
    """The project that holds the notification channels of the e-mail addresses."""
    pubsub_topic: NotRequired[pulumi.Input[str]]
    """A topic that is told, as projects/P/topics/T."""
    notification_channels: NotRequired[list[pulumi.Input[str]]]
    """Notification channels that are told, beside the e-mail addresses; at most 5 in all."""
    tell_billing_administrators: NotRequired[bool]
    """Whether administrators and users of the billing account are told too; true unless stated."""


class CostBudgetAzureArgs(TypedDict):
    """What only Azure takes."""

    scope: NotRequired[pulumi.Input[str]]
    """What is charged: /subscriptions/ID, a resource group below it, or a management group.
    Required on Azure."""
    action_groups: NotRequired[list[pulumi.Input[str]]]
    """Ids of action groups that are told."""


class CostBudgetArgs(TypedDict):
    """What may be spent on one cost label, and who is told when it is."""

    cloud: str
    """aws, gcp or azure."""
    account: NotRequired[str]
    """The account, billing account or subscription, for the manifest."""
    amount: float
    """What may be spent in a period."""
    currency: str
    """The amount's currency (ISO 4217), which must be the one that the account is billed in."""
    period: NotRequired[str]
    """monthly (the default), quarterly or annually."""
    start: NotRequired[str]
    """The first day that counts, as 2026-12-01. Required on Azure, where it is the first of a
    month and never changes."""
    end: NotRequired[str]
    """The day on which the budget ends; none unless stated."""
    by_label: NotRequired[str]
    """The cost label that a charge carries to count; cost-center unless stated."""
    label_value: NotRequired[str]
    """The value of that label; the budget's own unless stated."""
    whole_account: NotRequired[bool]
    """Whether every charge counts, whatever its labels."""
    thresholds_percent: NotRequired[list[int]]
    """Shares of the amount, actually spent, at which somebody is told; 50, 80 and 100 unless
    stated."""
    forecast_thresholds_percent: NotRequired[list[int]]
    """Shares of the amount, forecast for the period's end; 100 unless stated."""
    emails: NotRequired[list[str]]
    """Addresses that are told."""
    anomaly: NotRequired[AnomalyArgs]
    """Unexpected spend that is told; not on Google Cloud, which does so by itself."""
    labels: dict[str, str]
    """The cost labels."""
    aws: NotRequired[CostBudgetAwsArgs]
    """What only AWS takes."""
    gcp: NotRequired[CostBudgetGcpArgs]
    """What only Google Cloud takes."""
    azure: NotRequired[CostBudgetAzureArgs]
    """What only Azure takes."""
