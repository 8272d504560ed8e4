"""Nodes emptied by the whole controller, over HTTP against a stand-in for an API server."""

from __future__ import annotations

from dataclasses import replace

import pytest
from support.controller import declare_pool
from support.emptied import ASKED, World
from support.kube_server import BUDGET
from support.mortal import Death, Killed, Mortal

from tidegate.manifest.model import Checkpoint
from tidegate.state.database import open_database
from tidegate.state.store import DatabaseStore
from tidegate.vocabulary.records import LeaseLost, Outcome


@pytest.fixture
def world(tmp_path):
    engine = open_database(f"sqlite:///{tmp_path / 'state.db'}")
    made = World(DatabaseStore(engine))
    yield made
    made.close()
    engine.dispose()


STEPS = ("drain", "evict", "reopen", "withdraw", "shrink")


def test_a_node_whose_work_fits_elsewhere_is_closed_emptied_and_let_go(world):
    world.turn()
    (gone,) = world.closed()
    evicted = [each["pod"] for each in world.kube.evictions]
    world.turn()

    assert len(evicted) == 1
    assert gone not in world.kube.nodes
    assert world.pools.calls == [("remove", "train", gone)]
    assert world.pools.sizes == {"train": 1}
    assert world.told(*STEPS) == [
        ("drain", Outcome.APPLIED),
        ("evict", Outcome.APPLIED),
        ("shrink", Outcome.APPLIED),
    ]
    (told,) = [each for each in world.store.read_decisions("train", 9) if each.action == "evict"]
    assert told.detail == f"{evicted[0]} repeats 60 s since its last checkpoint"


def test_work_that_never_saved_itself_is_never_ended(world):
    for pod in world.kube.pods.values():
        pod["metadata"].pop("annotations")

    for _ in range(3):
        world.turn(4000)

    assert world.closed() == []
    assert world.kube.evictions == []


def test_work_that_nothing_makes_anew_is_never_ended_by_choice(world):
    for pod in world.kube.pods.values():
        pod["metadata"].pop("ownerReferences")

    for _ in range(3):
        world.turn(4000)

    assert world.closed() == []
    assert world.kube.evictions == []


def test_a_leader_that_was_replaced_meanwhile_tells_no_node_anything(world):
    other = DatabaseStore(world.store._engine, patience_seconds=0)
    wiring = world.wiring()
    fetch = world.cluster.fetch

    def sleep_and_be_replaced():
        other.take_lease("two", 0.0)
        assert other.take_lease("two", 1.0) is not None
        return fetch()

    world.cluster.fetch = sleep_and_be_replaced

    with pytest.raises(LeaseLost):
        world.turn(wiring=wiring)

    assert (world.closed(), world.kube.evictions) == ([], [])
    assert world.store.read_decisions(None, 9) == []


def test_work_gets_the_time_that_it_declares_to_save_itself(world):
    world.pool = declare_pool(
        cluster="main",
        checkpoint=Checkpoint(interval_seconds=600, write_seconds=40, restart_seconds=5),
    )

    world.turn(15)
    asked = [k for k, v in world.kube.pods.items() if ASKED in v["metadata"]["annotations"]]
    world.turn(15)
    assert (len(asked), len(world.closed()), world.kube.evictions) == (1, 1, [])
    world.save(asked[0].partition("/")[2])
    world.turn()

    assert [each["pod"] for each in world.kube.evictions] == asked
    assert world.told(*STEPS) == [
        ("drain", Outcome.APPLIED),
        ("drain", Outcome.HELD),
        ("evict", Outcome.APPLIED),
    ]


def test_a_long_time_to_save_itself_is_not_cut_short(world):
    declared = Checkpoint(interval_seconds=600, write_seconds=900, restart_seconds=5)
    world.pool = declare_pool(cluster="main", checkpoint=declared)

    world.turn(700)
    for name in ("left", "right"):
        world.save(name, 900)
    world.turn(250)
    assert (len(world.closed()), world.kube.evictions) == (1, [])
    world.turn()

    assert len(world.kube.evictions) == 1


def test_work_that_does_not_say_that_it_saved_itself_is_ended_after_that_time(world):
    world.pool = declare_pool(
        cluster="main",
        checkpoint=Checkpoint(interval_seconds=600, write_seconds=40, restart_seconds=5),
    )

    for _ in range(4):
        world.turn(15)

    assert len(world.kube.evictions) == 1


