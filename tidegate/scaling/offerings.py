"""What can be ordered: offerings with price, risk and quota, and how their clouds answered."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from enum import StrEnum

from tidegate.vocabulary.capacity import CapacityType


class FailureKind(StrEnum):
    """How a cloud refused an order."""

    STOCK_OUT = "stock-out"
    QUOTA = "quota"
    TRANSIENT = "transient"


@dataclass(frozen=True, slots=True)
class OfferingFailure:
    """The last refusals of an offering in a row."""

    offering: str
    kind: FailureKind
    at: datetime
    attempts: int = 1


@dataclass(frozen=True, slots=True)
class NodeRoom:
    """What a node of an offering has, as declared; None where no source states it."""

    accelerator: str
    accelerators: int
    vcpus_milli: int | None
    memory_mib: int | None


@dataclass(frozen=True, slots=True)
class Offering:
    """One way to get one node of a pool.

    Attributes:
        id: Unique over all pools ("train-h100/p5.48xlarge/us-east-1a").
        pool: The pool that it fills.
        instance_type: The machine.
        zone: Where; empty where its cloud chooses.
        capacity_type: How it is bought.
        room: What a node has.
        per_hour: The contracted price beyond any commitment; None where unknown.
        boot_seconds: From the order until work starts.
        interruptions_per_hour: How often a spot node is taken; None where unknown.
        quota: The id of the quota that it counts against; empty where none is known.
        quota_units: What one node takes of it.
        commitment: The id of the commitment that pays first; empty without one.
        commitment_weight: What one node uses up of it.
        assumed: True when the price is an average or a ratio.
        base_nodes: Of a spot pool: its first nodes, which its cloud buys on demand.
        base_per_hour: What those cost; None where unknown.
    """

    id: str
    pool: str
    instance_type: str
    capacity_type: CapacityType
    room: NodeRoom
    per_hour: Decimal | None
    boot_seconds: int
    zone: str = ""
    interruptions_per_hour: Decimal | None = None
    quota: str = ""
    quota_units: int = 1
    commitment: str = ""
    commitment_weight: Decimal = Decimal(1)
    assumed: bool = False
    base_nodes: int = 0
    base_per_hour: Decimal | None = None

    def price_of(self, position: int) -> Decimal | None:
        """Return the price of the n-th node of the pool, counted from 0."""
        return self.base_per_hour if position < self.base_nodes else self.per_hour


@dataclass(frozen=True, slots=True)
class CommittedCapacity:
    """What is paid for anyway.

    Attributes:
        id: The commitment.
        capacity: Nodes, accelerators or an amount an hour, as its offerings' weights count.
        ends: When it ends; None where it does not.
        evicts: True when its nodes are taken away at the end (a capacity block).
    """

    id: str
    capacity: Decimal
    ends: datetime | None = None
    evicts: bool = False


@dataclass(frozen=True, slots=True)
class TransferLane:
    """What moving data between two regions costs and how fast it goes."""

    per_gb: Decimal
    gb_per_second: Decimal


@dataclass(frozen=True, slots=True)
class SpotHistory:
    """Whether spot could be had, or was held, tick by tick; the latest last."""

    tick_seconds: int
    seen: tuple[bool, ...]


@dataclass(frozen=True, slots=True)
class Offerings:
    """Everything that can be ordered and what limits it.

    Attributes:
        offerings: In any order.
        currency: Of every amount in it.
        quotas: Quota id → the limit in its units; an offering whose quota is not here has none.
        quota_used_elsewhere: Quota id → units used by what is not in the fleet.
        commitments: What is paid for anyway.
        failures: The last refusals.
        lanes: (from, to), each "cloud/region" → the transfer between them.
        latency_ms: (from region, to region) → round trip.
        spot_history: Offering id → what was seen of it, where anything was.
    """

    offerings: tuple[Offering, ...]
    currency: str = "USD"
    quotas: Mapping[str, int] = field(default_factory=dict)
    quota_used_elsewhere: Mapping[str, int] = field(default_factory=dict)
    commitments: tuple[CommittedCapacity, ...] = ()
    failures: tuple[OfferingFailure, ...] = ()
    lanes: Mapping[tuple[str, str], TransferLane] = field(default_factory=dict)
    latency_ms: Mapping[tuple[str, str], int] = field(default_factory=dict)
    spot_history: Mapping[str, SpotHistory] = field(default_factory=dict)
