"""Times as clusters, servers and clouds write them."""

from __future__ import annotations

from datetime import UTC, datetime


def parse_time(text: object) -> datetime:
    """Return a time of ISO 8601, UTC where it names no zone.

    Raises:
        ValueError: It is none.
    """
    found = datetime.fromisoformat(str(text))
    return found if found.tzinfo else found.replace(tzinfo=UTC)
