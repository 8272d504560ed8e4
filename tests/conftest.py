"""What tests of every room share: how properties are searched, and a controller's memory."""

from __future__ import annotations

import pytest
from hypothesis import settings

# No test fails for being slow on a busy machine.
settings.register_profile("tidegate", deadline=None)
settings.load_profile("tidegate")


@pytest.fixture
def store(tmp_path):
    """What a controller remembers, in a file of its own."""
    from tidegate.state.database import open_database
    from tidegate.state.store import DatabaseStore

    engine = open_database(f"sqlite:///{tmp_path / 'controller.db'}")
    yield DatabaseStore(engine)
    engine.dispose()
