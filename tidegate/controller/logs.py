"""Logs as JSON lines on standard error, with no secret in them."""

from __future__ import annotations

import logging
import re
import sys
from collections.abc import MutableMapping
from typing import TYPE_CHECKING, Any

import structlog

if TYPE_CHECKING:
    from tidegate.controller.turn import Tick

LOG = structlog.get_logger("tidegate.controller")

SECRETS = re.compile(
    r"(?i)((?:authorization[=:]\s*)?bearer\s+|password[=:]\s*|token[=:]\s*|//[^/\s:@]+:(?=[^\s/]*@))"
    r"[^\s@'\"&]+"
)
"""What follows these words is hidden: headers, passwords of URLs, tokens of queries."""
HIDDEN = r"\1***"


def hide_secrets(text: str) -> str:
    """Return a text without what looks like a secret."""
    return SECRETS.sub(HIDDEN, text)


def start_logging(*, quiet: bool = False) -> None:
    """Write events as lines of JSON on standard error; `quiet` leaves out what went well."""
    level = logging.WARNING if quiet else logging.INFO
    structlog.configure(
        wrapper_class=structlog.make_filtering_bound_logger(level),
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True, key="at"),
            structlog.processors.format_exc_info,
            _hide,
            structlog.processors.JSONRenderer(),
        ],
        logger_factory=lambda *_: structlog.PrintLogger(sys.stderr),
        cache_logger_on_first_use=False,
    )


def _hide(_logger: Any, _name: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    for key, value in event.items():
        if isinstance(value, str):
            event[key] = hide_secrets(value)
    return event


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
