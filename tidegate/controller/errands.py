"""What is done on nodes and pods, one step at a time. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from tidegate.vocabulary.fleet_state import ClusterNode, RunningPod
from tidegate.vocabulary.plans import Stop
from tidegate.vocabulary.records import DecisionRecord


class Step(StrEnum):
    """What is done, as decisions call it."""

    DRAIN = "drain"
    PREEMPT = "preempt"
    EVICT = "evict"
    REOPEN = "reopen"
    WITHDRAW = "withdraw"


@dataclass(frozen=True, slots=True)
class Errand:
    """One step on one node, or on pods that give way.

    Attributes:
        step: What is done.
        pool: The pool.
        node: The node; empty where pods give way on a node that stays.
        pods: Its pods.
        record: The decision, for the store.
        forced: Whether the cloud takes the node anyway.
        closed_by_us: False where a person had closed the node before.
        ends_at: When its machine goes; None where nobody says.
    """

    step: Step
    pool: str
    node: str
    pods: tuple[RunningPod, ...]
    record: DecisionRecord
    forced: bool = False
    closed_by_us: bool = True
    ends_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class DrainRules:
    """What bounds the emptying of nodes.

    Attributes:
        now: The time of the decision.
        limit_seconds: How long a node may take to be emptied before that is told.
        stop_without_checkpoint: Whether work that never saved itself may be ended by choice.
        doubt: Why nothing may shrink now; empty where all can be believed.
        held: Pool → why it is left alone: paused by a person, or not read.
        choosing: Pool → whether its cloud deletes the machines that are named.
    """

    now: datetime
    limit_seconds: float
    stop_without_checkpoint: bool
    doubt: str
    held: Mapping[str, str]
    choosing: Mapping[str, bool]


@dataclass(slots=True)
class Draining:
    """What is to be done now.

    Attributes:
        errands: In this order, node by node.
        emptied: Nodes whose machines can be deleted.
        remarks: What waits, and for what.
        kept: Nodes that are being emptied, and stay closed.
    """

    errands: list[Errand] = field(default_factory=list)
    emptied: list[Stop] = field(default_factory=list)
    remarks: list[DecisionRecord] = field(default_factory=list)
    kept: set[str] = field(default_factory=set)


def rework_seconds(pod: RunningPod, now: datetime) -> int | None:
    """Return what is repeated when a pod ends now; None where nobody says when it began."""
    since = pod.checkpoint_at or pod.started_at
    return None if since is None else max(0, int((now - since).total_seconds()))


def has_saved(pod: RunningPod, since: datetime) -> bool:
    """Return whether a pod says that it saved itself after it was asked to."""
    return pod.checkpoint_at is not None and pod.checkpoint_at >= since


def can_resume(pod: RunningPod) -> bool:
    """Return whether a pod saved itself, and something makes it anew when it goes."""
    return pod.checkpoint_at is not None and bool(pod.owner)


def staying(node: ClusterNode) -> tuple[RunningPod, ...]:
    """Return the pods of a node that keep it busy and were not told to end yet."""
    return tuple(pod for pod in node.work() if not pod.leaving)
