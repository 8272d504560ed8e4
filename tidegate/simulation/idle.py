"""Endpoints of one replica that are now busy, now idle: how long each is kept through a gap."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import groupby
from typing import Protocol

from tidegate.scaling.keep_alive import KEPT_GAPS, keep_alive_seconds
from tidegate.scaling.settings import ScalingSettings


class KeepAlive(Protocol):
    """Says how long an endpoint that has just become idle stays."""

    def seconds(self, gaps: Sequence[int], boot_seconds: int) -> int:
        """Return seconds; `gaps` are those of this endpoint so far, the latest last."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """So many seconds in which an endpoint was busy, or idle."""

    busy: bool
    seconds: int


@dataclass(frozen=True, slots=True)
class IdleResult:
    """What endpoints cost, in seconds of a replica, the least possible, and how often they woke."""

    cost: int
    bound: int
    wakes: int

    def __add__(self, other: IdleResult) -> IdleResult:
        """Return both together."""
        return IdleResult(
            self.cost + other.cost, self.bound + other.bound, self.wakes + other.wakes
        )


def build_stretches(busy: Iterable[bool], seconds: int) -> tuple[Stretch, ...]:
    """Return samples that are so many seconds apart as stretches of equal state."""
    return tuple(
        Stretch(bool(state), seconds * sum(1 for _ in same)) for state, same in groupby(busy)
    )


def run_idle(stretches: Sequence[Stretch], policy: KeepAlive, boot_seconds: int) -> IdleResult:
    """Return what a policy made of one endpoint.

    A gap that outlasts the keep-alive costs that and the boot after it, in which a request waits.
    Whoever knew the gap would pay the lesser of the gap and the boot; no policy comes below. A gap
    at the end has no boot after it.
    """
    cost = bound = wakes = 0
    gaps: list[int] = []
    for number, stretch in enumerate(stretches):
        if stretch.busy:
            cost, bound = cost + stretch.seconds, bound + stretch.seconds
            continue
        kept = min(policy.seconds(gaps[-KEPT_GAPS:], boot_seconds), stretch.seconds)
        woken = kept < stretch.seconds and number < len(stretches) - 1
        cost += kept + boot_seconds * woken
        wakes += woken
        if number < len(stretches) - 1:
            bound += min(stretch.seconds, boot_seconds)
        gaps.append(stretch.seconds)
    return IdleResult(cost, bound, wakes)


@dataclass(frozen=True, slots=True)
class LearnedKeepAlive:
    """Ours: the same `keep_alive_seconds` that a decision calls.

    Attributes:
        wait_cost: What an hour of waiting is worth, in hours of a replica.
    """

    wait_cost: Decimal = Decimal(0)

    def seconds(self, gaps: Sequence[int], boot_seconds: int) -> int:
        """Return what would have cost least over the gaps seen, else the break-even."""
        settings = ScalingSettings(keep_alive_min_seconds=0, wait_cost_per_hour=self.wait_cost)
        return keep_alive_seconds(Decimal(1), boot_seconds, gaps, settings)


@dataclass(frozen=True, slots=True)
class FixedKeepAlive:
    """Always the same time, as many platforms have it."""

    keep_seconds: int = 600

    def seconds(self, gaps: Sequence[int], boot_seconds: int) -> int:
        """Return the same."""
        return self.keep_seconds


@dataclass(frozen=True, slots=True)
class HistogramKeepAlive:
    """A percentile of the endpoint's own gaps ("Serverless in the Wild", ATC 2020).

    It loads before the fifth percentile of the gaps has passed; where that is shorter than a boot,
    as in all that is measured here, nothing would be won by unloading until then.

    Attributes:
        tail: Share of the gaps that it outlasts (0.99 by default).
        most_seconds: Longer gaps are not learned from (four hours).
        fallback_seconds: Until enough gaps were seen.
        enough: Gaps.
    """

    tail: float = 0.99
    most_seconds: int = 4 * 3600
    fallback_seconds: int = 600
    enough: int = 10

    def seconds(self, gaps: Sequence[int], boot_seconds: int) -> int:
        """Return the percentile."""
        known = sorted(gap for gap in gaps if gap <= self.most_seconds)
        if len(known) < self.enough:
            return self.fallback_seconds
        return known[min(int(self.tail * len(known)), len(known) - 1)]
