"""From rows of a usage file to use over the same hours, with prices of the catalog."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

import numpy as np

from tidegate.catalog.catalog import Catalog
from tidegate.catalog.model import UnknownPrice
from tidegate.manifest.model import Manifest, Pool
from tidegate.pricing.nodes import price_of
from tidegate.pricing.usage import (
    Known,
    Usage,
    UsageRow,
    build_usage,
    family_of,
    to_micro,
)
from tidegate.review.remarks import Remark
from tidegate.review.usage_rows import HOUR, UsedHour
from tidegate.vocabulary.capacity import CapacityType, Cloud
from tidegate.vocabulary.problems import InvalidInput, refuse

HOURS_OF_WEEK = 168


@dataclass(frozen=True, slots=True)
class Measured:
    """Use, and what a reader must know of how it was measured.

    Attributes:
        usage: The use, priced on demand.
        undeclared: Pools that were used and that no stack declares.
        unplaced: Those of them whose rows do not say where and on what they run; not in the use.
        remarks: What is missing or doubtful.
    """

    usage: Usage
    undeclared: tuple[str, ...]
    unplaced: tuple[str, ...]
    remarks: tuple[Remark, ...]


@dataclass(frozen=True, slots=True)
class _Place:
    """Where and on what a pool runs."""

    cloud: Cloud
    region: str
    instance_type: str
    accelerator: str
    accelerators_per_node: int
    capacity: CapacityType = CapacityType.ON_DEMAND


def build_measured(
    where: str, rows: Sequence[UsedHour], manifests: Iterable[Manifest], catalog: Catalog
) -> Measured:
    """Return the use of every pool over the span of the file.

    A pool is taken to be away before its first row and after its last; an hour in between without
    its row was not measured, and is left out for every pool.

    Raises:
        InvalidInput: When the file has no row of a pool that can be placed.
    """
    if not rows:
        raise refuse(where, "", None, "has no row", "hourly use")
    pools = {pool.id: pool for manifest in manifests for pool in manifest.pools}
    start = min(row.hour for row in rows)
    hours = int((max(row.hour for row in rows) - start) / HOUR) + 1
    series, remarks = _collect(where, rows, start)
    found = {key: _place(key, rows, pools) for key in series}
    places = {key: place for key, place in found.items() if place is not None}
    unplaced = sorted({key[0] for key in series if key not in places})
    remarks += [_remark_unplaced(name) for name in unplaced]
    series = {key: values for key, values in series.items() if key in places}
    known = np.ones(hours, dtype=bool)
    for values in series.values():
        known &= _measured_hours(values, hours)
    for pool in pools.values():
        if not any(name == pool.id for name, _ in series):
            key = (pool.id, pool.instance_types[0])
            series[key] = {}
            places[key] = _declared_place(pool, pool.instance_types[0])
            message = "has no row in the usage"
            remarks.append(Remark(f"pool {pool.id}", message, "it counts as not used"))
    if not series:
        raise refuse(where, "", None, "has no pool of which is known where and on what it runs")
    built = [_row(key, values, places[key], hours, catalog) for key, values in series.items()]
    simulated = any(row.simulated for row in rows)
    usage = build_usage(start, known, built)
    usage = Usage(usage.start, usage.known, usage.rows, simulated)
    remarks += _remark_usage(where, usage)
    undeclared = sorted({name for name, _ in series} - set(pools))
    return Measured(usage, tuple(undeclared), tuple(unplaced), tuple(remarks))


Key = tuple[str, str]
"""A pool and its instance type."""


def _collect(
    where: str, rows: Sequence[UsedHour], start: datetime
) -> tuple[dict[Key, dict[int, Decimal | None]], list[Remark]]:
    series: dict[Key, dict[int, Decimal | None]] = {}
    twice = 0
    for row in rows:
        values = series.setdefault((row.pool, row.instance_type), {})
        index = int((row.hour - start) / HOUR)
        if index in values:
            twice += 1
            values[index] = None
        else:
            values[index] = row.nodes
    if not twice:
        return series, []
    message = f"states {twice} hours of a pool twice, as a clock change without zones would"
    return series, [Remark(where, message, "these hours count as not measured for every pool")]


def _measured_hours(values: Mapping[int, Decimal | None], hours: int) -> Known:
    known = np.ones(hours, dtype=bool)
    first, last = min(values), max(values)
    for index in range(first, last + 1):
        known[index] = values.get(index) is not None
    return known


def _place(key: Key, rows: Sequence[UsedHour], pools: Mapping[str, Pool]) -> _Place | None:
    """Return where a pool runs; None where neither a stack nor its rows say so."""
    name, instance_type = key
    pool = pools.get(name)
    if pool is not None:
        return _declared_place(pool, instance_type or pool.instance_types[0])
    row = next(row for row in rows if (row.pool, row.instance_type) == key)
    if row.cloud is None or not row.region or not instance_type:
        return None
    return _Place(row.cloud, row.region, instance_type, "", 0)


def _remark_unplaced(name: str) -> Remark:
    message = "is declared by no stack, and its rows do not say where and on what it runs"
    consequence = "its use is in no sum; state cloud, region and instance_type in its rows"
    return Remark(f"pool {name}", message, consequence)


def _declared_place(pool: Pool, instance_type: str) -> _Place:
    spot = pool.capacity_type is CapacityType.SPOT
    return _Place(
        pool.cloud,
        pool.region,
        instance_type,
        pool.accelerator,
        pool.accelerators_per_node,
        CapacityType.SPOT if spot else CapacityType.ON_DEMAND,
    )


def _row(
    key: Key,
    values: Mapping[int, Decimal | None],
    place: _Place,
    hours: int,
    catalog: Catalog,
) -> UsageRow:
    micro = np.zeros(hours, dtype=np.int64)
    for index, nodes in values.items():
        micro[index] = to_micro(nodes) if nodes is not None else 0
    price = price_of(
        catalog,
        place.cloud,
        place.region,
        place.instance_type,
        place.capacity,
        place.accelerator,
        place.accelerators_per_node,
    )
    return UsageRow(
        pool=key[0],
        cloud=place.cloud,
        region=place.region,
        instance_type=place.instance_type,
        family=family_of(place.cloud, place.instance_type),
        accelerated=bool(place.accelerator) or _has_accelerator(catalog, place),
        micro_nodes=micro,
        price=None if isinstance(price, UnknownPrice) else price.per_hour.amount,
        currency="USD" if isinstance(price, UnknownPrice) else price.per_hour.currency,
        price_as_of=None if isinstance(price, UnknownPrice) else price.as_of,
        price_origin=price.reason if isinstance(price, UnknownPrice) else price.origin,
        assumed=not isinstance(price, UnknownPrice) and price.assumed,
        eligible=place.capacity is not CapacityType.SPOT,
    )


def _has_accelerator(catalog: Catalog, place: _Place) -> bool:
    try:
        found = catalog.instance_type(place.cloud, place.instance_type)
    except InvalidInput:
        return False
    return bool(found.accelerator)


def _remark_usage(where: str, usage: Usage) -> list[Remark]:
    remarks = []
    missing = usage.hours - usage.known_hours
    if missing:
        message = f"misses {missing} of {usage.hours} hours"
        remarks.append(Remark(where, message, "they are left out of every sum, for every pool"))
    if usage.simulated:
        message = "holds use that a simulation made"
        remarks.append(Remark(where, message, "every conclusion is one about the simulation"))
    spot = [row.pool for row in usage.rows if not row.eligible]
    if spot:
        message = f"holds {len(spot)} pools of spot nodes"
        remarks.append(Remark(where, message, "no commitment covers spot; they are priced as spot"))
    for row in usage.rows:
        if row.price is None:
            consequence = "its use is in no sum, and nothing is bought for it"
            message = f"has no price ({row.price_origin})"
            remarks.append(Remark(f"{row.pool} on {row.instance_type}", message, consequence))
    currencies = sorted({row.currency for row in usage.rows if row.price is not None})
    if len(currencies) > 1:
        message = f"is priced in {' and '.join(currencies)}"
        remarks.append(Remark(where, message, "totals stand apart; nothing is converted"))
    return remarks
