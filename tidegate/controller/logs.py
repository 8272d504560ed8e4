"""Logs as JSON lines on standard error, with no secret in them."""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterable, MutableMapping
from typing import Any

import structlog

from tidegate.vocabulary import hiding

LOG = structlog.get_logger("tidegate.controller")

_KNOWN: set[str] = set()
"""The secrets that this process was given, wherever it got them."""


def remember_secrets(values: Iterable[str]) -> None:
    """Hide these values from now on, whatever they look like."""
    _KNOWN.update(values)


def hide_secrets(text: str) -> str:
    """Return a text without the secrets that are known, and what looks like one."""
    return hiding.hide_secrets(text, _KNOWN)


def hide_all(document: Any) -> Any:
    """Return a JSON document without secrets in its texts."""
    return hiding.hide_all(document, _KNOWN)


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
    root = logging.getLogger()
    if not any(isinstance(each, _Forwarding) for each in root.handlers):
        root.addHandler(_Forwarding())


class _Forwarding(logging.Handler):
    """Takes what libraries log into the same lines of JSON."""

    def emit(self, record: logging.LogRecord) -> None:
        say = LOG.error if record.levelno >= logging.ERROR else LOG.warning
        say(record.getMessage(), by=record.name, exc_info=record.exc_info or None)


def _hide(_logger: Any, _name: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    return {key: hide_all(value) for key, value in event.items()}
