"""Log lines of a turn: what was ordered, emptied or left alone, and what was in doubt."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import structlog

from tidegate.vocabulary.records import DecisionRecord, Outcome

if TYPE_CHECKING:
    from tidegate.controller.tick import Tick

LOG = structlog.get_logger("tidegate.controller")


def log_tick(tick: Tick) -> None:
    """Say what a turn did, and what was in doubt."""
    seen = tick.decision.observation
    for done in tick.done:
        record = done.order.record
        say = LOG.info if done.kind is None else LOG.warning
        say(
            record.action,
            pool=record.pool,
            from_nodes=record.from_nodes,
            to_nodes=record.to_nodes,
            reason=record.reason,
            per_hour=record.per_hour,
            outcome=done.outcome.value,
            detail=done.detail,
        )
    for source in seen.demand.sources:
        if source.fault:
            LOG.warning("source in doubt", source=source.name, why=source.fault)
    for pool, reason in seen.unread.items():
        LOG.warning("pool not read", pool=pool, why=reason)
    LOG.info(
        "tick",
        pools=len(seen.sights),
        waiting=len(seen.demand.items),
        orders=len(tick.orders),
        per_hour=str(tick.decision.plan.per_hour),
    )


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
