"""Log lines of what is emptied or left alone, and of machines that are taken away."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import structlog

from tidegate.vocabulary.records import DecisionRecord, Outcome

if TYPE_CHECKING:
    from tidegate.controller.turn import Tick

LOG = structlog.get_logger("tidegate.controller")


def log_steps(tick: Tick) -> None:
    """Say what was done on nodes and pods, what was announced, and which queues are in doubt."""
    for step in tick.finished:
        record = step.errand.record
        say = LOG.info if step.outcome is Outcome.APPLIED else LOG.warning
        say(
            record.action,
            pool=record.pool,
            reason=record.reason,
            outcome=step.outcome.value,
            detail=step.detail,
        )
    for struck in tick.decision.observation.struck:
        if struck.is_new and struck.matters:
            notice = struck.record.notice
            LOG.warning(
                "interruption",
                pool=struck.record.pool,
                node=struck.record.node,
                kind=notice.kind.value,
                why=notice.text,
            )
    for ear in tick.listeners:
        if ear.fault:
            LOG.warning("source of notices in doubt", source=ear.name, why=ear.fault)


def log_remarks(remarks: Sequence[DecisionRecord]) -> None:
    """Say what is held, unmet or refused by the controller itself, when it is new."""
    for remark in remarks:
        LOG.warning(
            remark.action,
            pool=remark.pool,
            reason=remark.reason,
            outcome=remark.outcome.value,
            detail=remark.detail,
        )
