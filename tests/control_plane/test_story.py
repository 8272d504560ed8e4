"""From a pod that waits to an empty pool, on each cloud: all of it but the machines is real."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from support.stage import POOLS, SYSTEM, Story

from tidegate.vocabulary.records import Outcome

pytestmark = pytest.mark.slow

APPLIED = Outcome.APPLIED
NOTHING_FITS = "waiting work fits nothing that is there or in flight"


@pytest.mark.parametrize("cloud", POOLS)
def test_a_pod_opens_its_pool_and_its_end_closes_it(story: Story, cloud: str) -> None:
    pool, kubelets = POOLS[cloud], story.stage.kubelets[cloud]
    story.ask(cloud, "train")
    assert "1 Insufficient nvidia.com/gpu" in story.wait_refused(cloud, "train")

    story.turn()
    assert story.size(cloud) == 1
    story.turn(after=15)
    assert story.size(cloud) == 1

    joined = story.join(cloud)
    assert story.wait_bound(cloud, "train") == joined
    story.turn(after=15)
    busy = (
        story.figure("pool_nodes", pool=pool, phase="busy"),
        story.figure("pool_target_nodes", pool=pool),
        story.figure("leads"),
    )
    kubelets.set_phase("train", "Succeeded")
    story.turn(after=15)
    story.turn(after=250)
    assert story.size(cloud) == 1
    assert not kubelets.nodes()[joined[0]].spec.unschedulable
    story.turn(after=100)
    assert story.size(cloud) == 0
    assert kubelets.nodes()[joined[0]].spec.unschedulable
    assert story.leave(cloud) == joined
    story.turn(after=15)

    assert story.decisions(cloud) == [("grow", 0, 1, APPLIED), ("shrink", 1, 0, APPLIED)]
    grown, shrunk = story.reasons(cloud)
    assert grown == NOTHING_FITS
    assert re.fullmatch(r"1 node is deleted; idle for 3\d\d s, kept for 300 s \(1 node\)", shrunk)
    assert busy == (1, 1, 1)
    assert story.figure("pool_target_nodes", pool=pool) == 0
    assert story.figure("decisions_total", action="grow", outcome="applied") == 1
    assert story.figure("decisions_total", action="shrink", outcome="applied") == 1
    assert list(kubelets.nodes()) == [SYSTEM]
    last = story.store.read_last_tick()
    assert last is not None
    assert (last.waiting, last.holder) == (0, story.controller.holder)


def test_the_command_does_it_on_three_clouds_at_once(story: Story) -> None:
    for cloud in POOLS:
        story.ask(cloud, "train")
    choice = story.stage.choice()
    command = [
        *(Path(sys.executable).with_name("tidegate"), "controller", "once"),
        *("--format", "json", "--stack", choice.stack, "--project", str(choice.project)),
        *("--outputs", choice.outputs, "--sources", str(choice.sources)),
        *("--database", f"sqlite:///{story.database}"),
    ]

    done = subprocess.run(command, capture_output=True, text=True, timeout=120)

    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert sorted((each["pool"], each["from"], each["to"]) for each in told["orders"]) == sorted(
        (pool, 0, 1) for pool in POOLS.values()
    )
    assert [story.size(cloud) for cloud in POOLS] == [1, 1, 1]
    for cloud in POOLS:
        joined = story.join(cloud)
        assert story.wait_bound(cloud, "train") == joined
