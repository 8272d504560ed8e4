"""A node interrupted on purpose: what may be, what is seen of its work, and what that says. Pure.

What a pool's work declares of its checkpoints is a promise until somebody tries it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from tidegate.controller.nodes import PoolSight
from tidegate.manifest.model import Checkpoint, Pool
from tidegate.vocabulary.capacity import InterruptionTolerance, Scaler
from tidegate.vocabulary.fleet_state import ClusterNode, RunningPod
from tidegate.vocabulary.wording import render_count


class Held(StrEnum):
    """Whether what was declared holds. What nobody tells is not taken to hold."""

    HOLDS = "holds"
    BROKEN = "broken"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was declared, and what was seen.

    Attributes:
        name: "resume", "rework" or "idempotency".
        item: The work; empty where it concerns the node.
        held: Whether it holds.
        measured_seconds: What was measured at most; None where nothing could be.
        limit_seconds: What was declared; None where no time was.
        why: For people.
    """

    name: str
    item: str
    held: Held
    measured_seconds: int | None
    limit_seconds: int | None
    why: str


@dataclass(slots=True)
class Watched:
    """One piece of work that is interrupted.

    Attributes:
        owner: What makes it anew.
        before: Its pods on the node.
        others: The names of its pods elsewhere, which stay.
        seen_at: When it was last seen at work on the node.
        saved_at: When it last saved itself, as far as it was seen there.
        back_at: When as many as before were first seen at work again.
        back: Its new pods, once they are at work.
        most: Most pods of it that were at work at once.
    """

    owner: str
    before: tuple[RunningPod, ...]
    others: frozenset[str]
    seen_at: datetime
    saved_at: datetime | None
    back_at: datetime | None = None
    back: tuple[RunningPod, ...] = ()
    most: int = 0

    def count(self) -> int:
        """Return how many pods it has in all."""
        return len(self.before) + len(self.others)


@dataclass(slots=True)
class Watch:
    """What is seen of a drill, look by look."""

    node: str
    work: list[Watched]
    gone_at: datetime | None = None
    looks: int = field(default=0)

    def look(self, nodes: Sequence[ClusterNode], now: datetime) -> None:
        """Take one look at every node of the cluster."""
        self.looks += 1
        if all(node.name != self.node for node in nodes) and self.gone_at is None:
            self.gone_at = now
        for each in self.work:
            self._look_at(each, nodes, now)

    def is_over(self) -> bool:
        """Return whether all is back, and the node is gone."""
        return self.gone_at is not None and all(each.back_at for each in self.work)

    def _look_at(self, work: Watched, nodes: Sequence[ClusterNode], now: datetime) -> None:
        old = {pod.name for pod in work.before}
        mine = [pod for node in nodes for pod in node.work() if pod.owner == work.owner]
        there = [pod for pod in mine if pod.name in old and not pod.leaving]
        if there:
            work.seen_at = now
            saved = [pod.checkpoint_at for pod in there if pod.checkpoint_at]
            work.saved_at = min(saved) if len(saved) == len(there) else work.saved_at
        running = [pod for pod in mine if pod.ready and not pod.leaving]
        new = [pod for pod in running if pod.name not in old | work.others]
        work.most = max(work.most, len(running))
        if work.back_at is None and not there and len(new) >= len(work.before):
            work.back_at, work.back = now, tuple(new)


def refuse_pool(pool: Pool, sight: PoolSight) -> str:
    """Return why a pool is not drilled; empty where it may be."""
    if pool.scaler is not Scaler.TIDEGATE:
        return f"is scaled by {pool.scaler.value}, and left to it"
    if pool.interruption_tolerance is not InterruptionTolerance.TOLERANT:
        return f"is {pool.interruption_tolerance.value}: its work is not interrupted on purpose"
    if pool.checkpoint is None:
        return "declares no checkpoint, so there is nothing to hold its work against"
    if not sight.in_cluster:
        return "belongs to no cluster, so nobody tells what its work does"
    if sight.nodes is None:
        return "cannot be seen: its cluster does not answer, or is not believed"
    if not any(node.work() for node in sight.nodes):
        return "runs no work, so there is nothing to interrupt"
    return ""


def explain_node(node: ClusterNode) -> str:
    """Return why a node is not drilled; empty where it may be."""
    work = node.work()
    if not work:
        return "runs no work"
    if node.closed:
        return "is closed already"
    for pod in work:
        if pod.checkpoint_at is None:
            return f"{pod.name} never saved itself"
        if not pod.owner:
            return f"nothing makes {pod.name} anew when it goes"
        if not pod.ready or pod.leaving:
            return f"{pod.name} is not at work"
    return ""


