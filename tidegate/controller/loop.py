"""The loop: observe, decide, apply, record, until it is told to stop."""

from __future__ import annotations

import asyncio
import os
import socket
import uuid
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import TypeVar

import structlog

from tidegate.controller.applying import Applier, Done
from tidegate.controller.deciding import Decision, build_decision
from tidegate.controller.hearing import Ears
from tidegate.controller.metrics import ControllerMetrics
from tidegate.controller.nodes import to_records
from tidegate.controller.observation import Observer
from tidegate.controller.orders import Order, build_orders, build_remarks
from tidegate.controller.refusals import add_refusal
from tidegate.controller.wiring import Wiring
from tidegate.ports import Clock, StateStore
from tidegate.scaling.settings import PoolOverride, ScalingSettings
from tidegate.vocabulary.fleet_state import CloudRefused
from tidegate.vocabulary.problems import InvalidInput, Unavailable
from tidegate.vocabulary.records import (
    DecisionRecord,
    LeaseLost,
    SourceRecord,
    TickRecord,
)
from tidegate.vocabulary.reports import SourceFault

LOG = structlog.get_logger("tidegate.controller")
THREADS = 32
RENEW_SECONDS = 3.0
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class LoopSettings:
    """How the loop runs.

    Attributes:
        interval_seconds: From the end of a tick to the start of the next.
        source_seconds: What a source may take to answer.
        pool_seconds: What a cloud may take to show a pool.
        scaling: How carefully to scale.
    """

    interval_seconds: float = 15.0
    source_seconds: float = 30.0
    pool_seconds: float = 30.0
    scaling: ScalingSettings = field(default_factory=ScalingSettings)


@dataclass(frozen=True, slots=True)
class Tick:
    """One turn of the loop: what was decided, and what became of it (empty in a dry run)."""

    wiring: Wiring
    decision: Decision
    orders: Sequence[Order]
    done: Sequence[Done] = ()


