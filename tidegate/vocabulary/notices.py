"""What clouds announce of machines that they take away, and what is remembered of it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class NoticeKind(StrEnum):
    """What is announced.

    Only an interruption counts when it is judged how often an offering is interrupted: what is
    recommended need not happen, and an end may have been asked for.
    """

    INTERRUPTION = "interruption"
    REBALANCE = "rebalance"
    MAINTENANCE = "maintenance"
    ENDED = "ended"
    DRILL = "drill"


@dataclass(frozen=True, slots=True)
class Notice:
    """One announcement.

    Attributes:
        id: The event's own id: the same one when it is delivered twice.
        cloud: Whose machine; as `Cloud` spells it.
        machine: What its cloud calls the machine, as the event has it.
        kind: What is announced.
        at: When, by the cloud's clock.
        ends_at: When the machine goes; None where nobody says.
        text: For people.
    """

    id: str
    cloud: str
    machine: str
    kind: NoticeKind
    at: datetime
    ends_at: datetime | None = None
    text: str = ""


@dataclass(frozen=True, slots=True)
class NoticeReport:
    """One answer of one source of notices.

    Attributes:
        notices: What was announced.
        refused: Messages that are no announcement, each told in a line.
        receipts: What names the messages, to delete them once they are remembered.
    """

    notices: tuple[Notice, ...] = ()
    refused: tuple[str, ...] = ()
    receipts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class NoticeRecord:
    """A notice as it is remembered.

    Attributes:
        notice: What was announced.
        source: Who told it.
        received_at: When it came in.
        pool: The pool whose machine it is; empty while that is not known.
        node: The node, or the machine outside of clusters.
        offering: What the node was; empty where that is not known.
        items: Pieces of work that were told to end because of it.
        rework_seconds: What those repeat, as far as they said when they began or saved themselves.
        accelerator_seconds: The same, times their accelerators.
    """

    notice: Notice
    source: str
    received_at: datetime
    pool: str = ""
    node: str = ""
    offering: str = ""
    items: int = 0
    rework_seconds: int = 0
    accelerator_seconds: int = 0


@dataclass(frozen=True, slots=True)
class RiskRecord:
    """How an offering fared: how long its nodes ran, and how often one was taken away."""

    offering: str
    node_seconds: int
    interruptions: int
