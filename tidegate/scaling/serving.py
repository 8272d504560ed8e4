"""How many replicas an endpoint needs.

The service-time model: a replica takes `concurrency` requests at once, each for `service_seconds`
when it is not overloaded, so that it serves concurrency ÷ service_seconds requests a second at a
target utilisation below 1 (Little's law: requests in service = arrival rate × service time).
Each signal that is known asks for a number; the largest is taken. A signal that is missing asks for
nothing and forbids to shrink.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal

from tidegate.vocabulary.serving import ServingSignals, ServingTarget

MEASURED = (
    "request_rate",
    "expected_rate",
    "in_flight",
    "queue_depth",
    "latency_seconds",
    "utilization",
)
"""Signals that are numbers and may make no sense."""
MOST_REPLICAS = 10**6
"""Where counts saturate: beyond it a signal is broken, not large."""


@dataclass(frozen=True, slots=True)
class ReplicaDecision:
    """How many replicas, and why."""

    replicas: int
    reasons: tuple[str, ...]


def decide_replicas(
    target: ServingTarget, signals: ServingSignals, now: datetime
) -> ReplicaDecision:
    """Return the replicas that the known signals ask for, within bounds and without jumps."""
    asked = [*_asked(target, signals)]
    doubts = [*_doubts(target, signals)]
    if not asked:
        doubts.append("no signal asks for a number")
    wanted = max((count for count, _ in asked), default=signals.replicas)
    reasons = [reason for count, reason in asked if count == wanted] + doubts
    if doubts:
        wanted = max(wanted, signals.replicas)
    wanted, limits = _smooth(wanted, target, signals, now)
    low = max(target.min_replicas, min(target.committed_replicas, target.max_replicas))
    bounded = max(low, min(wanted, target.max_replicas))
    if bounded != wanted:
        limits = (*limits, f"held between {low} and {target.max_replicas}")
    return ReplicaDecision(bounded, (*reasons, *limits))


def _asked(target: ServingTarget, signals: ServingSignals) -> Iterator[tuple[int, str]]:
    per_replica = _rate_of_replica(target)
    if _known(signals.request_rate) and per_replica:
        rate = signals.request_rate or Decimal(0)
        backlog = Decimal(signals.queue_depth or 0) if _known(signals.queue_depth) else Decimal(0)
        needed = (rate + backlog / max(target.queue_seconds, 1)) / per_replica
        yield _ceiling(needed), f"{rate:g} requests/s and {backlog:g} waiting"
    if _known(signals.expected_rate) and per_replica:
        rate = signals.expected_rate or Decimal(0)
        yield _ceiling(rate / per_replica), f"{rate:g} requests/s expected"
    if _known(signals.in_flight) and _seats(target):
        busy = signals.in_flight or Decimal(0)
        needed = busy / _seats(target)
        yield _ceiling(needed), f"{busy:g} requests in service"
    if _known(signals.utilization) and _seats(target):
        share = min(signals.utilization or Decimal(0), Decimal(1))
        needed = signals.replicas * share / target.utilization
        yield _ceiling(needed), f"accelerators {share * 100:.0f} % busy"
    if _known(signals.latency_seconds) and target.latency_seconds:
        seconds = signals.latency_seconds or Decimal(0)
        if seconds > target.latency_seconds:
            needed = signals.replicas * min(seconds / target.latency_seconds, target.growth)
            yield _ceiling(needed), f"{seconds:g} s are above {target.latency_seconds:g} s"
    if signals.scheduled_replicas is not None and signals.scheduled_replicas >= 0:
        yield signals.scheduled_replicas, "the schedule"


def _rate_of_replica(target: ServingTarget) -> Decimal | None:
    if not target.service_seconds or target.service_seconds <= 0:
        return None
    return _seats(target) / target.service_seconds


def _seats(target: ServingTarget) -> Decimal:
    """Return the requests that one replica may have in service; 0 where the target is senseless."""
    sensible = target.concurrency > 0 and target.utilization > 0
    return target.concurrency * target.utilization if sensible else Decimal(0)


def _doubts(target: ServingTarget, signals: ServingSignals) -> Iterator[str]:
    if not _seats(target):
        share = target.utilization
        yield f"a target of {target.concurrency} requests at {share:g} of a replica makes no sense"
    for name in MEASURED:
        value = getattr(signals, name)
        if value is not None and not _known(value):
            yield f"{name} of {value} makes no sense, so nothing shrinks"


def _known(value: Decimal | int | None) -> bool:
    return value is not None and Decimal(value).is_finite() and value >= 0


def _ceiling(needed: Decimal) -> int:
    """Return a whole number of replicas; what is beyond all sense saturates."""
    return MOST_REPLICAS if needed > MOST_REPLICAS else math.ceil(needed)


def _smooth(
    wanted: int, target: ServingTarget, signals: ServingSignals, now: datetime
) -> tuple[int, tuple[str, ...]]:
    """Bound the step: overshoot on the way up, flapping on the way down."""
    current = signals.replicas
    if wanted > current:
        most = _ceiling(max(current, 1) * target.growth)
        return (most, (f"at most {target.growth:g} x at once",)) if wanted > most else (wanted, ())
    if wanted == current:
        return wanted, ()
    if signals.grown_at and now - signals.grown_at < timedelta(seconds=target.cooldown_seconds):
        return current, ("grown within the cooldown",)
    least = int(current / target.shrink)
    if wanted == 0:
        return _sleep(current, max(least, 1), target, signals, now)
    if wanted < least:
        return least, (f"at most {target.shrink:g} x fewer at once",)
    return wanted, ()


def _sleep(
    current: int, least: int, target: ServingTarget, signals: ServingSignals, now: datetime
) -> tuple[int, tuple[str, ...]]:
    """Go to zero only when the last request is known and long enough ago."""
    last = signals.last_request_at
    if last is None:
        return current, ("when the last request came is not known",)
    if now - last < timedelta(seconds=target.idle_seconds):
        return min(current, least), (f"a request came within {target.idle_seconds} s",)
    return 0, (f"no request for {target.idle_seconds} s",)
