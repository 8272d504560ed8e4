"""What a decision takes from the programme for deadlines: run on spot, on-demand, or wait."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from importlib.util import find_spec
from typing import Any

from tidegate.scaling.constraints import find_exclusion
from tidegate.scaling.offerings import Offering, SpotHistory
from tidegate.scaling.signals import explain_shape
from tidegate.scaling.situation import Situation, is_spot
from tidegate.vocabulary.demand import WorkItem, WorkShape
from tidegate.vocabulary.plans import Cause, CauseKind

MOST_TICKS = 900
"""Longer times are looked at in longer ticks."""
AGES, RECENT_TICKS, PRIOR_TICKS = (10, 40, 160), 20_000, 300.0
"""As measured on the first halves of the public spot traces (see the evaluation)."""
ENOUGH_TICKS = 100
"""A shorter history says too little."""


PATIENT = Cause(
    CauseKind.DEADLINE, "", "waits for spot, which costs least and still meets its deadline"
)
"""Why work with a deadline is not started now."""


@dataclass(frozen=True, slots=True)
class DeadlineWord:
    """What to do now, as the programme says."""

    on_demand: bool
    waits: bool


@dataclass(frozen=True, slots=True)
class _Market:
    """What a shape may run on, with interruptions and without.

    Attributes:
        spot: Offering id → what was seen of it, all in equal ticks, by id.
        tick_seconds: Of the history.
        ratio: The spot price as a share of the on-demand price.
        change_seconds: From an order on demand until the work goes on.
    """

    spot: Mapping[str, SpotHistory]
    tick_seconds: int
    ratio: float
    change_seconds: int


@dataclass(frozen=True, slots=True)
class _Case:
    """One question to the programme, in ticks; equal ones have one answer."""

    zones: tuple[str, ...]
    step: int
    tick_seconds: int
    ratio: float
    change: int
    ticks: int
    work: int
    running: str
    on_spot: bool


class DeadlineBook:
    """What deadlines ask for in one decision, found out once for all that ask the same."""

    def __init__(self, situation: Situation) -> None:
        """Open an empty book for one decision."""
        self._situation = situation
        self._boot = max((entry.boot_seconds for entry in situation.offerings.values()), default=0)
        self._markets: dict[int, tuple[WorkShape, _Market | None]] = {}
        self._observed: dict[tuple[tuple[str, ...], int], tuple[Any, Any]] = {}
        self._words: dict[_Case, DeadlineWord] = {}

    def is_urgent(
        self,
        shape: WorkShape,
        deadline: datetime | None,
        left_seconds: int | None,
        running_on: Offering | None = None,
    ) -> bool:
        """Return whether an interruption now would break a deadline.

        Where spot was observed, the programme for deadlines says so. Else what is left to
        run, one interruption's loss and the change to another node must fit before
        the deadline; work of unknown length is urgent, since nothing says that it fits.
        """
        if deadline is None:
            return False
        left = left_seconds if left_seconds is not None else shape.duration_seconds
        if left is None:
            return True
        word = self.judge(shape, deadline, left, running_on)
        if word is not None:
            return word.on_demand
        habit = shape.checkpoint
        loss = left if habit is None else min(habit.interval_seconds, left) + habit.restart_seconds
        margin = self._situation.settings.deadline_margin_seconds
        needed = left + loss + 2 * self._boot + margin
        return deadline - self._situation.now < timedelta(seconds=needed)

    def find_patient(self, items: Iterable[WorkItem]) -> dict[str, WorkItem]:
        """Return the items with a deadline that had better wait than start now, by id."""
        if not self._situation.market.spot_history:
            return {}
        return {item.id: item for item in items if self._waits_for_spot(item)}

    def judge(
        self,
        shape: WorkShape,
        deadline: datetime,
        left_seconds: int,
        running_on: Offering | None = None,
    ) -> DeadlineWord | None:
        """Return what work with a deadline should do; None where too little is known for it.

        Args:
            shape: What the work needs.
            deadline: When it must be done.
            left_seconds: What is left to run.
            running_on: What it runs on now; None while it waits.
        """
        market = self._market_of(shape)
        if market is None:
            return None
        margin = self._situation.settings.deadline_margin_seconds
        left = int((deadline - self._situation.now).total_seconds()) - margin
        # Longer times are looked at in longer ticks.
        step = max(-(-left // (MOST_TICKS * market.tick_seconds)), 1)
        tick = step * market.tick_seconds
        case = _Case(
            zones=tuple(market.spot),
            step=step,
            tick_seconds=tick,
            ratio=market.ratio,
            change=max(-(-market.change_seconds // tick), 1),
            ticks=left // tick,
            work=-(-left_seconds // tick),
            running=running_on.id if running_on else "",
            on_spot=running_on is not None and is_spot(running_on),
        )
        word = self._words.get(case)
        if word is None:
            word = self._words[case] = self._ask(case)
        return word

    def _waits_for_spot(self, item: WorkItem) -> bool:
        if item.deadline is None or item.work_left_seconds is None:
            return False
        word = self.judge(item.shape, item.deadline, item.work_left_seconds)
        return word is not None and word.waits and not self._must_start(item)

    def _must_start(self, item: WorkItem) -> bool:
        """Return whether waiting any longer would break an item's wait target."""
        target, market = item.shape.wait_target_seconds, self._market_of(item.shape)
        if target is None or market is None:
            return False
        waited = self._situation.now - item.queued_at
        return waited + timedelta(seconds=market.change_seconds) >= timedelta(seconds=target)

    def _market_of(self, shape: WorkShape) -> _Market | None:
        noted = self._markets.get(id(shape))
        if noted is None:
            # The shape is kept with it, so that no other object can take its id.
            noted = self._markets[id(shape)] = (shape, _find_market(shape, self._situation))
        return noted[1]

    def _ask(self, case: _Case) -> DeadlineWord:
        from tidegate.scaling import deadlines, spot_odds

        mode = deadlines.Mode.NONE
        if case.running:
            mode = deadlines.Mode.SPOT if case.on_spot else deadlines.Mode.ON_DEMAND
        late = mode is not deadlines.Mode.SPOT and case.work + case.change >= case.ticks
        if case.ticks <= 0 or late:
            return DeadlineWord(on_demand=True, waits=False)
        seen, odds = self._observe(case)
        terms = deadlines.Terms(case.ratio, case.change)
        table = deadlines.find_table(odds, terms, case.ticks, case.work)
        mine = case.zones.index(case.running) if case.running in case.zones else None
        phase = spot_odds.phase_now(odds, seen, mine)
        chosen = deadlines.choose_mode(table, case.ticks, case.work, mode, phase)
        return DeadlineWord(chosen is deadlines.Mode.ON_DEMAND, chosen is deadlines.Mode.NONE)

    def _observe(self, case: _Case) -> tuple[Any, Any]:
        """Return what was seen of some offerings, and the odds that it tells."""
        from tidegate.scaling import spot_odds

        noted = self._observed.get((case.zones, case.step))
        if noted is None:
            history = self._situation.market.spot_history
            told = tuple(history[name].seen for name in case.zones)
            noted = spot_odds.observe_history(told, case.step, AGES, RECENT_TICKS, PRIOR_TICKS)
            self._observed[case.zones, case.step] = noted
        return noted


def _find_market(shape: WorkShape, situation: Situation) -> _Market | None:
    """Return what a shape may run on; None where too little is known for the programme."""
    told = situation.market.spot_history
    habit = shape.checkpoint
    if not told or habit is None or explain_shape(shape) or find_spec("numpy") is None:
        return None
    usable = [
        entry
        for entry in situation.offerings.values()
        if entry.per_hour is not None and find_exclusion(shape, entry, situation) is None
    ]
    spot = {entry.id: told[entry.id] for entry in usable if is_spot(entry) and entry.id in told}
    safe = [entry for entry in usable if not is_spot(entry)]
    if not safe or not spot or min(len(entry.seen) for entry in spot.values()) < ENOUGH_TICKS:
        return None
    ratio = min(situation.offerings[name].per_hour or Decimal(0) for name in spot) / (
        min(entry.per_hour or Decimal(0) for entry in safe) or Decimal(1)
    )
    tick = next(iter(spot.values())).tick_seconds
    return _Market(
        spot={name: entry for name, entry in sorted(spot.items()) if entry.tick_seconds == tick},
        tick_seconds=tick,
        ratio=float(ratio),
        change_seconds=max(entry.boot_seconds for entry in safe) + habit.restart_seconds,
    )
