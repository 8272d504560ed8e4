"""A user's own prices, currencies and instance types, laid over the shipped catalog."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace

from tidegate.catalog.catalog import Catalog
from tidegate.catalog.fields import Fields, open_document
from tidegate.catalog.model import CurrencyRate, InstanceType, SpotAssumption
from tidegate.catalog.prices import EVERYWHERE, PriceKey, PricesByRegion
from tidegate.vocabulary.capacity import CapacityType, Cloud
from tidegate.vocabulary.money import Money, Price
from tidegate.vocabulary.problems import InvalidInput

OVERLAY_VERSION = "tidegate/prices/v1"

TOP_KEYS = (
    "version",
    "regions",
    "currencies",
    "assumedSpotRatio",
    "instanceTypes",
    "defaults",
    "prices",
)
PRICE_DEFAULTS = ("cloud", "currency", "asOf", "origin", "negotiated", "assumed")
PRICE_KEYS = (*PRICE_DEFAULTS, "region", "instanceType", "capacityType", "perHour")


@dataclass(frozen=True, slots=True)
class StatedRow:
    """One price of an overlay and where it applies."""

    key: PriceKey
    region: str
    price: Price


@dataclass(frozen=True, slots=True)
class Overlay:
    """What one overlay file states, checked against the catalog that it goes on."""

    rates: Mapping[str, CurrencyRate]
    spot: SpotAssumption | None
    types: Mapping[tuple[Cloud, str], InstanceType]
    rows: tuple[StatedRow, ...]


def parse_overlay(text: str, file_name: str, catalog: Catalog) -> Overlay:
    """Read an overlay strictly: an unknown key, type, region or currency is an error.

    Raises:
        InvalidInput: With every problem found, each naming file, key, value and what is right.
    """
    document = open_document(text, file_name)
    document.allow(TOP_KEYS)
    document.choice("version", [OVERLAY_VERSION])
    rates = {rate.currency: rate for rate in _read_rates(document)}
    types = {(extra.cloud, extra.name): extra for extra in _read_types(document, catalog)}
    known_types = {*catalog.types, *types}
    regions = _read_regions(document, catalog)
    rows = tuple(_read_prices(document, known_types, regions))
    overlay = Overlay(rates, _read_spot(document, catalog), types, rows)
    document.finish()
    return overlay


def apply_overlay(catalog: Catalog, overlay: Overlay, text: str) -> Catalog:
    """Return the catalog with the overlay on top; its digest covers the overlay's text."""
    negotiated = [row for row in overlay.rows if row.price.negotiated]
    public = [row for row in overlay.rows if not row.price.negotiated]
    table = replace(
        catalog.price_table,
        negotiated=_lay_over(catalog.price_table.negotiated, negotiated),
        refreshed=_lay_over(catalog.price_table.refreshed, public),
    )
    digest = hashlib.sha256(f"{catalog.digest}\0{text}".encode()).hexdigest()
    return replace(
        catalog,
        types={**catalog.types, **overlay.types},
        price_table=table,
        spot_assumption=overlay.spot or catalog.spot_assumption,
        rates={**catalog.rates, **overlay.rates},
        digest=f"sha256:{digest}",
    )


def _lay_over(below: PricesByRegion, rows: list[StatedRow]) -> PricesByRegion:
    merged = {key: dict(by_region) for key, by_region in below.items()}
    for row in rows:
        merged.setdefault(row.key, {})[row.region] = row.price
    return merged


def _read_regions(document: Fields, catalog: Catalog) -> dict[Cloud, set[str]]:
    regions = {cloud: set(catalog.regions(cloud)) for cloud in Cloud}
    section = document.section("regions")
    section.allow([cloud.value for cloud in Cloud])
    for cloud in Cloud:
        regions[cloud] |= set(section.words(cloud.value))
    return regions