def choose_node(sight: PoolSight, wanted: str) -> tuple[ClusterNode | None, str]:
    """Return the node to interrupt, with the least work on it; or None and why there is none.

    Args:
        sight: The pool as it was seen.
        wanted: A node's name; empty for any.
    """
    nodes = [node for node in sight.nodes or () if wanted in ("", node.name)]
    if not nodes:
        return None, f"has no node {wanted}"
    reasons = {node.name: explain_node(node) for node in nodes}
    fitting = [node for node in nodes if not reasons[node.name]]
    if not fitting:
        return None, "; ".join(f"{name}: {why}" for name, why in sorted(reasons.items()))
    return min(fitting, key=lambda node: (len(node.work()), node.name)), ""


def start_watch(node: ClusterNode, nodes: Sequence[ClusterNode], now: datetime) -> Watch:
    """Return what is to be watched once a node is interrupted."""
    owners = dict.fromkeys(pod.owner for pod in node.work())
    found = []
    for owner in owners:
        before = tuple(pod for pod in node.work() if pod.owner == owner)
        every = [pod for each in nodes for pod in each.work() if pod.owner == owner]
        saved = [pod.checkpoint_at for pod in before if pod.checkpoint_at]
        others = frozenset(pod.name for pod in every) - {pod.name for pod in before}
        watched = Watched(owner, before, others, now, min(saved, default=None))
        found.append(watched)
    return Watch(node.name, found)


def judge(watch: Watch, pool: Pool, look_seconds: float) -> list[Check]:
    """Return what a drill says of what a pool declares.

    Args:
        watch: What was seen.
        pool: As declared, with its checkpoint.
        look_seconds: From one look to the next: no time is known more closely.
    """
    assert pool.checkpoint is not None
    checks = [
        check
        for work in watch.work
        for check in _judge_work(work, pool, pool.checkpoint, look_seconds)
    ]
    if watch.gone_at is None:
        checks.append(
            Check("machine", "", Held.BROKEN, None, None, f"{watch.node} was not gone in the end")
        )
    return checks


def _judge_work(
    work: Watched, pool: Pool, declared: Checkpoint, look_seconds: float
) -> Iterator[Check]:
    limit = pool.boot_seconds + declared.restart_seconds + int(2 * look_seconds)
    if work.back_at is None:
        why = f"not all came back: {render_count(work.count(), 'pod')} had been there"
        yield Check("resume", work.owner, Held.BROKEN, None, limit, why)
    else:
        took = int((work.back_at - work.seen_at).total_seconds())
        held = Held.HOLDS if took <= limit else Held.BROKEN
        why = f"boot, declared restart and two looks are {limit} s"
        yield Check("resume", work.owner, held, took, limit, why)
    yield _judge_rework(work, declared, look_seconds)
    yield _judge_idempotency(work)


def _judge_rework(work: Watched, declared: Checkpoint, look_seconds: float) -> Check:
    limit = declared.interval_seconds + declared.write_seconds + int(look_seconds)
    since = _resumed_from(work) or work.saved_at
    if since is None:
        why = "it never said when it saved itself"
        return Check("rework", work.owner, Held.UNKNOWN, None, limit, why)
    repeated = max(0, int((work.seen_at - since).total_seconds()))
    held = Held.HOLDS if repeated <= limit else Held.BROKEN
    why = f"the declared interval, its writing and a look are {limit} s"
    return Check("rework", work.owner, held, repeated, limit, why)


def _judge_idempotency(work: Watched) -> Check:
    """Judge whether work comes back as often as it was there, and from where it had been saved."""
    begun = _resumed_from(work)
    held, why = Held.HOLDS, "came back once, from its last checkpoint"
    if work.most > work.count():
        held, why = Held.BROKEN, f"{work.most} pods ran at once, where {work.count()} had been"
    elif work.back_at is None:
        held, why = Held.BROKEN, "did not come back"
    elif begun is None:
        held = Held.UNKNOWN
        why = "does not say which checkpoint it began with (tidegate.dev/resumed-from)"
    elif work.saved_at is not None and begun < work.saved_at:
        held = Held.BROKEN
        why = f"began with {begun.isoformat()}, and had saved itself at {work.saved_at.isoformat()}"
    return Check("idempotency", work.owner, held, None, None, why)


def _resumed_from(work: Watched) -> datetime | None:
    stamps = [pod.resumed_from for pod in work.back]
    if not stamps or any(stamp is None for stamp in stamps):
        return None
    return min(stamp for stamp in stamps if stamp is not None)
