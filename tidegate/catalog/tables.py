"""The shipped data files as typed tables. Text in, values out."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from tidegate.catalog.model import (
    CommitmentDiscount,
    InstanceType,
    ListedPrice,
    PriceSource,
    RetentionSteps,
    SpotAssumption,
    TelemetryPrice,
)
from tidegate.catalog.offerings import OfferingTable
from tidegate.catalog.prices import PriceKey, PriceTable
from tidegate.vocabulary.accelerators import Accelerator, AcceleratorKind
from tidegate.vocabulary.capacity import CapacityType, Cloud
from tidegate.vocabulary.money import Money


@dataclass(frozen=True, slots=True)
class Attachable:
    """Which accelerators can be attached to machines of one family, and how many."""

    cloud: Cloud
    family: str
    counts: Mapping[str, tuple[int, ...]]


def _rows(text: str) -> Iterator[list[str]]:
    rows = csv.reader(text.splitlines())
    next(rows)
    return rows


def parse_accelerators(text: str) -> tuple[dict[str, Accelerator], Attachable]:
    """Return the chips by canonical name, and what can be attached to which machines."""
    document = json.loads(text)
    source = "; ".join(document["sources"].values())
    chips = {}
    for name, vendor, kind, memory, resource, gke, eks, aks, aliases in document["accelerators"]:
        chips[name] = Accelerator(
            name=name,
            vendor=vendor,
            kind=AcceleratorKind(kind),
            memory_gib=Decimal(memory) if memory else None,
            kubernetes_resource=resource,
            gke_type=gke,
            eks_ami=eks,
            aks_installs_driver=aks,
            aliases=tuple(aliases.split()),
            source=source,
        )
    stated = document["attachable"]
    counts = {name: tuple(allowed) for name, allowed in stated["counts"].items()}
    return chips, Attachable(Cloud(stated["cloud"]), stated["family"], counts)


def parse_types(text: str, attachable: Attachable) -> dict[tuple[Cloud, str], InstanceType]:
    """Return the instance types by cloud and name."""
    types = {}
    for row in _rows(text):
        cloud, name, vcpus, memory, arch, chip, count, sliced, share, variant, *rest = row
        purchase, source, retired, retired_source = rest
        owner = Cloud(cloud)
        takes = owner is attachable.cloud and name.startswith(attachable.family)
        types[owner, name] = InstanceType(
            cloud=owner,
            name=name,
            vcpus=int(vcpus) if vcpus else None,
            memory_gib=Decimal(memory) if memory else None,
            arch=arch,
            accelerator=chip,
            accelerators_per_node=int(count) if count else (None if chip else 0),
            sliced=bool(sliced),
            share=share,
            provider_accelerator=variant,
            attachable=attachable.counts if takes else {},
            purchase=tuple(purchase.split()),
            source=source,
            retired=date.fromisoformat(retired) if retired else None,
            retired_source=retired_source,
        )
    return types


def parse_sources(text: str) -> tuple[dict[str, PriceSource], SpotAssumption, str]:
    """Return the origins of prices, the assumed spot ratio and the currency of all."""
    document = json.loads(text)
    sources = {
        name: PriceSource(
            origin=entry["origin"],
            as_of=date.fromisoformat(entry["as_of"]),
            assumed=entry.get("assumed", False),
            note=entry.get("note", ""),
        )
        for name, entry in document["sources"].items()
    }
    ratio = document["assumed_spot_ratio"]
    spot = SpotAssumption(
        ratio=Decimal(ratio["ratio"]),
        clouds=tuple(Cloud(cloud) for cloud in ratio["clouds"]),
        as_of=date.fromisoformat(ratio["as_of"]),
        origin=ratio["origin"],
    )
    return sources, spot, document["currency"]


def parse_prices(text: str, sources: Mapping[str, PriceSource], currency: str) -> PriceTable:
    """Return the listed prices."""
    listed: dict[PriceKey, dict[str, ListedPrice]] = {}
    clouds = {cloud.value: cloud for cloud in Cloud}
    capacities = {capacity.value: capacity for capacity in CapacityType}
    for cloud, name, capacity, amount, source, regions in _rows(text):
        price = ListedPrice(Decimal(amount), source)
        by_region = listed.setdefault((clouds[cloud], name, capacities[capacity]), {})
        for region in regions.split():
            by_region[region] = price
    return PriceTable(listed=listed, sources=sources, currency=currency)


def parse_offerings(text: str, sources: str) -> OfferingTable:
    """Return AWS's offerings; the row `*` names every region that the record covers."""
    types = {}
    for name, zones in _rows(text):
        by_region = {}
        for entry in zones.split():
            region, letters = entry.split(":")
            by_region[region] = tuple(region + letter for letter in letters)
        types[name] = by_region
    regions = types.pop("*")
    return OfferingTable(regions=regions, types=types, source=json.loads(sources)["aws_offerings"])


def parse_rejected(text: str) -> dict[tuple[Cloud, str], str]:
    """Return the types that the sources name and the catalog leaves out, with the reason."""
    return {(Cloud(cloud), name): reason for cloud, name, reason in _rows(text)}


def parse_retention(text: str) -> dict[Cloud, RetentionSteps]:
    """Return the retention that each cloud's logs can have."""
    return {
        Cloud(cloud): RetentionSteps(
            steps=tuple(entry["steps"]),
            minimum=entry["steps"][0] if entry["steps"] else entry["minimum"],
            maximum=entry["steps"][-1] if entry["steps"] else entry["maximum"],
            applies_to=entry["applies_to"],
            source=entry["source"],
            total_steps=tuple(entry.get("total_steps", ())),
        )
        for cloud, entry in json.loads(text)["clouds"].items()
    }


def parse_discounts(text: str) -> tuple[CommitmentDiscount, ...]:
    """Return the average commitment discounts."""
    document = json.loads(text)
    as_of = date.fromisoformat(document["as_of"])
    return tuple(
        CommitmentDiscount(
            cloud=Cloud(entry["cloud"]),
            scenario=entry["scenario"],
            term_months=entry["term_months"],
            upfront_share=Decimal(entry["upfront_share"]),
            discount=Decimal(entry["discount"]),
            as_of=as_of,
            origin=document["origin"],
        )
        for entry in document["discounts"]
    )


def parse_telemetry(text: str) -> tuple[TelemetryPrice, ...]:
    """Return the telemetry prices; a cloud's default log class stands first."""
    document = json.loads(text)
    currency = document["currency"]
    return tuple(
        TelemetryPrice(
            cloud=Cloud(entry["cloud"]),
            log_class=entry["log_class"],
            regions=tuple(entry["regions"]),
            ingest_per_gib=Money(Decimal(entry["ingest_per_gib"]), currency),
            keep_per_gib_month=Money(Decimal(entry["keep_per_gib_month"]), currency),
            included_days=entry["included_days"],
            as_of=date.fromisoformat(entry["as_of"]),
            origin=entry["origin"],
            assumed=entry["assumed"],
        )
        for entry in document["prices"]
    )
