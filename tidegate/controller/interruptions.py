"""Whose machines notices mean, and which of them are still to be heeded. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from tidegate.controller.nodes import PoolSight
from tidegate.manifest.model import Pool
from tidegate.scaling.fleet import Node
from tidegate.vocabulary.capacity import Cloud, Scaler
from tidegate.vocabulary.notices import Notice, NoticeKind, NoticeRecord
from tidegate.vocabulary.records import DecisionRecord, Outcome

KEPT = timedelta(hours=2)
"""Notices that came in longer ago are looked at only for what is still to come."""
LATE = timedelta(seconds=180)
"""A machine that is there so long after it was to go is not going, or was made anew."""
RECOMMENDED = timedelta(hours=1)
LEAD = timedelta(hours=1)
"""Before a scheduled change a machine is emptied this early."""
SAME = timedelta(seconds=600)
"""Several messages within this time mean one interruption."""
ADVICE = frozenset({NoticeKind.REBALANCE, NoticeKind.DRILL})
"""What need not happen: for it no work is ended that never saved itself."""
WITH_WORK = frozenset({NoticeKind.REBALANCE, NoticeKind.ENDED})
"""What concerns a machine only while it works: an end was most likely asked for."""
GOOGLE_WORDS = frozenset({"projects", "zones", "instances"})


@dataclass(frozen=True, slots=True)
class Struck:
    """A notice and the machine that it means.

    Attributes:
        record: The notice, with pool, node and offering.
        pool: Whose machine it is.
        is_there: Whether the node, or the machine outside of clusters, is still listed.
        matters: False where only work would make it matter, and none runs there.
        is_new: Whether this is found out now.
        counts: Whether it is an interruption that no other message told of.
    """

    record: NoticeRecord
    pool: Pool
    is_there: bool
    matters: bool
    is_new: bool
    counts: bool


@dataclass(frozen=True, slots=True)
class _Known:
    """A machine that is known: by its parts' names, and in which pool as what."""

    parts: tuple[str, ...]
    pool: Pool
    node: str
    is_there: bool
    is_busy: bool = False


def find_struck(records: Sequence[NoticeRecord], sights: Sequence[PoolSight]) -> list[Struck]:
    """Return the notices that mean a machine of a declared pool, oldest first."""
    index: dict[tuple[str, str], list[_Known]] = {}
    for known in _list_known(sights):
        index.setdefault((known.pool.cloud.value, known.parts[-1]), []).append(known)
    offerings = {each.id: each.offering for sight in sights for each in sight.remembered}
    found: list[Struck] = []
    for record in records:
        meant = _find(record, index)
        if meant is None:
            continue
        notice = record.notice
        counts = notice.kind is NoticeKind.INTERRUPTION and not any(
            each.counts and _is_same(each.record.notice, notice) for each in found
        )
        told = replace(
            record,
            pool=meant.pool.id,
            node=record.node or meant.node,
            offering=record.offering or offerings.get(meant.node, ""),
        )
        matters = notice.kind not in WITH_WORK or meant.is_busy
        found.append(Struck(told, meant.pool, meant.is_there, matters, not record.pool, counts))
    return found


def _is_same(one: Notice, other: Notice) -> bool:
    return one.machine == other.machine and abs(one.at - other.at) <= SAME


def mark_interrupted(
    sights: Sequence[PoolSight], struck: Sequence[Struck], now: datetime
) -> list[PoolSight]:
    """Return the sights with the nodes that are taken away; other scalers' pools are their own."""
    leaving: dict[str, dict[str, datetime | None]] = {}
    certain: set[str] = set()
    for each in struck:
        heeded = each.matters and is_in_force(each.record, now)
        if each.pool.scaler is not Scaler.TIDEGATE or not heeded:
            continue
        nodes = leaving.setdefault(each.pool.id, {})
        ends = [at for at in (nodes.get(each.record.node), each.record.notice.ends_at) if at]
        nodes[each.record.node] = min(ends, default=None)
        if each.record.notice.kind not in ADVICE:
            certain.add(each.record.node)
    return [
        replace(sight, interrupted=nodes, advised=frozenset(nodes) - certain)
        for sight in sights
        for nodes in [leaving.get(sight.pool.id, {})]
    ]


