"""What a decision takes from the programme for deadlines: run on spot, on-demand, or wait."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from importlib.util import find_spec

from tidegate.scaling.constraints import find_exclusion
from tidegate.scaling.offerings import Offering, SpotHistory
from tidegate.scaling.situation import Situation, is_spot
from tidegate.vocabulary.demand import WorkItem, WorkShape
from tidegate.vocabulary.plans import Cause, CauseKind

MOST_TICKS = 900
"""Longer times are looked at in longer ticks."""
AGES, RECENT_TICKS, PRIOR_TICKS = (10,), 2000, 300.0
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


def judge_deadline(
    shape: WorkShape,
    deadline: datetime,
    left_seconds: int,
    running_on: Offering | None,
    situation: Situation,
) -> DeadlineWord | None:
    """Return what work with a deadline should do; None where too little is known for the programme.

    Args:
        shape: What the work needs.
        deadline: When it must be done.
        left_seconds: What is left to run.
        running_on: What it runs on now; None while it waits.
        situation: The facts.
    """
    told = situation.market.spot_history
    if not told or shape.checkpoint is None or find_spec("numpy") is None:
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
    boot = max(entry.boot_seconds for entry in safe)
    margin = situation.settings.deadline_margin_seconds
    left = int((deadline - situation.now).total_seconds()) - margin
    change = boot + shape.checkpoint.restart_seconds
    return _ask(spot, float(ratio), (left, left_seconds, change), running_on)


def find_patient(items: Iterable[WorkItem], situation: Situation) -> dict[str, WorkItem]:
    """Return the items with a deadline that had better wait than start now, by id."""
    if not situation.market.spot_history:
        return {}
    return {item.id: item for item in items if _waits_for_spot(item, situation)}


def _waits_for_spot(item: WorkItem, situation: Situation) -> bool:
    if item.deadline is None or item.work_left_seconds is None:
        return False
    word = judge_deadline(item.shape, item.deadline, item.work_left_seconds, None, situation)
    return word is not None and word.waits


def _ask(
    spot: dict[str, SpotHistory],
    ratio: float,
    seconds: tuple[int, int, int],
    running_on: Offering | None,
) -> DeadlineWord:
    """Ask the programme, in ticks of the history or longer ones."""
    from tidegate.scaling import deadlines, spot_odds

    left, work, change = seconds
    first = next(iter(spot.values()))
    step = max(-(-left // (MOST_TICKS * first.tick_seconds)), 1)
    tick = step * first.tick_seconds
    same = {name: e for name, e in sorted(spot.items()) if e.tick_seconds == first.tick_seconds}
    zones = tuple(entry.seen for entry in same.values())
    seen, odds = spot_odds.observe_history(zones, step, AGES, RECENT_TICKS, PRIOR_TICKS)
    terms = deadlines.Terms(ratio, max(-(-change // tick), 1))
    mode = deadlines.Mode.NONE
    if running_on is not None:
        mode = deadlines.Mode.SPOT if is_spot(running_on) else deadlines.Mode.ON_DEMAND
    ticks, work_ticks = left // tick, -(-work // tick)
    if ticks <= 0 or (mode is not deadlines.Mode.SPOT and work_ticks + terms.changeover >= ticks):
        return DeadlineWord(on_demand=True, waits=False)
    table = deadlines.find_table(odds, terms, ticks, work_ticks)
    mine = list(same).index(running_on.id) if running_on and running_on.id in same else None
    phase = spot_odds.phase_now(odds, seen, mine)
    chosen = deadlines.choose_mode(table, ticks, work_ticks, mode, phase)
    return DeadlineWord(chosen is deadlines.Mode.ON_DEMAND, chosen is deadlines.Mode.NONE)
