"""Azure's grammar for tags: general vendor documentation, not verified."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from tidegate.localclouds.contracts import CheckFailure

FORBIDDEN = set("<>%&\\?/")
MAX_TAGS = 50
MAX_NAME = 512
MAX_VALUE = 256


def check_tags(tags: Any, place: str = "tags") -> Iterator[CheckFailure]:
    """Say what is wrong with tags; names are the same in any case."""
    if not isinstance(tags, Mapping):
        return
    if len(tags) > MAX_TAGS:
        yield CheckFailure(place, f"A resource has at most {MAX_TAGS} tags, got {len(tags)}.")
    seen: dict[str, str] = {}
    for name, value in tags.items():
        here = f"{place}.{name}"
        bad = sorted(FORBIDDEN & set(name))
        if bad:
            yield CheckFailure(
                here, f"Tag names cannot contain the characters <,>,%,&,\\,?,/; got {bad}."
            )
        if not 1 <= len(name) <= MAX_NAME:
            yield CheckFailure(here, f"Tag names have 1 to {MAX_NAME} characters.")
        if isinstance(value, str) and len(value) > MAX_VALUE:
            yield CheckFailure(here, f"Tag values have at most {MAX_VALUE} characters.")
        other = seen.setdefault(name.lower(), name)
        if other != name:
            yield CheckFailure(here, f"Tag names '{other}' and '{name}' differ in case alone.")
