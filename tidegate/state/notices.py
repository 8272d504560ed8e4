"""What is remembered of machines that clouds took away, and of runs that wait to go on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from tidegate.state.fenced import FencedTables, answering, to_column, to_row
from tidegate.state.tables import NOTICES, RISKS, STOPPED_RUNS
from tidegate.vocabulary.notices import Notice, NoticeKind, NoticeRecord, RiskRecord
from tidegate.vocabulary.records import StoppedRun

KEPT_NOTICES = 20_000
OF_NOTICE = tuple(field.name for field in fields(Notice))


class NoticeTables(FencedTables):
    """Notices, risks and stopped runs; see `NoticeStore` for what each call does."""

    def record_notices(self, token: int, notices: Sequence[NoticeRecord]) -> None:
        """Remember notices; one that is known already changes nothing."""
        with self._fenced(token) as connection:
            _insert_new(connection, notices)
            _prune(connection)

    def record_drill(self, notice: NoticeRecord) -> None:
        """Remember a person's wish to interrupt a node; it needs no lead."""
        with answering(), self._engine.begin() as connection:
            _insert_new(connection, [notice])

    def read_notices(self, since: datetime) -> Sequence[NoticeRecord]:
        """Return what came in since, or concerns what is still to come, oldest first."""
        day = to_column(since)
        chosen = sa.select(NOTICES).where(
            sa.or_(NOTICES.c.received_at >= day, NOTICES.c.ends_at >= day)
        )
        rows = self._read(chosen.order_by(NOTICES.c.received_at, NOTICES.c.id))
        return [_to_notice(row) for row in rows]

    def record_struck(self, token: int, struck: NoticeRecord, counts: bool) -> None:
        """Write down whose machine a notice means, once; and count it as an interruption."""
        with self._fenced(token) as connection:
            told = connection.execute(
                NOTICES.update()
                .where(NOTICES.c.id == struck.notice.id, NOTICES.c.pool == "")
                .values(pool=struck.pool, node=struck.node, offering=struck.offering)
            )
            if told.rowcount and counts and struck.offering:
                _add_risk(connection, struck.offering, 0, 1)

    def record_rework(
        self, token: int, notice: str, items: int, seconds: int, accelerator_seconds: int
    ) -> None:
        """Add what a notice makes work repeat."""
        columns = NOTICES.c
        with self._fenced(token) as connection:
            connection.execute(
                NOTICES.update()
                .where(columns.id == notice)
                .values(
                    items=columns["items"] + items,
                    rework_seconds=columns.rework_seconds + seconds,
                    accelerator_seconds=columns.accelerator_seconds + accelerator_seconds,
                )
            )

    def record_exposure(self, token: int, node_seconds: Mapping[str, int]) -> None:
        """Add how long nodes of each offering ran."""
        with self._fenced(token) as connection:
            for offering, seconds in sorted(node_seconds.items()):
                _add_risk(connection, offering, seconds, 0)

    def read_risks(self) -> Sequence[RiskRecord]:
        """Return how each offering fared."""
        return [RiskRecord(**row) for row in self._read(sa.select(RISKS).order_by("offering"))]

    def record_stopped_run(self, token: int, run: StoppedRun) -> None:
        """Write down that a run is stopped and is to go on; one that is known stays as it is."""
        with self._fenced(token) as connection:
            known = connection.execute(
                sa.select(STOPPED_RUNS.c.run).where(STOPPED_RUNS.c.run == run.run)
            )
            if known.first() is None:
                connection.execute(STOPPED_RUNS.insert().values(**to_row(run)))

    def drop_stopped_run(self, token: int, run: str) -> None:
        """Forget a run that goes on, or that nobody can make go on."""
        with self._fenced(token) as connection:
            connection.execute(STOPPED_RUNS.delete().where(STOPPED_RUNS.c.run == run))

    def read_stopped_runs(self) -> Sequence[StoppedRun]:
        """Return the runs that are to go on."""
        return [StoppedRun(**row) for row in self._read(sa.select(STOPPED_RUNS).order_by("run"))]


def _insert_new(connection: sa.Connection, records: Sequence[NoticeRecord]) -> None:
    for record in records:
        known = connection.execute(sa.select(NOTICES.c.id).where(NOTICES.c.id == record.notice.id))
        if known.first() is None:
            own = {key: value for key, value in to_row(record).items() if key != "notice"}
            connection.execute(NOTICES.insert().values(**to_row(record.notice), **own))


def _add_risk(connection: sa.Connection, offering: str, seconds: int, interruptions: int) -> None:
    added = connection.execute(
        RISKS.update()
        .where(RISKS.c.offering == offering)
        .values(
            node_seconds=RISKS.c.node_seconds + seconds,
            interruptions=RISKS.c.interruptions + interruptions,
        )
    )
    if not added.rowcount:
        risk = RiskRecord(offering, seconds, interruptions)
        connection.execute(RISKS.insert().values(**to_row(risk)))


def _prune(connection: sa.Connection) -> None:
    """Forget the oldest: other groups' machines are announced by the thousand."""
    kept = sa.select(NOTICES.c.received_at).order_by(NOTICES.c.received_at.desc())
    last = connection.execute(kept.offset(KEPT_NOTICES).limit(1)).scalar()
    if last is not None:
        connection.execute(NOTICES.delete().where(NOTICES.c.received_at <= last))


def _to_notice(row: dict[str, Any]) -> NoticeRecord:
    own = {name: row.pop(name) for name in OF_NOTICE}
    return NoticeRecord(Notice(**{**own, "kind": NoticeKind(own["kind"])}), **row)
