"""A scaling plan: decisions as data, each with its reason and its cost an hour."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from enum import StrEnum

from tidegate.vocabulary.money import Money


class CauseKind(StrEnum):
    """Why capacity could not serve an item."""

    INVALID = "invalid"
    ACCELERATOR = "accelerator"
    SHAPE_UNKNOWN = "shape-unknown"
    TOO_LARGE = "too-large"
    CPU_ON_ACCELERATOR = "cpu-on-accelerator"
    WORKLOAD_CLASS = "workload-class"
    RESIDENCY = "residency"
    POOL = "pool"
    SOFTWARE = "software"
    TAINT = "taint"
    ISOLATION = "isolation"
    SERVICE_LEVEL = "service-level"
    LATENCY = "latency"
    DATA_GRAVITY = "data-gravity"
    INTERRUPTION = "interruption"
    DEADLINE = "deadline"
    PRICE_UNKNOWN = "price-unknown"
    STOCK_OUT = "stock-out"
    QUOTA = "quota"
    BUDGET = "budget"
    MAXIMUM = "maximum"
    PAUSED = "paused"
    SCALER = "scaler"
    COMMITMENT = "commitment"
    GANG = "gang"
    HELD = "held"


@dataclass(frozen=True, slots=True, order=True)
class Cause:
    """One reason why one pool or offering was not taken; `where` is empty for the item itself."""

    kind: CauseKind
    where: str
    text: str


@dataclass(frozen=True, slots=True)
class Placement:
    """A worker's seat: on a node, or on the n-th new node of an offering (`offering#n`)."""

    item: str
    worker: int
    seat: str


@dataclass(frozen=True, slots=True)
class Addition:
    """New nodes of one offering, and where to turn when its cloud refuses.

    Attributes:
        offering: What to order.
        nodes: How many.
        per_hour: What they add to the bill; None where the price is unknown.
        fallbacks: Offerings to try instead, in order, that the same constraints allow.
    """

    offering: str
    nodes: int
    per_hour: Money | None
    fallbacks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Resize:
    """A pool's new size: its nodes now, less `Stop`s, plus additions."""

    pool: str
    from_nodes: int
    to_nodes: int
    additions: tuple[Addition, ...]
    reason: str
    per_hour: Money | None


@dataclass(frozen=True, slots=True)
class Drain:
    """A node to cordon and empty; its work is saved first.

    Attributes:
        node: The node.
        pool: Its pool.
        reason: Why.
        per_hour: What the node costs; None where unknown.
        work: Items to checkpoint and requeue.
        rework_seconds: Work that is repeated at worst, over all items.
    """

    node: str
    pool: str
    reason: str
    per_hour: Money | None
    work: tuple[str, ...] = ()
    rework_seconds: int = 0


@dataclass(frozen=True, slots=True)
class Preemption:
    """Running work, or work with a seat, that gives way to a higher priority.

    Attributes:
        item: What gives way; all its workers do.
        nodes: Where it runs or was to run.
        preemptor: The item that gets the seats, which stay reserved for it.
        reason: Why.
        rework_seconds: Work since its last checkpoint and its restart; 0 when it never started.
    """

    item: str
    nodes: tuple[str, ...]
    preemptor: str
    reason: str
    rework_seconds: int


@dataclass(frozen=True, slots=True)
class Stop:
    """A node without work, to be deleted; `saving_per_hour` is 0 where a commitment pays on."""

    node: str
    pool: str
    reason: str
    saving_per_hour: Money | None


class HoldCause(StrEnum):
    """What holds: a person's word (paused, pinned), a pool that is not read, or a rule."""

    PAUSED = "paused"
    PINNED = "pinned"
    UNREAD = "unread"
    RULE = "rule"


@dataclass(frozen=True, slots=True)
class Hold:
    """Something that was deliberately not done; an empty pool means the whole fleet."""

    pool: str
    reason: str
    until: datetime | None = None
    cause: HoldCause = HoldCause.RULE


@dataclass(frozen=True, slots=True)
class Kept:
    """Idle nodes of a pool that stay, and why."""

    pool: str
    nodes: tuple[str, ...]
    reason: str


@dataclass(frozen=True, slots=True)
class ReplicaPlan:
    """How many replicas an endpoint should have, those in flight included, and why."""

    endpoint: str
    from_replicas: int
    to_replicas: int
    reason: str


@dataclass(frozen=True, slots=True)
class Unmet:
    """Items of one shape that got nothing, in their order, and every cause."""

    items: tuple[str, ...]
    workers: int
    causes: tuple[Cause, ...]


@dataclass(frozen=True, slots=True)
class Method:
    """How the plan was found.

    Attributes:
        name: "exact" or "heuristic".
        gap: (cost − bound) ÷ cost of the new nodes; None where no bound was computed.
        note: Why this method.
    """

    name: str
    gap: Decimal | None
    note: str


@dataclass(frozen=True, slots=True)
class ScalingPlan:
    """What to do now; equal input gives an equal plan.

    Attributes:
        resizes: By pool id.
        drains: By node id.
        stops: By node id.
        preemptions: Work that gives way, in the order of who takes its seats.
        holds: What is deliberately left alone, and why.
        placements: Which seat each served item is meant for.
        unmet: What got nothing, and why.
        per_hour: What the fleet costs once all is done, of what has a known price.
        unpriced: Offerings in use or ordered whose price is unknown; they are not in `per_hour`.
        assumed: True when a price in `per_hour` is an average or a ratio.
        method: How it was found.
        replicas: Of each endpoint, by id.
        kept: Idle nodes that stay for what may come; what a commitment pays for is in `holds`.
    """

    resizes: tuple[Resize, ...]
    drains: tuple[Drain, ...]
    stops: tuple[Stop, ...]
    preemptions: tuple[Preemption, ...]
    holds: tuple[Hold, ...]
    placements: tuple[Placement, ...]
    unmet: tuple[Unmet, ...]
    per_hour: Money
    unpriced: tuple[str, ...]
    assumed: bool
    method: Method
    replicas: tuple[ReplicaPlan, ...] = ()
    kept: tuple[Kept, ...] = ()
