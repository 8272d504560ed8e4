"""The controller's figures, by Prometheus' names; `docs/controller.md` says what each means.

Labels hold ids of the manifest, names of sources and words of enumerations, never free text.
"""

from __future__ import annotations

from collections import Counter as Count
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

from tidegate.controller.accounting import find_weightiest
from tidegate.controller.errands import rework_seconds
from tidegate.controller.reap_records import ACTIONS
from tidegate.scaling.reaping import ReapVerdict
from tidegate.vocabulary.fleet_state import RefusalKind
from tidegate.vocabulary.notices import NoticeKind
from tidegate.vocabulary.records import Outcome

if TYPE_CHECKING:
    from tidegate.controller.errands import Errand
    from tidegate.controller.interruptions import Struck
    from tidegate.controller.observation import Observation
    from tidegate.controller.tick import Tick
    from tidegate.vocabulary.plans import ScalingPlan

TICK_BUCKETS = (0.1, 0.25, 0.5, 1, 2, 5, 10, 30, 60)
WAIT_BUCKETS = (2, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 21600)
FAILURES = ("lease-lost", "unavailable", "mistake")
GAUGES: dict[str, tuple[str, tuple[str, ...]]] = {
    "pool_nodes": ("Nodes of a pool, by phase.", ("pool", "phase")),
    "pool_target_nodes": ("The size that its cloud works towards.", ("pool",)),
    "pool_max_nodes": ("The size that a pool never passes, as declared.", ("pool",)),
    "pool_readable": ("1 when its cloud answered at the last tick.", ("pool",)),
    "pool_cost_per_hour": (
        "What a pool costs an hour, as far as prices are known.", ("pool", "currency")
    ),
    "pool_unpriced_nodes": ("Nodes whose price nobody knows; not in the cost.", ("pool",)),
    "commitment_units": ("What a commitment pays for, in its own units.", ("commitment",)),
    "commitment_idle_units": ("What is paid for and not used.", ("commitment",)),
    "waiting_items": ("Work that waits.", ("source",)),
    "unmet_items": ("Work that nothing can serve now.", ("stack",)),
    "unmet_items_by_cause": (
        "Work that nothing can serve now, under each of its causes.", ("cause",)
    ),
    "source_sound": ("1 when a source is trusted; 0 holds shrinking.", ("source",)),
    "notice_source_sound": ("1 when a source of interruption notices answers.", ("source",)),
    "source_received_timestamp_seconds": ("When a source last answered.", ("source",)),
    "use_source_sound": ("1 when a source of utilisation answers.", ("source",)),
    "idle_size": (
        "Instances, copies or replicas of what Tidegate may stop for idleness.", ("id",)
    ),
    "idle_seconds": ("How long nobody used it, by every signal; absent while unknown.", ("id",)),
    "idle_warned": ("1 while it is warned of and ends unless it is used.", ("id",)),
    "held_decisions": ("What the last plan held.", ("stack",)),
    "fleet_cost_per_hour": (("What the fleet costs an hour once all is done, as far as prices are "
                            "known."), ("currency",)),
    "hourly_ceiling": ("What the fleet may cost an hour.", ("currency",)),
}  # fmt: skip
"""What the last tick saw and decided. A controller that does not lead shows none of them."""


