"""Times without a zone: what cannot be held against the time of a decision says nothing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from operator import attrgetter
from typing import Any

from tidegate.scaling.fleet import Node, RunningWork
from tidegate.scaling.offerings import Offerings

WORK_TIMES = ("deadline", "checkpoint_at", "started_at")


def mend_times(node: Node, now: datetime) -> tuple[Node, list[str]]:
    """Return a node without times that lack a zone, and what is to be said of them.

    Without a time that it saved itself at, work is not moved; a node is as it is since now.
    """
    doubts: list[str] = []
    if node.since.tzinfo is None:
        doubts.append(f"node {node.id} changed at a time without a zone")
        node = replace(node, since=now)
    odd = {work.item for work in node.running if not work.has_zones()}
    if odd:
        doubts += [f"{item} on {node.id} tells a time without a zone" for item in sorted(odd)]
        node = replace(node, running=tuple(_mend(work) for work in node.running))
    return node, doubts


def doubt_market(market: Offerings) -> Iterator[str]:
    """Say which refusals and commitments tell a time without a zone."""
    for failure in sorted(market.failures, key=attrgetter("offering")):
        if not _is_sound(failure.at):
            yield f"{failure.offering} was refused at a time without a zone"
    for commitment in sorted(market.commitments, key=attrgetter("id")):
        if not _is_sound(commitment.ends):
            yield f"commitment {commitment.id} ends at a time without a zone"


def mend_market(market: Offerings, now: datetime) -> Offerings:
    """Return a market without times that lack a zone: such a refusal counts from now on.

    Of a commitment it is not known when it ends.
    """
    if not any(doubt_market(market)):
        return market
    return replace(
        market,
        failures=tuple(
            failure if _is_sound(failure.at) else replace(failure, at=now)
            for failure in market.failures
        ),
        commitments=tuple(
            entry if _is_sound(entry.ends) else replace(entry, ends=None)
            for entry in market.commitments
        ),
    )


def _mend(work: RunningWork) -> RunningWork:
    missing: dict[str, Any] = {
        name: None for name in WORK_TIMES if not _is_sound(getattr(work, name))
    }
    return replace(work, **missing) if missing else work


def _is_sound(time: datetime | None) -> bool:
    return time is None or time.tzinfo is not None
