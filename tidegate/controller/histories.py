"""Histories of pools' work, as the decision wants them told, and what of them is news. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime, timedelta

from tidegate.scaling.fleet import Fleet
from tidegate.scaling.offerings import Offerings
from tidegate.scaling.warm import LOOK_BACK_SECONDS
from tidegate.vocabulary.history import Arrival, PoolHistory

STALE = timedelta(minutes=5)
"""A history is written at least as often, so that a restart knows until when it reaches."""


def tell_histories(
    fleet: Fleet, histories: Iterable[PoolHistory], market: Offerings, now: datetime
) -> Fleet:
    """Return the fleet with what is remembered of each pool's work."""
    boots: dict[str, int] = {}
    for entry in market.offerings:
        boots[entry.pool] = min(entry.boot_seconds, boots.get(entry.pool, entry.boot_seconds))
    gaps, arrivals, targets = {}, {}, {}
    for history in histories:
        lately = _find_lately(history, now)
        gaps[history.pool] = history.gaps
        spans = _count_spans(lately, boots.get(history.pool, 0), now)
        if spans:
            arrivals[history.pool] = spans
        stated = [each.wait_target for each in lately if each.wait_target is not None]
        if stated:
            targets[history.pool] = min(stated)
    return replace(fleet, idle_gaps=gaps, arrivals=arrivals, wait_targets=targets)


def find_changed(before: Iterable[PoolHistory], after: Iterable[PoolHistory]) -> list[PoolHistory]:
    """Return what is to be written down."""
    known = {each.pool: each for each in before}
    return [each for each in after if _is_news(known.get(each.pool), each)]


def _is_news(before: PoolHistory | None, after: PoolHistory) -> bool:
    if before is None:
        return True
    passed = after.looked_at - before.looked_at
    same = replace(after, looked_at=before.looked_at) == before
    return not same or not timedelta(0) <= passed < STALE


def _find_lately(history: PoolHistory, now: datetime) -> list[Arrival]:
    moment = int(now.timestamp())
    return [each for each in history.arrivals if moment - LOOK_BACK_SECONDS < each.at <= moment]


def _count_spans(arrivals: Iterable[Arrival], boot: int, now: datetime) -> tuple[int, ...]:
    """Return the accelerators that came within each past boot time; the one under way is left."""
    if boot <= 0:
        return ()
    spans: dict[int, int] = {}
    for each in arrivals:
        span = each.at // boot
        if each.accelerators and span < int(now.timestamp()) // boot:
            spans[span] = spans.get(span, 0) + each.accelerators
    return tuple(spans[span] for span in sorted(spans))
