"""What a spot pool costs that buys its first nodes, and a share of the others, on demand."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

from tidegate.catalog.catalog import Catalog
from tidegate.catalog.load import load_catalog
from tidegate.catalog.overlay import apply_overlay, parse_overlay
from tidegate.pricing.figures import Figures
from tidegate.pricing.plan import build_plan_cost

CATALOG = load_catalog()
MONTH = Decimal(730)
H100 = Decimal("88.4899999025753").quantize(Decimal("0.000001"))
H100_SPOT = Decimal("50.609541")
FLOOR = {"capacity_type": "spot", "on_demand_base_nodes": 1, "on_demand_percent_above_base": 50}

Factory = Callable[..., Any]


def price(manifest: Any, catalog: Catalog = CATALOG) -> Any:
    (only,) = build_plan_cost(manifest, catalog).lines
    return only


def test_the_floor_and_the_share_above_it_are_priced_on_demand(
    pool: Factory, manifest: Factory
) -> None:
    priced = price(manifest(pools=[pool(**FLOOR, min_nodes=1, max_nodes=4, declared_nodes="2")]))

    assert priced.monthly == Figures(
        minimum=H100 * MONTH,
        declared=2 * H100 * MONTH,  # half of one node rounds up, in favour of on-demand
        maximum=(3 * H100 + H100_SPOT) * MONTH,
        on_demand=2 * H100 * MONTH,
    )
    assert (priced.unknown, priced.assumed_bases) == ((), ())


def test_a_pool_without_a_floor_is_spot_throughout(pool: Factory, manifest: Factory) -> None:
    priced = price(manifest(pools=[pool(capacity_type="spot", max_nodes=4)]))

    assert priced.monthly.maximum == 4 * H100_SPOT * MONTH


def test_a_floor_and_spot_nodes_in_two_currencies_are_not_added(
    pool: Factory, manifest: Factory
) -> None:
    text = (
        "version: tidegate/prices/v1\n"
        "prices: [{cloud: gcp, region: us-central1, instanceType: a3-highgpu-8g,\n"
        "  capacityType: on-demand, perHour: 80, currency: EUR, asOf: 2026-11-01, origin: x}]"
    )
    catalog = apply_overlay(CATALOG, parse_overlay(text, "prices.yaml", CATALOG), text)

    priced = price(manifest(pools=[pool(**FLOOR, declared_nodes="3")]), catalog)

    assert (priced.monthly.declared, priced.monthly.maximum) == (None, None)
    assert priced.unknown == ("a3-highgpu-8g is priced on demand in EUR, not USD",)
