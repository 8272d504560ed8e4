"""Whether a holder of the lead is silent, without comparing the clocks of two machines."""

from __future__ import annotations

PATIENCE_SECONDS = 10.0
"""Without a sign of life for this long, another takes over."""


class Watch:
    """The last sign of life of a holder, and when this process saw it first."""

    def __init__(self, patience_seconds: float = PATIENCE_SECONDS) -> None:
        self._patience = patience_seconds
        self._sign: object = None
        self._seen_at: float | None = None

    def is_silent(self, sign: object, monotonic: float) -> bool:
        """Return whether a holder has shown nothing new for as long as patience lasts.

        Args:
            sign: What it shows now; each sign of life differs from the one before.
            monotonic: Seconds by this machine's own clock.
        """
        if self._seen_at is None or self._sign != sign:
            self._sign, self._seen_at = sign, monotonic
            return False
        return monotonic - self._seen_at >= self._patience
