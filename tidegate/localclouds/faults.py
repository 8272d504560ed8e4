"""Faults on command: the local clouds fail as real clouds do, when they are told to.

Faults live in the store's file, so that they survive a restart and can be added while nothing
runs. A fault is matched against what is about to be done, and is used up by its count.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from fnmatch import fnmatchcase
from typing import Any

from tidegate.localclouds.refusals import CloudError
from tidegate.localclouds.store import Store
from tidegate.vocabulary.problems import refuse

SCHEMA = "CREATE TABLE IF NOT EXISTS faults (id INTEGER PRIMARY KEY, fault TEXT NOT NULL)"
CLOUDS = ("aws", "gcp", "azure-native", "kubernetes")


class FaultKind(StrEnum):
    """What goes wrong."""

    STOCK_OUT = "stock-out"
    QUOTA = "quota"
    THROTTLING = "throttling"
    INTERRUPTION = "interruption"
    LATENCY = "latency"


# What each cloud says: code, message, HTTP status.
WORDS: dict[tuple[str, FaultKind], tuple[str, str, int]] = {
    ("aws", FaultKind.STOCK_OUT): (
        "InsufficientInstanceCapacity",
        "We currently do not have sufficient capacity in the Availability Zone you requested.",
        500,
    ),
    ("aws", FaultKind.QUOTA): (
        "VcpuLimitExceeded",
        "You have requested more vCPU capacity than your current vCPU limit allows.",
        400,
    ),
    ("aws", FaultKind.THROTTLING): ("Throttling", "Rate exceeded", 400),
    ("aws", FaultKind.INTERRUPTION): (
        "SpotInstanceInterruption",
        "The Spot Instance was interrupted.",
        400,
    ),
    ("gcp", FaultKind.STOCK_OUT): (
        "ZONE_RESOURCE_POOL_EXHAUSTED",
        "The zone does not have enough resources available to fulfill the request.",
        503,
    ),
    ("gcp", FaultKind.QUOTA): ("QUOTA_EXCEEDED", "Quota 'GPUS_ALL_REGIONS' exceeded.", 403),
    ("gcp", FaultKind.THROTTLING): ("RESOURCE_EXHAUSTED", "Rate limit exceeded.", 429),
    ("gcp", FaultKind.INTERRUPTION): ("PREEMPTED", "The instance was preempted.", 409),
    ("azure-native", FaultKind.STOCK_OUT): (
        "AllocationFailed",
        "Allocation failed: not enough capacity for the requested VM size in this region.",
        409,
    ),
    ("azure-native", FaultKind.QUOTA): (
        "OperationNotAllowed",
        "Operation could not be completed as it results in exceeding approved cores quota.",
        409,
    ),
    ("azure-native", FaultKind.THROTTLING): ("TooManyRequests", "Too many requests.", 429),
    ("azure-native", FaultKind.INTERRUPTION): ("Preempted", "The spot VM was evicted.", 409),
    # An API server has no stock and no spot machines: these two only make it unavailable.
    ("kubernetes", FaultKind.STOCK_OUT): (
        "ServiceUnavailable",
        "the server is currently unable to handle the request",
        503,
    ),
    ("kubernetes", FaultKind.QUOTA): ("Forbidden", "exceeded quota", 403),
    ("kubernetes", FaultKind.THROTTLING): (
        "TooManyRequests",
        "the server has received too many requests and has asked us to try again later",
        429,
    ),
    ("kubernetes", FaultKind.INTERRUPTION): (
        "ServiceUnavailable",
        "the server is currently unable to handle the request",
        503,
    ),
}


@dataclass(frozen=True, slots=True)
class Fault:
    """One instruction to fail.

    Attributes:
        kind: What goes wrong.
        cloud: "aws", "gcp", "azure-native", "kubernetes" or "*".
        target: A glob over what is done: a Pulumi type token ("aws:eks/nodeGroup:NodeGroup",
            "*NodePool"), or an action of the cloud's API ("eks:CreateNodegroup").
        count: How many times yet; None for always.
        seconds: For latency: how long each matching call waits.
        id: Given by `Faults.add`.
    """

    kind: FaultKind
    cloud: str = "*"
    target: str = "*"
    count: int | None = 1
    seconds: float = 0.0
    id: int = 0


class Faults:
    """The faults that are in force."""

    def __init__(self, store: Store) -> None:
        self._store = store
        with store.transaction() as connection:
            connection.execute(SCHEMA)
        self._in_force = self._load()

    def _load(self) -> Sequence[Fault]:
        with self._store.transaction() as connection:
            rows = connection.execute("SELECT id, fault FROM faults ORDER BY id").fetchall()
        return [build_fault({**json.loads(fault), "id": key}) for key, fault in rows]

    def add(self, fault: Fault) -> Fault:
        """Put a fault in force.

        Raises:
            InvalidInput: For an unknown cloud, a count below 1, or a latency without seconds.
        """
        if fault.cloud not in (*CLOUDS, "*"):
            raise refuse("fault", "cloud", fault.cloud, "unknown", ", ".join((*CLOUDS, "*")))
        if fault.count is not None and fault.count < 1:
            raise refuse("fault", "count", fault.count, "a fault happens at least once", ">= 1")
        if fault.kind is FaultKind.LATENCY and fault.seconds <= 0:
            raise refuse("fault", "seconds", fault.seconds, "latency needs a time", "> 0")
        body = {key: value for key, value in asdict(fault).items() if key != "id"}
        with self._store.transaction() as connection:
            cursor = connection.execute(
                "INSERT INTO faults (fault) VALUES (?)", (json.dumps(body),)
            )
        self._in_force = self._load()
        return build_fault({**body, "id": cursor.lastrowid})

    def list(self) -> Sequence[Fault]:
        """Return the faults in force, oldest first."""
        return list(self._in_force)

    def clear(self) -> int:
        """Lift all faults; return how many there were."""
        with self._store.transaction() as connection:
            cleared = connection.execute("DELETE FROM faults").rowcount
        self._in_force = self._load()
        return cleared

    def take(
        self, cloud: str, target: str, spared: Collection[FaultKind] = frozenset()
    ) -> Sequence[Fault]:
        """Return the faults that hit this call, each used once; spared kinds stay in force."""
        hits = [
            fault
            for fault in self.list()
            if fault.cloud in (cloud, "*")
            and fnmatchcase(target, fault.target)
            and fault.kind not in spared
        ]
        for fault in hits:
            self._use(fault)
        if hits:
            self._in_force = self._load()
        return hits

    def _use(self, fault: Fault) -> None:
        if fault.count is None:
            return
        with self._store.transaction() as connection:
            if fault.count == 1:
                connection.execute("DELETE FROM faults WHERE id = ?", (fault.id,))
                return
            body = {key: value for key, value in asdict(fault).items() if key != "id"}
            body["count"] = fault.count - 1
            connection.execute(
                "UPDATE faults SET fault = ? WHERE id = ?", (json.dumps(body), fault.id)
            )


def build_fault(body: dict[str, Any]) -> Fault:
    """Build a fault from its JSON form."""
    return Fault(**{**body, "kind": FaultKind(body["kind"])})


def judge(faults: Sequence[Fault], cloud: str) -> tuple[float, CloudError | None]:
    """Return how long to wait, and the error to raise after it, for the faults of one call."""
    wait = sum(fault.seconds for fault in faults if fault.kind is FaultKind.LATENCY)
    for fault in faults:
        if fault.kind is not FaultKind.LATENCY:
            return wait, CloudError(*WORDS[cloud, fault.kind])
    return wait, None
