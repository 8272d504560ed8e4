"""One look at everything: pools in their clouds, sources of demand, side by side."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial

from tidegate.controller.hearing import Heard, ask, ask_within
from tidegate.controller.interruptions import (
    Struck,
    find_struck,
    mark_interrupted,
    name_offerings,
)
from tidegate.controller.logs import hide_secrets
from tidegate.controller.machines import is_gone
from tidegate.controller.nodes import PoolSight, build_nodes, explain_vanished
from tidegate.controller.tracing import span
from tidegate.controller.wiring import Wiring
from tidegate.manifest.model import Pool
from tidegate.ports import Clock, WorkSource
from tidegate.scaling.fleet import Fleet
from tidegate.vocabulary.demand import Demand, SourceHealth
from tidegate.vocabulary.fleet_state import CloudRefused, ClusterNode, PoolState
from tidegate.vocabulary.history import PoolHistory
from tidegate.vocabulary.notices import NoticeRecord
from tidegate.vocabulary.records import NodeRecord
from tidegate.vocabulary.reports import WorkReport

SOURCE_SECONDS = 30.0
POOL_SECONDS = 30.0
KEPT = timedelta(seconds=300)
"""Work that a silent source told of longer ago opens nothing any more."""


@dataclass(frozen=True, slots=True)
class Observation:
    """What was seen.

    Attributes:
        at: When it was complete.
        states: Pool → as its cloud shows it.
        unread: Pool → why it could not be read.
        heard: Every source.
        sights: Every declared pool with a size.
        fleet: For the decision.
        demand: For the decision.
        struck: Notices that mean machines of declared pools.
        learned: What is to be remembered anew of pools' work.
    """

    at: datetime
    states: Mapping[str, PoolState]
    unread: Mapping[str, str]
    heard: Sequence[Heard]
    sights: Sequence[PoolSight]
    fleet: Fleet
    demand: Demand
    struck: Sequence[Struck] = ()
    learned: Sequence[PoolHistory] = ()


class Observer:
    """Looks, in threads: a cloud or source that hangs keeps nobody else waiting."""

    def __init__(
        self,
        clock: Clock,
        executor: Executor,
        source_seconds: float = SOURCE_SECONDS,
        pool_seconds: float = POOL_SECONDS,
    ) -> None:
        self._clock = clock
        self._executor = executor
        self._source_seconds = source_seconds
        self._pool_seconds = pool_seconds
        self._reading: set[str] = set()

    async def observe(
        self,
        wiring: Wiring,
        heard: Sequence[Heard],
        remembered: Sequence[NodeRecord],
        notices: Sequence[NoticeRecord] = (),
    ) -> Observation:
        """Look at every pool and every source at once."""
        states: dict[str, PoolState] = {}
        unread: dict[str, str] = {}
        declared = wiring.declared()
        listening = zip(wiring.sources, heard, strict=True)
        await asyncio.gather(
            *(self._look_at(wiring, pool, states, unread) for pool in declared),
            *(self._listen_to(source, ear) for source, ear in listening),
        )
        now = self._clock.now()
        return build_observation(wiring, now, states, unread, heard, remembered, notices)

    async def _look_at(
        self, wiring: Wiring, pool: Pool, states: dict[str, PoolState], unread: dict[str, str]
    ) -> None:
        with span("observe pool", pool=pool.id, cloud=pool.cloud.value) as look:
            await self._read(wiring, pool, states, unread)
            look.fail(unread.get(pool.id, ""))
            if pool.id in states:
                look.note(target_nodes=states[pool.id].target_nodes)

    async def _listen_to(self, source: WorkSource, ear: Heard) -> None:
        with span("observe source", source=source.name) as look:
            await self._hear(source, ear)
            look.fail(ear.fault)
            if ear.report is not None:
                look.note(items=len(ear.report.items))

    async def _read(
        self, wiring: Wiring, pool: Pool, states: dict[str, PoolState], unread: dict[str, str]
    ) -> None:
        if pool.id in self._reading:
            unread[pool.id] = "an earlier look has not come back yet"
            return
        self._reading.add(pool.id)
        fetch = partial(wiring.pools.fetch_state, pool.id)
        come_back = partial(self._reading.discard, pool.id)
        try:
            states[pool.id] = await ask_within(self._pool_seconds, self._executor, fetch, come_back)
        except CloudRefused as refusal:
            unread[pool.id] = hide_secrets(str(refusal))
        except TimeoutError:
            unread[pool.id] = f"no answer within {self._pool_seconds:g} s"

    async def _hear(self, source: WorkSource, ear: Heard) -> None:
        report = await ask(ear, source.fetch, self._clock, self._executor, self._source_seconds)
        if report is not None:
            ear.succeed(report, self._clock.now())


def build_observation(
    wiring: Wiring,
    now: datetime,
    states: Mapping[str, PoolState],
    unread: Mapping[str, str],
    heard: Sequence[Heard],
    remembered: Sequence[NodeRecord],
    notices: Sequence[NoticeRecord] = (),
) -> Observation:
    """Return what the looks come to; pure."""
    by_pool: dict[str, list[NodeRecord]] = {}
    for record in remembered:
        by_pool.setdefault(record.pool, []).append(record)
    healths = [_check(ear, wiring, states, by_pool) for ear in heard]
    trusted = {health.name for health in healths if not health.fault}
    told = {each.name: each.report for each in heard if each.report and each.name in trusted}
    listed: dict[tuple[str, str], list[ClusterNode]] = {}
    for name, report in told.items():
        for listing in report.nodes or ():
            listed.setdefault((name, listing.pool), []).append(listing)
    sights = [
        _see(pool, wiring, states.get(pool.id), told, listed, by_pool.get(pool.id, []))
        for pool in wiring.declared()
    ]
    struck = find_struck(notices, sights)
    sights = mark_interrupted(sights, struck, now)
    known = frozenset(entry.id for entry in wiring.market.offerings)
    nodes = [node for sight in sights for node in build_nodes(sight, now, known)]
    items = [
        # Another machine's clock told when it was queued: it may be ahead of this one.
        item if item.queued_at <= now else replace(item, queued_at=now)
        for ear in heard
        if ear.report and ear.received_at and now - ear.received_at <= KEPT
        for item in ear.report.items
    ]
    return Observation(
        at=now,
        states=states,
        unread=unread,
        heard=heard,
        sights=sights,
        fleet=Fleet(wiring.supply, tuple(nodes), now if states else None),
        demand=Demand(tuple(items), tuple(healths)),
        struck=name_offerings(struck, nodes),
    )


def _check(
    ear: Heard,
    wiring: Wiring,
    states: Mapping[str, PoolState],
    by_pool: Mapping[str, Sequence[NodeRecord]],
) -> SourceHealth:
    """Return a source's health; a cluster that lists nothing at all is held against its clouds."""
    health = ear.health()
    pools = wiring.clusters.get(ear.name, ())
    if health.fault or ear.report is None or not pools:
        return health
    targets = sum(states[pool].target_nodes for pool in pools if pool in states)
    before = [record for pool in pools for record in by_pool.get(pool, ())]
    doubt = explain_vanished(ear.name, ear.report.nodes or (), before, targets)
    return SourceHealth(ear.name, ear.received_at, doubt)


def _see(
    pool: Pool,
    wiring: Wiring,
    state: PoolState | None,
    told: Mapping[str, WorkReport],
    listed: Mapping[tuple[str, str], Sequence[ClusterNode]],
    remembered: Sequence[NodeRecord],
) -> PoolSight:
    """Return one pool as it was seen.

    Args:
        pool: As declared.
        wiring: Tells which cluster lists its nodes.
        state: What its cloud shows.
        told: The sources that can be trusted → what they told.
        listed: Source and pool → the nodes that it lists there.
        remembered: Its nodes at the last tick.
    """
    cluster = next((name for name, pools in wiring.clusters.items() if pool.id in pools), "")
    nodes: tuple[ClusterNode, ...] | None = None
    if cluster in told:
        mine = listed.get((cluster, pool.id), ())
        nodes = tuple(node for node in mine if not is_gone(node, state))
    counts = [each.in_progress[pool.id] for each in told.values() if pool.id in each.in_progress]
    return PoolSight(
        pool=pool,
        state=state,
        nodes=nodes,
        in_cluster=bool(cluster),
        in_progress=sum(counts) if counts else None,
        remembered=tuple(remembered),
    )
