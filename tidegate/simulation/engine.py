"""The event-driven simulation of a queue: arrivals, boots, ends, interruptions and decisions."""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from enum import IntEnum

from tidegate.scaling.fleet import NodePhase
from tidegate.scaling.offerings import FailureKind, Offering, OfferingFailure
from tidegate.simulation.jobs import Job
from tidegate.simulation.policy import Policy
from tidegate.simulation.results import QueueResult, Record, build_result
from tidegate.simulation.seats import find_seats
from tidegate.simulation.setup import Setup, draw_hours, tell_spot
from tidegate.simulation.targets import WaitTargets
from tidegate.simulation.world import Run, SimNode, Ticket, World, steps_at
from tidegate.vocabulary.capacity import CapacityType
from tidegate.vocabulary.demand import Demand, SourceHealth, WorkItem
from tidegate.vocabulary.plans import ScalingPlan

BOOTED = frozenset({NodePhase.IDLE, NodePhase.BUSY})
ADD_UP_WITHIN = timedelta(hours=1)
"""Refusals within this time of each other count as attempts in a row."""
MOST_ANSWERS = 6
"""How often a policy is asked again within one tick after a refusal."""


class Kind(IntEnum):
    """Events in the order in which those of one second happen."""

    END = 0
    READY = 1
    GONE = 2
    CAPACITY = 3
    ARRIVAL = 4


def simulate(
    setup: Setup, policy: Policy, on_progress: Callable[[int], None] | None = None
) -> QueueResult:
    """Return what a policy made of a trace.

    Args:
        setup: The trace and the cloud.
        policy: Who decides.
        on_progress: Told the second that the simulation has reached, now and then.
    """
    engine = Engine(setup, policy)
    engine.run(on_progress)
    ended = replace(setup, end=engine.end)
    return build_result(ended, engine.world, engine.waiting.values(), engine.record)


