"""Carrying a drill out: a notice like a cloud's own, then turns and looks until all is back."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tidegate.controller.drill import (
    Check,
    Held,
    Watch,
    choose_node,
    judge,
    refuse_pool,
    start_watch,
)
from tidegate.controller.loop import Controller
from tidegate.controller.nodes import PoolSight
from tidegate.controller.tick import Tick
from tidegate.manifest.model import Pool
from tidegate.ports import Clock, NoticeStore
from tidegate.vocabulary.fleet_state import ClusterNode
from tidegate.vocabulary.notices import Notice, NoticeKind, NoticeRecord
from tidegate.vocabulary.plans import HoldCause
from tidegate.vocabulary.problems import Unavailable, refuse, suggest

SOURCE = "drill"
LEFT_ALONE = frozenset({HoldCause.PAUSED, HoldCause.UNREAD})


@dataclass(frozen=True, slots=True)
class Planned:
    """What a drill would interrupt."""

    pool: Pool
    node: ClusterNode
    watch: Watch


@dataclass(frozen=True, slots=True)
class Drilled:
    """What a drill found.

    Attributes:
        planned: What was interrupted.
        seconds: What it took until all was back, or was given up.
        checks: What was declared, and what was seen.
    """

    planned: Planned
    seconds: int
    checks: Sequence[Check]

    def holds(self) -> bool:
        """Return whether everything that is declared was shown to hold."""
        return all(check.held is Held.HOLDS for check in self.checks)


class Driller:
    """Interrupts one node of a pool, whoever leads."""

    def __init__(
        self, controller: Controller, store: NoticeStore, clock: Clock, look_seconds: float
    ) -> None:
        """Prepare; nothing is asked yet.

        Args:
            controller: Takes turns where no other leads.
            store: Where the notice goes, that the leader heeds.
            clock: The time.
            look_seconds: From one look to the next.
        """
        self._controller = controller
        self._store = store
        self._clock = clock
        self._look_seconds = look_seconds

    async def plan(self, pool: str, node: str = "") -> Planned:
        """Return what would be interrupted; change nothing.

        Args:
            pool: The pool's id.
            node: One of its nodes; empty for the one with the least work.

        Raises:
            InvalidInput: Nothing of the pool may be interrupted on purpose.
            Unavailable: A source is in doubt.
        """
        tick = await self._controller.plan()
        sight = _find(tick, pool)
        if why := refuse_pool(sight.pool, sight) or _explain_hold(tick, pool):
            raise refuse("drill", "POOL", pool, why, "a tolerant pool of tidegate's, at work")
        doubts = [each for each in tick.decision.observation.demand.sources if each.fault]
        if doubts:
            text = "; ".join(f"{each.name} ({each.fault})" for each in doubts)
            raise Unavailable(f"nothing is interrupted on purpose while in doubt: {text}")
        chosen, why = choose_node(sight, node)
        if chosen is None:
            expected = "a node whose work saved itself, and is made anew when it goes"
            raise refuse("drill", "--node" if node else "POOL", node or pool, why, expected)
        watch = start_watch(chosen, _list_nodes(tick), tick.decision.observation.at)
        return Planned(sight.pool, chosen, watch)

    async def run(
        self, planned: Planned, owner: str, limit_seconds: float, tell: Callable[[str], None]
    ) -> Drilled:
        """Interrupt the node, and watch until all is back or the time is over.

        Args:
            planned: What is interrupted.
            owner: Who wants it; written down.
            limit_seconds: After that time what is not back counts as lost.
            tell: Takes a line of progress.
        """
        started = self._clock.monotonic()
        self._store.record_drill(self._build_notice(planned, owner))
        watch = planned.watch
        while not watch.is_over() and self._clock.monotonic() - started < limit_seconds:
            tick = await self._controller.tick() or await self._controller.plan()
            watch.look(_list_nodes(tick), tick.decision.observation.at)
            back = sum(each.back_at is not None for each in watch.work)
            gone = "gone" if watch.gone_at else "there"
            tell(f"{watch.node} is {gone}; {back} of {len(watch.work)} pieces of work are back")
            if not watch.is_over():
                await asyncio.sleep(self._look_seconds)
        checks = judge(watch, planned.pool, self._look_seconds)
        return Drilled(planned, int(self._clock.monotonic() - started), checks)

    def _build_notice(self, planned: Planned, owner: str) -> NoticeRecord:
        now = self._clock.now()
        node = planned.node
        notice = Notice(
            id=f"{SOURCE}/{planned.pool.id}/{node.name}/{now.isoformat()}",
            cloud=planned.pool.cloud.value,
            machine=node.provider_id or node.name,
            kind=NoticeKind.DRILL,
            at=now,
            text=f"a drill of {owner}'s",
        )
        return NoticeRecord(notice, SOURCE, now)


def _find(tick: Tick, pool: str) -> PoolSight:
    sights = {sight.pool.id: sight for sight in tick.decision.observation.sights}
    if pool in sights:
        return sights[pool]
    if any(each.id == pool for each in tick.wiring.manifest.pools):
        raise refuse("drill", "POOL", pool, "has no nodes of its own", ", ".join(sorted(sights)))
    reason = f"is not declared{suggest(pool, sights)}"
    raise refuse("drill", "POOL", pool, reason, ", ".join(sorted(sights)))


def _explain_hold(tick: Tick, pool: str) -> str:
    """Return why the machine of an emptied node could not be deleted."""
    if not tick.decision.choosing.get(pool):
        return "would lose a node of its cloud's own choice"
    held = (hold for hold in tick.decision.plan.holds if hold.pool == pool)
    return next((f"is {hold.reason}" for hold in held if hold.cause in LEFT_ALONE), "")


def _list_nodes(tick: Tick) -> list[ClusterNode]:
    return [node for sight in tick.decision.observation.sights for node in sight.nodes or ()]
