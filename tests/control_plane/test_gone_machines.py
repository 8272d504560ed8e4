"""Nodes that are still listed while their machines are gone, and machines that become no nodes."""

from __future__ import annotations

import pytest
from support.stage import POOLS, Story

from tidegate.vocabulary.records import Outcome

pytestmark = pytest.mark.slow

IDLE = 400
"""Seconds after which an idle node is not kept any more."""


@pytest.mark.parametrize("cloud", POOLS)
def test_a_node_whose_machine_was_removed_stays_closed_while_it_is_listed(
    story: Story, cloud: str
) -> None:
    kubelets = story.stage.kubelets[cloud]
    story.ask(cloud, "first")
    story.turn()
    (gone,) = story.join(cloud)
    story.wait_bound(cloud, "first")
    story.turn(after=15)
    kubelets.set_phase("first", "Succeeded")
    story.turn(after=15)
    story.turn(after=IDLE)
    assert story.size(cloud) == 0

    story.turn(after=15)
    story.ask(cloud, "second")
    story.turn(after=15)
    story.turn(after=15)

    assert kubelets.nodes()[gone].spec.unschedulable
    assert kubelets.node_of("second") == ""
    assert story.size(cloud) == 1
    assert story.leave(cloud) == [gone]
    (fresh,) = story.join(cloud)
    assert story.wait_bound(cloud, "second") == [fresh]
    story.turn(after=15)
    assert story.decisions(cloud) == [
        ("grow", 0, 1, Outcome.APPLIED),
        ("shrink", 1, 0, Outcome.APPLIED),
        ("grow", 0, 1, Outcome.APPLIED),
    ]


@pytest.mark.parametrize("cloud", POOLS)
def test_a_machine_that_never_becomes_a_node_is_replaced_once(story: Story, cloud: str) -> None:
    patience = 3 * story.stage.declared(cloud).boot_seconds
    story.ask(cloud, "train")
    story.turn()
    (dead,) = story.stage.pools.show(POOLS[cloud]).machines
    story.turn(after=patience - 30)
    assert list(story.stage.pools.show(POOLS[cloud]).machines) == [dead]

    for _ in range(4):
        story.turn(after=60)

    (fresh,) = story.stage.pools.show(POOLS[cloud]).machines
    assert fresh != dead
    steps = [each[:3] for each in story.decisions(cloud)]
    # GKE chooses which node goes: there the dead one goes first, and the other is ordered then.
    replaced = [("shrink", 1, 0), ("grow", 0, 1)] if cloud == "gcp" else [("grow", 1, 1)]
    assert steps == [("grow", 0, 1), *replaced]
    assert "did not come in time (1 node)" in story.reasons(cloud)[1]
    story.join(cloud)
    assert story.wait_bound(cloud, "train") == [fresh]