class Engine:
    """One run; everything in it happens at whole seconds."""

    def __init__(self, setup: Setup, policy: Policy) -> None:
        """Queue what is known beforehand: arrivals and the cloud's capacity."""
        self.setup, self.policy = setup, policy
        boots = {entry.pool: entry.boot_seconds + setup.tick for entry in setup.market.offerings}
        self.world = World(
            setup.pools, setup.start, setup.divisible, boots if setup.counts_arrivals else {}
        )
        self.waiting: dict[str, Ticket] = {}
        self.record = Record()
        self.failures: dict[str, OfferingFailure] = {}
        self._offerings: dict[str, Offering] = {e.id: e for e in setup.market.offerings}
        self._count = itertools.count()
        self._events: list[tuple[int, int, int, object]] = []
        self._next: int | None = None
        self.end, self._coming = setup.end, len(setup.jobs)
        self._targets = WaitTargets()
        self._timed = any(job.deadline is not None for job in setup.jobs)
        for job in setup.jobs:
            self._push(job.submitted, Kind.ARRIVAL, job)
        for name, steps in setup.capacity.items():
            for second, _ in steps:
                self._push(second, Kind.CAPACITY, name)

    def run(self, on_progress: Callable[[int], None] | None) -> None:
        """Run to the end and pay for what is still there."""
        if any(pool.min_nodes for pool in self.setup.pools):
            self._ask_at(0)
        while True:
            event = self._events[0][0] if self._events else None
            look = self._next
            times = [second for second in (event, look) if second is not None]
            if not times or min(times) >= self.end:
                break
            now = min(times)
            if event is not None and event == now:
                self._happen(now)
            elif self.record.decisions % 256 == 0 and on_progress is not None:
                on_progress(now)
            if self._next is not None and self._next <= now and not self._due(now):
                self._decide(now)
        for run in self.world.runs.values():
            for node in run.seats:
                need = run.job.shape.accelerators[0].per_worker
                self.world.spent[node.offering.id].note_run(
                    need, self.end - run.began, run.restart, 0
                )
        for node in list(self.world.nodes.values()):
            self.world.remove(node, self.end, chosen=False)

    def _due(self, now: int) -> bool:
        return bool(self._events) and self._events[0][0] <= now

    def _push(self, second: int, kind: Kind, what: object) -> None:
        heapq.heappush(self._events, (second, kind, next(self._count), what))

    def _ask_at(self, second: int) -> None:
        """Ask the policy at the first tick from a second on, unless it is asked before."""
        tick = self.setup.tick
        due = -(-second // tick) * tick
        if self._next is None or due < self._next:
            self._next = due

    def _happen(self, now: int) -> None:
        """Let everything of this second happen, then seat who waits."""
        while self._due(now):
            _, kind, _, what = heapq.heappop(self._events)
            if kind == Kind.END and isinstance(what, Run):
                self._end(what, now)
            elif kind == Kind.READY and isinstance(what, SimNode):
                self._boot(what, now)
            elif kind == Kind.GONE and isinstance(what, SimNode):
                self._lose(what, now)
            elif kind == Kind.CAPACITY and isinstance(what, str):
                self._limit(what, now)
            elif isinstance(what, Job):
                self._arrive(what, now)
        self._settle(now)

    def _settle(self, now: int) -> None:
        if self.setup.divisible:
            self.world.pack(now)
        self._seat_waiting(now)
        if self.setup.divisible:
            self.world.pack(now)

    def _arrive(self, job: Job, now: int) -> None:
        self._coming -= 1
        self._let_wait(job, now)
        self.world.note_arrival(job.accelerators(), now)

    def _let_wait(self, job: Job, now: int, saved: int = 0) -> None:
        """Let a job wait from now on, with what was saved of it."""
        deadline = None if job.deadline is None else self.world.at(job.deadline)
        left = None if job.deadline is None else job.seconds - saved
        item = WorkItem(job.id, job.shape, self.world.at(job.submitted), deadline, left)
        self.waiting[job.id] = Ticket(item, job, now, saved)
        self._ask_at(now)

    def _end(self, run: Run, now: int) -> None:
        if self.world.runs.get(run.job.id) is not run or run.ends() != now:
            return
        self.world.unseat(run, now)
        self.record.finished[run.job.id] = now
        if not (self._coming or self.waiting or self.world.runs):
            self.end = min(self.end, now + self.setup.tail_seconds)
        self._ask_at(now)

    def _boot(self, node: SimNode, now: int) -> None:
        if node.id in self.world.nodes and node.phase is NodePhase.IN_FLIGHT:
            node.enter(NodePhase.IDLE, now)
            self._ask_at(now)

    def _limit(self, name: str, now: int) -> None:
        """Take nodes away when less can be had than is there; the youngest go first."""
        limit = steps_at(self.setup.capacity[name], now) or 0
        over = self.world.alive[name] - limit
        if over > 0:
            self._note_refusal(name, now)
            mine = [n for n in self.world.nodes.values() if n.offering.id == name]
            for node in sorted(mine, key=lambda n: (-n.ordered, n.id))[:over]:
                self._lose(node, now)
        self._ask_at(now)

    def _lose(self, node: SimNode, now: int) -> None:
        if node.id not in self.world.nodes:
            return
        self.record.interruptions += 1
        before = self.record.lost_seconds
        for run in list(node.runs.values()):
            self._stop_run(run, now)
        self.record.interrupted_seconds += self.record.lost_seconds - before
        self.world.remove(node, now, chosen=False)
        self.record.levels.append((now, dict(self.world.alive)))
        self._ask_at(now)

    def _stop_run(self, run: Run, now: int) -> None:
        """Stop work; what it had saved is kept, and it waits anew."""
        saved = run.saved(now)
        undone = run.progress(now) - saved
        self.record.lost_seconds += undone * run.job.accelerators()
        self.world.unseat(run, now, undone)
        self._let_wait(run.job, now, saved)

    def _seat_waiting(self, now: int) -> None:
        """Start who waits and fits, in their order; a seat that is meant for one is its."""
        if not self.waiting:
            return
        ready = [node for node in self.world.nodes.values() if node.phase in BOOTED]
        if not any(node.free for node in ready):
            return
        full: set[int] = set()
        meant = {item for node in ready for item in node.reserved}
        for ticket in list(self.waiting.values()):
            # Equal jobs share their shape: where one found nothing, the next need not look.
            marker = id(ticket.job.shape)
            if marker in full and ticket.job.id not in meant:
                continue
            seats = find_seats(ready, ticket.job)
            if seats is None:
                full.add(marker)
                continue
            self._start(ticket, seats, now)

    def _start(self, ticket: Ticket, seats: list[SimNode], now: int) -> None:
        job = ticket.job
        del self.waiting[job.id]
        if job.id in self.record.waits:
            self.record.stalls[job.id] = self.record.stalls.get(job.id, 0) + now - ticket.since
        else:
            self.record.waits[job.id] = now - ticket.since
        habit = job.shape.checkpoint
        restart = habit.restart_seconds if habit and ticket.done else 0
        for node in self.world.nodes.values():
            if node.reserved:
                node.give_up_seat(job.id)
        self._targets.note(job, (node.offering.pool for node in seats), now)
        run = Run(job, seats, now, restart, ticket.done, seated=now)
        self.world.seat(run, now)
        self._push(run.ends(), Kind.END, run)

    def _decide(self, now: int) -> None:
        """Ask the policy and do what it says; after a refusal ask again at once."""
        self._next = None
        for _ in range(MOST_ANSWERS):
            plan = self._ask(now)
            refused = self._carry_out(plan, now)
            self._settle(now)
            if not refused:
                break
        if self._timed and (self.waiting or self.world.runs):
            self._ask_at(now + self.setup.spot_tick)
        wanted = self.policy.review_in(self.world.observe(now), self.world.at(now))
        if wanted is not None and (self.world.nodes or self.waiting):
            self._ask_at(now + max(wanted, self.setup.tick))

    def _ask(self, now: int) -> ScalingPlan:
        self.record.decisions += 1
        moment = self.world.at(now)
        items = tuple(ticket.item for ticket in self.waiting.values())
        demand = Demand(items, (SourceHealth("trace", moment),))
        market = self.setup.market
        if self.failures:
            market = replace(market, failures=tuple(self.failures.values()))
        if self._timed:
            market = replace(market, spot_history=tell_spot(self.setup, now))
        fleet = self.world.observe(now)
        targets = self._targets.tell(now)
        if targets:
            fleet = replace(fleet, wait_targets=targets)
        return self.policy.plan(fleet, demand, market, moment)

    def _carry_out(self, plan: ScalingPlan, now: int) -> bool:
        """Apply a plan; return whether the cloud refused any of its orders."""
        before = self.record.actions
        for preemption in plan.preemptions:
            self._stop_run(self.world.runs[preemption.item], now)
        for drain in plan.drains:
            self._drain(self.world.nodes[drain.node], now)
        for stop in plan.stops:
            node = self.world.nodes[stop.node]
            if not node.runs:
                self.world.remove(node, now)
                self.record.actions += 1
        ordered: dict[str, SimNode] = {}
        refused = False
        for resize in plan.resizes:
            for addition in resize.additions:
                offering = self._offerings[addition.offering]
                for number in range(addition.nodes):
                    new = self._order(offering, now)
                    if new is None:
                        refused = True
                        break
                    ordered[f"{offering.id}#{number}"] = new
        self._reserve(plan, ordered)
        if self.record.actions != before:
            self.record.levels.append((now, dict(self.world.alive)))
        return refused

    def _drain(self, node: SimNode, now: int) -> None:
        for run in list(node.runs.values()):
            self._stop_run(run, now)
        self.world.remove(node, now)
        self.record.actions += 1

    def _order(self, offering: Offering, now: int) -> SimNode | None:
        """Order one node; None when the cloud has none, which is noted against the offering."""
        limit = steps_at(self.setup.capacity.get(offering.id), now)
        if limit is not None and self.world.alive[offering.id] >= limit:
            self._note_refusal(offering.id, now)
            return None
        node = self.world.order(offering, now)
        self.record.actions += 1
        faults = self.setup.faults
        comes = faults.chance is None or faults.chance.random() >= faults.never_boots
        if comes:
            self._push(node.ready, Kind.READY, node)
        spot = offering.capacity_type is CapacityType.SPOT
        rate = faults.dies_per_hour + (faults.spot_lost_per_hour if spot else 0.0)
        if faults.chance is not None and rate > 0:
            # The first failure of a constant rate, in whole seconds.
            hours = draw_hours(faults.chance.random(), rate)
            self._push(node.ready + int(hours * 3600), Kind.GONE, node)
        return node

    def _note_refusal(self, name: str, now: int) -> None:
        """Note that an offering was refused or lost; such events close to each other add up."""
        last = self.failures.get(name)
        moment = self.world.at(now)
        again = last is not None and moment - last.at < ADD_UP_WITHIN
        tries = last.attempts + 1 if last and again else 1
        self.failures[name] = OfferingFailure(name, FailureKind.STOCK_OUT, moment, tries)

    def _reserve(self, plan: ScalingPlan, ordered: dict[str, SimNode]) -> None:
        """Keep the seats that a plan gave to items for those items."""
        kept: dict[str, dict[str, int]] = {}
        for placement in plan.placements:
            ticket = self.waiting.get(placement.item)
            seat = ordered.get(placement.seat) or self.world.nodes.get(placement.seat)
            if ticket is None or seat is None:
                continue
            need = ticket.job.shape.accelerators[0].per_worker
            seats = kept.setdefault(seat.id, {})
            seats[placement.item] = seats.get(placement.item, 0) + need
        for node in self.world.nodes.values():
            if node.reserved or node.id in kept:
                node.keep_for(kept.get(node.id, {}))
