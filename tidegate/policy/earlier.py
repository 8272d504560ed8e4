"""What a stack was before the run that is checked, as previews and event logs tell it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tidegate.policy.graph import STACK_TYPE, find_manifest
from tidegate.policy.values import decode_properties


@dataclass(frozen=True, slots=True)
class Earlier:
    """A stack before a change.

    Attributes:
        exists: Whether it was there at all.
        manifest: The capacity manifest that it exported; None where it exported none.
    """

    exists: bool
    manifest: Mapping[str, Any] | None = None


def is_stack(urn: str) -> bool:
    """Return whether a URN is that of a stack itself."""
    return f"::{STACK_TYPE}::" in urn


def read_earlier(old_state: object) -> Earlier:
    """Return what the state of a stack before a run tells; without one, it was not there."""
    if not isinstance(old_state, Mapping):
        return Earlier(exists=False)
    outputs = old_state.get("outputs")
    decoded = decode_properties(outputs) if isinstance(outputs, Mapping) else {}
    return Earlier(exists=True, manifest=find_manifest(decoded))
