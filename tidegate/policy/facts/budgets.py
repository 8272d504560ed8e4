"""Budgets: whose spending they watch, and whether anybody hears of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from tidegate.policy.facts.reading import entries, is_hidden, read, texts
from tidegate.policy.graph import Resource

_AWS = "aws:budgets/budget:Budget"
_GCP = "gcp:billing/budget:Budget"
_AZURE = "azure-native:consumption:Budget"


def build_budget(resource: Resource) -> dict[str, Any] | None:
    """Return `{labels, open, notifies}` of a budget; None for other resources.

    `labels` are the (key, values) that it filters by, none where it watches everything; `open`
    says that more may be there than can be seen. `notifies` is "yes", "no" or "unknown".
    """
    if resource.type == _AWS:
        return _aws(resource.properties)
    if resource.type == _GCP:
        return _gcp(resource.properties)
    if resource.type == _AZURE:
        return _azure(resource.properties)
    return None


def _budget(labels: Iterator[list[Any]], *, hidden: bool, notifies: str) -> dict[str, Any]:
    return {"labels": list(labels), "open": hidden, "notifies": notifies}


def _aws(properties: Any) -> dict[str, Any]:
    filters = entries(properties, "costFilters")
    is_open = any(is_hidden(each) for _, each in filters)
    is_open = is_open or read(properties, "filterExpression")["state"] != "absent"
    told = [
        bool(texts(each.get("subscriberEmailAddresses")) or each.get("subscriberSnsTopicArns"))
        for _, each in entries(properties, "notifications")
        if isinstance(each, Mapping)
    ]
    state = read(properties, "notifications")["state"]
    return _budget(_aws_labels(filters), hidden=is_open, notifies=_word(state, any(told)))


def _aws_labels(filters: list[tuple[str, Any]]) -> Iterator[list[Any]]:
    """Yield (key, [value]) of the filter's own spelling, "user:cost-center$cc-100"."""
    for _, each in filters:
        if read(each, "name")["value"] != "TagKeyValue":
            continue
        for text in texts(read(each, "values")["value"]):
            key, _, value = text.partition("$")
            yield [key.removeprefix("user:"), [value]]


def _gcp(properties: Any) -> dict[str, Any]:
    labels = read(properties, "budgetFilter.labels")
    value = labels["value"]
    found = value.items() if isinstance(value, Mapping) else ()
    rules = read(properties, "thresholdRules")
    return _budget(
        ([key, [text]] for key, text in found if isinstance(text, str)),
        hidden=labels["state"] == "hidden",
        notifies=_word(rules["state"], bool(rules["value"])),
    )


def _azure(properties: Any) -> dict[str, Any]:
    chosen = read(properties, "filter")
    notifications = read(properties, "notifications")
    value = notifications["value"]
    told = [
        each.get("enabled") is not False
        for each in (value.values() if isinstance(value, Mapping) else ())
        if isinstance(each, Mapping)
    ]
    return _budget(
        _azure_labels(properties),
        hidden=chosen["state"] == "hidden",
        notifies=_word(notifications["state"], any(told)),
    )


def _azure_labels(properties: Any) -> Iterator[list[Any]]:
    places = [read(properties, "filter.tags")]
    places += [read(each, "tags") for _, each in entries(properties, "filter.and")]
    for place in places:
        name = read(place["value"], "name")["value"]
        if isinstance(name, str):
            yield [name, texts(read(place["value"], "values")["value"])]


def _word(state: str, found: bool) -> str:
    if state == "hidden":
        return "unknown"
    return "yes" if found else "no"
