"""What is remembered of a pool's work: when it came, how long nodes waited for it, how patient."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Arrival:
    """What came to a pool within one minute.

    Attributes:
        at: The minute's start, in seconds since 1970.
        accelerators: How many it takes, together.
        wait_target: The shortest of its wait targets, in seconds; None where none is stated.
    """

    at: int
    accelerators: int
    wait_target: int | None = None


@dataclass(frozen=True, slots=True)
class PoolHistory:
    """One pool. Times are seconds since 1970.

    Attributes:
        pool: The pool's id.
        looked_at: Until when what happened is known.
        gaps: Seconds from the end of a node's work to the next work, the latest last.
        arrivals: By their minute, the latest last.
        idle: Node → when its work ended, of nodes that wait for the next.
        let_go: When work ended on nodes that went before the next came, the latest last.
        busy: Nodes at work.
        counted: Marks of the work that runs and is counted already.
    """

    pool: str
    looked_at: datetime
    gaps: tuple[int, ...] = ()
    arrivals: tuple[Arrival, ...] = ()
    idle: Mapping[str, int] = field(default_factory=dict)
    let_go: tuple[int, ...] = ()
    busy: frozenset[str] = frozenset()
    counted: frozenset[str] = frozenset()
