"""Cost Explorer: anomaly monitors and subscriptions, cost allocation tags."""

# ruff: noqa: ARG002 - every behaviour has the contract's signature, used or not

from __future__ import annotations

import json
from typing import Any

from tidegate.localclouds.aws.api_type import ApiType
from tidegate.localclouds.aws.clients import DEFAULT_REGION
from tidegate.localclouds.aws.modelled_type import Actions, ModelledType, Names, TagCalls
from tidegate.localclouds.contracts import Call, Created, Values
from tidegate.localclouds.refusals import NotFoundError
from tidegate.localclouds.store import Record

TAGS = TagCalls(arn="ResourceArn", member="ResourceTags", keys="ResourceTagKeys", as_pairs=True)
EXPRESSION = {
    "ands": "And",
    "ors": "Or",
    "costCategory": "CostCategories",
    "dimension": "Dimensions",
    "monitorArnLists": "MonitorArnList",
}


class CostExplorerType(ModelledType):
    """A type of the Cost Explorer API, which has one place for all regions."""

    service = "ce"
    is_global = True
    tag_calls = TAGS
    wrapper = ""  # the parameter that holds the description at creation
    listed = ""  # the parameter that names ARNs
    found = ""  # the answer's member that lists what is live

    def id_of(self, inputs: Values, answer: Values) -> str:
        """Return the ARN."""
        return str(answer[self.names.key])

    def arguments(self, action: str, inputs: Values, call: Call) -> Values:
        """Wrap the description, as a creation has it."""
        if action != self.actions.create:
            return super().arguments(action, inputs, call)
        wrapped = self.client(call, inputs).shape(self.wrapper)
        return {self.wrapper: self.request(wrapped, inputs)}

    def request(self, shape: Any, inputs: Values) -> Values:
        """Return the description in the API's form."""
        from tidegate.localclouds.aws.convert import to_request

        plain = {key: value for key, value in inputs.items() if key not in ("tags", "tagsAll")}
        form: Values = to_request(shape, plain, self.names.asked)
        return form

    def fetch(self, id: str, inputs: Values, call: Call) -> Values:
        """Return the one of the ARN."""
        answer = self.ask(self.actions.read, call, inputs, {self.listed: [id]})
        if not answer[self.found]:
            raise NotFoundError("UnknownMonitorException", f"Nothing has the ARN {id}")
        live: Values = answer[self.found][0]
        return live


class AnomalyMonitor(CostExplorerType):
    """`aws.costexplorer.AnomalyMonitor`. Its specification is JSON."""

    actions = Actions(
        "CreateAnomalyMonitor",
        "GetAnomalyMonitors",
        "UpdateAnomalyMonitor",
        "DeleteAnomalyMonitor",
    )
    names = Names("MonitorArn", property="", arn="MonitorArn", asked={"name": "MonitorName"})
    wrapper, listed, found = "AnomalyMonitor", "MonitorArnList", "AnomalyMonitors"

    def request(self, shape: Any, inputs: Values) -> Values:
        """Parse the specification, which the provider takes as JSON."""
        plain = {key: value for key, value in inputs.items() if key != "monitorSpecification"}
        form = super().request(shape, plain)
        if inputs.get("monitorSpecification"):
            stated = json.loads(inputs["monitorSpecification"])
            form["MonitorSpecification"] = without_nulls(stated)
        return form

    def outputs(self, answer: Values, inputs: Values, call: Call) -> Values:
        """Return the monitor, its specification as it was asked for."""
        plain = {key: value for key, value in answer.items() if key != "MonitorSpecification"}
        asked, live = inputs.get("monitorSpecification"), answer.get("MonitorSpecification")
        return {
            **super().outputs(plain, inputs, call),
            "name": answer["MonitorName"],
            "monitorSpecification": _same_expression(asked, live) if live else None,
        }


def without_nulls(value: Any) -> Any:
    """Return JSON without keys that are null, which the API has no form for.

    The provider's documentation states them, because AWS's Go SDK answers every key of an
    expression.
    """
    if isinstance(value, dict):
        return {key: without_nulls(part) for key, part in value.items() if part is not None}
    return [without_nulls(part) for part in value] if isinstance(value, list) else value


def _same_expression(asked: Any, live: Values) -> Any:
    """Return the expression as it was asked for when the live one says the same."""
    try:
        same = isinstance(asked, str) and without_nulls(json.loads(asked)) == live
    except ValueError:
        same = False
    return asked if same else json.dumps(live)


class AnomalySubscription(CostExplorerType):
    """`aws.costexplorer.AnomalySubscription`."""

    actions = Actions(
        "CreateAnomalySubscription",
        "GetAnomalySubscriptions",
        "UpdateAnomalySubscription",
        "DeleteAnomalySubscription",
    )
    names = Names(
        "SubscriptionArn",
        property="",
        arn="SubscriptionArn",
        asked={**EXPRESSION, "name": "SubscriptionName"},
        shown=EXPRESSION,
    )
    wrapper, listed = "AnomalySubscription", "SubscriptionArnList"
    found = "AnomalySubscriptions"

    def outputs(self, answer: Values, inputs: Values, call: Call) -> Values:
        """Return the subscription under its name."""
        return {**super().outputs(answer, inputs, call), "name": answer["SubscriptionName"]}


class CostAllocationTag(ApiType):
    """`aws.costexplorer.CostAllocationTag`: a tag key that bills show, or show no more."""

    service = "ce"

    def create(self, inputs: Values, call: Call) -> Created:
        """Set the key's status."""
        self._put(inputs["tagKey"], inputs["status"])
        return Created(inputs["tagKey"], self._find(inputs["tagKey"]) or {})

    def _put(self, key: str, status: str) -> None:
        change = [{"TagKey": key, "Status": status}]
        client = self._clients.of_region(self.service, DEFAULT_REGION)
        client.update_cost_allocation_tags_status(CostAllocationTagsStatus=change)

    def _find(self, key: str) -> Values | None:
        client = self._clients.of_region(self.service, DEFAULT_REGION)
        found = client.list_cost_allocation_tags(TagKeys=[key])["CostAllocationTags"]
        if not found:
            return None
        return {"tagKey": key, "status": found[0]["Status"], "type": found[0]["Type"]}

    def read(self, record: Record, call: Call) -> Values | None:
        """Return the key as it is live."""
        return self._find(record.id)

    def update(self, record: Record, old: Values, new: Values, call: Call) -> Values:
        """Set the key's status."""
        self._put(record.id, new["status"])
        return self._find(record.id) or {}

    def delete(self, record: Record, call: Call) -> None:
        """Let bills show the key no more: a key cannot be forgotten."""
        self._put(record.id, "Inactive")
