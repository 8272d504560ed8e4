"""What is kept: bodies as the API describes them, by kind and key; tags by ARN."""

from __future__ import annotations

from typing import Any

Body = dict[str, Any]
Key = tuple[str, ...]


class Shelves:
    """The state of all kept services of one front."""

    def __init__(self) -> None:
        self._bodies: dict[tuple[str, str], dict[Key, Body]] = {}
        self.tags: dict[str, dict[str, str]] = {}

    def of(self, kind: str, region: str) -> dict[Key, Body]:
        """Return the bodies of one kind in one region, free to change."""
        return self._bodies.setdefault((kind, region), {})
