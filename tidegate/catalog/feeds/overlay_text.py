"""Fetched prices as an overlay file, which `load_catalog` reads like any other."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from tidegate.catalog.catalog import Catalog
from tidegate.catalog.feeds.rows import FetchedPrice
from tidegate.catalog.overlay import OVERLAY_VERSION, Overlay
from tidegate.vocabulary.capacity import Cloud
from tidegate.vocabulary.money import Price

ORIGINS: Mapping[Cloud, str] = {
    Cloud.AWS: "AWS price list (pricing.us-east-1.amazonaws.com)",
    Cloud.GCP: "Google Cloud Billing Catalog (cloudbilling.googleapis.com), composed of parts",
    Cloud.AZURE: "Azure Retail Prices (prices.azure.com)",
}

ALL_REGIONS = "*"
"""The place of a list that has all regions of its cloud in one."""

NANO = Decimal("0.000000001")


@dataclass(frozen=True, slots=True)
class PriceRow:
    """One price of the file to write."""

    cloud: Cloud
    region: str
    instance_type: str
    capacity_type: str
    per_hour: str
    currency: str
    as_of: date
    origin: str
    assumed: bool = False

    @property
    def place(self) -> tuple[Cloud, str]:
        """Return the cloud and region, which are fetched as one."""
        return (self.cloud, self.region)


def rows_of_feed(prices: Iterable[FetchedPrice], day: date) -> list[PriceRow]:
    """Return fetched prices as rows: public, and as of the day they were fetched."""
    return [
        PriceRow(
            cloud=price.key[0],
            region=price.region,
            instance_type=price.key[1],
            capacity_type=price.key[2].value,
            per_hour=f"{price.amount.quantize(NANO).normalize():f}",
            currency=price.currency,
            as_of=day,
            origin=ORIGINS[price.key[0]],
        )
        for price in prices
    ]


def rows_of_overlay(overlay: Overlay) -> list[PriceRow]:
    """Return the public rows of an earlier file, so that what cannot be fetched is kept."""
    return [
        _row_of_price(row.key[0], row.region, row.key[1], row.key[2].value, row.price)
        for row in overlay.rows
        if not row.price.negotiated
    ]


def merge_rows(
    fetched: Iterable[PriceRow], earlier: Iterable[PriceRow], done: set[tuple[Cloud, str]]
) -> list[PriceRow]:
    """Return the fetched rows, and the earlier ones of the places that were not fetched."""
    kept = [row for row in earlier if not {row.place, (row.cloud, ALL_REGIONS)} & done]
    return sorted(
        [*fetched, *kept],
        key=lambda row: (row.cloud.value, row.region, row.instance_type, row.capacity_type),
    )


def render_overlay(rows: Iterable[PriceRow], catalog: Catalog) -> str:
    """Return the text of an overlay: YAML whose rows are JSON, one a line."""
    listed = list(rows)
    lines = [f"version: {OVERLAY_VERSION}"]
    new_regions = {
        cloud.value: sorted(
            {row.region for row in listed if row.cloud is cloud} - set(catalog.regions(cloud))
        )
        for cloud in Cloud
    }
    named = {cloud: regions for cloud, regions in new_regions.items() if regions}
    if named:
        lines.append(f"regions: {json.dumps(named)}")
    lines.append("defaults: {negotiated: false}")
    lines.append("prices:" if listed else "prices: []")
    lines += [f"- {json.dumps(_row_json(row), ensure_ascii=False)}" for row in listed]
    return "\n".join(lines) + "\n"


def _row_json(row: PriceRow) -> dict[str, str]:
    document = {
        "cloud": row.cloud.value,
        "region": row.region,
        "instanceType": row.instance_type,
        "capacityType": row.capacity_type,
        "perHour": row.per_hour,
        "currency": row.currency,
        "asOf": row.as_of.isoformat(),
        "origin": row.origin,
    }
    return document | {"assumed": "true"} if row.assumed else document


def _row_of_price(
    cloud: Cloud, region: str, name: str, capacity_type: str, price: Price
) -> PriceRow:
    return PriceRow(
        cloud=cloud,
        region=region,
        instance_type=name,
        capacity_type=capacity_type,
        per_hour=f"{price.per_hour.amount:f}",
        currency=price.per_hour.currency,
        as_of=price.as_of,
        origin=price.origin,
        assumed=price.assumed,
    )
