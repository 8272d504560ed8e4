"""The configuration that a program sees: of its project, its stack and of this run."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tidegate.engine.config import Project, read_stack_config
from tidegate.vocabulary.problems import refuse

UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9"
"""How the engine writes a text that is not known; here, what only a passphrase would tell."""


@dataclass(frozen=True, slots=True)
class ProgramConfig:
    """What a program is configured with.

    Attributes:
        values: `namespace:key` → text; what is no text is JSON.
        secret_keys: Keys whose values are secret: encrypted, so that nobody here can read them.
    """

    values: Mapping[str, str]
    secret_keys: frozenset[str]


def read_program_config(project: Project, stack: str, given: Mapping[str, str]) -> ProgramConfig:
    """Return what a program is configured with: `given` over its stack's over its project's.

    A stack without a file has no configuration of its own.

    Raises:
        InvalidInput: When a file cannot be read.
    """
    found = dict(_project_values(project))
    if project.config_file(stack).is_file():
        own = read_stack_config(project, stack)
        found.update({_qualify(project, key): value for key, value in own.items()})
    found.update({_qualify(project, key): value for key, value in given.items()})
    encrypted = frozenset(key for key, value in found.items() if _is_encrypted(value))
    values = {key: UNKNOWN if key in encrypted else _render(value) for key, value in found.items()}
    return ProgramConfig(values, encrypted)


def _project_values(project: Project) -> Mapping[str, Any]:
    """Return what `Pulumi.yaml` gives to all stacks: as `value`, `default` or as it is."""
    declared = project.settings.get("config") or {}
    if not isinstance(declared, dict):
        raise refuse("Pulumi.yaml", "config", None, "is no mapping", "keys with values")
    values: dict[str, Any] = {}
    for key, entry in declared.items():
        if isinstance(entry, dict) and entry.keys() & {"value", "default", "type", "description"}:
            entry = entry.get("value", entry.get("default"))
        if entry is not None:
            values[_qualify(project, str(key))] = entry
    return values


def _qualify(project: Project, key: str) -> str:
    return key if ":" in key else f"{project.name}:{key}"


def _render(value: Any) -> str:
    if isinstance(value, str):
        return value
    return json.dumps(value)


def _is_encrypted(value: Any) -> bool:
    if isinstance(value, dict):
        if set(value) == {"secure"}:
            return True
        return any(_is_encrypted(item) for item in value.values())
    return isinstance(value, list) and any(_is_encrypted(item) for item in value)