def name_offerings(struck: Sequence[Struck], nodes: Sequence[Node]) -> list[Struck]:
    """Return the notices with what their machines were, where the nodes are still there."""
    offerings = {(node.pool, node.id): node.offering for node in nodes}
    return [
        replace(
            each,
            record=replace(
                each.record,
                offering=each.record.offering
                or offerings.get((each.record.pool, each.record.node), ""),
            ),
        )
        for each in struck
    ]


def is_in_force(record: NoticeRecord, now: datetime) -> bool:
    """Return whether a machine is still taken to go because of a notice."""
    notice = record.notice
    if notice.kind is NoticeKind.MAINTENANCE:
        ends = notice.ends_at or notice.at
        return ends - LEAD <= now <= ends + LEAD
    if notice.kind in (NoticeKind.INTERRUPTION, NoticeKind.ENDED):
        return now - (notice.ends_at or notice.at) <= LATE
    return now - notice.at <= RECOMMENDED


def build_interruption(struck: Struck, now: datetime) -> DecisionRecord:
    """Return what is told of a notice, once."""
    notice = struck.record.notice
    detail = ""
    if struck.pool.scaler is not Scaler.TIDEGATE:
        detail = f"left to {struck.pool.scaler.value}, which scales the pool"
    elif not struck.is_there:
        detail = "no node of it is there any more"
    elif notice.kind is NoticeKind.MAINTENANCE and not is_in_force(struck.record, now):
        detail = "it is emptied an hour before"
    elif not is_in_force(struck.record, now):
        late = int((struck.record.received_at - notice.at).total_seconds())
        detail = f"came {late} s late, and its machine is still there: left alone"
    text = f"{struck.record.node}: {notice.text or notice.kind.value} ({struck.record.source})"
    return DecisionRecord(
        now, struck.pool.id, "interruption", text, outcome=Outcome.OBSERVED, detail=detail
    )


def _list_known(sights: Sequence[PoolSight]) -> Iterator[_Known]:
    """Yield what machines are called: by clusters, by clouds, and by what is remembered of them."""
    for sight in sights:
        pool = sight.pool
        for node in sight.nodes or ():
            for name in (node.provider_id, node.name):
                if parts := split_name(pool.cloud, name):
                    yield _Known(parts, pool, node.name, True, bool(node.work()))
        machines = (sight.state and sight.state.machines) or ()
        for machine in machines:
            if parts := split_name(pool.cloud, machine.id):
                yield _Known(parts, pool, machine.id, not sight.in_cluster)
        for record in sight.remembered:
            if parts := split_name(pool.cloud, record.id):
                yield _Known(parts, pool, record.id, False)


def _find(record: NoticeRecord, index: Mapping[tuple[str, str], Sequence[_Known]]) -> _Known | None:
    """Return the machine that a notice means; what is listed comes before what is remembered."""
    notice = record.notice
    parts = split_name(Cloud(notice.cloud), record.node or notice.machine)
    if not parts:
        return None
    fitting = [
        known
        for known in index.get((notice.cloud, parts[-1]), ())
        if record.pool in ("", known.pool.id) and _fits(parts, known.parts)
    ]
    return next((known for known in fitting if known.is_there), next(iter(fitting), None))


def split_name(cloud: Cloud, name: str) -> tuple[str, ...]:
    """Return the parts of what a machine is called, so that its several names can be compared.

    An instance id of AWS stands alone; Google's are project, zone and name; Azure's whole path
    counts, in whatever case.
    """
    path = name.partition("://")[2] or name
    parts = tuple(part for part in path.split("/") if part)
    if cloud is Cloud.AWS:
        return parts[-1:]
    if cloud is Cloud.GCP:
        return tuple(part for part in parts if part not in GOOGLE_WORDS)[-3:]
    return tuple(part.lower() for part in parts)


def _fits(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Return whether the shorter name is the end of the longer; a mere number names nothing."""
    short, long = sorted((one, other), key=len)
    if len(short) == 1 and short[0].isdecimal():
        return False
    return long[-len(short) :] == short
