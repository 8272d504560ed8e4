"""The storage classes' data files as typed tables. Text in, values out."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from typing import Any

from tidegate.catalog.model import ClassCharges, StorageTier, UnknownPrice
from tidegate.vocabulary.capacity import Cloud
from tidegate.vocabulary.money import Money


def parse_storage(text: str, moves_text: str) -> dict[Cloud, tuple[StorageTier, ...]]:
    """Return each cloud's storage classes, hottest first.

    Args:
        text: Classes with their minimums, and prices where the first source states them.
        moves_text: What moves, reads and small objects cost, and the other classes' prices.
    """
    document, moves = json.loads(text), json.loads(moves_text)
    as_of = date.fromisoformat(document["as_of"])
    clouds = {}
    for cloud, entry in document["clouds"].items():
        common = {
            "cloud": Cloud(cloud),
            "price_region": entry["price_region"],
            "as_of": as_of,
            "origin": document["origin"],
            "minimums_source": entry["minimums_source"],
        }
        charged = moves["clouds"][cloud]
        by_name = {each["name"]: each for each in charged["classes"]}
        clouds[Cloud(cloud)] = tuple(
            _storage_tier(stated, by_name[stated["name"]], charged, moves["currency"], common)
            for stated in entry["classes"]
        )
    return clouds


def _storage_tier(
    stated: Mapping[str, Any],
    moved: Mapping[str, Any],
    charged: Mapping[str, Any],
    currency: str,
    common: Mapping[str, Any],
) -> StorageTier:
    name, amount = stated["name"], stated["per_gb_month"]
    values: dict[str, Any] = dict(common)
    if amount is None and moved.get("per_gb_month") is not None:
        amount = moved["per_gb_month"]
        values["as_of"] = date.fromisoformat(charged["as_of"])
        values["origin"], values["assumed"] = charged["origin"], charged["assumed"]
    return StorageTier(
        name=name,
        minimum_days=stated["minimum_days"],
        earliest_transition_days=stated["earliest_transition_days"],
        offline=stated["offline"],
        per_gb_month=_price(amount, currency, f"no price of {name} is known"),
        charges=_charges(name, moved, charged, currency),
        **values,
    )


def _charges(
    name: str, moved: Mapping[str, Any], charged: Mapping[str, Any], currency: str
) -> ClassCharges:
    move_in = f"no price of a move into {name} is known"
    retrieval = f"no price of reading from {name} is known"
    return ClassCharges(
        move_in_per_thousand=_price(moved["move_in_per_thousand"], currency, move_in),
        retrieval_per_gb=_price(moved["retrieval_per_gb"], currency, retrieval),
        minimum_object_bytes=moved.get("minimum_object_bytes", 0),
        overhead_bytes=moved.get("overhead_bytes", 0),
        first_class_overhead_bytes=moved.get("first_class_overhead_bytes", 0),
        as_of=date.fromisoformat(charged["as_of"]),
        origin=charged["origin"],
        assumed=charged["assumed"],
    )


def _price(amount: str | None, currency: str, reason: str) -> Money | UnknownPrice:
    return UnknownPrice(reason) if amount is None else Money(Decimal(amount), currency)