def _read_rates(document: Fields) -> list[CurrencyRate]:
    rates = []
    section = document.section("currencies")
    for currency, entry in section.sections():
        entry.allow(("inUsd", "asOf", "origin"))
        section.check_currency(currency)
        rates.append(
            CurrencyRate(
                currency=currency,
                in_usd=entry.positive("inUsd"),
                as_of=entry.day("asOf"),
                origin=entry.text("origin"),
            )
        )
    return rates


def _read_spot(document: Fields, catalog: Catalog) -> SpotAssumption | None:
    if not document.has("assumedSpotRatio"):
        return None
    entry = document.section("assumedSpotRatio")
    entry.allow(("ratio", "clouds", "asOf", "origin"))
    ratio = entry.positive("ratio", at_most=1)
    default = [cloud.value for cloud in catalog.spot_assumption.clouds]
    clouds = entry.choices("clouds", [cloud.value for cloud in Cloud], default)
    return SpotAssumption(
        ratio=ratio,
        clouds=tuple(Cloud(cloud) for cloud in clouds),
        as_of=entry.day("asOf"),
        origin=entry.text("origin"),
    )


def _read_types(document: Fields, catalog: Catalog) -> list[InstanceType]:
    types = []
    for entry in document.entries("instanceTypes"):
        entry.allow(
            ("cloud", "name", "vcpus", "memoryGib", "arch", "accelerator", "acceleratorsPerNode")
        )
        cloud = entry.choice("cloud", [cloud.value for cloud in Cloud])
        chip = entry.text("accelerator", default="")
        try:
            chip = catalog.accelerator(chip).name if chip else ""
        except InvalidInput as error:
            entry.adopt("accelerator", error)
        count = entry.whole("acceleratorsPerNode", default=0)
        if bool(chip) != bool(count):
            entry.fault(
                "acceleratorsPerNode",
                str(count),
                "does not go with the accelerator",
                "both, or neither for a plain machine",
            )
        if cloud:
            types.append(
                InstanceType(
                    cloud=Cloud(cloud),
                    name=entry.text("name"),
                    vcpus=entry.whole("vcpus"),
                    memory_gib=entry.positive("memoryGib"),
                    arch=entry.choice("arch", ["amd64", "arm64"]),
                    accelerator=chip,
                    accelerators_per_node=count,
                    source=f"overlay {document.file_name}",
                )
            )
    return types


def _read_prices(
    document: Fields, types: set[tuple[Cloud, str]], regions: Mapping[Cloud, set[str]]
) -> list[StatedRow]:
    defaults = document.section("defaults")
    defaults.allow(PRICE_DEFAULTS)
    rows: dict[tuple[PriceKey, str, bool], StatedRow] = {}
    for entry in document.entries("prices"):
        entry.allow(PRICE_KEYS)
        row = _read_price(entry.over(defaults), types, regions)
        if row is None:
            continue
        identity = (row.key, row.region, row.price.negotiated)
        if identity in rows:
            entry.fault(
                "instanceType",
                row.key[1],
                "has two prices for one region and capacity type in this file",
                "one price each",
            )
        rows[identity] = row
    return list(rows.values())


def _read_price(
    entry: Fields, types: set[tuple[Cloud, str]], regions: Mapping[Cloud, set[str]]
) -> StatedRow | None:
    cloud_name = entry.choice("cloud", [cloud.value for cloud in Cloud])
    capacity = entry.choice("capacityType", [bought.value for bought in CapacityType])
    money = Money(entry.positive("perHour"), entry.currency("currency", default="USD"))
    price = Price(
        per_hour=money,
        as_of=entry.day("asOf"),
        origin=entry.text("origin"),
        assumed=entry.flag("assumed", default=False),
        negotiated=entry.flag("negotiated", default=True),
    )
    cloud = Cloud(cloud_name) if cloud_name else None
    if cloud is None:
        return None
    name = entry.choice("instanceType", [known for owner, known in types if owner is cloud])
    region = entry.choice("region", [*sorted(regions[cloud]), EVERYWHERE])
    if not (name and region and capacity):
        return None
    return StatedRow((cloud, name, CapacityType(capacity)), region, price)
