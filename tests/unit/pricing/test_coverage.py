"""Which nodes a commitment pays for, whatever it is measured in."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidegate.catalog.load import load_catalog
from tidegate.manifest.model import Commitment, Pool
from tidegate.pricing.coverage import Need, assume_discount, cover_nodes

CATALOG = load_catalog()
COMMITMENT = {
    "id": "floor",
    "cloud": "aws",
    "region": "us-east-1",
    "kind": "capacity-reservation",
    "labels": {},
}
NO_DISCOUNT = Decimal(0)


def commitment(**fields: Any) -> Commitment:
    return Commitment.model_validate(COMMITMENT | fields)


def need(raw: dict[str, Any], nodes: str, price: str | None) -> Need:
    amount = None if price is None else Decimal(price)
    return Need(Pool.model_validate(raw), Decimal(nodes), amount)


@pytest.fixture
def needs(pool: Callable[..., dict[str, Any]]) -> list[Need]:
    return [
        need(pool("small", accelerators_per_node=4), "3", "20"),
        need(pool("large", accelerators_per_node=8), "2", "60"),
    ]


def test_units_are_nodes_and_the_dearest_go_first(needs: list[Need]) -> None:
    covered = cover_nodes(commitment(units=3, covers=["p5.48xlarge"]), needs, NO_DISCOUNT)
    assert covered == {"large": Decimal(2), "small": Decimal(1)}


def test_units_of_an_accelerator_are_chips_not_nodes(needs: list[Need]) -> None:
    chips = commitment(kind="resource-cud", units=18, covers=["h100-80gb"])
    assert cover_nodes(chips, needs, NO_DISCOUNT) == {
        "large": Decimal(2),
        "small": Decimal("0.5"),
    }


def test_an_hourly_amount_is_used_up_by_price(needs: list[Need]) -> None:
    amount = commitment(kind="savings-plan", hourly_amount="65")
    covered = cover_nodes(amount, needs, Decimal("0.5"))
    assert covered == {"large": Decimal(2), "small": Decimal("0.5")}


def test_nodes_of_unknown_price_use_up_no_hourly_amount(
    pool: Callable[..., dict[str, Any]],
) -> None:
    amount = commitment(kind="savings-plan", hourly_amount="65")
    assert cover_nodes(amount, [need(pool(), "2", None)], NO_DISCOUNT) == {"train": Decimal(0)}


@given(units=st.integers(0, 20), nodes=st.lists(st.integers(0, 9), min_size=1, max_size=4))
def test_no_more_is_covered_than_was_bought_or_is_needed(units: int, nodes: list[int]) -> None:
    raw = {
        "cloud": "aws",
        "region": "us-east-1",
        "kind": "eks-node-group",
        "instance_types": ["p5.48xlarge"],
        "capacity_type": "reserved",
        "min_nodes": 0,
        "max_nodes": 99,
        "boot_seconds": 1,
        "labels": {},
        "interruption_tolerance": "intolerant",
        "workload_classes": ["inference"],
        "scaler": "tidegate",
    }
    wanted = [
        need(raw | {"id": f"pool-{index}"}, str(count), "10") for index, count in enumerate(nodes)
    ]
    covered = cover_nodes(commitment(units=units), wanted, NO_DISCOUNT)
    assert sum(covered.values()) == min(units, sum(nodes))
    assert all(covered[each.pool.id] <= each.nodes for each in wanted)


@pytest.mark.parametrize(
    ("months", "expected"), [(12, Decimal("0.32")), (36, Decimal("0.48")), (24, None), (None, None)]
)
def test_the_average_discount_is_that_of_no_upfront_payment(
    months: int | None, expected: Decimal | None
) -> None:
    plan = commitment(kind="savings-plan", hourly_amount="10", term_months=months)
    turned = replace(CATALOG, discounts=tuple(reversed(CATALOG.discounts)))
    assert assume_discount(plan, CATALOG) == assume_discount(plan, turned) == expected


def test_units_have_no_average_discount() -> None:
    assert assume_discount(commitment(units=3, term_months=12), CATALOG) is None
