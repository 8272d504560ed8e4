"""What a controller learns of a pool's work, through its turns and a real database."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import timedelta

import pytest
from support.controller import (
    NOW,
    FakeClock,
    FakeCordons,
    FakePools,
    FakeSource,
    declare,
    declare_pool,
    fault,
    node,
    wire,
    work,
)

from tidegate.cli.controller_plan import describe_tick
from tidegate.controller.loop import Controller
from tidegate.state.database import open_database
from tidegate.state.store import DatabaseStore
from tidegate.vocabulary.demand import AcceleratorNeed, WorkShape
from tidegate.vocabulary.fleet_state import RunningPod
from tidegate.vocabulary.history import Arrival
from tidegate.vocabulary.reports import WorkReport

SHAPE = WorkShape(accelerators=(AcceleratorNeed("h100-80gb", 8),))
BOOT = 120


class World:
    """One pool with one node, which gets work and loses it again."""

    def __init__(self, path, **declared):
        self.engine = open_database(f"sqlite:///{path / 'state.db'}")
        self.store = DatabaseStore(self.engine)
        self.clock = FakeClock()
        self.pools = FakePools({"train": 1})
        self.cluster = FakeSource("ml", self.report)
        self.wiring = wire(
            declare(declare_pool(**declared)),
            self.pools,
            self.cluster,
            cordons=FakeCordons(),
            clusters={"ml": ("train",)},
        )
        self.pods = ()
        self.made = 0
        self.restart()

    def restart(self):
        self.controller = Controller(lambda: self.wiring, self.store, self.clock, holder="one")

    def report(self):
        machines = self.pools.machines["train"]
        nodes = [replace(node(name), provider_id=name) for name in machines]
        if nodes:
            nodes[0] = replace(nodes[0], running=self.pods)
        return WorkReport(nodes=tuple(nodes))

    def start(self, wait_target=None, **changes):
        self.made += 1
        shape = replace(SHAPE, wait_target_seconds=wait_target)
        made = RunningPod(
            f"job-{self.made}", accelerators=8, name=f"ml/job-{self.made}", owner="ml/job",
            shape=shape, created_at=self.clock.now(),
        )  # fmt: skip
        self.pods = (replace(made, **changes),)

    def end(self):
        self.pods = ()

    def turn(self, after=15.0):
        self.clock.advance(after)
        self.tick = self.runner.run(self.controller.tick())
        return self.tick

    def work_and_rest(self, times, gap, **work):
        """Have work come after a gap, so often; in the end the node has just fallen idle."""
        for number in range(times):
            for _ in range(gap // 15 - 1 if number else 0):
                self.turn()
            self.clock.advance(15)
            self.start(**work)
            self.turn(after=0)
            self.end()
            self.turn()

    def history(self):
        (found,) = self.store.read_histories()
        return found

    def size(self):
        return self.pools.sizes["train"]

    def kept(self):
        told = describe_tick(self.runner.run(self.controller.plan()))
        return [(each["pool"], each["nodes"], each["reason"]) for each in told["kept"]]


@pytest.fixture
def world(tmp_path):
    made = World(tmp_path, boot_seconds=BOOT)
    with asyncio.Runner() as runner:
        made.runner = runner
        yield made
        made.controller._executor.shutdown(wait=False)
    made.engine.dispose()


def test_the_gaps_between_work_are_remembered_with_when_it_came(world):
    world.turn()
    world.work_and_rest(3, 45)

    history = world.history()
    assert history.gaps == (45, 45)
    assert sum(each.accelerators for each in history.arrivals) == 24
    assert world.tick.decision.observation.fleet.idle_gaps == {"train": (45, 45)}


def test_after_many_short_gaps_an_idle_node_is_kept_for_as_long_as_they_last(world):
    world.turn()
    world.work_and_rest(12, 90)

    assert world.size() == 1
    (machine,) = world.pools.machines["train"]
    text = "until idle for 90 s: what would have cost least over the last 11 gaps between work"
    assert world.kept() == [("train", [machine], text)]
    for _ in range(5):
        world.turn()
    assert world.size() == 1
    world.turn()
    assert world.size() == 0


def test_with_long_gaps_it_goes_as_soon_as_it_may(world):
    world.turn()
    for _ in range(12):
        world.start()
        world.pools.apply_size("train", world.size(), 1)
        world.turn()
        world.end()
        for _ in range(40):
            world.turn()
    world.pools.apply_size("train", world.size(), 1)
    world.start()
    world.turn()
    world.end()
    world.turn()

    assert min(world.history().gaps) >= 500
    assert len(world.history().gaps) == 12
    for _ in range(3):
        world.turn()
    assert world.size() == 1
    world.turn()
    assert world.size() == 0


def test_a_node_stays_for_work_that_may_not_wait_for_a_new_one(world):
    world.turn()
    world.start(wait_target=30)
    world.turn()
    world.end()
    for _ in range(40):
        world.turn()

    assert world.size() == 1
    assert world.tick.decision.observation.fleet.wait_targets == {"train": 30}
    ((_, _, reason),) = world.kept()
    assert reason == "room kept free for what arrives while a node boots"


def test_work_that_may_wait_for_a_new_one_keeps_nothing(world):
    world.turn()
    world.start(wait_target=BOOT)
    world.turn()
    world.end()
    for _ in range(40):
        world.turn()

    assert world.size() == 0


def test_room_is_never_kept_beyond_the_maximum(tmp_path):
    world = World(tmp_path, boot_seconds=BOOT, max_nodes=1)
    with asyncio.Runner() as world.runner:
        world.turn()
        world.start(wait_target=0, accelerators=64)
        for _ in range(20):
            world.turn()
        world.controller._executor.shutdown(wait=False)
    world.engine.dispose()

    assert world.size() == 1
    assert [call for call in world.pools.calls if call[0] == "size"] == []


def test_a_restart_keeps_what_was_learned_and_counts_nothing_twice(world):
    world.turn()
    world.work_and_rest(2, 45)
    world.start()
    world.turn()
    before = world.history()

    world.controller._executor.shutdown(wait=False)
    world.restart()
    world.turn()

    assert world.history() == before
    assert world.tick.decision.observation.fleet.idle_gaps == {"train": before.gaps}


def test_what_runs_at_the_first_look_is_not_counted(world):
    world.start()
    world.turn()

    assert world.history().arrivals == ()


def test_work_that_goes_on_from_a_checkpoint_did_not_arrive_again(world):
    world.turn()
    world.start(resumed_from=NOW)
    world.turn()

    assert world.history().arrivals == ()


@pytest.mark.parametrize("seconds", [-3000, 90_000], ids=["back", "ahead"])
def test_a_clock_that_jumps_teaches_no_gap_and_makes_nothing_forgotten(world, seconds):
    world.turn()
    world.work_and_rest(2, 45)
    before = world.history()

    world.clock.time += timedelta(seconds=seconds)
    world.turn()
    world.start()
    world.turn()

    assert world.history().gaps == before.gaps == (45,)
    assert set(before.arrivals) <= set(world.history().arrivals)


def test_a_cluster_in_doubt_teaches_nothing(world):
    world.turn()
    world.work_and_rest(2, 45)
    for _ in range(3):
        world.turn()
    before = world.history()

    world.start()
    world.cluster.answer = fault()
    world.turn()
    assert world.history() == before
    assert world.tick.decision.observation.fleet.idle_gaps == {"train": (45,)}

    world.cluster.answer = world.report
    world.turn(after=150)
    assert world.history().gaps == (45, 45)


def test_after_a_long_time_without_a_look_no_gap_is_taken_to_have_lasted(world):
    world.turn()
    world.work_and_rest(2, 45)
    world.controller._executor.shutdown(wait=False)
    world.restart()

    world.clock.advance(3000)
    world.start()
    world.turn()

    assert world.history().gaps == (45,)
    assert sum(each.accelerators for each in world.history().arrivals) == 24


def test_a_dry_run_writes_nothing_of_it_down(world):
    world.turn()
    before = world.history()

    world.start()
    world.clock.advance(15)
    world.runner.run(world.controller.plan())

    assert world.history() == before


def test_jobs_of_a_queue_tell_how_long_they_may_wait(tmp_path):
    world = World(tmp_path)
    items = tuple(replace(i, shape=replace(i.shape, wait_target_seconds=90)) for i in work(1))
    queue = FakeSource("queue", WorkReport(items, in_progress={"train": 1}))
    world.wiring = wire(declare(declare_pool()), world.pools, queue)
    with asyncio.Runner() as world.runner:
        world.turn()
        world.controller._executor.shutdown(wait=False)
    minute = int(world.clock.now().timestamp()) // 60 * 60
    assert world.history().arrivals == (Arrival(minute, 0, 90),)
    world.engine.dispose()
