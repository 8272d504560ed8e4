"""Comparing what was declared with what a cloud's SDK reads back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def find_missing(declared: Any, read: Any, path: str = "") -> list[str]:
    """Return a line for each declared value that the reading lacks or shows otherwise.

    Mappings may hold more than was declared (a cloud fills in its own), lists may not.
    """
    if isinstance(declared, Mapping):
        if not isinstance(read, Mapping):
            return [f"{path}: declared {declared!r}, read {read!r}"]
        return [
            line
            for key, value in declared.items()
            for line in (
                find_missing(value, read[key], f"{path}.{key}")
                if key in read
                else [f"{path}.{key}: declared {value!r}, not read"]
            )
        ]
    if isinstance(declared, list):
        if not isinstance(read, list) or len(read) != len(declared):
            return [f"{path}: declared {declared!r}, read {read!r}"]
        return [
            line
            for index, (one, other) in enumerate(zip(declared, read, strict=True))
            for line in find_missing(one, other, f"{path}[{index}]")
        ]
    return [] if declared == read else [f"{path}: declared {declared!r}, read {read!r}"]
