"""The controller's memory in a database; every write is fenced by the lead's token."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import sqlalchemy as sa

from tidegate.state.fenced import answering, to_row
from tidegate.state.histories import HistoryTables
from tidegate.state.leases import LeaseRow
from tidegate.state.notices import NoticeTables
from tidegate.state.tables import DECISIONS, NODES, OVERRIDES, REFUSALS, SNAPSHOTS, SOURCES, TICKS
from tidegate.vocabulary.records import (
    DecisionRecord,
    NodeRecord,
    Outcome,
    OverrideRecord,
    RefusalRecord,
    SourceRecord,
    TickRecord,
)
from tidegate.vocabulary.silence import PATIENCE_SECONDS

KEPT_DECISIONS = 100_000
KEPT_TICKS = 10_000
LAST = "last"


class DatabaseStore(NoticeTables, HistoryTables):
    """Decisions, nodes, refusals, sources and ticks; see `StateStore` for what each call does."""

    def __init__(self, engine: sa.Engine, patience_seconds: float = PATIENCE_SECONDS) -> None:
        super().__init__(engine)
        self._lease = LeaseRow(engine, patience_seconds)

    def take_lease(self, holder: str, monotonic: float) -> int | None:
        """Take, keep or renew the lead; return its token, None while another holds it."""
        with answering():
            return self._lease.take(holder, monotonic)

    def renew_lease(self, token: int) -> None:
        """Show a sign of life; a lead that is lost or given back is not taken again."""
        with answering():
            self._lease.renew(token)

    def release_lease(self, token: int) -> None:
        """Give the lead back; nothing happens when it is lost already."""
        with answering():
            self._lease.release(token)

    def check_lease(self, token: int) -> None:
        """Raise LeaseLost when the token is not the current one."""
        with self._fenced(token):
            pass

    def record_intents(
        self, token: int, decisions: Sequence[DecisionRecord]
    ) -> Sequence[DecisionRecord]:
        """Write decisions down before anything is done; return them with their ids."""
        with self._fenced(token) as connection:
            return [
                replace(decision, id=_insert_decision(connection, token, decision))
                for decision in decisions
            ]

    def record_outcome(self, token: int, decision: int, outcome: Outcome, detail: str) -> None:
        """Write down what became of a decision."""
        with self._fenced(token) as connection:
            connection.execute(
                DECISIONS.update()
                .where(DECISIONS.c.id == decision)
                .values(outcome=outcome.value, detail=detail)
            )

    def record_tick(
        self,
        token: int,
        tick: TickRecord,
        nodes: Sequence[NodeRecord],
        refusals: Sequence[RefusalRecord],
        sources: Sequence[SourceRecord],
    ) -> None:
        """Replace what is remembered of nodes, refusals and sources, and add the tick."""
        with self._fenced(token) as connection:
            for table, records in ((NODES, nodes), (REFUSALS, refusals), (SOURCES, sources)):
                connection.execute(table.delete())
                rows = [to_row(record) for record in records]
                if rows:
                    connection.execute(table.insert(), rows)
            connection.execute(TICKS.insert().values(**to_row(tick)))
            _prune(connection, TICKS, KEPT_TICKS)
            _prune(connection, DECISIONS, KEPT_DECISIONS)

    def record_snapshot(self, token: int, snapshot: Mapping[str, Any]) -> None:
        """Replace what is shown of the last turn."""
        with self._fenced(token) as connection:
            connection.execute(SNAPSHOTS.delete())
            connection.execute(SNAPSHOTS.insert().values(name=LAST, document=dict(snapshot)))

    def read_snapshot(self) -> Mapping[str, Any] | None:
        """Return what is shown of the last turn; None before the first."""
        found = self._read(sa.select(SNAPSHOTS.c.document))
        return next((row["document"] for row in found), None)

    def read_nodes(self) -> Sequence[NodeRecord]:
        """Return what is remembered of nodes."""
        return [NodeRecord(**row) for row in self._read(sa.select(NODES))]

    def read_refusals(self) -> Sequence[RefusalRecord]:
        """Return the refusals that are remembered."""
        return [RefusalRecord(**row) for row in self._read(sa.select(REFUSALS))]

    def read_sources(self) -> Sequence[SourceRecord]:
        """Return how the sources answered last."""
        chosen = sa.select(SOURCES).order_by(SOURCES.c.name)
        return [SourceRecord(**row) for row in self._read(chosen)]

    def record_override(self, override: OverrideRecord) -> None:
        """Write a person's word on a pool down; it needs no lead, and replaces an earlier one."""
        with answering(), self._engine.begin() as connection:
            connection.execute(OVERRIDES.delete().where(OVERRIDES.c.pool == override.pool))
            connection.execute(OVERRIDES.insert().values(**to_row(override)))

    def drop_override(self, pool: str) -> bool:
        """Take a person's word back; return whether there was one."""
        with answering(), self._engine.begin() as connection:
            gone = connection.execute(OVERRIDES.delete().where(OVERRIDES.c.pool == pool))
        return gone.rowcount > 0

    def read_overrides(self) -> Sequence[OverrideRecord]:
        """Return what persons said of pools, lapsed ones too."""
        chosen = sa.select(OVERRIDES).order_by(OVERRIDES.c.pool)
        return [OverrideRecord(**row) for row in self._read(chosen)]

    def read_decisions(self, pool: str | None, limit: int) -> Sequence[DecisionRecord]:
        """Return the last decisions, newest first; of one pool, or of all."""
        columns = [column for column in DECISIONS.c if column.name != "token"]
        chosen = sa.select(*columns).order_by(DECISIONS.c.id.desc()).limit(limit)
        if pool is not None:
            chosen = chosen.where(DECISIONS.c.pool == pool)
        return [
            DecisionRecord(**{**row, "outcome": Outcome(row["outcome"])})
            for row in self._read(chosen)
        ]

    def read_last_tick(self) -> TickRecord | None:
        """Return the last finished tick."""
        columns = [column for column in TICKS.c if column.name != "id"]
        chosen = sa.select(*columns).order_by(TICKS.c.id.desc()).limit(1)
        return next((TickRecord(**row) for row in self._read(chosen)), None)

    def read_leader(self) -> str:
        """Return who holds the lead; empty when nobody does."""
        with answering():
            return self._lease.read_holder()


def _insert_decision(connection: sa.Connection, token: int, decision: DecisionRecord) -> int:
    row = {key: value for key, value in to_row(decision).items() if key != "id"}
    made = connection.execute(DECISIONS.insert().values(**row, token=token))
    (key,) = made.inserted_primary_key or (0,)
    return int(key)


def _prune(connection: sa.Connection, table: sa.Table, kept: int) -> None:
    newest = connection.execute(sa.select(sa.func.max(table.c.id))).scalar()
    if newest is not None and newest > kept:
        connection.execute(table.delete().where(table.c.id <= newest - kept))
