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
    return {
        name: entry
        for section in POOL_SECTIONS
        for name, entry in _read_section(document, section).items()
    }


REAPABLE_SECTIONS = {"notebooks": "notebook", "endpoints": "endpoint"}
"""The sections of `bindings` whose entries may stand idle, and what each entry is."""


def read_bound_reapables(document: object) -> dict[str, dict[str, str]]:
    """Return "notebook/NAME" or "endpoint/NAME" → what names it in its cloud's API.

    Args:
        document: Stack outputs as parsed JSON; without `bindings` nothing is bound.
    """
    return {
        f"{word}/{name}": entry
        for section, word in REAPABLE_SECTIONS.items()
        for name, entry in _read_section(document, section).items()
    }


def _read_section(document: object, section: str) -> dict[str, dict[str, str]]:
    bindings = document.get("bindings") if isinstance(document, Mapping) else None
    entries = bindings.get(section) if isinstance(bindings, Mapping) else None
    if not isinstance(entries, Mapping):
        return {}
    return {
        str(name): {key: str(value) for key, value in entry.items()}
        for name, entry in entries.items()
        if isinstance(entry, Mapping)
    }
