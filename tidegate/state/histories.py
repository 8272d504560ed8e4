"""What is remembered of each pool's work, a row a pool: nothing is written item by item."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import sqlalchemy as sa

from tidegate.state.fenced import FencedTables, to_column
from tidegate.state.tables import HISTORIES
from tidegate.vocabulary.history import Arrival, PoolHistory


class HistoryTables(FencedTables):
    """Histories of pools; see `StateStore` for what each call does."""

    def record_histories(self, token: int, histories: Sequence[PoolHistory]) -> None:
        """Replace what is remembered of the work of some pools."""
        names = [each.pool for each in histories]
        with self._fenced(token) as connection:
            if names:
                connection.execute(HISTORIES.delete().where(HISTORIES.c.pool.in_(names)))
                connection.execute(HISTORIES.insert(), [_to_row(each) for each in histories])

    def read_histories(self) -> Sequence[PoolHistory]:
        """Return what is remembered of every pool's work."""
        chosen = sa.select(HISTORIES).order_by(HISTORIES.c.pool)
        return [_to_history(row) for row in self._read(chosen)]


def _to_row(history: PoolHistory) -> dict[str, Any]:
    document = {
        "gaps": history.gaps,
        "arrivals": [(each.at, each.accelerators, each.wait_target) for each in history.arrivals],
        "idle": dict(history.idle),
        "letGo": history.let_go,
        "busy": sorted(history.busy),
        "counted": sorted(history.counted),
    }
    looked_at = to_column(history.looked_at)
    return {"pool": history.pool, "looked_at": looked_at, "document": document}


def _to_history(row: Mapping[str, Any]) -> PoolHistory:
    document = row["document"]
    return PoolHistory(
        pool=row["pool"],
        looked_at=row["looked_at"],
        gaps=tuple(document["gaps"]),
        arrivals=tuple(Arrival(*each) for each in document["arrivals"]),
        idle=document["idle"],
        let_go=tuple(document["letGo"]),
        busy=frozenset(document["busy"]),
        counted=frozenset(document["counted"]),
    )
