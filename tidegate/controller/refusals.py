"""The health of offerings: which were refused, since when, how often in a row. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from tidegate.controller.nodes import PoolSight
from tidegate.scaling.offerings import FailureKind, Offering, OfferingFailure
from tidegate.scaling.settings import ScalingSettings
from tidegate.scaling.situation import backoff_seconds
from tidegate.vocabulary.fleet_state import RefusalKind
from tidegate.vocabulary.records import RefusalRecord

KINDS = {
    RefusalKind.STOCK_OUT: FailureKind.STOCK_OUT,
    RefusalKind.QUOTA: FailureKind.QUOTA,
    RefusalKind.THROTTLED: FailureKind.TRANSIENT,
    RefusalKind.TRANSIENT: FailureKind.TRANSIENT,
    RefusalKind.DENIED: FailureKind.TRANSIENT,
    RefusalKind.NOT_FOUND: FailureKind.TRANSIENT,
    RefusalKind.INVALID: FailureKind.TRANSIENT,
}
"""A conflict says nothing of an offering: somebody else changes the pool just now."""


def to_failures(records: Iterable[RefusalRecord]) -> tuple[OfferingFailure, ...]:
    """Return what is remembered, as the decision takes it."""
    return tuple(
        OfferingFailure(each.offering, FailureKind(each.kind), each.at, each.attempts)
        for each in records
    )


def add_refusal(
    records: Sequence[RefusalRecord], offerings: Iterable[str], kind: RefusalKind, now: datetime
) -> list[RefusalRecord]:
    """Return the records with one more refusal of these offerings."""
    failure = KINDS.get(kind)
    found = {record.offering: record for record in records}
    for name in offerings if failure else ():
        assert failure is not None
        before = found.get(name)
        again = before is not None and before.kind == failure.value
        attempts = before.attempts + 1 if before is not None and again else 1
        found[name] = RefusalRecord(name, failure.value, now, attempts)
    return list(found.values())


def note_shortfalls(
    records: Sequence[RefusalRecord],
    sights: Sequence[PoolSight],
    offerings: Sequence[Offering],
    settings: ScalingSettings,
    now: datetime,
) -> list[RefusalRecord]:
    """Return the records with what clouds accepted and then did not deliver.

    A pool that lacks machines for one reason at look after look was refused once.
    """
    found = forget(records, settings, now)
    for sight in sights:
        short = sight.state.shortfall if sight.state else None
        if short is None:
            continue
        mine = [entry.id for entry in offerings if entry.pool == sight.pool.id]
        waiting = {each.offering for each in found if _is_waiting(each, settings, now)}
        found = add_refusal(found, [name for name in mine if name not in waiting], short.kind, now)
    return found


def forget(
    records: Sequence[RefusalRecord], settings: ScalingSettings, now: datetime
) -> list[RefusalRecord]:
    """Return the records without those that are long over; stamps from the future are of now."""
    longest = max(settings.stock_out_backoff_max_seconds, settings.quota_backoff_seconds)
    kept = [replace(record, at=min(record.at, now)) for record in records]
    return [record for record in kept if now - record.at < timedelta(seconds=2 * longest)]


def _is_waiting(record: RefusalRecord, settings: ScalingSettings, now: datetime) -> bool:
    (failure,) = to_failures([record])
    return now < record.at + timedelta(seconds=backoff_seconds(failure, settings))
