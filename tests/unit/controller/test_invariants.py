"""A controller's life among faults in compressed time: what must hold whatever happens.

`benchmarks/soak.py --hours H --seed S` lives longer; a failure names the seed that shows it again.
`TIDEGATE_SOAK_SEED` gives the day of the slow test another one.
"""

from __future__ import annotations

import logging
import os
from dataclasses import replace

import pytest
import structlog
from support.soak import Soak
from support.soak_weather import EPISODES
from support.soak_world import World


@pytest.fixture(autouse=True)
def _quiet():
    """Leave the log of thousands of turns out."""
    before = structlog.get_config()
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))
    yield
    structlog.configure(**before)


def live(folder, seed, hours):
    soak = Soak(folder, seed)
    try:
        soak.run(hours)
        soak.check()
    finally:
        soak.close()
    return soak


@pytest.mark.parametrize("seed", range(3))
def test_nothing_that_runs_is_lost_and_nothing_grows_past_its_bounds(tmp_path, seed):
    soak = live(tmp_path, seed, hours=1)

    assert soak.world.interrupted > 0  # there was something to lose
    assert len(soak.weather.kinds) > len(EPISODES) // 2


@pytest.mark.slow
def test_a_day_of_faults_breaks_no_promise(tmp_path, capsys):
    seed = int(os.environ.get("TIDEGATE_SOAK_SEED", "11"))
    with capsys.disabled():
        print(f"\na day of faults, seed {seed}")  # noqa: T201 - so that it can be lived again

    soak = live(tmp_path, seed, hours=24)

    assert set(soak.weather.kinds) == set(EPISODES)
    assert {"killed", "paused"} <= set(soak.kinds)


def test_a_soak_tells_when_work_is_deleted(tmp_path, monkeypatch):
    """It can fail: where a cluster hides its pods, and says that nodes are empty, it does."""
    show = World._show
    monkeypatch.setattr(World, "_show", lambda *given: replace(show(*given), running=()))
    monkeypatch.setattr(World, "close", lambda *_: True)
    soak = Soak(tmp_path, 1)
    soak.run(1)
    soak.close()

    assert "was deleted with" in soak.violations[0]
    with pytest.raises(AssertionError, match="seed 1, turn"):
        soak.check()
