"""Hints for work that asks for more than it uses, from what was observed."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal

from tidegate.vocabulary.use import Shows, UseReport

ENOUGH_HOURS = Decimal(24)
"""Less observation says too little about what work needs."""
PERCENTILE = Decimal("0.95")
SPARE = Decimal("1.2")
"""Room above the observed peak that a hint leaves."""


@dataclass(frozen=True, slots=True)
class ObservedUse:
    """What a kind of work asked for and used.

    Attributes:
        name: The work, for people (a queue, a project, an endpoint).
        accelerators: What each worker asks for.
        busy_share: Of all those accelerators, the share busy at the 95th percentile; None unknown.
        memory_share: Of their memory, the share used at most; None unknown.
        hours: For how long it was observed.
    """

    name: str
    accelerators: int
    busy_share: Decimal | None
    memory_share: Decimal | None
    hours: Decimal


@dataclass(frozen=True, slots=True)
class RightsizingHint:
    """A smaller request that would have been enough."""

    name: str
    accelerators: int
    would_do: int
    reason: str


def hint_sizes(observed: Iterable[ObservedUse]) -> tuple[RightsizingHint, ...]:
    """Return hints by name; work whose use is not known, or seen too briefly, gets none."""
    return tuple(sorted(_hints(observed), key=lambda hint: hint.name))


def _hints(observed: Iterable[ObservedUse]) -> Iterator[RightsizingHint]:
    for use in observed:
        shares = (use.busy_share, use.memory_share)
        known = [share for share in shares if share is not None and _is_share(share)]
        # Memory decides as well as computing: a share that is not known could be all of it.
        if len(known) < len(shares) or use.hours < ENOUGH_HOURS or use.accelerators < 1:
            continue
        needed = max(math.ceil(max(known) * SPARE * use.accelerators), 1)
        if needed < use.accelerators:
            reason = f"over {use.hours:g} h at most {known[0] * 100:.0f} % busy and "
            reason += f"{known[1] * 100:.0f} % of the memory used"
            yield RightsizingHint(use.name, use.accelerators, needed, reason)


def _is_share(share: Decimal) -> bool:
    return share.is_finite() and 0 <= share <= 1


def observe_pools(
    reports: Iterable[UseReport], accelerators: Mapping[str, int]
) -> tuple[ObservedUse, ...]:
    """Return what pools used, of those whose load was told.

    Args:
        reports: Of load and memory; those of other things are passed over.
        accelerators: Pool → accelerators a node.
    """
    by_pool: dict[str, dict[Shows, UseReport]] = {}
    for report in reports:
        kind, _, pool = report.about.partition("/")
        if kind == "pool" and report.points and accelerators.get(pool):
            by_pool.setdefault(pool, {})[report.shows] = report
    return tuple(
        ObservedUse(
            name=pool,
            accelerators=accelerators[pool],
            busy_share=_percentile(told[Shows.LOAD]),
            memory_share=_peak(told[Shows.MEMORY]) if Shows.MEMORY in told else None,
            hours=_hours(told[Shows.LOAD]),
        )
        for pool, told in sorted(by_pool.items())
        if Shows.LOAD in told
    )


def _percentile(report: UseReport) -> Decimal:
    """Return the value that 95 of 100 points do not pass (nearest rank)."""
    values = sorted(point.value for point in report.points)
    return values[math.ceil(len(values) * PERCENTILE) - 1]


def _peak(report: UseReport) -> Decimal:
    return max(point.value for point in report.points)


def _hours(report: UseReport) -> Decimal:
    """Return the time that points speak of; what lies between them is not counted."""
    return round(Decimal(len(report.points) * report.step_seconds) / 3600, 1)