class Controller:
    """One controller. Several may run on one store: one of them leads."""

    def __init__(
        self,
        read_wiring: Callable[[], Wiring],
        store: StateStore | None,
        clock: Clock,
        settings: LoopSettings | None = None,
        metrics: ControllerMetrics | None = None,
        holder: str = "",
    ) -> None:
        """Prepare; nothing is asked yet.

        Args:
            read_wiring: Returns the stack as it is declared now; asked once a tick.
            store: What is remembered; None suffices for dry runs.
            clock: The time.
            settings: How the loop runs.
            metrics: Where figures are kept.
            holder: What this controller calls itself; unique among all.
        """
        self._read_wiring = read_wiring
        self._store = store
        self._clock = clock
        self._settings = settings or LoopSettings()
        self.metrics = metrics or ControllerMetrics()
        self.holder = holder or f"{socket.gethostname()}/{os.getpid()}/{uuid.uuid4().hex[:8]}"
        self._ears = Ears()
        self._executor = ThreadPoolExecutor(THREADS, thread_name_prefix="tidegate")
        seconds = self._settings.source_seconds, self._settings.pool_seconds
        self._observer = Observer(clock, self._executor, *seconds)
        self._said: set[tuple[str, str, str]] = set()
        self._stopping = asyncio.Event()
        self._turned_at: float | None = None
        self.token: int | None = None

    async def plan(self) -> Tick:
        """Look and decide; change nothing, and write nothing down."""
        wiring = await self._run(self._read_wiring)
        ears = self._ears.of([source.name for source in wiring.sources])
        nodes = await self._run(self._store.read_nodes) if self._store else []
        refusals = await self._run(self._store.read_refusals) if self._store else []
        said = await self._run(self._store.read_overrides) if self._store else []
        seen = await self._observer.observe(wiring, ears, nodes)
        overrides = [PoolOverride(each.pool, each.owner, each.until, each.nodes) for each in said]
        scaling = self._settings.scaling
        scaling = replace(scaling, overrides=(*scaling.overrides, *overrides))
        decision = await self._run(build_decision, wiring, seen, refusals, scaling)
        orders = build_orders(decision.plan, seen.sights, self._choosing(wiring, decision), seen.at)
        return Tick(wiring, decision, orders)

    async def tick(self) -> Tick | None:
        """Take one turn; None when another controller leads.

        Raises:
            LeaseLost: Another took the lead meanwhile.
            Unavailable: The store or the stack's outputs do not answer.
        """
        store = self._require_store()
        started = self._clock.monotonic()
        self.token = await self._run(store.take_lease, self.holder, started)
        self.metrics.note_lead(leads=self.token is not None)
        if self.token is None:
            self._turned_at = started
            return None
        planned = await self.plan()
        applier = Applier(planned.wiring, store, self._executor, self.token)
        done = await applier.apply([order for order in planned.orders if not order.refusal])
        tick = replace(planned, done=done)
        await self._reopen(tick)
        await self._run(self._record, tick, self.token)
        self.metrics.note_tick(tick, self._clock.monotonic() - started)
        self._turned_at = self._clock.monotonic()
        _log_tick(tick)
        return tick

    async def run(self) -> None:
        """Take turns until `stop` is called; then give the lead back.

        What fails in one turn is told, and the next turn begins with a new look.
        """
        renewing = asyncio.create_task(self._keep_renewing())
        try:
            while not self._stopping.is_set():
                await self._try_tick()
                await self._sleep(self._settings.interval_seconds)
        finally:
            renewing.cancel()
            await self.close()

    def explain_unready(self, patience_seconds: float) -> str:
        """Return why this controller does not work; empty when it does, or when it stands by.

        Args:
            patience_seconds: How long a turn may lie back.
        """
        if self._turned_at is None:
            return "no turn was completed yet"
        age = self._clock.monotonic() - self._turned_at
        return f"the last turn was {age:.0f} s ago" if age > patience_seconds else ""

    def stop(self) -> None:
        """End after the turn that is under way."""
        self._stopping.set()

    async def close(self) -> None:
        """Give the lead back, and end the threads."""
        if self._store is not None and self.token is not None:
            try:
                await self._run(self._store.release_lease, self.token)
            except Unavailable as error:
                LOG.warning("lead not given back", why=str(error))
        self._executor.shutdown(wait=False, cancel_futures=True)

    async def _try_tick(self) -> None:
        try:
            await self.tick()
        except LeaseLost as lost:
            self.metrics.note_failure("lease-lost")
            LOG.warning("another controller leads now", why=str(lost))
        except (Unavailable, InvalidInput) as error:
            self.metrics.note_failure("unavailable")
            LOG.error("tick failed", why=str(error))  # noqa: TRY400 - the message says it all
        except Exception:
            # A mistake in one turn must not end the process that keeps capacity.
            self.metrics.note_failure("mistake")
            LOG.exception("tick failed by a mistake of this program")

    async def _keep_renewing(self) -> None:
        """Show signs of life also while a turn takes long."""
        store = self._require_store()
        while True:
            await asyncio.sleep(RENEW_SECONDS)
            if self.token is None:
                continue
            try:
                await self._run(store.renew_lease, self.token)
            except (Unavailable, LeaseLost) as error:
                LOG.warning("lead not renewed", why=str(error))

    async def _sleep(self, seconds: float) -> None:
        try:
            await asyncio.wait_for(self._stopping.wait(), seconds)
        except TimeoutError:
            return

    async def _reopen(self, tick: Tick) -> None:
        """Reopen nodes that an earlier turn closed, and that are wanted again."""
        cordons = tick.wiring.cordons
        going = {node for done in tick.done for node in done.order.nodes}
        for sight in tick.decision.observation.sights:
            for node in sight.nodes or ():
                if cordons is None or not node.closed_by_us or node.name in going:
                    continue
                try:
                    await self._run(cordons.reopen, sight.pool.id, node.name)
                except SourceFault as fault:
                    LOG.warning("node not reopened", node=node.name, why=str(fault))

    def _choosing(self, wiring: Wiring, decision: Decision) -> dict[str, bool]:
        found = {}
        for resize in decision.plan.resizes:
            try:
                found[resize.pool] = wiring.pools.can_choose(resize.pool)
            except CloudRefused:
                found[resize.pool] = False
        return found

    def _record(self, tick: Tick, token: int) -> None:
        """Write the turn down."""
        store = self._require_store()
        decision = tick.decision
        seen = decision.observation
        refusals = list(decision.refusals)
        for done in tick.done:
            if done.kind is not None:
                refusals = add_refusal(refusals, done.order.offerings, done.kind, seen.at)
        refused = [order.record for order in tick.orders if order.refusal]
        remarks = self._new_remarks([*refused, *build_remarks(decision.plan, seen.at)])
        if remarks:
            store.record_intents(token, remarks)
        health = {source.name: source for source in seen.demand.sources}
        store.record_tick(
            token,
            TickRecord(
                at=seen.at,
                token=token,
                holder=self.holder,
                per_hour=str(decision.plan.per_hour),
                pools=",".join(sight.pool.id for sight in seen.sights),
                waiting=len(seen.demand.items),
            ),
            to_records(seen.fleet.nodes),
            refusals,
            [
                SourceRecord(
                    ear.name,
                    ear.received_at,
                    health[ear.name].fault,
                    len(ear.report.items) if ear.report else 0,
                )
                for ear in seen.heard
            ],
        )

    def _new_remarks(self, remarks: Sequence[DecisionRecord]) -> list[DecisionRecord]:
        """Return those that were not said at the last turn already."""
        said = {(each.pool, each.action, each.reason) for each in remarks}
        new = [each for each in remarks if (each.pool, each.action, each.reason) not in self._said]
        self._said = said
        return new

    def _require_store(self) -> StateStore:
        if self._store is None:
            raise Unavailable("a controller without a state database can only plan")
        return self._store

    async def _run(self, call: Callable[..., T], *arguments: object) -> T:
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._executor, call, *arguments)


def _log_tick(tick: Tick) -> None:
    seen = tick.decision.observation
    for done in tick.done:
        record = done.order.record
        say = LOG.info if done.kind is None else LOG.warning
        say(
            record.action,
            pool=record.pool,
            from_nodes=record.from_nodes,
            to_nodes=record.to_nodes,
            reason=record.reason,
            per_hour=record.per_hour,
            outcome=done.outcome.value,
            detail=done.detail,
        )
    for source in seen.demand.sources:
        if source.fault:
            LOG.warning("source in doubt", source=source.name, why=source.fault)
    for pool, reason in seen.unread.items():
        LOG.warning("pool not read", pool=pool, why=reason)
    LOG.info(
        "tick",
        pools=len(seen.sights),
        waiting=len(seen.demand.items),
        orders=len(tick.orders),
        per_hour=str(tick.decision.plan.per_hour),
    )
