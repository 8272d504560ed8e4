"""What a stack was before the run that is checked, as previews and event logs tell it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from tidegate.policy.graph import STACK_TYPE, find_manifest
from tidegate.policy.values import decode_properties


@dataclass(frozen=True, slots=True)
class Earlier:
    """A stack before a change.

    Attributes:
        exists: Whether it was there at all.
        manifest: The capacity manifest that it exported; None where it exported none.
        states: The states of its resources, where they are told.
        config: Its configuration, for the regions of default providers.
    """

    exists: bool
    manifest: Mapping[str, Any] | None = None
    states: tuple[Mapping[str, Any], ...] = field(default=(), compare=False, repr=False)
    config: Mapping[str, Any] = field(default_factory=dict, compare=False, repr=False)


def is_stack(urn: str) -> bool:
    """Return whether a URN is that of a stack itself."""
    return f"::{STACK_TYPE}::" in urn


def read_earlier(
    old_state: object,
    states: Iterable[object] = (),
    config: Mapping[str, Any] | None = None,
) -> Earlier:
    """Return what the state of a stack before a run tells; without one, it was not there.

    Args:
        old_state: The state of the stack itself.
        states: Those of its resources; of a resource that is replaced it may be there twice.
        config: Its configuration.
    """
    if not isinstance(old_state, Mapping):
        return Earlier(exists=False)
    known = {
        str(state.get("urn")): state
        for state in states
        if isinstance(state, Mapping) and not state.get("delete")
    }
    outputs = old_state.get("outputs")
    decoded = decode_properties(outputs) if isinstance(outputs, Mapping) else {}
    return Earlier(True, find_manifest(decoded), tuple(known.values()), config or {})
