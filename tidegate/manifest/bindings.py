"""What clouds call what a stack declares: the stack output `bindings`, known after creation."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping


def read_bound_commitments(text: str) -> dict[str, str]:
    """Return what clouds call each commitment, in lower case → the commitment's id.

    Names are the binding's own and the last part of each: bills have one or the other. Empty where
    the text is a manifest alone, or no JSON: the manifest's reader says so.

    Args:
        text: What `pulumi stack output --json` printed.
    """
    try:
        document = json.loads(text)
    except ValueError:
        return {}
    bindings = document.get("bindings") if isinstance(document, dict) else None
    commitments = bindings.get("commitments") if isinstance(bindings, dict) else None
    if not isinstance(commitments, dict):
        return {}
    return {
        name: identifier for identifier, binding in commitments.items() for name in _names(binding)
    }


def _names(binding: object) -> Iterator[str]:
    if not isinstance(binding, Mapping):
        return
    for key, value in binding.items():
        if key not in ("cloud", "region", "zone") and isinstance(value, str) and value:
            yield value.lower()
            yield value.lower().rpartition("/")[2]


POOL_SECTIONS = ("pools", "cpuPools", "spotGroups", "trainingCompute", "existingPools")
"""The sections of `bindings` whose entries are pools."""


def read_bound_pools(document: object) -> dict[str, dict[str, str]]:
    """Return pool id → what names it in its cloud's API.

    Args:
        document: Stack outputs as parsed JSON; without `bindings` nothing is bound.
    """
    bindings = document.get("bindings") if isinstance(document, Mapping) else None
    if not isinstance(bindings, Mapping):
        return {}
    found: dict[str, dict[str, str]] = {}
    for section in POOL_SECTIONS:
        entries = bindings.get(section)
        for name, entry in entries.items() if isinstance(entries, Mapping) else ():
            if isinstance(entry, Mapping):
                found[str(name)] = {key: str(value) for key, value in entry.items()}
    return found
