"""Writing a turn down: refusals, remarks, and what is remembered until the next."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tidegate.controller.logs import hide_all
from tidegate.controller.nodes import to_records
from tidegate.controller.orders import build_remarks
from tidegate.controller.refusals import add_refusal
from tidegate.controller.status import build_snapshot
from tidegate.controller.telling import log_remarks
from tidegate.ports import StateStore
from tidegate.vocabulary.fleet_state import RefusalKind
from tidegate.vocabulary.records import (
    DecisionRecord,
    Outcome,
    RefusalRecord,
    SourceRecord,
    TickRecord,
)

if TYPE_CHECKING:
    from tidegate.controller.tick import Tick


class Recorder:
    """Writes turns down; what was said at the last turn already is not said again."""

    def __init__(self) -> None:
        self._said: set[tuple[str, str, str, str]] = set()

    def record(self, store: StateStore, tick: Tick, holder: str, token: int) -> None:
        """Write a turn down.

        Raises:
            LeaseLost: Another leads now; nothing is written.
        """
        decision, seen = tick.decision, tick.decision.observation
        refused = [order.record for order in tick.orders if order.refusal]
        remarks = self._new_remarks(
            [*refused, *decision.draining.remarks, *build_remarks(decision.plan, seen.at)]
        )
        if remarks:
            store.record_intents(token, remarks)
            log_remarks(remarks)
        written = TickRecord(
            at=seen.at,
            token=token,
            holder=holder,
            per_hour=str(decision.plan.per_hour),
            pools=",".join(sight.pool.id for sight in seen.sights),
            waiting=len(seen.demand.items),
        )
        nodes = to_records(
            seen.fleet.nodes,
            _list_ordered(tick),
            seen.at,
            _list_given_up(tick),
            {done.order.pool for done in tick.done if done.kind is RefusalKind.TRANSIENT},
        )
        store.record_tick(token, written, nodes, _list_refusals(tick), _list_sources(tick))
        store.record_snapshot(token, hide_all(build_snapshot(tick)))

    def _new_remarks(self, remarks: Sequence[DecisionRecord]) -> list[DecisionRecord]:
        """Return those that were not said at the last turn already."""
        before, self._said = self._said, {_identify(each) for each in remarks}
        return [each for each in remarks if _identify(each) not in before]


def _identify(remark: DecisionRecord) -> tuple[str, str, str, str]:
    return remark.pool, remark.action, remark.reason, remark.detail


def _list_refusals(tick: Tick) -> list[RefusalRecord]:
    """Return what clouds refused before and in this turn."""
    found = list(tick.decision.refusals)
    for done in tick.done:
        if done.kind is not None:
            at = tick.decision.observation.at
            found = add_refusal(found, done.order.offerings, done.kind, at)
    return found


def _list_sources(tick: Tick) -> list[SourceRecord]:
    """Return how the sources of demand answered, and then those of notices."""
    seen = tick.decision.observation
    faults = {source.name: source.fault for source in seen.demand.sources}
    told = [
        SourceRecord(
            ear.name,
            ear.received_at,
            faults[ear.name],
            len(ear.report.items) if ear.report else 0,
        )
        for ear in seen.heard
    ]
    return told + [SourceRecord(ear.name, ear.received_at, ear.fault, 0) for ear in tick.listeners]


def _list_ordered(tick: Tick) -> dict[str, list[str]]:
    """Return for each pool the offerings of nodes that its cloud was asked for in this turn.

    After an error that says nothing of the change itself, they may have been ordered too.
    """
    asked = _list_asked(tick)
    return {
        resize.pool: [each.offering for each in resize.additions for _ in range(each.nodes)]
        for resize in tick.decision.plan.resizes
        if resize.pool in asked
    }


def _list_given_up(tick: Tick) -> set[str]:
    """Return the nodes that their clouds were asked to take back in this turn."""
    asked = _list_asked(tick)
    return {stop.node for stop in tick.decision.plan.stops if stop.pool in asked}


def _list_asked(tick: Tick) -> set[str]:
    """Return the pools whose clouds took an order, or may have."""
    return {
        done.order.pool
        for done in tick.done
        if done.outcome is Outcome.APPLIED or done.kind is RefusalKind.TRANSIENT
    }
