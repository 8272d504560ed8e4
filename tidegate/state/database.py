"""Opening the database, and bringing its schema up to date."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import sqlalchemy as sa

from tidegate.vocabulary.problems import Unavailable, refuse

MIGRATIONS = Path(__file__).parent / "migrations"
NEWEST = "0005"
BUSY_MILLISECONDS = 10_000
CONNECT_SECONDS = 10
MIGRATION_LOCK = 7_410_201
"""Any number: PostgreSQL's advisory lock, so that two controllers do not migrate at once."""


def open_database(url: str, *, migrates: bool = True) -> sa.Engine:
    """Return the database of a URL, with the newest schema.

    Args:
        url: "sqlite:///state.db" or "postgresql+psycopg://user@host/name"; plain "postgresql://"
            means the same driver.
        migrates: Whether an older schema is brought up to date. Who only looks at what a running
            controller writes leaves that to the controller, which could no longer read it.

    Raises:
        InvalidInput: The URL is none, or of another kind of database.
        Unavailable: The database does not answer, is newer than this Tidegate, or is older and
            left as it is.
    """
    engine = build_engine(url)
    try:
        with engine.begin() as connection:
            _lock(connection)
            version = _read_version(connection)
            if version is not None and version > NEWEST:
                text = f"a newer Tidegate wrote it (schema {version}; this one knows {NEWEST})"
                raise Unavailable(f"the state database cannot be used: {text}; upgrade Tidegate")
            if version is None or version < NEWEST:
                if not migrates:
                    raise _explain_older(version)
                _migrate(connection)
    except sa.exc.SQLAlchemyError as error:
        where = engine.url.render_as_string(hide_password=True)
        # SQLAlchemy adds the statement and a link to its own manual, which help nobody here.
        said = getattr(error, "orig", None) or error
        raise Unavailable(f"the state database {where} does not answer: {said}") from error
    return engine


def _explain_older(version: str | None) -> Unavailable:
    """Return (not raise) the error for a schema that is left to the controller."""
    if version is None:
        return Unavailable("the state database is empty: no controller has used it yet")
    text = f"an older Tidegate wrote it (schema {version}; this one writes {NEWEST})"
    what = "use the version of the controller, or start the controller with this one"
    return Unavailable(f"the state database is left as it is: {text}; {what}")


def build_engine(url: str) -> sa.Engine:
    """Return an engine; nothing is asked yet.

    Raises:
        InvalidInput: The URL is none, or of another kind of database.
    """
    try:
        parsed = sa.engine.make_url(url)
    except sa.exc.ArgumentError as error:
        expected = "sqlite:///FILE or postgresql://…"
        raise refuse("state database", "--database", None, "is no URL", expected) from error
    kind = parsed.get_backend_name()
    if kind == "sqlite":
        engine = sa.create_engine(parsed)
        sa.event.listen(engine, "connect", _prepare_sqlite)
        sa.event.listen(engine, "begin", _begin_sqlite)
        return engine
    if kind == "postgresql":
        parsed = parsed.set(drivername="postgresql+psycopg")
        options = {"connect_timeout": CONNECT_SECONDS}
        return sa.create_engine(parsed, pool_pre_ping=True, connect_args=options)
    raise refuse("state database", "--database", kind, "is not supported", "sqlite or postgresql")


def _prepare_sqlite(connection: Any, _record: Any) -> None:
    # The driver would begin late and without a lock: two could read before either writes.
    connection.isolation_level = None
    connection.execute(f"PRAGMA busy_timeout = {BUSY_MILLISECONDS}")
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = NORMAL")


def _begin_sqlite(connection: sa.Connection) -> None:
    connection.exec_driver_sql("BEGIN IMMEDIATE")


def _lock(connection: sa.Connection) -> None:
    if connection.dialect.name == "postgresql":
        connection.execute(sa.select(sa.func.pg_advisory_xact_lock(MIGRATION_LOCK)))


def _read_version(connection: sa.Connection) -> str | None:
    if not sa.inspect(connection).has_table("alembic_version"):
        return None
    table = sa.table("alembic_version", sa.column("version_num"))
    found: str | None = connection.execute(sa.select(table.c.version_num)).scalar()
    return found


def _migrate(connection: sa.Connection) -> None:
    # Loaded only where there is something to do: most starts find the newest schema.
    from alembic import command
    from alembic.config import Config

    settings = Config()
    settings.set_main_option("script_location", str(MIGRATIONS))
    settings.set_main_option("path_separator", "os")
    settings.attributes["connection"] = connection
    command.upgrade(settings, "head")
