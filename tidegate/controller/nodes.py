"""Nodes as the decision sees them: what clusters list, what clouds list, what is on its way.

Pure: told the time and what was remembered.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from tidegate.manifest.model import Pool
from tidegate.scaling.fleet import HEALTHY, LEAVING, Node, NodePhase, RunningWork
from tidegate.vocabulary.fleet_state import (
    ClusterNode,
    Machine,
    MachinePhase,
    PoolState,
    RefusalKind,
)
from tidegate.vocabulary.records import NodeRecord

IN_FLIGHT_MARK = "#in-flight-"
REFUSED = frozenset({RefusalKind.STOCK_OUT, RefusalKind.QUOTA})
UNSEEN = "work that nobody tells of"
MACHINE_PHASES = {
    MachinePhase.STARTING: NodePhase.IN_FLIGHT,
    MachinePhase.RUNNING: NodePhase.BUSY,
    MachinePhase.LEAVING: NodePhase.DRAINING,
    MachinePhase.STOPPED: NodePhase.STOPPED,
    MachinePhase.FAILED: NodePhase.FAILED,
}


@dataclass(frozen=True, slots=True)
class PoolSight:
    """One pool as it was seen.

    Attributes:
        pool: As declared.
        state: What its cloud shows; None when it could not be read.
        nodes: What its cluster lists; None where no cluster lists it, or it could not be read.
        in_cluster: Whether a cluster lists its nodes when it answers.
        in_progress: Pieces of work in progress on it; None where no source speaks of it.
        remembered: Its nodes at the last tick.
        interrupted: Node, or machine outside of clusters, that its cloud takes away → when it
            goes; None where nobody says.
        advised: Those of them that might stay after all: their end was recommended, or is a drill.
    """

    pool: Pool
    state: PoolState | None
    nodes: tuple[ClusterNode, ...] | None
    in_cluster: bool
    in_progress: int | None
    remembered: tuple[NodeRecord, ...]
    interrupted: Mapping[str, datetime | None] = field(default_factory=dict)
    advised: frozenset[str] = frozenset()


def build_nodes(sight: PoolSight, now: datetime, offerings: frozenset[str]) -> list[Node]:
    """Return the nodes of one pool, each with the time since which it is in its phase."""
    known = {record.id: record for record in sight.remembered}
    found = [_keep_since(node, known, now) for node in _see_nodes(sight, now)]
    behind = _index_machines(sight)
    mine = {name for name in offerings if name.startswith(f"{sight.pool.id}/")}
    only = next(iter(mine)) if len(mine) == 1 else ""
    return [
        replace(node, offering=_find_offering(node, behind.get(node.id), known, mine) or only)
        for node in found
    ]


def _see_nodes(sight: PoolSight, now: datetime) -> Iterator[Node]:
    if sight.state is None:
        yield from _remember(sight)
        yield from _remember_costs(sight)
        return
    if sight.in_cluster:
        seen = list(_from_cluster(sight, now)) if sight.nodes is not None else _remember(sight)
        # A node that a person closed is one of those that its cloud counts.
        counted = len(seen)
    else:
        seen = list(_from_machines(sight, now))
        counted = sum(node.phase is not NodePhase.DRAINING for node in seen)
    yield from seen
    yield from _on_their_way(sight, sight.state.target_nodes - counted, now)


def _from_cluster(sight: PoolSight, now: datetime) -> Iterator[Node]:
    declared = sight.pool.checkpoint
    restart = declared.restart_seconds if declared else 0
    for node in sight.nodes or ():
        is_interrupted = node.name in sight.interrupted
        running = tuple(
            RunningWork(
                item=pod.item,
                accelerators=pod.accelerators,
                vcpus_milli=pod.vcpus_milli,
                memory_mib=pod.memory_mib,
                priority=pod.priority,
                daemonset=pod.daemonset,
                workers=pod.workers,
                # What nothing makes anew would never be resumed, whatever it saved.
                checkpoint_at=pod.checkpoint_at if pod.owner else None,
                restart_seconds=restart,
                shape=pod.shape,
                started_at=pod.started_at,
            )
            for pod in node.running
            # What ends there already waits anew by itself, and must not be ordered for twice.
            if not (is_interrupted and pod.leaving)
        )
        is_busy = any(not work.daemonset for work in running)
        yield Node(
            id=node.name,
            pool=sight.pool.id,
            offering="",
            phase=_phase_of(node, is_busy, is_interrupted),
            since=now,
            running=running,
            accelerators=node.accelerators,
        )


def _phase_of(node: ClusterNode, is_busy: bool, is_interrupted: bool) -> NodePhase:
    if is_interrupted:
        return NodePhase.INTERRUPTED
    if node.evicting or (node.closed and not node.closed_by_us):
        return NodePhase.DRAINING
    if is_busy:
        return NodePhase.BUSY
    if not node.ready:
        # It covers demand until its time to boot has passed, and is then deleted.
        return NodePhase.IN_FLIGHT
    return NodePhase.IDLE


def _from_machines(sight: PoolSight, now: datetime) -> Iterator[Node]:
    assert sight.state is not None
    listed = sight.state.machines
    if listed is None:
        listed = tuple(
            Machine(f"{sight.pool.id}#machine-{number}", MachinePhase.RUNNING)
            for number in range(sight.state.target_nodes)
        )
    for machine in listed:
        phase = MACHINE_PHASES[machine.phase]
        if machine.id in sight.interrupted:
            phase = NodePhase.INTERRUPTED
        if phase is NodePhase.BUSY and sight.in_progress == 0:
            phase = NodePhase.IDLE
        # Which machine works on what is not told, so each of them may: none is called idle.
        may_work = phase in (NodePhase.BUSY, NodePhase.INTERRUPTED)
        work = (RunningWork(UNSEEN),) if may_work else ()
        yield Node(machine.id, sight.pool.id, "", phase, now, running=work)


def _remember(sight: PoolSight) -> list[Node]:
    """Return the nodes as they were: what cannot be seen is taken to be there, and at work."""
    return [
        Node(
            id=record.id,
            pool=record.pool,
            offering=record.offering,
            phase=NodePhase.BUSY,
            since=record.since,
            running=(RunningWork(UNSEEN),),
        )
        for record in sight.remembered
        if NodePhase(record.phase) in HEALTHY and IN_FLIGHT_MARK not in record.id
    ]


def _remember_costs(sight: PoolSight) -> Iterator[Node]:
    """Return the nodes that had not come at the last look, those ordered since, and those leaving.

    Nobody can see them now. Forgotten, they would be ordered again, of another cloud; and what
    failed or was to leave may come or stay after all, and costs until a look shows that it is gone.
    """
    for record in sight.remembered:
        phase = NodePhase(record.phase)
        awaited = IN_FLIGHT_MARK in record.id and phase is NodePhase.IN_FLIGHT
        if awaited or phase in LEAVING or phase is NodePhase.FAILED:
            yield Node(record.id, record.pool, record.offering, phase, record.since)


def _on_their_way(sight: PoolSight, lacking: int, now: datetime) -> Iterator[Node]:
    """Return nodes that were ordered and have not come; failed ones when the cloud says why."""
    assert sight.state is not None
    short = sight.state.shortfall
    phase = NodePhase.FAILED if short and short.kind in REFUSED else NodePhase.IN_FLIGHT
    for number in range(max(0, lacking)):
        yield Node(f"{sight.pool.id}{IN_FLIGHT_MARK}{number}", sight.pool.id, "", phase, now)


def _keep_since(node: Node, known: Mapping[str, NodeRecord], now: datetime) -> Node:
    before = known.get(node.id)
    if before is None or before.phase != node.phase.value:
        return node
    # A clock that jumped back must not make a node younger than nothing.
    return replace(node, since=min(before.since, now))


def _index_machines(sight: PoolSight) -> dict[str, Machine]:
    """Return node → the machine behind it."""
    machines = (sight.state and sight.state.machines) or ()
    by_end = {machine.id.rpartition("/")[2]: machine for machine in machines}
    found = {machine.id: machine for machine in machines}
    for node in sight.nodes or ():
        machine = by_end.get(node.provider_id.rpartition("/")[2]) or by_end.get(node.name)
        if machine is not None:
            found[node.name] = machine
    return found


def _find_offering(
    node: Node, machine: Machine | None, known: Mapping[str, NodeRecord], offerings: set[str]
) -> str:
    if machine is not None:
        for parts in ((machine.instance_type, machine.zone), (machine.instance_type,)):
            name = "/".join(filter(None, (node.pool, *parts)))
            if name in offerings:
                return name
    before = known.get(node.id)
    stated = node.offering or (before.offering if before else "")
    return stated if stated in offerings else ""


def explain_vanished(
    source: str, listed: Sequence[ClusterNode], remembered: Sequence[NodeRecord], targets: int
) -> str:
    """Return why a cluster's answer is in doubt: it lists nothing, and its clouds still count.

    Nodes come and go, but not all of them at once while their machines are there.
    """
    before = [record for record in remembered if IN_FLIGHT_MARK not in record.id]
    if listed or not before or not targets:
        return ""
    return f"{source} lists no node, where {len(before)} were and their clouds count {targets}"


def to_records(
    nodes: Sequence[Node],
    ordered: Mapping[str, Sequence[str]],
    now: datetime,
    given_up: Collection[str] = (),
    doubtful: Collection[str] = (),
) -> list[NodeRecord]:
    """Return what is remembered of nodes until the next tick.

    Args:
        nodes: What was seen.
        ordered: Pool → the offering of each node that was, or may have been, ordered since.
        now: When it was.
        given_up: Nodes that did not come and are not waited for any more. What was ordered in
            their place begins anew: with their age it would be late at once.
        doubtful: Pools whose cloud may have taken an order, or not: what was given up there
            serves nothing, and goes on costing until a look shows that it is gone.
    """
    found: list[NodeRecord] = []
    kept: list[NodeRecord] = []
    awaited: defaultdict[str, list[NodeRecord]] = defaultdict(list)
    for node in nodes:
        record = NodeRecord(node.id, node.pool, node.phase.value, node.since, node.offering)
        if IN_FLIGHT_MARK not in node.id:
            found.append(record)
        elif node.id not in given_up:
            awaited[node.pool].append(record)
        elif node.pool in doubtful:
            kept.append(replace(record, phase=NodePhase.FAILED.value, since=now))
    for records in awaited.values():
        records.sort(key=lambda record: record.since)
    phase = NodePhase.IN_FLIGHT.value
    for pool, offerings in ordered.items():
        awaited[pool] += [NodeRecord("", pool, phase, now, offering) for offering in offerings]
    for record in kept:
        awaited[record.pool].append(record)
    for pool, records in awaited.items():
        names = (f"{pool}{IN_FLIGHT_MARK}{number}" for number in range(len(records)))
        found += [replace(record, id=name) for record, name in zip(records, names, strict=True)]
    return found
