"""Values that are known only once something was created."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import pulumi


def is_deferred(value: object) -> bool:
    """Return whether a value is known only once something was created."""
    return isinstance(value, pulumi.Output | pulumi.Resource) or inspect.isawaitable(value)


def has_deferred(value: object) -> bool:
    """Return whether any part of a value is known only once something was created."""
    if isinstance(value, dict):
        return any(map(has_deferred, value.values()))
    if isinstance(value, list):
        return any(map(has_deferred, value))
    return is_deferred(value)


def apply_known(build: Callable[..., str], *given: Any) -> pulumi.Input[str]:
    """Return what is built of values: at once of plain ones, later of Outputs."""
    if not any(map(has_deferred, given)):
        return build(*given)
    return pulumi.Output.all(*given).apply(lambda known: build(*known))
