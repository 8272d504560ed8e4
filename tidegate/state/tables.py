"""The tables of the controller's memory. Times are UTC without a zone: SQLite knows none."""

from __future__ import annotations

import sqlalchemy as sa

from tidegate.vocabulary.hiding import hide_secrets

METADATA = sa.MetaData()


class Told(sa.types.TypeDecorator[str]):
    """What clouds and sources said, without what looks like a secret."""

    impl = sa.Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: sa.Dialect) -> str | None:  # noqa: ARG002
        """Return what is written."""
        return None if value is None else hide_secrets(value)


LEASES = sa.Table(
    "leases",
    METADATA,
    sa.Column("name", sa.String(64), primary_key=True),
    sa.Column("holder", sa.String(255), nullable=False),
    sa.Column("token", sa.BigInteger, nullable=False),
    sa.Column("renewals", sa.BigInteger, nullable=False),
)
"""`token` grows with every new holder; `renewals` with every sign of life of the same one."""

DECISIONS = sa.Table(
    "decisions",
    METADATA,
    sa.Column("id", sa.Integer, primary_key=True, autoincrement=True),
    sa.Column("at", sa.DateTime, nullable=False),
    sa.Column("token", sa.BigInteger, nullable=False),
    sa.Column("pool", sa.String(128), nullable=False),
    sa.Column("action", sa.String(16), nullable=False),
    sa.Column("from_nodes", sa.Integer),
    sa.Column("to_nodes", sa.Integer),
    sa.Column("reason", Told, nullable=False),
    sa.Column("per_hour", sa.String(64), nullable=False),
    sa.Column("outcome", sa.String(16), nullable=False),
    sa.Column("detail", Told, nullable=False),
    sa.Index("decisions_by_pool", "pool", "id"),
)

NODES = sa.Table(
    "nodes",
    METADATA,
    sa.Column("id", sa.String(512), primary_key=True),
    sa.Column("pool", sa.String(64), nullable=False),
    sa.Column("phase", sa.String(16), nullable=False),
    sa.Column("since", sa.DateTime, nullable=False),
    sa.Column("offering", sa.String(255), nullable=False),
)

REFUSALS = sa.Table(
    "refusals",
    METADATA,
    sa.Column("offering", sa.String(255), primary_key=True),
    sa.Column("kind", sa.String(16), nullable=False),
    sa.Column("at", sa.DateTime, nullable=False),
    sa.Column("attempts", sa.Integer, nullable=False),
)
"""The health of offerings: which were refused last, and how often in a row."""

SOURCES = sa.Table(
    "sources",
    METADATA,
    sa.Column("name", sa.String(128), primary_key=True),
    sa.Column("received_at", sa.DateTime),
    sa.Column("fault", Told, nullable=False),
    sa.Column("items", sa.Integer, nullable=False),
)

OVERRIDES = sa.Table(
    "overrides",
    METADATA,
    sa.Column("pool", sa.String(128), primary_key=True),
    sa.Column("owner", sa.String(128), nullable=False),
    sa.Column("until", sa.DateTime, nullable=False),
    sa.Column("nodes", sa.Integer),
)

SNAPSHOTS = sa.Table(
    "snapshots",
    METADATA,
    sa.Column("name", sa.String(64), primary_key=True),
    sa.Column("document", sa.JSON, nullable=False),
)
"""One row: what the last turn saw and decided."""

TICKS = sa.Table(
    "ticks",
    METADATA,
    sa.Column("id", sa.Integer, primary_key=True, autoincrement=True),
    sa.Column("at", sa.DateTime, nullable=False),
    sa.Column("token", sa.BigInteger, nullable=False),
    sa.Column("holder", sa.String(255), nullable=False),
    sa.Column("per_hour", sa.String(64), nullable=False),
    sa.Column("pools", sa.Text, nullable=False),
    sa.Column("waiting", sa.Integer, nullable=False),
)

NOTICES = sa.Table(
    "notices",
    METADATA,
    sa.Column("id", sa.String(512), primary_key=True),
    sa.Column("cloud", sa.String(16), nullable=False),
    sa.Column("machine", sa.String(512), nullable=False),
    sa.Column("kind", sa.String(16), nullable=False),
    sa.Column("at", sa.DateTime, nullable=False),
    sa.Column("ends_at", sa.DateTime),
    sa.Column("text", Told, nullable=False),
    sa.Column("source", sa.String(128), nullable=False),
    sa.Column("received_at", sa.DateTime, nullable=False),
    sa.Column("pool", sa.String(64), nullable=False),
    sa.Column("node", sa.String(512), nullable=False),
    sa.Column("offering", sa.String(255), nullable=False),
    sa.Column("items", sa.Integer, nullable=False),
    sa.Column("rework_seconds", sa.BigInteger, nullable=False),
    sa.Column("accelerator_seconds", sa.BigInteger, nullable=False),
    sa.Index("notices_by_time", "received_at"),
)
"""What clouds announced of machines' ends, and what it cost; `pool` is empty while nobody's."""

RISKS = sa.Table(
    "risks",
    METADATA,
    sa.Column("offering", sa.String(255), primary_key=True),
    sa.Column("node_seconds", sa.BigInteger, nullable=False),
    sa.Column("interruptions", sa.Integer, nullable=False),
)
"""How long the nodes of an offering ran, and how often one was taken away."""

STOPPED_RUNS = sa.Table(
    "stopped_runs",
    METADATA,
    sa.Column("run", sa.String(512), primary_key=True),
    sa.Column("pool", sa.String(64), nullable=False),
    sa.Column("at", sa.DateTime, nullable=False),
)
"""Polyaxon runs that the controller stopped, and is to resume."""

HISTORIES = sa.Table(
    "histories",
    METADATA,
    sa.Column("pool", sa.String(64), primary_key=True),
    sa.Column("looked_at", sa.DateTime, nullable=False),
    sa.Column("document", sa.JSON, nullable=False),
)
"""What is remembered of each pool's work: bounded lists, for they are read at every turn."""
