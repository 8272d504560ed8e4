"""A database of each kind, for every test that asks for an engine."""

from __future__ import annotations

import pytest
from support.postgres import open_emptied, run_postgres


@pytest.fixture(scope="session")
def postgres():
    with run_postgres() as url:
        yield url


@pytest.fixture(params=["sqlite", "postgresql"])
def engine(request, tmp_path):
    if request.param == "sqlite":
        url = f"sqlite:///{tmp_path / 'state.db'}"
    else:
        url = request.getfixturevalue("postgres")
    with open_emptied(url) as opened:
        yield opened
