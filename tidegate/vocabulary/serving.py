"""Serving: what an endpoint promises, what was measured of it, and what a replica needs."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from tidegate.vocabulary.demand import WorkShape


@dataclass(frozen=True, slots=True)
class ServingTarget:
    """What an endpoint promises and how its replicas behave.

    Attributes:
        min_replicas: Never fewer; 0 allows to sleep.
        max_replicas: Never more.
        concurrency: Requests that one replica serves at once.
        service_seconds: How long one takes in a replica that is not overloaded; None: unknown.
        utilization: Share of a replica that may be busy, above 0 and at most 1.
        latency_seconds: What the service level allows; None where it states nothing.
        queue_seconds: Within which a backlog is worked off.
        committed_replicas: Replicas whose nodes are paid for anyway; they stay.
        cold_start_seconds: From an order until a replica serves.
        idle_seconds: Without a request for this long, an endpoint at minimum 0 sleeps.
        cooldown_seconds: No shrinking this long after the last growth.
        growth: Largest factor by which replicas grow at once, above 1.
        shrink: Largest factor by which they shrink at once, above 1.
    """

    min_replicas: int
    max_replicas: int
    concurrency: int = 1
    service_seconds: Decimal | None = None
    utilization: Decimal = Decimal("0.7")
    latency_seconds: Decimal | None = None
    queue_seconds: int = 60
    committed_replicas: int = 0
    cold_start_seconds: int = 300
    idle_seconds: int = 600
    cooldown_seconds: int = 300
    growth: Decimal = Decimal(2)
    shrink: Decimal = Decimal(2)


@dataclass(frozen=True, slots=True)
class ServingSignals:
    """What was measured; None is unknown and never 0.

    Attributes:
        replicas: Replicas now, those in flight included.
        request_rate: Requests a second.
        expected_rate: Requests a second expected when an order of now will serve.
        in_flight: Requests in service now, over all replicas.
        queue_depth: Requests that wait.
        latency_seconds: As observed at the quantile of the service level.
        utilization: Share of the accelerators that is busy.
        scheduled_replicas: What a schedule asks for now.
        last_request_at: When the last request came.
        grown_at: When replicas were last added.
    """

    replicas: int
    request_rate: Decimal | None = None
    expected_rate: Decimal | None = None
    in_flight: Decimal | None = None
    queue_depth: int | None = None
    latency_seconds: Decimal | None = None
    utilization: Decimal | None = None
    scheduled_replicas: int | None = None
    last_request_at: datetime | None = None
    grown_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class EndpointDemand:
    """An endpoint that asks for replicas.

    Attributes:
        id: The endpoint.
        shape: What one replica asks of a node.
        target: What it promises and how its replicas behave.
        signals: What was measured; its replicas that wait for a node are items of the demand.
    """

    id: str
    shape: WorkShape
    target: ServingTarget
    signals: ServingSignals
