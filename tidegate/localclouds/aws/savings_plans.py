"""Savings Plans: bought by creation, and undone by nothing but a deletion while queued."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from tidegate.localclouds.aws.modelled_type import Actions, ModelledType, Names, TagCalls
from tidegate.localclouds.contracts import Call, Values
from tidegate.localclouds.refusals import NotFoundError
from tidegate.localclouds.store import Record

COMPUTED = (
    "currency",
    "description",
    "ec2InstanceFamily",
    "end",
    "offeringId",
    "paymentOption",
    "productTypes",
    "recurringPaymentAmount",
    "region",
    "returnableUntil",
    "savingsPlanArn",
    "savingsPlanId",
    "savingsPlanType",
    "start",
    "state",
    "termDurationInSeconds",
)
GONE = frozenset({"queued-deleted", "retired", "returned", "payment-failed"})
QUEUED = "queued"


class SavingsPlan(ModelledType):
    """`aws.savingsplans.SavingsPlan`. Its id is drawn by the service."""

    service = "savingsplans"
    is_global = True
    actions = Actions("CreateSavingsPlan", "DescribeSavingsPlans", delete="DeleteQueuedSavingsPlan")
    names = Names("savingsPlanId", property="", computed={name: name for name in COMPUTED})
    tag_calls = TagCalls()

    def arguments(self, action: str, inputs: Values, call: Call) -> Values:
        """Give the purchase time as a time."""
        arguments = super().arguments(action, inputs, call)
        if inputs.get("purchaseTime"):
            arguments["purchaseTime"] = datetime.fromisoformat(inputs["purchaseTime"])
        return arguments

    def fetch(self, id: str, inputs: Values, call: Call) -> Values:
        """Return the plan; one that ended or was deleted is gone."""
        found = self.ask(self.actions.read, call, inputs, {"savingsPlanIds": [id]})["savingsPlans"]
        if not found or found[0]["state"] in GONE:
            raise NotFoundError("ResourceNotFoundException", f"Savings Plan {id} does not exist")
        plan: Values = found[0]
        return plan

    def outputs(self, answer: Values, inputs: Values, call: Call) -> Values:
        """Return the plan; what was asked for stays as it was written."""
        kept: dict[str, Any] = {"savingsPlanOfferingId": answer["offeringId"]}
        return {**super().outputs(answer, inputs, call), **kept}

    def arn_of(self, found: Values) -> str:
        """Return the plan's ARN."""
        return str(found["savingsPlanArn"])

    def delete(self, record: Record, call: Call) -> None:
        """Delete a queued plan; of one that is active only the state goes, it keeps billing."""
        try:
            plan = self.fetch(record.id, record.inputs, call)
        except NotFoundError:
            return
        if plan["state"] == QUEUED:
            super().delete(record, call)
