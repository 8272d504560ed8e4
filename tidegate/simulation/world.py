"""The cloud of a simulation: nodes that boot, run work, are taken away and cost money."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from math import inf
from operator import itemgetter

from tidegate.scaling.fleet import Fleet, Node, NodePhase, PoolSupply, RunningWork
from tidegate.scaling.keep_alive import KEPT_GAPS
from tidegate.scaling.offerings import Offering
from tidegate.scaling.warm import LOOK_BACK_SECONDS
from tidegate.simulation.jobs import Job
from tidegate.simulation.spent import Spent
from tidegate.vocabulary.demand import WorkItem


@dataclass(slots=True)
class Ticket:
    """A job that waits, with what was saved of it."""

    item: WorkItem
    job: Job
    since: int
    done: int


@dataclass(slots=True, eq=False)
class Run:
    """A job that runs, from its start or its return.

    Attributes:
        job: The job.
        seats: Its nodes, one for each worker.
        began: When this stretch began.
        restart: Seconds of it before the work goes on.
        done: Work that was saved before.
        seated: Since when it is on its nodes; later than its beginning where it was moved.
    """

    job: Job
    seats: list[SimNode]
    began: int
    restart: int
    done: int
    seated: int
    known: RunningWork | None = None
    known_saves: int = -1

    def ends(self) -> int:
        """Return when it ends if nothing disturbs it."""
        return self.began + self.restart + self.job.seconds - self.done

    def progress(self, now: int) -> int:
        """Return the work done, saved or not."""
        return self.done + max(now - self.began - self.restart, 0)

    def saves(self, now: int) -> int:
        """Return how often it saved itself in this stretch."""
        habit = self.job.shape.checkpoint
        worked = max(now - self.began - self.restart, 0)
        return worked // habit.interval_seconds if habit else 0

    def saves_next(self, now: int) -> float:
        """Return when it saves itself again."""
        habit = self.job.shape.checkpoint
        if habit is None:
            return inf
        return self.began + self.restart + (self.saves(now) + 1) * habit.interval_seconds

    def saved(self, now: int) -> int:
        """Return the work that an interruption now would leave."""
        habit = self.job.shape.checkpoint
        return self.done + self.saves(now) * habit.interval_seconds if habit else 0


@dataclass(slots=True, eq=False)
class SimNode:
    """One node of the simulation.

    `seated` counts how often its work changed. What was told of it last, `known`, is forgotten when
    its work, its phase or its reservations change, and holds until work of it saves itself.
    """

    id: str
    offering: Offering
    ordered: int
    ready: int
    phase: NodePhase
    since: int
    free: int
    runs: dict[str, Run] = field(default_factory=dict)
    reserved: dict[str, int] = field(default_factory=dict)
    seated: int = 0
    known: Node | None = None
    known_until: float = 0.0

    def enter(self, phase: NodePhase, now: int) -> None:
        """Be in another phase from now on."""
        self.phase, self.since, self.known = phase, now, None

    def keep_for(self, reserved: dict[str, int]) -> None:
        """Keep seats for these items, each with its accelerators, and for no others."""
        if tuple(reserved) != tuple(self.reserved):
            self.known = None
        self.reserved = reserved

    def give_up_seat(self, item: str) -> None:
        """Keep no seat for an item any longer."""
        if self.reserved.pop(item, None) is not None:
            self.known = None

    def change_runs(self, runs: dict[str, Run], free: int) -> None:
        """Run this from now on, which leaves so many accelerators free."""
        if runs != self.runs:
            self.known = None
            self.seated += 1
        self.runs, self.free = runs, free

    def open_room(self) -> int:
        """Return the accelerators that are free and meant for nobody."""
        return self.free - sum(self.reserved.values())


class World:
    """All nodes, running work and what they cost so far."""

    def __init__(
        self,
        pools: Sequence[PoolSupply],
        start: datetime,
        divisible: bool,
        boots: Mapping[str, int],
    ) -> None:
        """Begin with nothing; `boots` says in which spans a pool's arrivals are counted."""
        self.boots = boots
        self.pools = tuple(pools)
        self.start = start
        self.divisible = divisible
        self.nodes: dict[str, SimNode] = {}
        self.runs: dict[str, Run] = {}
        self.paid_seconds: Counter[str] = Counter()
        self.alive: Counter[str] = Counter()
        self.spent: defaultdict[str, Spent] = defaultdict(Spent)
        self.arrived: dict[str, dict[int, int]] = {}
        self.gaps: dict[str, list[int]] = {}
        self._idle_when_stopped: dict[str, list[int]] = {}
        self.ordered: Counter[str] = Counter()

    def at(self, seconds: int) -> datetime:
        """Return a moment of the simulation as a time."""
        return self.start + timedelta(seconds=seconds)

    def order(self, offering: Offering, now: int) -> SimNode:
        """Return a new node in flight."""
        number = self.ordered[offering.id] = self.ordered[offering.id] + 1
        node = SimNode(
            id=f"{offering.pool}-{offering.zone}{number:05}",
            offering=offering,
            ordered=now,
            ready=now + offering.boot_seconds,
            phase=NodePhase.IN_FLIGHT,
            since=now,
            free=offering.room.accelerators,
        )
        stopped = self._idle_when_stopped.get(offering.pool)
        if stopped:
            # Had it been kept, it would have been idle until now.
            self.gaps.setdefault(offering.pool, []).append(now - stopped.pop())
        self.nodes[node.id] = node
        self.alive[offering.id] += 1
        return node

    def remove(self, node: SimNode, now: int, *, chosen: bool = True) -> None:
        """Delete a node and pay for it, whether a decision chose so or it was lost."""
        del self.nodes[node.id]
        booted, spent = node.phase is not NodePhase.IN_FLIGHT, self.spent[node.offering.id]
        boot = (node.ready if booted else now) - node.ordered
        spent.booting += boot * node.offering.room.accelerators
        if chosen and not node.seated and (booted or now < node.ready):
            spent.note_unused(now - node.ordered)
        if node.phase is NodePhase.IDLE:
            self._idle_when_stopped.setdefault(node.offering.pool, []).append(node.since)
        self.alive[node.offering.id] -= 1
        self.paid_seconds[node.offering.id] += now - node.ordered

    def seat(self, run: Run, now: int) -> None:
        """Start a job on its nodes."""
        need = run.job.shape.accelerators[0].per_worker
        self.runs[run.job.id] = run
        for node in run.seats:
            node.change_runs({**node.runs, run.job.id: run}, node.free - need)
            node.give_up_seat(run.job.id)
            self._change(node, NodePhase.BUSY, now)

    def unseat(self, run: Run, now: int, undone: int = 0) -> None:
        """Take a job off its nodes; so many seconds of its work are undone."""
        need = run.job.shape.accelerators[0].per_worker
        del self.runs[run.job.id]
        for node in run.seats:
            spent = self.spent[node.offering.id]
            spent.note_run(need, now - run.began, run.restart, undone)
            left = {item: mine for item, mine in node.runs.items() if item != run.job.id}
            node.change_runs(left, node.free + need)
            if not node.runs and node.phase is NodePhase.BUSY:
                self._change(node, NodePhase.IDLE, now)

    def _change(self, node: SimNode, phase: NodePhase, now: int) -> None:
        if node.phase is phase:
            return
        if node.phase is NodePhase.IDLE:
            self.gaps.setdefault(node.offering.pool, []).append(now - node.since)
        node.enter(phase, now)

    def pack(self, now: int) -> None:
        """Sit divisible work densely: it may be anywhere at once, so the last nodes are idle."""
        ready = [n for n in self.nodes.values() if n.phase is not NodePhase.IN_FLIGHT]
        ready.sort(key=lambda n: (n.offering.per_hour or 0, n.ordered, n.id))
        runs = list(self.runs.values())
        place = 0
        for node in ready:
            size = node.offering.room.accelerators
            mine, place = runs[place : place + size], place + size
            packed = {run.job.id: run for run in mine}
            node.change_runs(packed, size - len(mine))
            for run in mine:
                if run.seats[0] is not node:
                    run.seats, run.seated, run.known = [node], now, None
            self._change(node, NodePhase.BUSY if mine else NodePhase.IDLE, now)

    def observe(self, now: int) -> Fleet:
        """Return the fleet as an observer would tell it."""
        nodes = [
            # Most nodes are as they were: that is found without a call.
            node.known
            if node.known is not None and now < node.known_until
            else self._tell(node, now)
            for node in self.nodes.values()
        ]
        recent = {pool: tuple(gaps[-KEPT_GAPS:]) for pool, gaps in self.gaps.items()}
        return Fleet(self.pools, tuple(nodes), self.at(now), recent, self._tell_arrivals(now))

    def note_arrival(self, accelerators: int, now: int) -> None:
        """Count what was asked for, in spans of each pool's boot time."""
        for pool, span in self.boots.items():
            spans = self.arrived.setdefault(pool, {})
            spans[now // span] = spans.get(now // span, 0) + accelerators

    def _tell_arrivals(self, now: int) -> dict[str, tuple[int, ...]]:
        told = {}
        for pool, spans in self.arrived.items():
            span = self.boots[pool]
            first = (now - LOOK_BACK_SECONDS) // span
            told[pool] = tuple(count for at, count in spans.items() if first <= at < now // span)
        return told

    def _tell(self, node: SimNode, now: int) -> Node:
        """Return a node as an observer would tell it, noted until it changes."""
        runs = node.runs.values()
        node.known_until = min((run.saves_next(now) for run in runs), default=inf)
        node.known = Node(
            id=node.id,
            pool=node.offering.pool,
            offering=node.offering.id,
            phase=node.phase,
            since=self.at(node.since),
            running=tuple([self._tell_run(run, now) for run in runs]),
            assigned=tuple(node.reserved),
        )
        return node.known

    def _tell_run(self, run: Run, now: int) -> RunningWork:
        saves, job = run.saves(now), run.job
        if run.known is None or run.known_saves != saves:
            habit = job.shape.checkpoint
            since = run.began + run.restart + saves * habit.interval_seconds if habit else 0
            left = None if job.deadline is None else job.seconds - run.progress(now)
            run.known_saves = saves
            run.known = RunningWork(
                item=job.id,
                accelerators=job.shape.accelerators[0].per_worker,
                priority=job.shape.priority,
                workers=job.shape.workers,
                checkpoint_at=self.at(since) if habit else None,
                restart_seconds=habit.restart_seconds if habit else 0,
                deadline=None if job.deadline is None else self.at(job.deadline),
                work_left_seconds=left,
                shape=job.shape,
                started_at=self.at(run.seated),
            )
        return run.known


def steps_at(steps: Sequence[tuple[int, int]] | None, now: int) -> int | None:
    """Return the value of a step series at a time; None where nothing bounds it."""
    if steps is None:
        return None
    passed = bisect_right(steps, now, key=itemgetter(0))
    return steps[passed - 1][1] if passed else 0


Capacity = Mapping[str, Sequence[tuple[int, int]]]
"""Offering id → (second, nodes obtainable from then on), in order; absent where nothing bounds."""
