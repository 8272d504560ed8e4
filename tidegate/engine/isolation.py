"""Keeping real runs and local runs apart.

A run against the embedded local clouds works with invented accounts and endpoints on this
machine. Left in the environment, or in the state, they would mislead a real run.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import unquote, urlsplit

from tidegate.vocabulary.problems import InvalidInput, Problem

LOCAL_MARKER = "TIDEGATE_LOCAL"
_STATE_MARKER = "tidegate-local"

_LOOPBACK = re.compile(r"^https?://(?:127\.|localhost\b|\[::1\]|0\.0\.0\.0)", re.IGNORECASE)
_ENDPOINTS = re.compile(r"^(?:AWS_ENDPOINT_URL(?:_\w+)?|TIDEGATE_LOCAL_\w+|\w+_EMULATOR_HOST)$")
# What emulators hand out; no cloud issues such credentials.
_INVENTED = {
    "AWS_ACCESS_KEY_ID": {"local", "test", "testing", "tidegate", "tidegate-local", "fake", "mock"},
    "AWS_SECRET_ACCESS_KEY": {"local", "test", "testing", "tidegate", "tidegate-local", "fake"},
    "ARM_SUBSCRIPTION_ID": {"00000000-0000-0000-0000-000000000000"},
}


def refuse_local_leftovers(environment: Mapping[str, str], backend_url: str) -> None:
    """Refuse a real run in an environment, or on a state, that belongs to the local clouds.

    Raises:
        InvalidInput: Names every leftover and what to do.
    """
    problems = [
        Problem("environment", name, repr(value), reason, "unset it, or run with the local clouds")
        for name, value, reason in _find_leftovers(environment)
    ]
    state = state_directory(backend_url)
    if state is not None and (state / _STATE_MARKER).exists():
        problems.append(
            Problem(
                "state",
                "backend",
                repr(backend_url),
                "it describes resources of the local clouds, which no real cloud has",
                "another backend for real runs (PULUMI_BACKEND_URL)",
            )
        )
    if problems:
        raise InvalidInput(problems)


def mark_local_state(backend_url: str) -> None:
    """Mark a file backend as describing the local clouds."""
    state = state_directory(backend_url)
    if state is not None:
        state.mkdir(parents=True, exist_ok=True)
        (state / _STATE_MARKER).touch()


def state_directory(backend_url: str) -> Path | None:
    """The folder of a `file://` backend; None for any other."""
    if not backend_url.startswith("file://"):
        return None
    parts = urlsplit(backend_url)
    path = unquote(parts.netloc + parts.path)
    return Path(path).expanduser()


def _find_leftovers(environment: Mapping[str, str]) -> list[tuple[str, str, str]]:
    found = []
    for name, value in sorted(environment.items()):
        if not value:
            continue
        if name in (LOCAL_MARKER, "PULUMI_DEBUG_PROVIDERS"):
            found.append((name, value, "it points Pulumi at the local clouds"))
        elif _ENDPOINTS.match(name) and (_LOOPBACK.match(value) or name.endswith("_HOST")):
            found.append((name, value, "it sends cloud calls to this machine"))
        elif value.lower() in _INVENTED.get(name, ()):
            found.append((name, value, "no cloud issues such a credential"))
    return found
