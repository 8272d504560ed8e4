"""A real PostgreSQL of this machine, started for tests and thrown away after them."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import sqlalchemy as sa
from support.programs import lack

from tidegate.state.database import open_database
from tidegate.state.tables import METADATA

WITHOUT = "TIDEGATE_WITHOUT_POSTGRESQL"


def find_programs() -> Path:
    """Return the folder of the server's programs; the test is skipped where they are absent."""
    found = next(iter(sorted(Path("/usr/lib/postgresql").glob("*/bin"))), None)
    if found is None or not (found / "initdb").exists():
        lack("needs PostgreSQL's server programs; Debian: apt-get install postgresql", WITHOUT)
    return found


@contextmanager
def run_postgres() -> Iterator[str]:
    """Run a server until the block ends; its URL is that of an empty database."""
    programs = find_programs()
    is_root = os.geteuid() == 0
    if is_root and shutil.which("runuser") is None:
        lack("PostgreSQL does not run as root, and there is no runuser", WITHOUT)
    user = ["runuser", "-u", "postgres", "--"] if is_root else []
    # Not below pytest's own folder, which no other user may enter.
    folder = Path(tempfile.mkdtemp(prefix="tidegate-postgres-"))
    if is_root:
        shutil.chown(folder, "postgres")
    data = folder / "data"
    run = {"check": True, "capture_output": True, "timeout": 120, "cwd": "/"}
    subprocess.run([*user, programs / "initdb", "-D", data, "-A", "trust", "-U", "tests"], **run)
    options = f"-c listen_addresses='' -c unix_socket_directories={folder} -c fsync=off"
    control = [*user, programs / "pg_ctl", "-D", data, "-w", "-l", folder / "log"]
    subprocess.run([*control, "-o", options, "start"], **run)
    try:
        yield f"postgresql://tests@/postgres?host={folder}"
    finally:
        subprocess.run([*control, "-m", "immediate", "stop"], **run)
        shutil.rmtree(folder)


@contextmanager
def open_emptied(url: str) -> Iterator[sa.Engine]:
    """Open a database until the block ends, and leave a server's as it was before."""
    engine = open_database(url)
    yield engine
    if engine.dialect.name == "postgresql":
        METADATA.drop_all(engine)
        with engine.begin() as connection:
            connection.execute(sa.text("DROP TABLE alembic_version"))
    engine.dispose()
