"""One turn: look, decide, carry out, write down."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field, replace

import structlog

from tidegate.controller.accounting import record_rework, record_struck
from tidegate.controller.applying import Applier
from tidegate.controller.deciding import build_decision
from tidegate.controller.emptying import Emptier
from tidegate.controller.hearing import Ears
from tidegate.controller.histories import find_changed, tell_histories
from tidegate.controller.interruptions import KEPT
from tidegate.controller.learning import Clocks, learn_histories
from tidegate.controller.listening import Listener
from tidegate.controller.observation import Observation, Observer
from tidegate.controller.orders import build_orders
from tidegate.controller.reap_records import Reaped
from tidegate.controller.reaping import Reaper, Reaping
from tidegate.controller.recording import Recorder
from tidegate.controller.remembering import Memory, recall
from tidegate.controller.resuming import resume_runs
from tidegate.controller.risks import apply_risks, count_exposure
from tidegate.controller.telling import log_steps, log_tick
from tidegate.controller.tick import Tick
from tidegate.controller.together import InThreads, finish_both
from tidegate.controller.tracing import span
from tidegate.controller.wiring import Wiring
from tidegate.ports import Clock, StateStore
from tidegate.scaling.reaping import ReapSettings
from tidegate.scaling.settings import PoolOverride, ScalingSettings
from tidegate.vocabulary.history import PoolHistory
from tidegate.vocabulary.reports import SourceFault

LOG = structlog.get_logger("tidegate.controller")
USE_SECONDS = 10.0
"""What a source of utilisation may take: a turn ends no sooner than the last of them."""


@dataclass(frozen=True, slots=True)
class TurnSettings:
    """How a turn is taken.

    Attributes:
        source_seconds: What a source may take to answer.
        pool_seconds: What a cloud may take to show a pool.
        drain_seconds: What a node may take to be emptied before that is told.
        scaling: How carefully to scale.
        reaping: How carefully to stop what is idle.
    """

    source_seconds: float = 30.0
    pool_seconds: float = 30.0
    drain_seconds: float = 600.0
    scaling: ScalingSettings = field(default_factory=ScalingSettings)
    reaping: ReapSettings = field(default_factory=ReapSettings)


class Turns(InThreads):
    """Takes turns; what sources told last is kept from one to the next."""

    def __init__(self, clock: Clock, executor: Executor, settings: TurnSettings) -> None:
        super().__init__(executor)
        self._settings = settings
        self._ears = Ears()
        self._observer = Observer(clock, executor, settings.source_seconds, settings.pool_seconds)
        self._clock = clock
        self._listener = Listener(clock, executor, settings.source_seconds)
        seconds = min(settings.source_seconds, USE_SECONDS)
        self._reaper = Reaper(clock, executor, seconds, settings.reaping)
        self._recorder = Recorder()
        self._clocks = Clocks()
        self._exposed_at: float | None = None

    async def plan(self, wiring: Wiring, store: StateStore | None) -> Tick:
        """Look and decide; change nothing, and write nothing down."""
        reaping, tick = await asyncio.gather(
            self._reaper.look(wiring, store), self._decide(wiring, store)
        )
        return replace(tick, reaping=reaping)

    async def _decide(self, wiring: Wiring, store: StateStore | None) -> Tick:
        ears = self._ears.of([source.name for source in wiring.sources])
        known = await self._run(recall, store, self._clock.now() - KEPT) if store else Memory()
        with span("observe", pools=len(wiring.declared()), sources=len(wiring.sources)):
            seen = await self._observer.observe(wiring, ears, known.nodes, known.notices)
        seen = self._learn(wiring, seen, known.histories)
        pools = {pool.id for pool in wiring.manifest.pools}
        overrides = [
            PoolOverride(each.pool, each.owner, each.until, each.nodes)
            for each in known.overrides
            if each.pool in pools  # the others are of notebooks and endpoints
        ]
        scaling = self._settings.scaling
        scaling = replace(scaling, overrides=(*scaling.overrides, *overrides))
        limit = self._settings.drain_seconds
        risky = replace(wiring, market=apply_risks(wiring.market, known.risks))
        with span("decide", waiting=len(seen.demand.items)) as deciding:
            decision = await self._run(build_decision, risky, seen, known.refusals, scaling, limit)
            deciding.note(resizes=len(decision.plan.resizes), unmet=len(decision.plan.unmet))
            deciding.note(method=decision.plan.method.name, holds=len(decision.plan.holds))
        orders = build_orders(decision.plan, seen.sights, decision.choosing, seen.at)
        return Tick(wiring, decision, orders)

    def _learn(
        self, wiring: Wiring, seen: Observation, before: Sequence[PoolHistory]
    ) -> Observation:
        """Return what was seen, with what this look and those before teach of each pool's work."""
        sound = {source.name for source in seen.demand.sources if not source.fault}
        after = learn_histories(
            before,
            seen.sights,
            seen.fleet.nodes,
            [ear for ear in seen.heard if ear.name in sound],
            seen.at,
            jumped=self._clocks.has_jumped(seen.at, self._clock.monotonic()),
        )
        fleet = tell_histories(seen.fleet, after, wiring.market, seen.at)
        return replace(seen, fleet=fleet, learned=find_changed(before, after))

    async def take(self, wiring: Wiring, store: StateStore, holder: str, token: int) -> Tick:
        """Take one turn under a lease.

        Raises:
            LeaseLost: Another took the lead meanwhile.
            Unavailable: The store does not answer.
        """
        # What keeps notebooks from being looked at keeps no pool from its size, nor makes it wait.
        scaled, reaped = await asyncio.gather(
            self._scale(wiring, store, token),
            self._reap(wiring, store, token),
            return_exceptions=True,
        )
        if isinstance(scaled, BaseException):
            raise scaled
        tick = scaled
        if not isinstance(reaped, BaseException):
            tick = replace(scaled, reaping=reaped[0], reaped=reaped[1])
        await self._run(self._recorder.record, store, tick, holder, token)
        log_steps(tick)
        log_tick(tick)
        if isinstance(reaped, BaseException):
            raise reaped
        return tick

    async def _reap(
        self, wiring: Wiring, store: StateStore, token: int
    ) -> tuple[Reaping, Sequence[Reaped]]:
        reaping = await self._reaper.look(wiring, store)
        return reaping, await self._reaper.carry_out(wiring, store, token, reaping)

    async def _scale(self, wiring: Wiring, store: StateStore, token: int) -> Tick:
        told = await self._listener.listen(wiring.notices, store, token)
        planned = await self._decide(wiring, store)
        struck = planned.decision.observation.struck
        await self._run(record_struck, store, token, struck, planned.decision.observation.at)
        # Before anything is done: a process that ends meanwhile counts nothing twice.
        await self._run(store.record_histories, token, planned.decision.observation.learned)
        applier = Applier(wiring, store, self._executor, token)
        seen = planned.decision.observation
        emptier = Emptier(wiring, store, self._executor, token, seen.at)
        with span("apply", orders=len(planned.orders)):
            done, finished = await finish_both(
                applier.apply(
                    [order for order in planned.orders if not order.refusal],
                    planned.decision.spending,
                ),
                emptier.run(planned.decision.draining.errands),
            )
        tick = replace(
            planned, done=done, finished=finished, told=told, listeners=self._listener.heard()
        )
        if wiring.runs is not None:
            await self._run(resume_runs, store, wiring.runs, token, seen.at)
        await self._run(record_rework, store, token, finished, struck, seen.at)
        await self._run(store.record_exposure, token, self._count_exposure(tick))
        await self._reopen(tick)
        return tick

    def _count_exposure(self, tick: Tick) -> dict[str, int]:
        """Return how long nodes ran since this process looked last."""
        before, self._exposed_at = self._exposed_at, self._clock.monotonic()
        if before is None:
            return {}
        nodes = tick.decision.observation.fleet.nodes
        return count_exposure(nodes, tick.wiring.market, self._exposed_at - before)

    async def _reopen(self, tick: Tick) -> None:
        """Reopen nodes that an earlier turn closed, and that are wanted again."""
        cordons = tick.wiring.cordons
        going = {node for done in tick.done for node in done.order.nodes}
        for sight in tick.decision.observation.sights:
            for node in sight.nodes or ():
                is_ours = node.closed_by_us and node.drained_since is None
                if cordons is None or not is_ours or node.name in going:
                    continue
                try:
                    await self._run(cordons.reopen, sight.pool.id, node.name)
                except SourceFault as fault:
                    LOG.warning("node not reopened", node=node.name, why=str(fault))
