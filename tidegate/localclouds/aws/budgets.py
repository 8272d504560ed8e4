"""Budgets."""

# ruff: noqa: ARG002 - every behaviour has the contract's signature, used or not

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from tidegate.localclouds.aws.api_type import ApiType, tags_of
from tidegate.localclouds.aws.clients import DEFAULT_REGION, Client
from tidegate.localclouds.aws.convert import from_response, to_request
from tidegate.localclouds.aws.naming import ACCOUNT_ID, choose_name
from tidegate.localclouds.contracts import Call, Created, Values
from tidegate.localclouds.refusals import NotFoundError
from tidegate.localclouds.schema import load_schema
from tidegate.localclouds.store import Record

TIME_FORM = "%Y-%m-%d_%H:%M"
FOREVER = "2087-06-15_00:00"  # what AWS answers for a budget without an end


class Budget(ApiType):
    """`aws.budgets.Budget`. Its id is "account:name"."""

    service = "budgets"

    def create(self, inputs: Values, call: Call) -> Created:
        """Create the budget with its notifications."""
        name, account = choose_name(inputs, "name"), inputs.get("accountId", ACCOUNT_ID)
        client, tags = self._global(), tags_of(inputs)
        resource_tags = [{"Key": key, "Value": value} for key, value in tags.items()]
        client.create_budget(
            AccountId=account,
            Budget=_to_budget(inputs, name, client),
            NotificationsWithSubscribers=_to_notifications(inputs),
            **({"ResourceTags": resource_tags} if tags else {}),
        )
        return Created(f"{account}:{name}", self._read(account, name, inputs, call))

    def _global(self) -> Client:
        return self._clients.of_region(self.service, DEFAULT_REGION)

    def _read(self, account: str, name: str, inputs: Values, call: Call) -> Values:
        client = self._global()
        budget = client.describe_budget(AccountId=account, BudgetName=name)["Budget"]
        limit = budget.get("BudgetLimit") or {}
        period = budget.get("TimePeriod") or {}
        form = load_schema(call.type_token).inputs.properties
        filters = budget.get("CostFilters") or {}
        return {
            "name": name,
            "accountId": account,
            "arn": f"arn:aws:budgets::{account}:budget/{name}",
            "budgetType": budget["BudgetType"],
            "timeUnit": budget["TimeUnit"],
            "limitAmount": _same_amount(inputs.get("limitAmount"), limit.get("Amount")),
            "limitUnit": limit.get("Unit"),
            "timePeriodStart": _from_time(period.get("Start")),
            "timePeriodEnd": _from_time(period.get("End")) or FOREVER,
            "costFilters": [{"name": key, "values": value} for key, value in filters.items()],
            "costTypes": from_response(form["costTypes"], budget.get("CostTypes") or {}),
            "notifications": self._read_notifications(account, name, inputs),
        }

    def _read_notifications(self, account: str, name: str, inputs: Values) -> Any:
        found = self._global().describe_notifications_for_budget(
            AccountId=account, BudgetName=name
        )["Notifications"]
        asked = inputs.get("notifications") or []
        live = {(part["NotificationType"], float(part["Threshold"])) for part in found}
        return [
            part for part in asked if (part["notificationType"], float(part["threshold"])) in live
        ]

    def read(self, record: Record, call: Call) -> Values | None:
        """Return the budget as it is live."""
        account, name = record.id.split(":", 1)
        try:
            return {**record.outputs, **self._read(account, name, record.inputs, call)}
        except NotFoundError:
            return None

    def update(self, record: Record, old: Values, new: Values, call: Call) -> Values:
        """Change the budget and its notifications."""
        account, name = record.id.split(":", 1)
        client = self._global()
        client.update_budget(AccountId=account, NewBudget=_to_budget(new, name, client))
        if old.get("notifications") != new.get("notifications"):
            for part in _to_notifications(old):
                with self.ignore_missing():
                    client.delete_notification(
                        AccountId=account, BudgetName=name, Notification=part["Notification"]
                    )
            for part in _to_notifications(new):
                client.create_notification(AccountId=account, BudgetName=name, **part)
        return self._read(account, name, new, call)

    def delete(self, record: Record, call: Call) -> None:
        """Delete the budget."""
        account, name = record.id.split(":", 1)
        with self.ignore_missing():
            self._global().delete_budget(AccountId=account, BudgetName=name)


def _to_budget(inputs: Values, name: str, client: Client) -> Values:
    plain = {key: inputs[key] for key in ("budgetType", "timeUnit", "costTypes") if key in inputs}
    budget: Values = to_request(client.shape("Budget"), plain)
    budget["BudgetName"] = name
    if "limitAmount" in inputs:
        budget["BudgetLimit"] = {
            "Amount": str(inputs["limitAmount"]),
            "Unit": inputs.get("limitUnit", "USD"),
        }
    filters = {part["name"]: part["values"] for part in inputs.get("costFilters") or []}
    if filters:
        budget["CostFilters"] = filters
    period = {
        name: _to_time(inputs[key])
        for key, name in (("timePeriodStart", "Start"), ("timePeriodEnd", "End"))
        if inputs.get(key)
    }
    return {**budget, **({"TimePeriod": period} if period else {})}


def _to_notifications(inputs: Values) -> list[Values]:
    return [
        {
            "Notification": {
                "NotificationType": part["notificationType"],
                "ComparisonOperator": part["comparisonOperator"],
                "Threshold": part["threshold"],
                "ThresholdType": part["thresholdType"],
            },
            "Subscribers": [
                {"SubscriptionType": kind, "Address": address}
                for kind, key in (
                    ("EMAIL", "subscriberEmailAddresses"),
                    ("SNS", "subscriberSnsTopicArns"),
                )
                for address in part.get(key) or ()
            ],
        }
        for part in inputs.get("notifications") or []
    ]


def _to_time(text: str) -> datetime:
    return datetime.strptime(text, TIME_FORM).replace(tzinfo=UTC)


def _from_time(value: Any) -> str | None:
    return value.astimezone(UTC).strftime(TIME_FORM) if isinstance(value, datetime) else None


def _same_amount(asked: Any, live: Any) -> Any:
    return asked if asked is not None and live and float(asked) == float(live) else live
