"""What idles because its work went on elsewhere for less owes nothing to its keep-alive."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pytest
from support.scaling import ago, node, offering, plan, pool, shape, work

from tidegate.scaling.offerings import NodeRoom
from tidegate.scaling.settings import ScalingSettings
from tidegate.vocabulary.capacity import CapacityType

POOLS = [pool("od"), pool("spot")]
OFFERS = [
    offering("od"),
    offering("spot", capacity_type=CapacityType.SPOT, per_hour=Decimal(24)),
]
OLDER = node("n0", "od", "busy", since=ago(5000), running=(work("old", started_at=ago(5000)),))
PATIENT = ScalingSettings(keep_alive_min_seconds=600)


def idle(id: str = "n1", pool: str = "od", since: int = 30, **changes):
    return node(id, pool, "idle", since=ago(since), **changes)


def busy(id: str = "s1", pool: str = "spot", since: int = 90, **changes):
    running = (work(f"run-{id}", started_at=ago(since)),)
    return node(id, pool, "busy", since=ago(since), running=running, **changes)


def stops(*nodes, offers=OFFERS, settings=PATIENT) -> dict[str, str]:
    found = plan(POOLS, offers, nodes=nodes, settings=settings)
    return {stop.node: stop.reason for stop in found.stops}


def test_a_node_goes_at_once_when_a_cheaper_one_took_its_work_over():
    assert stops(OLDER, idle(), busy()) == {"n1": "s1 costs less and took its work over"}


@pytest.mark.parametrize(
    "nodes",
    [
        pytest.param((idle(),), id="nothing else runs"),
        pytest.param((idle(), busy(since=200)), id="the other was busy long before"),
        pytest.param((idle(), busy(since=10)), id="the other became busy afterwards"),
        pytest.param((idle(), busy(pool="od")), id="the other costs as much"),
        pytest.param((idle("s2", "spot"), busy("n2", "od")), id="the other costs more"),
        pytest.param((idle(), idle("s1", "spot", since=90)), id="the other is idle as well"),
    ],
)
def test_else_it_stays_for_its_keep_alive(nodes):
    assert stops(OLDER, *nodes) == {}


def test_each_node_takes_over_from_one_alone():
    found = stops(OLDER, idle("n1"), idle("n2"), idle("n3"), busy("s1"), busy("s2"))
    assert len(found) == 2
    assert {reason.split()[0] for reason in found.values()} == {"s1", "s2"}


def test_another_kind_of_node_takes_nothing_over():
    other = replace(OFFERS[1], room=NodeRoom("l4", 8, None, None))
    assert stops(OLDER, idle(), busy(), offers=[OFFERS[0], other]) == {}


def test_an_unknown_price_is_not_a_lower_one():
    unknown = replace(OFFERS[1], per_hour=None)
    assert stops(OLDER, idle(), busy(), offers=[OFFERS[0], unknown]) == {}


def test_what_ran_there_long_before_took_nothing_over():
    """A first look at a cluster: all is seen at once, but work tells since when it runs."""
    seen = busy(since=30)
    both = (replace(seen.running[0], accelerators=4), work("older", 4, started_at=ago(900)))
    assert stops(OLDER, idle(since=30), replace(seen, running=both)) == {}


def test_work_that_does_not_tell_when_it_began_took_nothing_over():
    silent = replace(busy(), running=(work("run-s1"),))
    assert stops(OLDER, idle(), silent) == {}


def test_a_busy_node_of_which_no_work_is_told_took_nothing_over():
    assert stops(OLDER, idle(), replace(busy(), running=())) == {}


def test_a_minimum_keeps_what_was_taken_over_from():
    found = plan(
        [pool("od", min_nodes=2), POOLS[1]], OFFERS, nodes=(OLDER, idle(), busy()), settings=PATIENT
    )
    assert found.stops == ()


def test_a_wait_target_shorter_than_a_boot_keeps_what_was_taken_over_from():
    serving = work("old", shape=shape(wait_target_seconds=20))
    told = replace(OLDER, running=(serving,))
    assert stops(told, idle(), busy()) == {}


def test_the_order_of_nodes_does_not_matter():
    nodes = (OLDER, idle("n1"), idle("n2"), busy("s1"), busy("s2", since=60))
    assert stops(*nodes) == stops(*reversed(nodes))
