"""Logging as a process has it that never began to log."""

from __future__ import annotations

import logging

import structlog

from tidegate.controller import logs


def forget_logging() -> None:
    """Undo `start_logging`: what libraries log is no longer printed, wherever it would go."""
    structlog.reset_defaults()
    root = logging.getLogger()
    for handler in [*root.handlers]:
        if type(handler).__module__ == logs.__name__:
            root.removeHandler(handler)
