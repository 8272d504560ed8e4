"""What a manifest costs: four figures, nothing unknown counted as zero, no currency mixed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import date
from decimal import Decimal
from typing import Any

import pytest

from tidegate.catalog.catalog import Catalog
from tidegate.catalog.load import load_catalog
from tidegate.catalog.overlay import apply_overlay, parse_overlay
from tidegate.manifest.model import Manifest
from tidegate.pricing.figures import Figures
from tidegate.pricing.lines import LineKind, UsedPrice
from tidegate.pricing.plan import UnknownCost, build_plan_cost
from tidegate.pricing.pools import NO_EXPECTATION
from tidegate.vocabulary.capacity import CapacityType, Cloud

CATALOG = load_catalog()
MONTH = Decimal(730)

H100 = Decimal("88.4899999025753").quantize(Decimal("0.000001"))
H100_SPOT = Decimal("50.609541")

Factory = Callable[..., Any]


def figures(minimum: str, declared: str, maximum: str, on_demand: str) -> Figures:
    return Figures(Decimal(minimum), Decimal(declared), Decimal(maximum), Decimal(on_demand))


def hourly(*nodes_and_price: tuple[str, Decimal]) -> Figures:
    return Figures(*(Decimal(nodes) * price * MONTH for nodes, price in nodes_and_price))


def with_overlay(prices: str) -> Catalog:
    text = f"version: tidegate/prices/v1\n{prices}"
    return apply_overlay(CATALOG, parse_overlay(text, "prices.yaml", CATALOG), text)


def line(manifest: Manifest, catalog: Catalog = CATALOG) -> Any:
    (only,) = build_plan_cost(manifest, catalog).lines
    return only


def test_pool_costs_nothing_at_zero_and_its_price_times_its_nodes_beyond(
    pool: Factory, manifest: Factory
) -> None:
    priced = line(manifest(pools=[pool(capacity_type="spot", declared_nodes="1.5")]))
    assert priced.monthly == hourly(
        ("0", H100_SPOT), ("1.5", H100_SPOT), ("4", H100_SPOT), ("1.5", H100)
    )
    assert (priced.unknown, priced.assumed_bases) == ((), ())


def test_several_instance_types_bound_the_cost_by_the_cheapest_and_the_dearest(
    pool: Factory, manifest: Factory
) -> None:
    types = ["p5.48xlarge", "p4de.24xlarge", "p5en.48xlarge"]
    priced = line(
        manifest(
            pools=[
                pool(
                    cloud="aws",
                    region="us-east-1",
                    accelerator="",
                    accelerators_per_node=0,
                    instance_types=types,
                    min_nodes=1,
                )
            ]
        )
    )
    assert priced.monthly == hourly(
        ("1", Decimal("27.447050")),
        ("2", Decimal("55.04")),
        ("4", Decimal("63.296")),
        ("2", Decimal("55.04")),
    )


def test_assumed_spot_prices_mark_the_figures_that_rest_on_them(
    pool: Factory, manifest: Factory
) -> None:
    spot = pool(cloud="aws", region="us-east-1", instance_types=["p5.48xlarge"])
    plan = build_plan_cost(
        manifest(pools=[spot | {"capacity_type": "spot"}, pool("sure")]), CATALOG
    )
    assert plan.assumed == {
        "USD": hourly(
            ("0", H100),
            ("2", Decimal("24.768")),
            ("4", Decimal("24.768")),
            ("0", H100),
        )
    }
    assert [(price.what, price.bases) for price in plan.assumed_prices] == [
        ("p5.48xlarge spot in us-east-1", ("minimum", "declared", "maximum"))
    ]


def test_unknown_prices_are_listed_and_left_out_of_the_total(
    pool: Factory, manifest: Factory
) -> None:
    far = pool("far", cloud="aws", region="eu-west-1", instance_types=["p5.48xlarge"], min_nodes=1)
    plan = build_plan_cost(manifest(pools=[far, pool("near", declared_nodes="1")]), CATALOG)
    assert plan.totals == {"USD": hourly(("0", H100), ("1", H100), ("4", H100), ("1", H100))}
    assert plan.unknown == (
        UnknownCost(
            LineKind.POOL,
            "far",
            ("minimum", "declared", "maximum", "on_demand"),
            "no price of p5.48xlarge is known for eu-west-1 (known for us-east-1)",
        ),
    )
    assert not plan.is_complete("minimum")


def test_an_unknown_price_does_not_hide_that_zero_nodes_cost_nothing(
    pool: Factory, manifest: Factory
) -> None:
    far = pool(cloud="aws", region="eu-west-1", instance_types=["p5.48xlarge"])
    plan = build_plan_cost(manifest(pools=[far]), CATALOG)
    assert plan.lines[0].monthly == Figures(Decimal(0), None, None, None)
    assert [plan.is_complete(basis) for basis in ("minimum", "declared")] == [True, False]


def test_a_price_missing_among_several_leaves_only_the_declared_figure(
    pool: Factory, manifest: Factory
) -> None:
    types = ["a3-highgpu-8g", "a3-nosuch-8g"]
    priced = line(manifest(pools=[pool(instance_types=types, min_nodes=1)]))
    assert priced.monthly == Figures(None, 2 * H100 * MONTH, None, 2 * H100 * MONTH)
    assert priced.unknown == ("'a3-nosuch-8g' is not in the catalog",)


def test_without_expected_nodes_the_minimum_is_counted_and_said(
    pool: Factory, manifest: Factory
) -> None:
    priced = line(manifest(pools=[pool(declared_nodes=None, min_nodes=1)]))
    assert priced.monthly == hourly(("1", H100), ("1", H100), ("4", H100), ("1", H100))
    assert priced.notes == (NO_EXPECTATION,)


def test_schedules_widen_the_bounds(pool: Factory, manifest: Factory) -> None:
    night = {"cron": "0 20 * * *", "time_zone": "Europe/Berlin", "min_nodes": 0, "max_nodes": 9}
    priced = line(manifest(pools=[pool(min_nodes=1, schedules=[night])]))
    assert priced.monthly == hourly(("0", H100), ("2", H100), ("9", H100), ("2", H100))


def test_attached_accelerators_are_in_the_price_of_a_node(pool: Factory, manifest: Factory) -> None:
    priced = line(
        manifest(
            pools=[
                pool(instance_types=["n1-standard-8"], accelerator="t4", accelerators_per_node=2)
            ]
        )
    )
    assert priced.monthly.declared == 2 * (Decimal("0.379998") + Decimal("0.70")) * MONTH
    assert priced.assumed_bases == ("minimum", "declared", "maximum", "on_demand")


RESERVATION = {
    "id": "floor",
    "cloud": "gcp",
    "region": "us-central1",
    "kind": "capacity-reservation",
    "units": 2,
    "covers": ["a3-highgpu-8g"],
    "labels": {},
}


def test_nodes_within_a_commitment_cost_nothing_more_and_it_costs_used_or_not(
    pool: Factory, manifest: Factory
) -> None:
    reserved = pool(capacity_type="reserved", reservation="floor", min_nodes=1, declared_nodes="3")
    plan = build_plan_cost(manifest(pools=[reserved], commitments=[RESERVATION]), CATALOG)
    assert {entry.id: entry.monthly for entry in plan.lines} == {
        "train": hourly(("0", H100), ("1", H100), ("2", H100), ("3", H100)),
        "floor": hourly(("2", H100), ("2", H100), ("2", H100), ("0", H100)),
    }


def test_a_commitment_covers_the_dearest_nodes_first_whatever_the_order(
    pool: Factory, manifest: Factory
) -> None:
    cheap = pool("cheap", instance_types=["a3-highgpu-4g"], accelerators_per_node=4)
    dear = pool("dear")
    shared = {"capacity_type": "reserved", "reservation": "floor"}
    commitment = RESERVATION | {"covers": [], "price": stated("10")}
    for pools in ([cheap, dear], [dear, cheap]):
        plan = build_plan_cost(
            manifest(pools=[each | shared for each in pools], commitments=[commitment]), CATALOG
        )
        declared = {entry.id: entry.monthly.declared for entry in plan.lines}
        assert declared == {
            "dear": Decimal(0),
            "cheap": 2 * Decimal("44.245000") * MONTH,
            "floor": Decimal(20) * MONTH,
        }


def stated(amount: str, currency: str = "USD", *, assumed: bool = False) -> dict[str, Any]:
    return {
        "amount": amount,
        "currency": currency,
        "as_of": "2026-10-01",
        "origin": "quote 17",
        "assumed": assumed,
    }


def test_a_commitments_own_price_goes_before_any_list(manifest: Factory) -> None:
    priced = line(manifest(commitments=[RESERVATION | {"price": stated("70.5", assumed=True)}]))
    assert priced.monthly == hourly(
        ("2", Decimal("70.5")), ("2", Decimal("70.5")), ("2", Decimal("70.5")), ("0", Decimal(1))
    )
    assert priced.prices == (
        UsedPrice(
            "capacity-reservation floor",
            "quote 17",
            date(2026, 10, 1),
            assumed=True,
            bases=("minimum", "declared", "maximum"),
        ),
    )


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"kind": "reserved-instance"}, "commitment floor states no price"),
        ({"units": None}, "commitment floor states neither units nor an hourly amount"),
        (
            {"covers": ["a3-highgpu-8g", "a3-highgpu-4g"]},
            "commitment floor covers several types, so its price is not known",
        ),
        ({"region": "nowhere1"}, "no price of a3-highgpu-8g is known for nowhere1 (known for "),
    ],
)
def test_a_commitment_without_a_price_is_unknown_not_free(
    manifest: Factory, changes: dict[str, Any], reason: str
) -> None:
    priced = line(manifest(commitments=[RESERVATION | changes]))
    assert priced.monthly == Figures(None, None, None, Decimal(0))
    assert priced.unknown[0].startswith(reason)


def test_an_hourly_amount_buys_more_than_itself_by_an_average_discount_and_says_so(
    pool: Factory, manifest: Factory
) -> None:
    plan_commitment = RESERVATION | {
        "kind": "flexible-cud",
        "units": None,
        "hourly_amount": "70",
        "term_months": 12,
    }
    reserved = pool(capacity_type="reserved", reservation="floor", declared_nodes="3")
    plan = build_plan_cost(manifest(pools=[reserved], commitments=[plan_commitment]), CATALOG)
    lines = {entry.id: entry for entry in plan.lines}
    assert lines["floor"].monthly.declared == 70 * MONTH
    covered_on_demand = Decimal(70) / Decimal("0.7")
    uncovered = 3 * H100 - covered_on_demand
    declared = lines["train"].monthly.declared
    assert declared is not None
    assert round(declared, 6) == round(uncovered * MONTH, 6)
    assert lines["train"].notes == (
        "what its commitment covers follows from an average discount, an assumption",
    )


def test_currencies_are_never_added(pool: Factory, manifest: Factory) -> None:
    catalog = with_overlay(
        "prices: [{cloud: gcp, region: us-central1, instanceType: a3-highgpu-8g,\n"
        "  capacityType: on-demand, perHour: 80, currency: EUR, asOf: 2026-11-01, origin: x}]"
    )
    manifest_ = manifest(
        pools=[pool("euro"), pool("dollar", capacity_type="spot", declared_nodes="1")]
    )
    plan = build_plan_cost(manifest_, catalog)
    assert plan.totals["EUR"] == hourly(*[(nodes, Decimal(80)) for nodes in ("0", "2", "4", "2")])
    assert plan.totals["USD"] == Figures(
        Decimal(0), H100_SPOT * MONTH, 4 * H100_SPOT * MONTH, Decimal(0)
    )
    assert [entry.bases for entry in plan.unknown] == [("on_demand",)]


def test_instance_types_in_two_currencies_are_not_compared(
    pool: Factory, manifest: Factory
) -> None:
    catalog = with_overlay(
        "prices: [{cloud: gcp, region: us-central1, instanceType: a3-megagpu-8g,\n"
        "  capacityType: on-demand, perHour: 80, currency: EUR, asOf: 2026-11-01, origin: x}]"
    )
    priced = line(
        manifest(pools=[pool(instance_types=["a3-highgpu-8g", "a3-megagpu-8g"])]), catalog
    )
    assert (priced.currency, priced.monthly.maximum) == ("USD", None)
    assert priced.unknown == ("a3-megagpu-8g is priced in EUR, the others in USD",)


NOTEBOOK = {
    "id": "book",
    "cloud": "aws",
    "region": "us-east-1",
    "instance_type": "g5.xlarge",
    "labels": {},
}


@pytest.mark.parametrize(("idle_seconds", "minimum"), [(3600, "0"), (None, "1")])
def test_a_notebook_costs_the_whole_month_unless_it_stops_when_idle(
    manifest: Factory, idle_seconds: int | None, minimum: str
) -> None:
    priced = line(manifest(notebooks=[NOTEBOOK | {"idle_shutdown_seconds": idle_seconds}]))
    price = Decimal("1.006")
    assert priced.monthly == hourly((minimum, price), ("1", price), ("1", price), ("1", price))


def test_groups_add_up_to_the_total(pool: Factory, manifest: Factory) -> None:
    plan = build_plan_cost(
        manifest(pools=[pool(), pool("spot", capacity_type="spot")], notebooks=[NOTEBOOK]), CATALOG
    )
    assert set(plan.by_cloud()) == {(Cloud.GCP, "USD"), (Cloud.AWS, "USD")}
    assert set(plan.by_kind()) == {(LineKind.POOL, "USD"), (LineKind.NOTEBOOK, "USD")}
    assert set(plan.by_capacity_type()) == {
        (CapacityType.ON_DEMAND, "USD"),
        (CapacityType.SPOT, "USD"),
    }
    for groups in (plan.by_cloud(), plan.by_kind(), plan.by_capacity_type()):
        assert sum(group.declared or 0 for group in groups.values()) == plan.totals["USD"].declared


def test_an_empty_manifest_costs_nothing_and_lacks_nothing(manifest: Factory) -> None:
    plan = build_plan_cost(manifest(), CATALOG)
    assert (plan.lines, plan.totals, plan.unknown) == ((), {}, ())
    assert plan.catalog_digest == CATALOG.digest


def test_hourly_figures_are_the_monthly_ones_over_730_hours() -> None:
    assert figures("730", "1460", "2190", "0").per_hour() == figures("1", "2", "3", "0")
    assert replace(figures("730", "0", "0", "0"), maximum=None).per_hour().maximum is None
