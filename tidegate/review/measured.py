"""From rows of a usage file to use over the same hours, with prices of the catalog."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from tidegate.catalog.catalog import Catalog
from tidegate.catalog.model import InstanceType, UnknownPrice
from tidegate.manifest.model import Manifest, Pool
from tidegate.pricing.nodes import price_of
from tidegate.pricing.usage import Hours, Usage, UsageRow, build_usage, family_of
from tidegate.review.remarks import Remark
from tidegate.review.used_hours import (
    EPOCH,
    HOUR,
    UNUSABLE,
    Place,
    UsedHours,
    UsedSeries,
)
from tidegate.vocabulary.capacity import CapacityType, Cloud
from tidegate.vocabulary.money import Price
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
    where: str, used: UsedHours, manifests: Iterable[Manifest], catalog: Catalog
) -> Measured:
    """Return the use of every pool over the span of the file.

    A pool is taken to be away before its first row and after its last; an hour in between without
    its row was not measured, and is left out for every pool.

    Raises:
        InvalidInput: When the file has no row of a pool that can be placed, or rows of one pool
            and machine stand in several regions.
    """
    if not used.series:
        raise refuse(where, "", None, "has no row", "hourly use")
    pools, remarks = _index_pools(manifests)
    start = min(min(each.hours) for each in used.series.values())
    hours = max(max(each.hours) for each in used.series.values()) - start + 1
    grouped, unplaced = _group_by_place(where, used, pools)
    remarks += [_remark_unplaced(name) for name in unplaced]
    known = np.ones(hours, dtype=bool)
    nodes: dict[Key, Hours] = {}
    twice = 0
    for key, (_, parts) in grouped.items():
        nodes[key], repeated = _spread(parts, start, hours)
        twice += repeated
        known &= nodes[key] != UNUSABLE
    places = {key: place for key, (place, _) in grouped.items()}
    for pool in pools.values():
        if not any(name == pool.id for name, _ in places):
            key = (pool.id, pool.instance_types[0])
            places[key] = _declared_place(pool, pool.instance_types[0])
            nodes[key] = np.zeros(hours, dtype=np.int64)
            message = "has no row in the usage"
            remarks.append(Remark(f"pool {pool.id}", message, "it counts as not used"))
    if not places:
        raise refuse(where, "", None, "has no pool of which is known where and on what it runs")
    if twice:
        message = f"states {twice} hours of a pool twice, as a clock change without zones would"
        consequence = "these hours count as not measured for every pool"
        remarks.append(Remark(where, message, consequence))
    built = [_row(key, np.maximum(nodes[key], 0), place, catalog) for key, place in places.items()]
    begin = EPOCH + start * HOUR
    usage = replace(build_usage(begin, known, built), simulated=used.simulated)
    remarks += _remark_usage(where, usage)
    undeclared = sorted({name for name, _ in places} - set(pools))
    return Measured(usage, tuple(undeclared), tuple(unplaced), tuple(remarks))


Key = tuple[str, str]
"""A pool and its instance type."""

_Grouped = dict[Key, tuple[_Place, list[UsedSeries]]]


def _index_pools(manifests: Iterable[Manifest]) -> tuple[dict[str, Pool], list[Remark]]:
    """Return pools by id; one that several stacks declare is taken as the first declares it."""
    pools: dict[str, Pool] = {}
    remarks = []
    for manifest in manifests:
        for pool in manifest.pools:
            if pool.id in pools:
                message = f"is declared by {manifest.project}/{manifest.stack} and an earlier stack"
                consequence = "all of its use is taken for the pool of the earlier one"
                remarks.append(Remark(f"pool {pool.id}", message, consequence))
            pools.setdefault(pool.id, pool)
    return pools, remarks


def _group_by_place(
    where: str, used: UsedHours, pools: Mapping[str, Pool]
) -> tuple[_Grouped, list[str]]:
    """Return the series of each pool and machine, and the pools that cannot be placed."""
    grouped: _Grouped = {}
    unplaced: set[str] = set()
    for stated, series in used.series.items():
        place = _find_place(stated, pools)
        if place is None:
            unplaced.add(stated.pool)
            continue
        known, parts = grouped.setdefault((stated.pool, place.instance_type), (place, []))
        if known != place:
            reason = f"is in {known.region} in some rows and in {place.region} in others"
            expected = "a pool of one region and machine, or pools by their own ids"
            raise refuse(where, f"pool {stated.pool}", None, reason, expected)
        parts.append(series)
    return grouped, sorted(unplaced - {pool for pool, _ in grouped})


def _spread(parts: Iterable[UsedSeries], start: int, hours: int) -> tuple[Hours, int]:
    """Return the nodes of each hour, UNUSABLE where not measured; and how many stood twice."""
    index = np.concatenate([np.frombuffer(each.hours, dtype=np.int64) for each in parts]) - start
    stated = np.concatenate([np.frombuffer(each.micro_nodes, dtype=np.int64) for each in parts])
    nodes = np.zeros(hours, dtype=np.int64)
    nodes[index.min() : index.max() + 1] = UNUSABLE
    nodes[index] = stated
    repeated = np.flatnonzero(np.bincount(index, minlength=hours) > 1)
    nodes[repeated] = UNUSABLE
    return nodes, len(repeated)


def _find_place(stated: Place, pools: Mapping[str, Pool]) -> _Place | None:
    """Return where a pool runs; None where neither a stack nor its rows say so."""
    pool = pools.get(stated.pool)
    if pool is not None:
        return _declared_place(pool, stated.instance_type or pool.instance_types[0])
    if stated.cloud is None or not stated.region or not stated.instance_type:
        return None
    return _Place(stated.cloud, stated.region, stated.instance_type, "", 0)


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


def _row(key: Key, nodes: Hours, place: _Place, catalog: Catalog) -> UsageRow:
    machine = _find_machine(catalog, place)
    price = machine if isinstance(machine, UnknownPrice) else _price(catalog, place)
    return UsageRow(
        pool=key[0],
        cloud=place.cloud,
        region=place.region,
        instance_type=place.instance_type,
        family=family_of(place.cloud, place.instance_type),
        accelerated=bool(place.accelerator)
        or (not isinstance(machine, UnknownPrice) and bool(machine.accelerator)),
        micro_nodes=nodes,
        price=None if isinstance(price, UnknownPrice) else price.per_hour.amount,
        currency="USD" if isinstance(price, UnknownPrice) else price.per_hour.currency,
        price_as_of=None if isinstance(price, UnknownPrice) else price.as_of,
        price_origin=price.reason if isinstance(price, UnknownPrice) else price.origin,
        assumed=not isinstance(price, UnknownPrice) and price.assumed,
        eligible=place.capacity is not CapacityType.SPOT,
    )


def _find_machine(catalog: Catalog, place: _Place) -> InstanceType | UnknownPrice:
    """Return a machine; one that the catalog does not know has no price."""
    try:
        return catalog.instance_type(place.cloud, place.instance_type)
    except InvalidInput as error:
        return UnknownPrice("; ".join(f"{p.value} {p.reason}" for p in error.problems))


def _price(catalog: Catalog, place: _Place) -> Price | UnknownPrice:
    return price_of(
        catalog,
        place.cloud,
        place.region,
        place.instance_type,
        place.capacity,
        place.accelerator,
        place.accelerators_per_node,
    )


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
