"""What holds for every manifest, whatever it declares."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tidegate.catalog.load import load_catalog
from tidegate.catalog.overlay import apply_overlay, parse_overlay
from tidegate.manifest.model import Manifest
from tidegate.pricing.figures import Figures
from tidegate.pricing.plan import PlanCost, build_plan_cost

OVERLAY = """version: tidegate/prices/v1
prices:
- {cloud: aws, region: us-east-1, instanceType: p4d.24xlarge, capacityType: on-demand,
   perHour: 20, currency: EUR, asOf: 2026-11-01, origin: our agreement}
"""
SHIPPED = load_catalog()
CATALOG = apply_overlay(SHIPPED, parse_overlay(OVERLAY, "prices.yaml", SHIPPED), OVERLAY)

MACHINES = [
    ("aws", "us-east-1", "p5.48xlarge"),
    ("aws", "us-east-1", "p4d.24xlarge"),
    ("aws", "us-east-1", "trn2.48xlarge"),
    ("aws", "eu-west-1", "p5.48xlarge"),
    ("gcp", "us-central1", "a3-highgpu-8g"),
    ("gcp", "us-central1", "g2-standard-8"),
    ("azure", "eastus", "Standard_ND96isr_H100_v5"),
]
UNITS = {"floor-a": 3, "floor-b": 1}


KNOWN = [MACHINES[0], *MACHINES[4:]]
"""Machines whose every price is known, in one currency."""


@st.composite
def pools(draw: st.DrawFn, machines: list[tuple[str, str, str]] = MACHINES) -> dict[str, Any]:
    cloud, region, first = draw(st.sampled_from(machines))
    others = [name for owner, place, name in machines if (owner, place) == (cloud, region)]
    types = [first, *draw(st.lists(st.sampled_from(others), max_size=2))]
    minimum = draw(st.integers(0, 5))
    maximum = draw(st.integers(minimum, 20))
    declared = draw(st.none() | st.decimals(minimum, maximum, places=1, allow_nan=False))
    capacity = draw(st.sampled_from(["on-demand", "spot", "reserved"]))
    return {
        "cloud": cloud,
        "region": region,
        "kind": "eks-node-group",
        "instance_types": types,
        "capacity_type": capacity,
        "min_nodes": minimum,
        "max_nodes": maximum,
        "declared_nodes": declared,
        "boot_seconds": 60,
        "labels": {},
        "interruption_tolerance": "tolerant",
        "workload_classes": ["training"],
        "scaler": "tidegate",
        "reservation": draw(st.sampled_from(sorted(UNITS))) if capacity == "reserved" else "",
    }


def build(declared: list[dict[str, Any]], *, prefix: str = "pool") -> Manifest:
    return Manifest.model_validate(
        {
            "project": "vision",
            "stack": "prod",
            "catalog_digest": "sha256:0",
            "pools": [{"id": f"{prefix}-{index}"} | entry for index, entry in enumerate(declared)],
            "commitments": [
                {
                    "id": name,
                    "cloud": "aws",
                    "region": "us-east-1",
                    "kind": "reserved-instance",
                    "units": units,
                    "price": {"amount": "31.5", "as_of": "2026-11-01", "origin": "quote"},
                    "labels": {},
                }
                for name, units in UNITS.items()
            ],
        }
    )


def cost(declared: list[dict[str, Any]]) -> PlanCost:
    return build_plan_cost(build(declared), CATALOG)


def in_order(figures: Figures) -> bool:
    known = [
        amount
        for amount in (figures.minimum, figures.declared, figures.maximum)
        if amount is not None
    ]
    return known == sorted(known)


@given(declared=st.lists(pools(KNOWN), max_size=5))
def test_minimum_is_at_most_declared_is_at_most_maximum(declared: list[dict[str, Any]]) -> None:
    plan = cost(declared)
    assert plan.unknown == ()
    assert all(in_order(total) for total in plan.totals.values())


@given(declared=st.lists(pools(), max_size=5))
def test_the_figures_of_an_uncommitted_pool_are_in_order_where_known(
    declared: list[dict[str, Any]],
) -> None:
    plan = cost([entry | {"reservation": ""} for entry in declared])
    assert all(in_order(entry.monthly) for entry in plan.lines)


@given(declared=st.lists(pools(), min_size=1, max_size=5), data=st.data())
def test_the_order_of_pools_changes_nothing(
    declared: list[dict[str, Any]], data: st.DataObject
) -> None:
    manifest = build(declared)
    shuffled = data.draw(st.permutations(manifest.pools))
    turned = manifest.model_copy(update={"pools": list(shuffled)})
    assert build_plan_cost(manifest, CATALOG) == build_plan_cost(turned, CATALOG)


@given(declared=st.lists(pools(), max_size=4), factor=st.integers(2, 7))
def test_uncommitted_cost_grows_with_the_nodes(declared: list[dict[str, Any]], factor: int) -> None:
    single = [entry | {"reservation": "", "capacity_type": "on-demand"} for entry in declared]
    scaled = [
        entry
        | {
            key: None if entry[key] is None else entry[key] * factor
            for key in ("min_nodes", "max_nodes", "declared_nodes")
        }
        for entry in single
    ]
    small, large = cost(single), cost(scaled)
    for before, after in zip(small.lines, large.lines, strict=True):
        if before.kind.value == "pool":
            assert after.monthly == before.monthly.map(lambda amount: amount * factor)


@given(declared=st.lists(pools(), max_size=5))
def test_each_currency_is_the_sum_of_its_own_lines(declared: list[dict[str, Any]]) -> None:
    plan = cost(declared)
    for currency, total in plan.totals.items():
        own = [entry.monthly for entry in plan.lines if entry.currency == currency]
        for basis, amount in total.items():
            assert amount == sum((getattr(line, basis) or Decimal(0)) for line in own)


@given(declared=st.lists(pools(), max_size=5))
def test_every_missing_figure_has_a_reason_and_every_reason_a_missing_figure(
    declared: list[dict[str, Any]],
) -> None:
    plan = cost(declared)
    for entry in plan.lines:
        assert bool(entry.monthly.unknown_bases()) == bool(entry.unknown)
    assert all(entry.bases and entry.reason for entry in plan.unknown)


@given(declared=st.lists(pools(), max_size=5))
def test_the_assumed_part_is_never_more_than_the_whole(declared: list[dict[str, Any]]) -> None:
    plan = cost(declared)
    for currency, part in plan.assumed.items():
        for basis, amount in part.items():
            whole = getattr(plan.totals[currency], basis)
            assert amount is not None
            assert 0 <= amount <= whole


@given(declared=st.lists(pools(), max_size=5))
def test_a_commitment_saves_at_most_what_its_nodes_would_cost(
    declared: list[dict[str, Any]],
) -> None:
    with_them = build(declared)
    without = with_them.model_copy(update={"commitments": []})
    covered = {entry.id: entry.monthly for entry in build_plan_cost(with_them, CATALOG).lines}
    bare = {entry.id: entry.monthly for entry in build_plan_cost(without, CATALOG).lines}
    for pool_id, figures in bare.items():
        for basis, amount in figures.items():
            paid = getattr(covered[pool_id], basis)
            if amount is not None:
                assert paid is not None
                assert 0 <= paid <= amount
