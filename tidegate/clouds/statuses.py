"""Statuses of HTTP answers in the words that all clouds share."""

from __future__ import annotations

from collections.abc import Mapping

from tidegate.vocabulary.fleet_state import RefusalKind

STATUSES: Mapping[int, RefusalKind] = {
    400: RefusalKind.INVALID,
    401: RefusalKind.DENIED,
    403: RefusalKind.DENIED,
    404: RefusalKind.NOT_FOUND,
    409: RefusalKind.CONFLICT,
    412: RefusalKind.CONFLICT,
    429: RefusalKind.THROTTLED,
}
"""Status → how it refuses, where no code says it more exactly (google.rpc.Code's mapping)."""
