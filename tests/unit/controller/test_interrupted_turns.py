"""Machines that are taken away: heard of, emptied, replaced and accounted for, turn by turn."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import pytest
from support.controller import NOW, declare_pool
from support.emptied import SPOT, FakeNotices, World, warn

from tidegate.manifest.model import Checkpoint
from tidegate.vocabulary.notices import NoticeKind, RiskRecord
from tidegate.vocabulary.records import Outcome

STEPS = ("interruption", "drain", "evict", "grow", "shrink", "reopen")


@pytest.fixture
def world(store):
    made = World(store, gpus=8)
    made.pool = declare_pool(**SPOT)
    made.turn()
    yield made
    made.close()


def test_in_one_turn_a_node_is_emptied_and_another_is_ordered(world):
    world.notices = [FakeNotices(warn())]

    world.turn()

    assert world.kube.evictions == [{"pod": "ml/left"}]
    assert world.pools.calls == [("size", "train", 3)]
    assert world.notices[0].settled == ["e-1"]
    assert sorted(world.told(*STEPS)) == [
        ("drain", Outcome.APPLIED),
        ("evict", Outcome.APPLIED),
        ("grow", Outcome.APPLIED),
        ("interruption", Outcome.OBSERVED),
    ]

    world.turn()
    assert world.pools.calls[1:] == [("remove", "train", "train-0")]
    assert world.kube.pods["ml/left"]["spec"]["nodeName"] == "train-2"
    assert world.pools.sizes == {"train": 2}


def test_what_is_repeated_is_accounted_and_the_offering_is_known_to_be_risky(world):
    world.notices = [FakeNotices(warn())]

    world.turn()
    tick = world.turn()

    (record,) = world.store.read_notices(NOW - timedelta(hours=1))
    assert (record.pool, record.node, record.offering) == ("train", "train-0", "train/p5.48xlarge")
    assert (record.items, record.rework_seconds, record.accelerator_seconds) == (1, 75, 600)
    assert world.store.read_risks() == [RiskRecord("train/p5.48xlarge", 0, 1)]
    assert tick is not None


def test_half_of_the_fleet_at_once_is_emptied_and_replaced(world):
    world.pool = declare_pool(**SPOT, max_nodes=8)
    world.pools._deliver("train")
    world.pools.sizes["train"] = 4
    world.pools._deliver("train")
    world.kube_lives()
    for number in (2, 3):
        world.run(f"job-{number}", f"train-{number}")
    world.notices = [FakeNotices(warn("train-0", id="a"), warn("train-2", id="b"))]

    world.turn()

    assert sorted(each["pod"] for each in world.kube.evictions) == ["ml/job-2", "ml/left"]
    assert world.pools.calls == [("size", "train", 6)]
    assert sorted(world.closed()) == ["train-0", "train-2"]
    assert world.store.read_risks() == [RiskRecord("train/p5.48xlarge", 0, 2)]


def test_work_that_is_ended_gets_what_is_left_of_its_grace(world):
    world.notices = [FakeNotices(warn(ago=100))]

    world.turn(0)

    assert world.kube.evictions == [{"pod": "ml/left", "gracePeriodSeconds": 5}]


def test_time_to_save_is_given_as_long_as_the_machine_lasts(world):
    declared = Checkpoint(interval_seconds=600, write_seconds=600, restart_seconds=5)
    world.pool = declare_pool(**SPOT, checkpoint=declared)
    world.notices = [FakeNotices(warn(ago=0, seconds=135))]

    world.turn(30)
    world.turn(30)
    assert world.kube.evictions == []
    world.turn(30)
    world.turn(30)

    assert [each["pod"] for each in world.kube.evictions] == ["ml/left"]


def test_work_without_a_checkpoint_gets_its_signal_too(world):
    world.kube.pods["ml/left"]["metadata"].pop("annotations")
    world.notices = [FakeNotices(warn())]

    world.turn()

    assert world.kube.evictions == [{"pod": "ml/left"}]
    (record,) = world.store.read_notices(NOW - timedelta(hours=1))
    assert record.rework_seconds == 3615


def test_a_mere_recommendation_ends_no_work_that_never_saved_itself(world):
    world.kube.pods["ml/left"]["metadata"].pop("annotations")
    world.notices = [FakeNotices(warn(kind=NoticeKind.REBALANCE))]

    world.turn()
    assert (world.closed(), world.kube.evictions) == (["train-0"], [])
    assert world.pools.calls == [("size", "train", 3)]

    world.notices[0].waiting = [warn(id="e-2", ago=-15)]
    world.turn()
    assert [each["pod"] for each in world.kube.evictions] == ["ml/left"]


def test_a_budget_keeps_work_until_its_machine_goes_and_that_is_told(world):
    world.kube.refused["ml/left"] = (429, "its budget")
    world.notices = [FakeNotices(warn())]

    world.turn()

    (evict,) = [e for e in world.store.read_decisions("train", 20) if e.action == "evict"]
    assert (evict.outcome, evict.detail) == (Outcome.HELD, "ml/left stays: its budget")


def test_work_that_does_not_end_is_told_after_its_time(world):
    world.kube.refused["ml/left"] = (429, "its budget")
    world.notices = [FakeNotices(warn(kind=NoticeKind.REBALANCE, seconds=9000))]
    world.turn()
    world.kube.pods["ml/left"]["metadata"]["deletionTimestamp"] = NOW.isoformat()

    async def take_turns():
        controller = world.build()
        try:
            for seconds in (15, 15, 700, 15):
                await controller.tick()
                world.clock.advance(seconds)
        finally:
            controller._executor.shutdown(wait=True)

    asyncio.run(take_turns())

    told = [e.detail for e in world.store.read_decisions("train", 30) if e.action == "drain"]
    assert told == [
        "its work does not end, 600 s after it was told",
        "waits for its work to save itself and to end",
        "",
    ]


def test_an_idle_node_that_is_taken_goes_without_ado(world):
    world.kube.pods.pop("ml/left")
    world.kube_lives = lambda: None
    world.notices = [FakeNotices(warn())]

    world.turn()

    assert world.pools.calls == [("remove", "train", "train-0")]
    assert world.kube.evictions == []


def test_where_its_cloud_would_choose_work_is_saved_and_the_machine_is_left_to_it(world):
    world.pools.choosing = False
    world.notices = [FakeNotices(warn())]

    world.turn()
    world.turn()

    assert [each["pod"] for each in world.kube.evictions] == ["ml/left"]
    assert all(call[0] == "size" for call in world.pools.calls)


def test_a_machine_that_stays_after_all_is_opened_again(world):
    world.kube.refused["ml/left"] = (429, "its budget")
    declared = Checkpoint(interval_seconds=600, write_seconds=900, restart_seconds=5)
    world.pool = declare_pool(**SPOT, checkpoint=declared)
    world.notices = [FakeNotices(warn(kind=NoticeKind.REBALANCE, seconds=9000))]
    world.turn()
    assert world.closed() == ["train-0"]

    world.clock.advance(4000)
    world.turn()

    assert world.closed() == []


def test_a_scheduled_change_is_remembered_until_an_hour_before(world):
    world.notices = [FakeNotices(warn(kind=NoticeKind.MAINTENANCE, seconds=4 * 3600))]
    world.turn()
    assert world.closed() == []

    world.clock.advance(3 * 3600)
    world.turn()

    assert [each["pod"] for each in world.kube.evictions] == ["ml/left"]
    assert world.store.read_risks() == []


def test_a_notice_of_nobodys_machine_changes_nothing(world):
    world.notices = [FakeNotices(warn("i-of-another-team"))]

    world.turn()

    assert (world.closed(), world.pools.calls, world.told(*STEPS)) == ([], [], [])
    assert world.notices[0].waiting == []
    assert world.store.read_risks() == []


def test_a_notice_that_comes_twice_is_told_and_counted_once(world):
    first = FakeNotices(warn(), warn())
    world.notices = [first]
    world.turn()
    first.waiting = [warn(), warn(id="another-event")]
    world.turn()

    told = [e for e in world.store.read_decisions("train", 30) if e.action == "interruption"]
    assert len(told) == 2  # the other event is told, and is the same interruption
    assert world.store.read_risks() == [RiskRecord("train/p5.48xlarge", 0, 1)]
    assert len(world.kube.evictions) == 1


def test_a_notice_that_comes_late_leaves_its_machine_alone(world):
    world.notices = [FakeNotices(warn(ago=1000))]

    world.turn()

    assert (world.closed(), world.pools.calls) == ([], [])
    (told,) = [e for e in world.store.read_decisions("train", 9) if e.action == "interruption"]
    assert told.detail == "came 1015 s late, and its machine is still there: left alone"


def test_a_message_that_is_none_is_put_away_and_told(world, capsys):
    world.notices = [FakeNotices(refused=["a message is no JSON: x"])]

    tick = world.turn()

    assert [each.refused for each in tick.told] == [("a message is no JSON: x",)]
    assert world.pools.calls == []
    assert "a message is no JSON: x" in "".join(capsys.readouterr())


def test_a_pool_of_another_scaler_is_left_to_it(world):
    world.pool = declare_pool(**{**SPOT, "scaler": "karpenter"})
    world.notices = [FakeNotices(warn())]

    world.turn()

    assert (world.closed(), world.kube.evictions, world.pools.calls) == ([], [], [])
    (told,) = [e for e in world.store.read_decisions("train", 9) if e.action == "interruption"]
    assert told.detail == "left to karpenter, which scales the pool"


def test_a_queue_that_is_silent_is_told_and_holds_nothing_else(world):
    queue = FakeNotices()
    queue.fault = "no credentials"
    world.notices = [queue]

    tick = world.turn()

    health = {each.name: each.fault for each in world.store.read_sources()}
    assert health["spot/interruptions"] == "no credentials"
    assert tick.decision.plan.holds == ()
