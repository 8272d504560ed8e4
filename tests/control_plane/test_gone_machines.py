"""Nodes that a cluster still lists while their machines are gone, or that never became nodes."""

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
