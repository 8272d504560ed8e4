from __future__ import annotations

import json
import threading
from datetime import UTC, datetime, timedelta

import pytest
from support.controller import declare_pool
from support.emptied import DrilledWorld
from typer.testing import CliRunner

from tidegate.cli.controller import app
from tidegate.manifest.model import Checkpoint
from tidegate.state.database import open_database
from tidegate.state.store import DatabaseStore
from tidegate.vocabulary.problems import InvalidInput
from tidegate.vocabulary.records import OverrideRecord

DECLARED = Checkpoint(interval_seconds=300, write_seconds=0, restart_seconds=30)


@pytest.fixture
def world(tmp_path, monkeypatch):
    """Return a pool that lives in real time, and the stack's feed replaced by it."""
    url = f"sqlite:///{tmp_path / 'state.db'}"
    engine = open_database(url)
    made = DrilledWorld(DatabaseStore(engine), gpus=8)
    made.clock.time = datetime.now(UTC)
    for name in ("left", "right"):
        made.save(name, 60)
    made.pool = declare_pool(cluster="main", boot_seconds=60, checkpoint=DECLARED)
    monkeypatch.setattr("tidegate.cli.controller_building.StackFeed", lambda _choice: made.wiring)
    made.url = url
    ended = threading.Event()

    def live():
        while not ended.wait(0.02):
            made.live()

    living = threading.Thread(target=live)
    living.start()
    yield made
    ended.set()
    living.join()
    made.close()
    engine.dispose()


def call(world, *arguments):
    result = CliRunner().invoke(
        app, ["drill", "train", "--database", world.url, "--interval", "0.1", *arguments]
    )
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def test_a_drill_that_holds_tells_what_it_measured(world):
    result = call(world, "--yes", "--format", "json")

    told = json.loads(result.stdout)
    assert result.exit_code == 0
    assert (told["pool"], told["node"], told["holds"]) == ("train", "train-0", True)
    assert [(each["check"], each["item"], each["verdict"]) for each in told["checks"]] == [
        (name, "k8s/ml/Job/left", "holds") for name in ("resume", "rework", "idempotency")
    ]
    assert told["checks"][0]["limitSeconds"] == 90
    assert "train-0 of train is interrupted; it runs ml/left" in result.stderr


def test_a_drill_that_does_not_hold_exits_with_1_and_says_why(world):
    world.says = False

    result = call(world, "--yes")

    assert result.exit_code == 1
    assert "does not hold, or is not shown to" in " ".join(result.stdout.split())


def test_where_nobody_can_answer_it_asks_for_a_yes(world):
    with pytest.raises(InvalidInput, match="--yes"):
        call(world)

    assert world.kube.evictions == []


def test_a_pool_that_a_person_paused_is_not_interrupted(world):
    until = world.clock.time + timedelta(hours=1)
    world.store.record_override(OverrideRecord("train", "ana", until))

    with pytest.raises(InvalidInput, match="is paused by ana"):
        call(world, "--yes")

    assert world.kube.evictions == []


def test_who_answers_no_interrupts_nothing(world, monkeypatch):
    monkeypatch.setattr("tidegate.cli.controller_drill._can_answer", lambda: True)

    result = CliRunner().invoke(app, ["drill", "train", "--database", world.url], input="n\n")

    assert result.exit_code == 0
    assert "nothing was interrupted" in result.stderr
    assert world.kube.evictions == []
