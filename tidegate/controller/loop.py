"""The loop: observe, decide, apply, record, until it is told to stop."""

from __future__ import annotations

import asyncio
import os
import socket
import uuid
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import structlog

from tidegate.controller.metrics import ControllerMetrics
from tidegate.controller.status import describe_status
from tidegate.controller.tick import Tick
from tidegate.controller.together import InThreads
from tidegate.controller.tracing import span
from tidegate.controller.turn import Turns, TurnSettings
from tidegate.controller.wiring import Wiring
from tidegate.ports import Clock, StateStore
from tidegate.vocabulary.problems import InvalidInput, Unavailable
from tidegate.vocabulary.records import LeaseLost

LOG = structlog.get_logger("tidegate.controller")
THREADS = 32
RENEW_SECONDS = 3.0


@dataclass(frozen=True, slots=True)
class LoopSettings(TurnSettings):
    """How the loop runs.

    Attributes:
        interval_seconds: From the end of a tick to the start of the next.
    """

    interval_seconds: float = 15.0


class Controller(InThreads):
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
        super().__init__(ThreadPoolExecutor(THREADS, thread_name_prefix="tidegate"))
        self._read_wiring = read_wiring
        self._store = store
        self._clock = clock
        self._settings = settings or LoopSettings()
        self.metrics = metrics or ControllerMetrics()
        self.holder = holder or f"{socket.gethostname()}/{os.getpid()}/{uuid.uuid4().hex[:8]}"
        self._turns = Turns(clock, self._executor, self._settings)
        self._stopping = asyncio.Event()
        self._turned_at: float | None = None
        self.token: int | None = None
        self._leads: bool | None = None

    async def plan(self) -> Tick:
        """Look and decide; change nothing, and write nothing down."""
        wiring = await self._run(self._read_wiring)
        return await self._turns.plan(wiring, self._store)

    async def tick(self) -> Tick | None:
        """Take one turn; None when another controller leads.

        Raises:
            LeaseLost: Another took the lead meanwhile.
            Unavailable: The store or the stack's outputs do not answer.
        """
        store = self.require_store()
        started = self._clock.monotonic()
        self.token = await self._run(store.take_lease, self.holder, started)
        self._note_lead(leads=self.token is not None)
        if self.token is None:
            self._turned_at = started
            return None
        with span("tick", holder=self.holder, token=self.token) as turn:
            wiring = await self._run(self._read_wiring)
            turn.note(stack=f"{wiring.manifest.project}/{wiring.manifest.stack}")
            tick = await self._turns.take(wiring, store, self.holder, self.token)
        self.metrics.note_tick(tick, self._clock.monotonic() - started, self._clock.now())
        self._turned_at = self._clock.monotonic()
        return tick

    async def run(self) -> None:
        """Take turns until `stop` is called; then give the lead back.

        What fails in one turn is told, and the next turn begins with a new look.
        """
        renewing = asyncio.create_task(self._keep_renewing())
        try:
            while not self._stopping.is_set():
                await self._try_tick()
                await self._sleep(self._pause_seconds())
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

    def describe(self) -> dict[str, Any]:
        """Return what there is to show, whoever leads.

        Raises:
            Unavailable: The store does not answer.
        """
        return describe_status(self.require_store(), self._clock.now())

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
        store = self.require_store()
        while True:
            await asyncio.sleep(RENEW_SECONDS)
            if self.token is None:
                continue
            try:
                await self._run(store.renew_lease, self.token)
            except (Unavailable, LeaseLost) as error:
                LOG.warning("lead not renewed", why=str(error))

    def _note_lead(self, *, leads: bool) -> None:
        """Show who leads, and say so when it changed."""
        self.metrics.note_lead(leads=leads)
        if leads is not self._leads:
            LOG.info("leads" if leads else "stands by: another controller leads", token=self.token)
        self._leads = leads

    def _pause_seconds(self) -> float:
        """One that stands by looks for signs of life as often as they are given."""
        interval = self._settings.interval_seconds
        return interval if self.token is not None else min(interval, RENEW_SECONDS)

    async def _sleep(self, seconds: float) -> None:
        try:
            await asyncio.wait_for(self._stopping.wait(), seconds)
        except TimeoutError:
            return

    def require_store(self) -> StateStore:
        """Return what is remembered.

        Raises:
            Unavailable: This controller has no memory, and can only plan.
        """
        if self._store is None:
            raise Unavailable("a controller without a state database can only plan")
        return self._store
