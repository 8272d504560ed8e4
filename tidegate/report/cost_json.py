"""The cost of a change as JSON: amounts are decimal texts, what is not known is null."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from tidegate.policy.stack_cost import StackCost
from tidegate.pricing.difference import Compared, CostDifference, LineChange
from tidegate.pricing.figures import Figures
from tidegate.pricing.lines import CostLine, UsedPrice

# The figures by the names that people see; `expected` is the declared utilisation.
_NAMES = {
    "minimum": "minimum",
    "declared": "expected",
    "maximum": "maximum",
    "on_demand": "allOnDemand",
}


def dump_cost(cost: StackCost) -> dict[str, Any]:
    """Return the cost of a stack before and after, with every line and every price used."""
    difference = cost.difference
    document: dict[str, Any] = {"known": difference is not None, "reason": cost.reason}
    if difference is None:
        return document
    shown = difference.is_compared
    return {
        **document,
        "compared": shown,
        "catalogDigest": difference.catalog_digest,
        "totals": {
            currency: _compared(part, shown) for currency, part in difference.totals().items()
        },
        "byCloud": _grouped(difference.by_cloud(), shown),
        "byCapacityType": _grouped(difference.by_capacity_type(), shown),
        "byKind": _grouped(difference.by_kind(), shown),
        "lines": [_line(line, shown) for line in difference.lines],
        "notes": list(cost.notes),
        "unknown": [
            {
                "side": each.side,
                "kind": each.kind.value,
                "id": each.id,
                "bases": [_NAMES[basis] for basis in each.bases],
                "reason": each.reason,
            }
            for each in difference.unknown
        ],
        "prices": _prices(difference),
    }


def _grouped(parts: Mapping[tuple[Any, str], Compared], shown: bool) -> list[dict[str, Any]]:
    groups = [
        {
            "name": None if key is None else key.value,
            "currency": currency,
            **_compared(part, shown),
        }
        for (key, currency), part in parts.items()
    ]
    return sorted(groups, key=lambda each: (each["name"] or "", each["currency"]))


def _compared(part: Compared, shown: bool) -> dict[str, Any]:
    return {
        "before": _figures(part.before) if shown else None,
        "after": _figures(part.after),
        "change": _figures(part.change) if shown else None,
        "incomplete": [_NAMES[basis] for basis in part.incomplete],
        "assumed": [_NAMES[basis] for basis in part.assumed],
    }


def _line(line: LineChange, shown: bool) -> dict[str, Any]:
    return {
        "kind": line.kind.value,
        "id": line.id,
        "changed": line.is_changed if shown else None,
        "before": _side(line.before),
        "after": _side(line.after),
        "change": _figures(line.change) if shown else None,
    }


def _side(line: CostLine | None) -> dict[str, Any] | None:
    if line is None:
        return None
    days = [price.as_of for price in line.prices]
    return {
        "cloud": line.cloud.value,
        "region": line.region,
        "capacityType": line.capacity_type.value if line.capacity_type else None,
        "currency": line.currency,
        "monthly": _figures(line.monthly),
        "pricesAsOf": [str(min(days)), str(max(days))] if days else None,
        "assumed": [_NAMES[basis] for basis in line.assumed_bases],
        "unknown": list(line.unknown),
        "notes": list(line.notes),
    }


def _prices(difference: CostDifference) -> list[dict[str, Any]]:
    def dump(price: UsedPrice) -> dict[str, Any]:
        return {
            "what": price.what,
            "origin": price.origin,
            "asOf": str(price.as_of),
            "assumed": price.assumed,
            "negotiated": price.negotiated,
        }

    # The same price enters several figures: it is listed once.
    dumped = [dump(price) for price in difference.prices]
    return [each for index, each in enumerate(dumped) if each not in dumped[:index]]


def _figures(figures: Figures) -> dict[str, str | None]:
    return {_NAMES[basis]: _amount(amount) for basis, amount in figures.items()}


def _amount(amount: Decimal | None) -> str | None:
    return None if amount is None else f"{amount:f}"
