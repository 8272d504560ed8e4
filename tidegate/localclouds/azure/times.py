"""Times and durations as Azure's bodies write them (ISO 8601)."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Any

DURATION = re.compile(r"P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?")


def parse_duration(text: Any) -> timedelta | None:
    """Return the length of "PT15M" or "P3DT1H", None for what is no duration."""
    found = DURATION.fullmatch(text) if isinstance(text, str) else None
    if found is None or not any(found.groups()) or text.endswith("T"):
        return None
    days, hours, minutes, seconds = (int(part or 0) for part in found.groups())
    return timedelta(days=days, hours=hours, minutes=minutes, seconds=seconds)


def parse_time(text: Any) -> datetime | None:
    """Return a time, UTC where it names no zone; None for what is no time."""
    try:
        found = datetime.fromisoformat(str(text))
    except ValueError:
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)