class ControllerMetrics:
    """One set of figures; every controller has its own registry."""

    def __init__(self) -> None:
        own = self.registry = CollectorRegistry()
        self._leads = Gauge("tidegate_leads", "1 while this controller leads.", registry=own)
        self._last = Gauge(
            "tidegate_last_tick_timestamp_seconds", "When the last tick was complete.", registry=own
        )
        self._seconds = Histogram(
            "tidegate_tick_seconds", "What a tick takes.", buckets=TICK_BUCKETS, registry=own
        )
        self._waited = Histogram(
            "tidegate_pending_to_resize_seconds",
            "From when work was queued until its cloud took the order of its node.",
            buckets=WAIT_BUCKETS,
            registry=own,
        )
        self._failures = self._counter("tick_failures", "Ticks that were not completed.", "kind")
        self._decisions = self._counter(
            "decisions", "Orders, by what became of them.", "action", "outcome"
        )
        self._refusals = self._counter("refusals", "Refusals of clouds.", "pool", "kind")
        self._interruptions = self._counter(
            "interruptions", "Nodes that their cloud took away, or a drill.", "pool", "cause"
        )
        self._rework = self._counter(
            "rework_seconds", "What work repeats that was told to end.", "pool", "cause"
        )
        self._gauges = {
            name: Gauge(f"tidegate_{name}", text, labels, registry=own)
            for name, (text, labels) in GAUGES.items()
        }
        for kind in FAILURES:
            self._failures.labels(kind)  # a series that begins with 1 shows no increase

    def note_lead(self, *, leads: bool) -> None:
        """Say whether this controller leads; what it saw when it did is old then."""
        self._leads.set(int(leads))
        if not leads:
            self._forget()

    def note_failure(self, kind: str) -> None:
        """Count a tick that was not completed."""
        self._failures.labels(kind).inc()

    def note_tick(self, tick: Tick, seconds: float, now: datetime) -> None:
        """Take the figures of a finished tick; what is gone from the stack is gone here.

        Args:
            tick: What was seen, decided and done.
            seconds: What it took.
            now: When it was finished.
        """
        seen, plan = tick.decision.observation, tick.decision.plan
        self._seconds.observe(seconds)
        self._last.set(seen.at.timestamp())
        self._forget()
        self._note_pools(tick)
        self._note_sources(tick, seen)
        self._note_plan(tick, plan)
        self._note_done(tick, now)
        self._note_idle(tick, now)

    def render(self) -> bytes:
        """Return all figures in Prometheus' text form."""
        return generate_latest(self.registry)

    def _counter(self, name: str, text: str, *labels: str) -> Counter:
        return Counter(f"tidegate_{name}", text, labels, registry=self.registry)

    def _set(self, name: str, value: float, *labels: str) -> None:
        self._gauges[name].labels(*labels).set(value)

    def _forget(self) -> None:
        for gauge in self._gauges.values():
            gauge.clear()

    def _note_pools(self, tick: Tick) -> None:
        seen, bill = tick.decision.observation, tick.decision.bill
        for sight in seen.sights:
            pool = sight.pool.id
            self._set("pool_readable", int(sight.state is not None), pool)
            self._set("pool_max_nodes", sight.pool.max_nodes, pool)
            self._refusals.labels(pool, RefusalKind.DENIED.value)
            if sight.state is not None:
                self._set("pool_target_nodes", sight.state.target_nodes, pool)
        phases = Count((node.pool, node.phase.value) for node in seen.fleet.nodes)
        for (pool, phase), count in phases.items():
            self._set("pool_nodes", count, pool, phase)
        for pool, cost in bill.pools.items():
            self._set("pool_cost_per_hour", float(cost.per_hour), pool, tick.wiring.currency)
            self._set("pool_unpriced_nodes", cost.unpriced_nodes, pool)
        for name, use in bill.commitments.items():
            self._set("commitment_units", float(use.units), name)
            self._set("commitment_idle_units", float(use.idle()), name)
        for struck in seen.struck:
            is_drill = struck.record.notice.kind is NoticeKind.DRILL
            if struck.is_new and (struck.counts or is_drill):
                cause = "drill" if is_drill else "interruption"
                self._interruptions.labels(struck.pool.id, cause).inc()

    def _note_sources(self, tick: Tick, seen: Observation) -> None:
        faults = {source.name: source.fault for source in seen.demand.sources}
        for ear in seen.heard:
            self._set("waiting_items", len(ear.report.items) if ear.report else 0, ear.name)
            sound = not faults[ear.name] and ear.report is not None
            self._set("source_sound", int(sound), ear.name)
            if ear.received_at is not None:
                stamp = ear.received_at.timestamp()
                self._set("source_received_timestamp_seconds", stamp, ear.name)
        for ear in tick.listeners:
            self._set("notice_source_sound", int(not ear.fault), ear.name)
            self._set("source_sound", int(not ear.fault and ear.report is not None), ear.name)

    def _note_plan(self, tick: Tick, plan: ScalingPlan) -> None:
        manifest = tick.wiring.manifest
        stack = f"{manifest.project}/{manifest.stack}"
        self._set("unmet_items", sum(len(unmet.items) for unmet in plan.unmet), stack)
        self._set("held_decisions", len(plan.holds), stack)
        causes = Count[str]()
        for unmet in plan.unmet:
            for kind in {cause.kind.value for cause in unmet.causes}:
                causes[kind] += len(unmet.items)
        for kind, count in causes.items():
            self._set("unmet_items_by_cause", count, kind)
        amount = plan.per_hour
        self._set("fleet_cost_per_hour", float(amount.amount), amount.currency)
        ceiling = manifest.hourly_ceiling
        if ceiling is not None:
            self._set("hourly_ceiling", float(ceiling.amount), ceiling.currency)

    def _note_done(self, tick: Tick, now: datetime) -> None:
        for done in tick.done:
            self._decisions.labels(done.order.record.action, done.outcome.value).inc()
            if done.kind is not None:
                self._refusals.labels(done.order.pool, done.kind.value).inc()
        for finished in tick.finished:
            errand = finished.errand
            self._decisions.labels(errand.record.action, finished.outcome.value).inc()
            cause = _name_cause(errand, tick.decision.observation.struck)
            repeated = [rework_seconds(pod, tick.decision.observation.at) for pod in finished.ended]
            self._rework.labels(errand.pool, cause).inc(sum(filter(None, repeated)))
        for seconds in _wait_times(tick, now):
            self._waited.observe(seconds)

    def _note_idle(self, tick: Tick, now: datetime) -> None:
        """Take what may stand idle; sizes of what cannot be read are absent."""
        for name, fault in tick.reaping.faults.items():
            self._set("use_source_sound", int(not fault), name)
        for sight in tick.reaping.sights:
            if sight.state is not None:
                self._set("idle_size", sight.state.size, sight.rule.id)
        for decision in tick.reaping.decisions:
            warned = decision.verdict in (ReapVerdict.WARN, ReapVerdict.WAIT, ReapVerdict.END)
            self._set("idle_warned", int(warned), decision.rule.id)
            if decision.idle_since is not None:
                idle = max(0.0, (now - decision.idle_since).total_seconds())
                self._set("idle_seconds", idle, decision.rule.id)
        for done in tick.reaped:
            action = ACTIONS[done.decision.verdict]
            self._decisions.labels(action, done.outcome.value).inc()
            if done.kind is not None:
                self._refusals.labels(done.decision.rule.id, done.kind.value).inc()


def _name_cause(errand: Errand, struck: Sequence[Struck]) -> str:
    """Return why a node's work was told to end."""
    if not errand.forced:
        return "choice"
    record = find_weightiest(struck, errand.pool, errand.node)
    is_drill = record is not None and record.notice.kind is NoticeKind.DRILL
    return "drill" if is_drill else "interruption"


def _wait_times(tick: Tick, now: datetime) -> Iterable[float]:
    """Yield how long each item waited whose new node was ordered now, and accepted."""
    taken = {
        name
        for done in tick.done
        if done.outcome is Outcome.APPLIED
        for name in done.order.offerings
    }
    plan, demand = tick.decision.plan, tick.decision.observation.demand
    served = {seat.item for seat in plan.placements if seat.seat.partition("#")[0] in taken}
    for item in demand.items:
        if item.id in served:
            # A clock that jumped back must not make a wait shorter than none.
            yield max(0.0, (now - item.queued_at).total_seconds())
