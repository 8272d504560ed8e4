"""The component `CostBudget`."""

# Pulumi infers the schema from this file's annotations at run time: none may be postponed.

import importlib
from typing import Any

import pulumi

from tidegate.catalog.catalog import Catalog
from tidegate.vocabulary.capacity import Cloud
from tidegate_components.arguments import gather_inputs
from tidegate_components.cost_budget.args import CostBudgetArgs
from tidegate_components.cost_budget.parse import parse_budget

REQUIRED_INPUTS = {Cloud.AWS: (), Cloud.GCP: ("billing_account",), Cloud.AZURE: ("scope",)}
OPTIONAL_INPUTS = (
    "sns_topic_arn",
    "projects",
    "project",
    "pubsub_topic",
    "notification_channels",
    "action_groups",
)


class CostBudget(pulumi.ComponentResource):
    """A budget for one cost label in one currency, and alerts of unexpected spend.

    An AWS budget with an anomaly monitor, a budget of Cloud Billing, or an Azure budget with an
    anomaly alert. It tells; it stops nothing.
    """

    capacity: dict[str, Any]
    """What the budget adds to the capacity manifest."""
    bindings: pulumi.Output[dict[str, Any]]
    """The budget's id with its cloud identifiers, which are known after creation."""

    def __init__(
        self,
        name: str,
        args: CostBudgetArgs,
        opts: pulumi.ResourceOptions | None = None,
        catalog: Catalog | None = None,
    ) -> None:
        """Declare the budget.

        Args:
            name: The budget's id.
            args: What may be spent, and who is told.
            opts: Pulumi's options; they reach the children that they concern.
            catalog: Not needed: a budget is checked against nothing that ages.

        Raises:
            InvalidInput: Before anything is registered, with every fault of the arguments.
        """
        spec = parse_budget(name, args, catalog)
        own = args.get(spec.cloud.value)
        inputs = gather_inputs(
            spec.where, spec.cloud.value, own, REQUIRED_INPUTS[spec.cloud], OPTIONAL_INPUTS
        )
        super().__init__("tidegate:index:CostBudget", name, None, opts)
        # Only the SDK of the budget's own cloud is imported.
        cloud = importlib.import_module(f"tidegate_components.cost_budget.{spec.cloud.value}")
        identifiers = cloud.declare(self, spec, inputs, opts)
        self.capacity = spec.to_fragment()
        self.bindings = pulumi.Output.from_input({name: {"cloud": spec.cloud.value, **identifiers}})
        self.register_outputs({"capacity": self.capacity, "bindings": self.bindings})
