from __future__ import annotations

import io

import pytest
from rich.console import Console
from support.emptied import World

from tidegate.cli.controller_plan import describe_tick
from tidegate.cli.controller_plan_text import print_plan
from tidegate.state.database import open_database
from tidegate.state.store import DatabaseStore


@pytest.fixture
def world(tmp_path):
    engine = open_database(f"sqlite:///{tmp_path / 'state.db'}")
    made = World(DatabaseStore(engine))
    yield made
    made.close()
    engine.dispose()


def render(tick, *, is_dry):
    text = io.StringIO()
    print_plan(Console(file=text, width=200), describe_tick(tick), is_dry=is_dry)
    return text.getvalue()


def test_steps_are_told_with_what_became_of_them_and_what_is_repeated(world):
    tick = world.turn()

    told = describe_tick(tick)["steps"]
    (node,) = world.closed()
    assert [(each["action"], each["node"], each["outcome"]) for each in told] == [
        ("drain", node, "applied"),
        ("evict", node, "applied"),
    ]
    text = render(tick, is_dry=False)
    assert "Emptied:" in text
    assert f"  train evict {node}: its work is told to end" in text
    assert "repeats 60 s since its last checkpoint" in text


def test_a_dry_run_tells_the_steps_without_an_outcome(world):
    tick = world.plan()

    text = render(tick, is_dry=True)
    assert "closed, and its work is asked to save itself" in text
    assert "intended" not in text
    assert world.closed() == []


def test_where_nothing_is_emptied_nothing_is_said_of_it(world):
    for pod in world.kube.pods.values():
        pod["metadata"].pop("annotations")

    assert "Emptied" not in render(world.turn(), is_dry=False)
