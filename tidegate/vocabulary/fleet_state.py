"""What clouds and clusters tell of pools, machines and nodes, and how a cloud refuses."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class MachinePhase(StrEnum):
    """What a cloud says of one machine. A stopped one is no capacity, and is paid for in part."""

    STARTING = "starting"
    RUNNING = "running"
    LEAVING = "leaving"
    STOPPED = "stopped"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Machine:
    """One machine of a pool.

    Attributes:
        id: What the cloud's API calls it when it is to be deleted.
        phase: What the cloud says of it.
        zone: Where it stands; empty where not told.
        instance_type: What it is; empty where not told.
    """

    id: str
    phase: MachinePhase
    zone: str = ""
    instance_type: str = ""


class RefusalKind(StrEnum):
    """How a cloud refuses; the same words on every cloud."""

    STOCK_OUT = "stock-out"
    QUOTA = "quota"
    THROTTLED = "throttled"
    DENIED = "denied"
    NOT_FOUND = "not-found"
    CONFLICT = "conflict"
    INVALID = "invalid"
    TRANSIENT = "transient"


class CloudRefused(RuntimeError):
    """A cloud did not do what was asked, or did not say that it did.

    Attributes:
        kind: How it refused. After TRANSIENT the change may have been made all the same.
    """

    def __init__(self, kind: RefusalKind, message: str) -> None:
        self.kind = kind
        super().__init__(f"{kind.value}: {message}")


@dataclass(frozen=True, slots=True)
class Shortfall:
    """Why a pool did not reach the size that its cloud accepted."""

    kind: RefusalKind
    message: str


@dataclass(frozen=True, slots=True)
class PoolState:
    """A pool as its cloud shows it now.

    Attributes:
        pool: The pool's id.
        target_nodes: The size that its cloud works towards.
        machines: Its machines; None where the cloud does not list them for such a pool.
        shortfall: Why it lacks machines; None where it does not, or where no reason is told.
    """

    pool: str
    target_nodes: int
    machines: tuple[Machine, ...] | None = None
    shortfall: Shortfall | None = None


@dataclass(frozen=True, slots=True)
class RunningPod:
    """A pod on a node, from the moment that it is bound to it (setup is work) to its end."""

    item: str
    accelerators: int = 0
    vcpus_milli: int = 0
    memory_mib: int = 0
    priority: int = 0
    daemonset: bool = False
    checkpoint_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class ClusterNode:
    """A node as its cluster shows it.

    Attributes:
        name: What the cluster calls it.
        pool: The id of its pool; empty where its label is missing.
        ready: Whether its kubelet says so.
        closed: Whether nothing new is scheduled on it.
        closed_by_us: Whether the controller closed it, to delete it.
        accelerators: How many it reports; None before its device plugin answers.
        provider_id: How its cloud names the machine behind it.
        running: Its pods.
    """

    name: str
    pool: str
    ready: bool
    closed: bool = False
    closed_by_us: bool = False
    accelerators: int | None = None
    provider_id: str = ""
    running: tuple[RunningPod, ...] = ()
