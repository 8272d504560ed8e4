"""The controller's figures, by Prometheus' names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

if TYPE_CHECKING:
    from tidegate.controller.turn import Tick

TICK_BUCKETS = (0.1, 0.25, 0.5, 1, 2, 5, 10, 30, 60)


class ControllerMetrics:
    """One set of figures; every controller has its own registry."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        own = self.registry
        self._leads = Gauge("tidegate_leads", "1 while this controller leads.", registry=own)
        self._last = Gauge(
            "tidegate_last_tick_timestamp_seconds", "When the last tick was complete.", registry=own
        )
        self._seconds = Histogram(
            "tidegate_tick_seconds", "What a tick takes.", buckets=TICK_BUCKETS, registry=own
        )
        self._failures = Counter(
            "tidegate_tick_failures", "Ticks that were not completed.", ["kind"], registry=own
        )
        self._nodes = Gauge(
            "tidegate_pool_nodes", "Nodes of a pool, by phase.", ["pool", "phase"], registry=own
        )
        self._target = Gauge(
            "tidegate_pool_target_nodes",
            "The size that its cloud works towards.",
            ["pool"],
            registry=own,
        )
        self._readable = Gauge(
            "tidegate_pool_readable",
            "1 when its cloud answered at the last tick.",
            ["pool"],
            registry=own,
        )
        self._waiting = Gauge(
            "tidegate_waiting_items", "Work that waits.", ["source"], registry=own
        )
        self._unmet = Gauge(
            "tidegate_unmet_items", "Work that nothing can serve now.", registry=own
        )
        self._sound = Gauge(
            "tidegate_source_sound", "1 when a source is trusted; 0 holds shrinking.", ["source"],
            registry=own,
        )  # fmt: skip
        self._received = Gauge(
            "tidegate_source_received_timestamp_seconds", "When a source last answered.",
            ["source"], registry=own,
        )  # fmt: skip
        self._decisions = Counter(
            "tidegate_decisions",
            "Orders, by what became of them.",
            ["action", "outcome"],
            registry=own,
        )
        self._refusals = Counter(
            "tidegate_refusals", "Refusals of clouds, by kind.", ["pool", "kind"], registry=own
        )
        self._held = Gauge("tidegate_held_decisions", "What the last plan held.", registry=own)
        self._cost = Gauge(
            "tidegate_fleet_cost_per_hour", "What the fleet costs an hour, as far as prices are "
            "known.", ["currency"], registry=own,
        )  # fmt: skip

    def note_lead(self, *, leads: bool) -> None:
        """Say whether this controller leads."""
        self._leads.set(int(leads))

    def note_failure(self, kind: str) -> None:
        """Count a tick that was not completed."""
        self._failures.labels(kind).inc()

    def note_tick(self, tick: Tick, seconds: float) -> None:
        """Take the figures of a finished tick; what is gone from the stack is gone here."""
        seen, plan = tick.decision.observation, tick.decision.plan
        self._seconds.observe(seconds)
        self._last.set(seen.at.timestamp())
        for gauge in (self._nodes, self._target, self._readable, self._waiting, self._sound):
            gauge.clear()
        for sight in seen.sights:
            self._readable.labels(sight.pool.id).set(int(sight.state is not None))
            if sight.state is not None:
                self._target.labels(sight.pool.id).set(sight.state.target_nodes)
        for node in seen.fleet.nodes:
            self._nodes.labels(node.pool, node.phase.value).inc()
        faults = {source.name: source.fault for source in seen.demand.sources}
        for ear in seen.heard:
            self._waiting.labels(ear.name).set(len(ear.report.items) if ear.report else 0)
            self._sound.labels(ear.name).set(int(not faults[ear.name] and ear.report is not None))
            if ear.received_at is not None:
                self._received.labels(ear.name).set(ear.received_at.timestamp())
        self._unmet.set(sum(len(unmet.items) for unmet in plan.unmet))
        self._held.set(len(plan.holds))
        self._cost.labels(plan.per_hour.currency).set(float(plan.per_hour.amount))
        for done in tick.done:
            self._decisions.labels(done.order.record.action, done.outcome.value).inc()
            if done.kind is not None:
                self._refusals.labels(done.order.pool, done.kind.value).inc()

    def render(self) -> bytes:
        """Return all figures in Prometheus' text form."""
        return generate_latest(self.registry)
