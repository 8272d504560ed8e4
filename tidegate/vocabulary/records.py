"""What the controller writes down: decisions with their outcome, nodes' phases, refusals, ticks."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class Outcome(StrEnum):
    """What became of a decision. An intended one was never heard of again: the process ended."""

    INTENDED = "intended"
    APPLIED = "applied"
    REFUSED = "refused"
    HELD = "held"
    OBSERVED = "observed"


@dataclass(frozen=True, slots=True)
class DecisionRecord:
    """One decision on one pool.

    Attributes:
        id: Given by the store; 0 before it is stored.
        at: When it was decided.
        pool: The pool; empty for the whole fleet.
        action: "grow", "shrink", "hold" or "unmet"; for what is emptied "drain", "preempt",
            "evict", "reopen" or "withdraw"; "interruption", "notice", "resume".
        from_nodes: The size before; None where the action changes none.
        to_nodes: The size wanted; None likewise.
        reason: Why, for people.
        per_hour: What it changes in the bill, as text with its currency; empty where unknown.
        outcome: What became of it.
        detail: What the cloud said; empty where nothing.
    """

    at: datetime
    pool: str
    action: str
    reason: str
    from_nodes: int | None = None
    to_nodes: int | None = None
    per_hour: str = ""
    outcome: Outcome = Outcome.INTENDED
    detail: str = ""
    id: int = 0


@dataclass(frozen=True, slots=True)
class NodeRecord:
    """What is remembered of a node between two ticks: since when it is in its phase."""

    id: str
    pool: str
    phase: str
    since: datetime
    offering: str = ""


@dataclass(frozen=True, slots=True)
class RefusalRecord:
    """The last refusals of an offering in a row."""

    offering: str
    kind: str
    at: datetime
    attempts: int


@dataclass(frozen=True, slots=True)
class SourceRecord:
    """How a source answered at the last tick."""

    name: str
    received_at: datetime | None
    fault: str
    items: int


@dataclass(frozen=True, slots=True)
class OverrideRecord:
    """A person's word on one pool: paused, or pinned to a size (`nodes`), until it lapses."""

    pool: str
    owner: str
    until: datetime
    nodes: int | None = None


@dataclass(frozen=True, slots=True)
class StoppedRun:
    """A Polyaxon run ("owner/project/uuid") that the controller stopped, and is to resume."""

    run: str
    pool: str
    at: datetime


@dataclass(frozen=True, slots=True)
class TickRecord:
    """One finished tick: when, under which lease, what the fleet cost, and the pools' ids."""

    at: datetime
    token: int
    holder: str
    per_hour: str
    pools: str
    waiting: int


class LeaseLost(RuntimeError):
    """Another controller leads now: nothing may be written or applied any more."""