def test_a_budget_is_waited_for_at_the_next_turn(world):
    world.kube.refused = dict.fromkeys(world.kube.pods, (429, BUDGET))
    world.turn()
    assert world.kube.evictions == []
    world.kube.refused = {}
    world.turn()
    world.turn()

    assert len(world.kube.evictions) == 1
    assert world.pools.sizes == {"train": 1}
    assert world.told(*STEPS) == [
        ("drain", Outcome.APPLIED),
        ("evict", Outcome.HELD),
        ("evict", Outcome.APPLIED),
        ("shrink", Outcome.APPLIED),
    ]


def test_a_budget_that_never_lets_go_is_told_and_the_node_is_opened_again(world):
    world.kube.refused = dict.fromkeys(world.kube.pods, (429, BUDGET))

    world.turn(300)
    world.turn(301)
    for name in ("left", "right"):
        world.save(name)
    (closed,) = world.closed()
    world.turn()

    reopened = [e for e in world.store.read_decisions("train", 9) if e.action == "reopen"]
    assert [(each.outcome, each.reason) for each in reopened] == [
        (Outcome.APPLIED, f"{closed}: it was not empty within 600 s")
    ]
    assert all(ASKED not in pod["metadata"]["annotations"] for pod in world.kube.pods.values())
    kept = [
        each.detail for each in world.store.read_decisions("train", 9) if each.action == "evict"
    ]
    assert all(BUDGET in detail for detail in kept)


def test_a_node_that_is_wanted_again_is_opened_and_its_work_goes_on(world):
    world.pool = declare_pool(
        cluster="main",
        checkpoint=Checkpoint(interval_seconds=600, write_seconds=300, restart_seconds=5),
    )
    world.turn()
    (closed,) = world.closed()
    other = "train-1" if closed == "train-0" else "train-0"
    world.kube.add_pod("more", other, gpus=4)
    world.turn()

    assert world.closed() == []
    assert world.kube.evictions == []
    assert all(ASKED not in p["metadata"].get("annotations", {}) for p in world.kube.pods.values())


def test_a_cluster_that_fails_half_way_is_told_and_tried_again(world):
    world.kube.refused = dict.fromkeys(world.kube.pods, (500, "etcd is away"))
    world.turn()
    assert world.told(*STEPS) == [("drain", Outcome.APPLIED), ("evict", Outcome.HELD)]
    world.kube.refused = {}
    world.turn()
    world.turn()

    assert world.pools.sizes == {"train": 1}


def test_where_the_cloud_would_choose_no_work_is_moved(world):
    world.pools.choosing = False

    tick = world.turn()

    assert world.closed() == []
    assert tick.decision.plan.drains == ()


def test_a_higher_priority_gets_its_seats_after_the_lower_saved_itself(world):
    for pod in world.kube.pods.values():
        pod["spec"]["containers"][0]["resources"]["requests"]["nvidia.com/gpu"] = "8"
    world.kube.add_pod("urgent", gpus=8)
    world.kube.pods["ml/urgent"]["spec"]["priority"] = 1000
    world.pool = declare_pool(cluster="main", max_nodes=2)
    world.kube_lives = lambda: None

    world.turn()

    assert len(world.kube.evictions) == 1
    assert world.closed() == []
    assert world.told("preempt", *STEPS) == [
        ("preempt", Outcome.APPLIED),
        ("evict", Outcome.APPLIED),
    ]


def test_killed_at_any_step_the_next_one_empties_the_same_node_once(tmp_path):
    died = 0
    for step in range(120):
        engine = open_database(f"sqlite:///{tmp_path / f'{step}.db'}")
        world = World(DatabaseStore(engine, patience_seconds=1))
        death = Death(step)
        wiring = world.wiring()
        mortal = replace(
            wiring, pools=Mortal(wiring.pools, death), cordons=Mortal(wiring.cordons, death)
        )
        try:
            for _ in range(2):
                world.turn(wiring=mortal, store=Mortal(world.store, death))
            lived = True
        except Killed:
            lived = False
        second = DatabaseStore(engine, patience_seconds=1)
        for _ in range(5):
            world.turn(store=second, holder="two")

        assert world.pools.sizes == {"train": 1}
        assert [call[0] for call in world.pools.calls] == ["remove"]
        assert len(world.kube.evictions) == 1
        assert world.closed() == []
        world.close()
        engine.dispose()
        if lived:
            break
        died += 1
    assert died > 6
