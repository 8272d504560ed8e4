"""Steps of the engine, as previews and event logs both tell them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

GONE: Final = frozenset({"delete", "delete-replaced", "read-discard", "discard-replaced"})
"""Operations after which there is nothing left to judge."""


def build_state(state: Mapping[str, Any], operation: str) -> dict[str, Any]:
    """Return the state that a step leaves, with its operation; what is only read is external."""
    marks = {"external": True} if operation.startswith("read") else {}
    return {**state, **marks, "operation": operation}
