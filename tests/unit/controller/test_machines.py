from __future__ import annotations

import pytest
from support.controller import NOW, node

from tidegate.controller.machines import is_gone
from tidegate.vocabulary.fleet_state import Machine, MachinePhase, PoolState, RunningPod

CLOSED = {"closed": True, "closed_by_us": True}
AGENT = (RunningPod("ns/agent", daemonset=True),)


def state_of(*phases):
    return PoolState("train", 1, tuple(Machine("a", phase) for phase in phases), None)


@pytest.mark.parametrize(
    ("found", "state", "gone"),
    [
        (node("a", **CLOSED), state_of(), True),
        (node("a", **CLOSED), state_of(MachinePhase.LEAVING), True),
        (node("a", **CLOSED, running=AGENT), state_of(), True),
        (node("a", closed=True, drained_since=NOW), state_of(), True),
        (node("a", **CLOSED), state_of(MachinePhase.RUNNING), False),
        (node("a", "train", "ns/pod", **CLOSED), state_of(), False),
        (node("a", closed=True), state_of(), False),
        (node("a"), state_of(), False),
        (node("a", **CLOSED), None, False),
        (node("a", **CLOSED), PoolState("train", 1, None, None), False),
    ],
    ids=[
        "no machine", "leaving", "daemonset", "emptied", "there", "busy", "closed by a person",
        "open", "cloud not read", "machines not told",
    ],
)  # fmt: skip
def test_only_an_empty_node_that_was_closed_by_us_is_gone_with_its_machine(found, state, gone):
    assert is_gone(found, state) is gone
