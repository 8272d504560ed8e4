"""Replicas of an endpoint over time: what a policy costs and which requests it serves in time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Protocol

from tidegate.scaling.forecast import ForecastHabit, forecast_rate
from tidegate.scaling.serving import decide_replicas
from tidegate.simulation.serving_bound import ReplicaTerms
from tidegate.simulation.setup import START
from tidegate.vocabulary.serving import ServingSignals, ServingTarget

TICK_SECONDS = 60


class ServingPolicy(Protocol):
    """Says how many replicas there should be."""

    def replicas(self, seen: Sequence[float], now: int, terms: ReplicaTerms) -> int:
        """Return replicas, those in flight included.

        Args:
            seen: The rate of each tick so far, the latest last.
            now: Replicas now, those in flight included.
            terms: How a replica behaves.
        """


@dataclass(frozen=True, slots=True)
class ServingResult:
    """Replica-ticks paid, share of requests served in time, and replicas paid by tick."""

    cost: float
    served_share: float
    levels: tuple[int, ...]


def run_serving(
    rates: Sequence[float], terms: ReplicaTerms, policy: ServingPolicy
) -> ServingResult:
    """Return what a policy made of a trace.

    Replicas serve up to their rate; requests beyond that within a tick miss their promise, since
    no queue would clear in time. A tick's rate is known when it is over. What is ordered serves
    after the boot and is paid from the order; of what goes, the latest orders go first. The first
    tick begins with the replicas that it needs.
    """
    ready = max(-(-int(rates[0] * 1000) // int(terms.rate * 1000)), 0) if rates else 0
    in_flight: list[tuple[int, int]] = []
    served = cost = 0.0
    levels = []
    for tick, rate in enumerate(rates):
        ready += sum(count for due, count in in_flight if due <= tick)
        in_flight = [entry for entry in in_flight if entry[0] > tick]
        there = ready + sum(count for _, count in in_flight)
        served += min(rate, ready * terms.rate)
        cost += there
        levels.append(there)
        wanted = policy.replicas(rates[: tick + 1], there, terms)
        if wanted > there:
            in_flight.append((tick + 1 + terms.boot_ticks, wanted - there))
        elif wanted < there:
            gone = there - wanted
            while gone and in_flight:
                due, count = in_flight.pop()
                in_flight += [(due, count - gone)] if count > gone else []
                gone = max(gone - count, 0)
            ready -= gone
    total = sum(rates)
    return ServingResult(cost, served / total if total else 1.0, tuple(levels))


@dataclass(slots=True)
class TidegateServing:
    """The same `decide_replicas` that a decision calls, with its forecast.

    Attributes:
        quantile: Of past forecasts that the margin covers.
        trend: Share of the last change that goes on.
        cooldown_seconds: No shrinking this long after growth.
        utilization: Share of a replica that may be busy.
        stabilization: Steps whose greatest rate is prepared for again.
    """

    quantile: float = 0.8
    trend: float = 0.5
    cooldown_seconds: int = 300
    utilization: Decimal = Decimal(1)
    stabilization: int = 0
    grown: int | None = None

    def replicas(self, seen: Sequence[float], now: int, terms: ReplicaTerms) -> int:
        """Return what `decide_replicas` says."""
        tick = len(seen)
        lead = terms.boot_ticks + 1
        window = seen[-1440 - 2 * lead :]
        habit = ForecastHabit(lead, self.trend, self.quantile, stabilization=self.stabilization)
        expected = forecast_rate(window, habit)
        grown = None if self.grown is None else _at(self.grown)
        target = ServingTarget(
            min_replicas=0,
            max_replicas=10**6,
            service_seconds=Decimal(1) / Decimal(terms.rate),
            utilization=self.utilization,
            cooldown_seconds=self.cooldown_seconds,
            # Idling for as long as a boot costs what the boot does.
            idle_seconds=terms.boot_ticks * TICK_SECONDS,
        )
        last = next((i for i in range(len(seen) - 1, -1, -1) if seen[i] > 0), None)
        signals = ServingSignals(
            replicas=now,
            request_rate=Decimal(seen[-1]),
            expected_rate=Decimal(expected),
            grown_at=grown,
            last_request_at=None if last is None else _at(last),
        )
        wanted = decide_replicas(target, signals, _at(tick)).replicas
        if wanted > now:
            self.grown = tick
        return wanted


@dataclass(slots=True)
class HorizontalPodAutoscaler:
    """KEDA with the Kubernetes autoscaler: rate over a target; on the way down the window's most.

    Attributes:
        target: Share of a replica's rate that a replica should have.
        window_ticks: Ticks over which the largest wish holds (300 s by default).
    """

    target: float = 0.7
    window_ticks: int = 5
    wishes: list[int] = field(default_factory=list)

    def replicas(self, seen: Sequence[float], now: int, terms: ReplicaTerms) -> int:
        """Return the largest wish of the window when shrinking, today's when growing."""
        wish = -(-int(seen[-1] * 1000) // max(int(terms.rate * self.target * 1000), 1))
        # Within a tenth of the target nothing changes.
        if now and abs(seen[-1] / (now * terms.rate * self.target) - 1) <= 0.1:
            wish = now
        self.wishes.append(wish)
        # At most double, or four more, in fifteen seconds: within a minute no bound that matters.
        return wish if wish > now else min(max(self.wishes[-self.window_ticks :]), now)


@dataclass(frozen=True, slots=True)
class Knative:
    """The mean of a window over a target, at most halving at once.

    Attributes:
        target: Share of a replica's rate that a replica should have (70 % by default).
        window_ticks: The stable window (60 s by default).
    """

    target: float = 0.7
    window_ticks: int = 1

    def replicas(self, seen: Sequence[float], now: int, terms: ReplicaTerms) -> int:
        """Return the wish, bounded on the way down."""
        window = seen[-self.window_ticks :]
        mean = sum(window) / len(window)
        wish = -(-int(mean * 1000) // max(int(terms.rate * self.target * 1000), 1))
        return max(wish, now // 2)


@dataclass(frozen=True, slots=True)
class FixedReplicas:
    """As many replicas as a share of the ticks of a first look would have needed."""

    count: int

    def replicas(self, seen: Sequence[float], now: int, terms: ReplicaTerms) -> int:
        """Return always the same."""
        return self.count


def _at(tick: int) -> datetime:
    return START + timedelta(seconds=tick * TICK_SECONDS)
