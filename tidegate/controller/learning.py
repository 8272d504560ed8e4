"""What each look teaches of a pool's work: gaps, arrivals, wait targets. Pure.

A look in doubt teaches nothing, and what happened while nobody looked is not known: then no gap is
taken to have lasted. Entries are dropped by their number, never by their age, so that a clock that
jumps makes nothing forgotten.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from hashlib import blake2s

from tidegate.controller.hearing import Heard
from tidegate.controller.nodes import PoolSight
from tidegate.scaling.fleet import Node, NodePhase
from tidegate.scaling.keep_alive import KEPT_GAPS
from tidegate.vocabulary.fleet_state import RunningPod
from tidegate.vocabulary.history import Arrival, PoolHistory

UNSEEN = timedelta(minutes=20)
"""Longer between two looks, and nobody knows what came and went."""
JUMP_SECONDS = 30.0
MINUTE = 60
KEPT_MINUTES = 1440
KEPT_LET_GO = 50
MARK_BYTES = 6
WAITING = frozenset({NodePhase.IDLE, NodePhase.IN_FLIGHT})
"""Phases in which a node that had work may get the next."""


@dataclass(slots=True)
class Clocks:
    """Tells whether the wall clock went as long as the other since the last look."""

    now: datetime | None = None
    monotonic: float = 0.0

    def has_jumped(self, now: datetime, monotonic: float) -> bool:
        """Return whether it did not; the first look of a process knows nothing of it."""
        before, earlier = self.now, self.monotonic
        self.now, self.monotonic = now, monotonic
        if before is None:
            return False
        passed = (now - before).total_seconds()
        return abs(passed - (monotonic - earlier)) > JUMP_SECONDS


@dataclass(slots=True)
class _Came:
    """What came to a pool since the last look.

    Attributes:
        counted: Marks of all that runs.
        arrivals: What is new.
        first: Node → when the first of what is new there was asked for.
    """

    counted: frozenset[str]
    arrivals: list[Arrival] = field(default_factory=list)
    first: dict[str, int] = field(default_factory=dict)


def learn_histories(
    before: Iterable[PoolHistory],
    sights: Sequence[PoolSight],
    nodes: Iterable[Node],
    told: Sequence[Heard],
    now: datetime,
    *,
    jumped: bool = False,
) -> list[PoolHistory]:
    """Return what is remembered of each pool after a look; pools in doubt stay as they were.

    Args:
        before: What was remembered.
        sights: The pools as seen.
        nodes: The fleet as seen.
        told: The sources that can be trusted.
        now: When it was.
        jumped: Whether the clock did since the last look.
    """
    known = {each.pool: each for each in before}
    targets = _find_waiting_targets(told)
    of_pool: dict[str, list[Node]] = {}
    for node in nodes:
        of_pool.setdefault(node.pool, []).append(node)
    found = []
    for sight in sights:
        pool, earlier = sight.pool.id, known.get(sight.pool.id)
        if _is_seen(sight):
            history = _continue(earlier or PoolHistory(pool, now), now, jumped=jumped)
            came = _see_arrivals(sight, history.counted, now, is_first=earlier is None)
            if pool in targets:
                came.arrivals.append(Arrival(_minute(now), 0, targets[pool]))
            found.append(_extend(history, of_pool.get(pool, ()), came, now))
        elif earlier is not None:
            found.append(earlier)
    return found


def _is_seen(sight: PoolSight) -> bool:
    """Return whether it is known what works on a pool, and what does not."""
    told = sight.nodes if sight.in_cluster else sight.in_progress
    return sight.state is not None and told is not None


def _continue(history: PoolHistory, now: datetime, *, jumped: bool) -> PoolHistory:
    """Return a history without what lasted, where nobody knows what happened meanwhile."""
    passed = now - history.looked_at
    if jumped or not timedelta(0) <= passed <= UNSEEN:
        return replace(history, idle={}, let_go=(), busy=frozenset())
    return history


def _see_arrivals(
    sight: PoolSight, counted: Collection[str], now: datetime, *, is_first: bool
) -> _Came:
    """Return what came. What runs at the first look is not counted: what ended before is unseen."""
    came = _Came(frozenset())
    marks = set()
    for node in sight.nodes or ():
        for pod in node.work():
            mark = _mark(pod)
            marks.add(mark)
            # Work that goes on from a checkpoint was counted when it came first.
            if is_first or mark in counted or pod.resumed_from is not None:
                continue
            at = int(min(pod.created_at or now, now).timestamp())
            came.first[node.name] = min(at, came.first.get(node.name, at))
            target = pod.shape.wait_target_seconds if pod.shape else None
            if pod.accelerators > 0 or target is not None:
                came.arrivals.append(Arrival(at - at % MINUTE, pod.accelerators, target))
    came.counted = frozenset(marks)
    return came


def _mark(pod: RunningPod) -> str:
    """Return what tells a pod from all others, those of the same name included."""
    text = f"{pod.name or pod.item}@{pod.created_at}"
    return blake2s(text.encode(), digest_size=MARK_BYTES).hexdigest()


def _extend(history: PoolHistory, nodes: Iterable[Node], came: _Came, now: datetime) -> PoolHistory:
    seen = {node.id: node.phase for node in nodes}
    moment = int(now.timestamp())
    gaps = list(history.gaps)
    gone = {name for name in history.idle if seen.get(name) not in (*WAITING, NodePhase.BUSY)}
    let_go = [*history.let_go, *sorted(history.idle[name] for name in gone)]
    idle = {}
    for name, phase in sorted(seen.items()):
        since = history.idle.get(name)
        at = came.first.get(name, moment)
        if phase in WAITING and since is not None:
            idle[name] = since
        elif phase is NodePhase.IDLE and name in history.busy:
            idle[name] = moment
        elif phase is NodePhase.BUSY and since is not None:
            gaps.append(max(0, at - since))
        elif phase is NodePhase.BUSY and name not in history.busy and let_go:
            # Had that one been kept, it would have been idle until now.
            gaps.append(max(0, at - let_go.pop()))
    return PoolHistory(
        pool=history.pool,
        looked_at=now,
        gaps=tuple(gaps[-KEPT_GAPS:]),
        arrivals=_merge(history.arrivals, came.arrivals),
        idle=idle,
        let_go=tuple(let_go[-KEPT_LET_GO:]),
        busy=frozenset(name for name, phase in seen.items() if phase is NodePhase.BUSY),
        counted=came.counted,
    )


def _merge(known: tuple[Arrival, ...], new: Iterable[Arrival]) -> tuple[Arrival, ...]:
    """Return arrivals minute by minute."""
    found = {each.at: each for each in known}
    for each in new:
        before = found.get(each.at, Arrival(each.at, 0))
        stated = [t for t in (before.wait_target, each.wait_target) if t is not None]
        total = before.accelerators + each.accelerators
        found[each.at] = Arrival(each.at, total, min(stated, default=None))
    return tuple(found[at] for at in sorted(found)[-KEPT_MINUTES:])


def _find_waiting_targets(told: Iterable[Heard]) -> dict[str, int]:
    """Return the shortest wait target of what waits in queues that speak of a pool's work."""
    found: dict[str, int] = {}
    for ear in told:
        if ear.report is None or not ear.report.in_progress:
            continue
        shapes = {id(item.shape): item.shape for item in ear.report.items}.values()
        stated = [t for shape in shapes if (t := shape.wait_target_seconds) is not None]
        for pool in ear.report.in_progress if stated else ():
            found[pool] = min(min(stated), found.get(pool, min(stated)))
    return found


def _minute(now: datetime) -> int:
    moment = int(now.timestamp())
    return moment - moment % MINUTE
