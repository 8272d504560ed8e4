"""How long work of a pool may wait, as a controller that remembers what came would tell it."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

from tidegate.scaling.warm import LOOK_BACK_SECONDS
from tidegate.simulation.jobs import Job


class WaitTargets:
    """The wait targets of what lately started in each pool."""

    def __init__(self) -> None:
        self._lately: dict[str, deque[tuple[int, int]]] = {}

    def note(self, job: Job, pools: Iterable[str], now: int) -> None:
        """Remember where a job started, if it says how long it may wait."""
        most = job.shape.wait_target_seconds
        if most is None:
            return
        for pool in set(pools):
            mine = self._lately.setdefault(pool, deque())
            # One that is no shorter than a later one never counts again.
            while mine and mine[-1][1] >= most:
                mine.pop()
            mine.append((now, most))

    def tell(self, now: int) -> dict[str, int]:
        """Return pool → its shortest target of the time that is looked back upon."""
        for mine in self._lately.values():
            while mine and mine[0][0] <= now - LOOK_BACK_SECONDS:
                mine.popleft()
        return {pool: mine[0][1] for pool, mine in self._lately.items() if mine}
