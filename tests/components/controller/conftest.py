from __future__ import annotations

import pytest
from support.in_cluster import build_args
from tidegate_components import Controller


@pytest.fixture
def declare(record):
    def run(home="aws", opts=None, **changes):
        given = build_args(home, **changes)
        return record(lambda: Controller("controller", given, opts))

    return run
