"""What Azure refuses in budgets and scheduled actions, said of the REST body.

Sources: the descriptions of the properties in azure-mgmt-consumption 11.0.0 and pulumi-azure-native
3.29.0; of anomaly alerts: general vendor documentation, not verified. That a budget's start may lie
only so far from today is not held here: what is right one day would be refused the next.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from tidegate.localclouds.azure.times import parse_time
from tidegate.localclouds.bodies import look
from tidegate.localclouds.contracts import UNKNOWN, CheckFailure

Body = Mapping[str, Any]

FIRST_START = datetime(2017, 6, 1, tzinfo=UTC)
ANOMALY_VIEW = "/views/ms:dailyanomalybyresourcegroup"


def check_budget(name: Any, body: Body) -> Iterator[CheckFailure]:
    """Say what is wrong with a budget of either service."""
    del name
    amount = look(body, "properties.amount")
    if isinstance(amount, int | float) and amount <= 0:
        yield CheckFailure("properties.amount", f"The amount must be greater than 0, got {amount}.")
    yield from _check_period(look(body, "properties.timePeriod"))
    notifications = look(body, "properties.notifications")
    for key, notification in (notifications if isinstance(notifications, Mapping) else {}).items():
        yield from _check_contacts(f"properties.notifications.{key}", notification)


def _check_period(period: Any) -> Iterator[CheckFailure]:
    place = "properties.timePeriod"
    start, end = look(period, "startDate"), look(period, "endDate")
    if not isinstance(start, str):
        return
    begins = parse_time(start)
    if begins is None:
        yield CheckFailure(f"{place}.startDate", f"'{start}' is no date.")
        return
    if (begins.day, begins.hour, begins.minute, begins.second) != (1, 0, 0, 0):
        yield CheckFailure(
            f"{place}.startDate", f"The start date must be the first of a month, got {start}."
        )
    if begins < FIRST_START:
        yield CheckFailure(
            f"{place}.startDate", f"The start date must be on or after June 1, 2017, got {start}."
        )
    ends = parse_time(end) if isinstance(end, str) else None
    if ends is not None and ends <= begins:
        yield CheckFailure(f"{place}.endDate", f"The end date {end} is not after {start}.")


def _check_contacts(place: str, notification: Any) -> Iterator[CheckFailure]:
    if not isinstance(notification, Mapping):
        return
    words = ("contactEmails", "contactGroups", "contactRoles")
    if not any(notification.get(word) for word in words):
        yield CheckFailure(
            f"{place}.contactEmails", "A notification needs an e-mail, a group or a role to go to."
        )


def check_scheduled_action(name: Any, body: Body) -> Iterator[CheckFailure]:
    """Say what is wrong with a scheduled action."""
    del name
    start = parse_time(look(body, "properties.schedule.startDate"))
    end = parse_time(look(body, "properties.schedule.endDate"))
    if start and end and end <= start:
        yield CheckFailure("properties.schedule.endDate", "The end date is not after the start.")
    if body.get("kind") != "InsightAlert":
        return
    frequency, view = look(body, "properties.schedule.frequency"), look(body, "properties.viewId")
    if frequency not in ("Daily", UNKNOWN):
        yield CheckFailure(
            "properties.schedule.frequency", f"An InsightAlert is Daily, got {frequency}."
        )
    if isinstance(view, str) and not view.lower().endswith(ANOMALY_VIEW):
        yield CheckFailure(
            "properties.viewId",
            "An InsightAlert watches the view "
            "/subscriptions/…/providers/Microsoft.CostManagement/views/"
            f"ms:DailyAnomalyByResourceGroup, got {view}.",
        )
