"""What is believed of a price list, and what an earlier file keeps."""

from __future__ import annotations

from collections import Counter
from datetime import date
from decimal import Decimal
from typing import Any

import pytest

from tidegate.catalog.feeds.gcp import Families, Family, Parts, compose_prices, read_parts
from tidegate.catalog.feeds.overlay_text import ALL_REGIONS, PriceRow, merge_rows
from tidegate.catalog.feeds.rows import Feed, FetchedPrice
from tidegate.catalog.load import load_catalog
from tidegate.vocabulary.capacity import CapacityType, Cloud

CATALOG = load_catalog()
DAY = date(2026, 11, 30)
P5 = (Cloud.AWS, "p5.48xlarge", CapacityType.ON_DEMAND)
P5_SPOT = (Cloud.AWS, "p5.48xlarge", CapacityType.SPOT)
TEN_TIMES = "the price is 10 times off what is known, a placeholder"


def take(key: Any, amount: str, effective: str = "2026-11-01") -> Feed:
    feed = Feed(CATALOG, DAY)
    feed.take(FetchedPrice(key, "us-east-1", Decimal(amount), "USD", effective))
    return feed


@pytest.mark.parametrize(
    ("key", "amount", "fault"),
    [
        (P5, "55.04", ""),
        (P5, "5.51", ""),
        (P5, "5.50", TEN_TIMES),
        (P5, "550.4", ""),
        (P5, "550.5", TEN_TIMES),
        (P5_SPOT, "1.00", ""),
        (P5_SPOT, "550.5", TEN_TIMES),
        (P5, "0", "the price is zero, a placeholder"),
        (P5, "-1", "the price is zero, a placeholder"),
        (P5_SPOT, "700", "the price is a known placeholder"),
    ],
)
def test_a_price_far_off_what_is_known_is_a_placeholder(key: Any, amount: str, fault: str) -> None:
    feed = take(key, amount)
    assert len(feed.finish()) == (0 if fault else 1)
    assert feed.skipped == Counter([fault] if fault else [])


def test_a_price_of_today_holds_and_one_of_tomorrow_does_not_yet() -> None:
    assert len(take(P5, "50", "2026-11-30T23:59:59Z").finish()) == 1
    assert take(P5, "50", "2026-12-01T00:00:00Z").finish() == ()


def test_a_newer_price_settles_two_older_ones_that_disagree() -> None:
    feed = take(P5, "50")
    feed.take(FetchedPrice(P5, "us-east-1", Decimal(51), "USD", "2026-11-01"))
    feed.take(FetchedPrice(P5, "us-east-1", Decimal(52), "USD", "2026-11-02"))
    assert [price.amount for price in feed.finish()] == [Decimal(52)]


def sku(part: str, *nanos: int, currency: str = "USD", unit: str = "h") -> dict[str, Any]:
    rates = [
        {
            "startUsageAmount": tier,
            "unitPrice": {"currencyCode": currency, "units": "1", "nanos": n},
        }
        for tier, n in enumerate(nanos)
    ]
    return {
        "description": f"{part} running in Americas",
        "category": {"usageType": "OnDemand"},
        "serviceRegions": ["us-central1"],
        "pricingInfo": [
            {
                "pricingExpression": {"usageUnit": unit, "tieredRates": rates},
                "effectiveTime": "2026-11-20T00:00:00Z",
            }
        ],
    }


G4 = Families((Family("g4-standard-", "G4 Core", "G4 Ram", "RTX GPU"),), "SSD")
N2 = Families((Family("n2-", "N2 Core", "N2 Ram"),), "SSD")


def compose(families: Families, *skus: dict[str, Any]) -> Feed:
    parts = Parts()
    read_parts(skus, families, parts)
    feed = Feed(CATALOG, DAY)
    compose_prices(parts, families, feed)
    return feed


def test_a_slice_is_never_priced_as_a_machine_without_its_accelerator() -> None:
    feed = compose(G4, sku("G4 Core", 0), sku("G4 Ram", 0), sku("RTX GPU", 0))
    assert {price.key[1] for price in feed.finish()} <= {
        "g4-standard-48",
        "g4-standard-96",
        "g4-standard-192",
        "g4-standard-384",
    }
    assert feed.skipped["the machine has no known number of whole accelerators"] == 3


@pytest.mark.parametrize(
    "ram",
    [
        sku("N2 Ram", 0, 5),  # a price by tiers
        sku("N2 Ram", 0, unit="count"),  # another unit
        sku("N2 Ram"),  # no rate
        {"description": "N2 Ram running in Americas"},  # no price at all
    ],
)
def test_a_part_without_one_hourly_price_leaves_its_machines_out(ram: dict[str, Any]) -> None:
    feed = compose(N2, sku("N2 Core", 0), ram)
    assert feed.finish() == ()
    assert feed.skipped["a part of the machine has no price in the region"] == 3


def test_parts_in_two_currencies_are_not_added() -> None:
    feed = compose(N2, sku("N2 Core", 0), sku("N2 Ram", 0, currency="EUR"))
    assert feed.finish() == ()
    assert feed.skipped["the parts of the machine are priced in several currencies"] == 3


def row(cloud: Cloud, region: str, per_hour: str) -> PriceRow:
    return PriceRow(cloud, region, "x", "on-demand", per_hour, "USD", DAY, "list")


def test_earlier_rows_stay_only_where_nothing_was_fetched() -> None:
    earlier = [row(Cloud.GCP, "old-region", "1"), row(Cloud.AZURE, "eastus", "2")]
    fresh = [row(Cloud.GCP, "us-central1", "3")]
    whole = {(Cloud.GCP, ALL_REGIONS), (Cloud.GCP, "us-central1")}
    assert merge_rows(fresh, earlier, whole) == [earlier[1], fresh[0]]
    assert merge_rows(fresh, earlier, {(Cloud.GCP, "us-central1")}) == [
        earlier[1],
        earlier[0],
        fresh[0],
    ]
