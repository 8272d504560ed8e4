"""What clouds and clusters tell of pools, machines and nodes, and how a cloud refuses."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from tidegate.vocabulary.demand import WorkShape


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
    """A pod on a node, from the moment that it is bound to it (setup is work) to its end.

    Attributes:
        item: What it is a part of: itself, or the gang or run that starts and stops as a whole.
        accelerators: What it takes of the node.
        vcpus_milli: Thousandths of a virtual CPU that it takes.
        memory_mib: Memory that it takes.
        priority: Its priority.
        daemonset: True for what runs on every node.
        checkpoint_at: When it last saved itself, as it says; None when it never said so.
        name: "namespace/name".
        owner: What makes it anew when it goes ("source/namespace/kind/name"); empty without one.
        workers: Pods of the whole item, over all nodes.
        shape: What it asks of a node.
        started_at: When it began; None before.
        ready: Whether it does what it is there for.
        asked_at: When it was asked to save itself, since it is to go; None when it was not.
        resumed_from: Of when the checkpoint was that it began with, as it says.
        leaving: Whether it was told to end.
        grace_seconds: What it is given to end.
        run: The Polyaxon run that it belongs to; empty where it belongs to none.
        created_at: When it was asked for; None where that is not told.
    """

    item: str
    accelerators: int = 0
    vcpus_milli: int = 0
    memory_mib: int = 0
    priority: int = 0
    daemonset: bool = False
    checkpoint_at: datetime | None = None
    name: str = ""
    owner: str = ""
    workers: int = 1
    shape: WorkShape | None = None
    started_at: datetime | None = None
    ready: bool = False
    asked_at: datetime | None = None
    resumed_from: datetime | None = None
    leaving: bool = False
    grace_seconds: int = 30
    run: str = ""
    created_at: datetime | None = None


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
        drained_since: Since when the controller empties it; None when it does not.
        evicting: Whether work was told to go: from then on the node is emptied to the end.
    """

    name: str
    pool: str
    ready: bool
    closed: bool = False
    closed_by_us: bool = False
    accelerators: int | None = None
    provider_id: str = ""
    running: tuple[RunningPod, ...] = ()
    drained_since: datetime | None = None
    evicting: bool = False

    def work(self) -> tuple[RunningPod, ...]:
        """Return what keeps the node busy: everything but what runs on every node."""
        return tuple(pod for pod in self.running if not pod.daemonset)
