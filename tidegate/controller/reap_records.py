"""Decisions on idle notebooks and endpoints as the store keeps them; what became of them. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from tidegate.scaling.reaping import ReapDecision, ReapVerdict
from tidegate.vocabulary.fleet_state import RefusalKind
from tidegate.vocabulary.records import DecisionRecord, Outcome

WARN, STOP, WITHDRAW, HOLD = "reap-warn", "reap-stop", "reap-withdraw", "reap-hold"
ACTIONS = {
    ReapVerdict.WARN: WARN,
    ReapVerdict.END: STOP,
    ReapVerdict.WITHDRAW: WITHDRAW,
    ReapVerdict.HOLD: HOLD,
}
"""Verdict → what its decision is called in the store; the others are not written down."""


@dataclass(frozen=True, slots=True)
class Reaped:
    """What became of a decision; `kind` is None unless a cloud refused."""

    decision: ReapDecision
    outcome: Outcome
    detail: str = ""
    kind: RefusalKind | None = None


def find_warning(past: Sequence[DecisionRecord]) -> datetime | None:
    """Return when a warning was given that still holds; None where there is none.

    Args:
        past: Decisions on one notebook or endpoint, newest first.
    """
    for record in past:
        if record.action == WARN and record.outcome is Outcome.APPLIED:
            return record.at
        if record.action == WITHDRAW:
            return None
        if record.action == STOP and record.outcome is Outcome.APPLIED:
            return None
    return None


def build_record(decision: ReapDecision, at: datetime) -> DecisionRecord:
    """Return a decision as the store keeps it: sizes stand where pools have nodes."""
    owner = f"owner {decision.rule.owner or 'unknown'}"
    ends = f", ends at {decision.ends_at:%Y-%m-%d %H:%M} UTC" if decision.ends_at else ""
    return DecisionRecord(
        at=at,
        pool=decision.rule.id,
        action=ACTIONS[decision.verdict],
        reason=f"{decision.reason} ({owner}{ends})",
        from_nodes=decision.seen if decision.wanted is not None else None,
        to_nodes=decision.wanted,
    )


def with_outcomes(
    decisions: Sequence[ReapDecision], done: Sequence[Reaped]
) -> list[tuple[ReapDecision, str]]:
    """Return each decision with what became of it; empty where nothing was done."""
    outcomes = {each.decision.rule.id: each for each in done}
    return [(decision, _say_outcome(outcomes.get(decision.rule.id))) for decision in decisions]


def _say_outcome(done: Reaped | None) -> str:
    if done is None:
        return ""
    return ": ".join(filter(None, (done.outcome.value, done.detail)))
