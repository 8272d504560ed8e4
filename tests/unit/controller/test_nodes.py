from __future__ import annotations

from datetime import timedelta

import pytest
from support.controller import NOW, declare_pool, node

from tidegate.controller.nodes import (
    IN_FLIGHT_MARK,
    PoolSight,
    build_nodes,
    explain_vanished,
    to_records,
)
from tidegate.scaling.fleet import Node, NodePhase
from tidegate.vocabulary.fleet_state import (
    Machine,
    MachinePhase,
    PoolState,
    RefusalKind,
    RunningPod,
    Shortfall,
)
from tidegate.vocabulary.records import NodeRecord

LONG_AGO = NOW - timedelta(hours=1)
OFFERINGS = frozenset({"train/p5.48xlarge/us-east-1a"})


def see(*, target=0, machines=(), nodes=None, told=None, remembered=(), short=None):
    state = PoolState("train", target, machines, short)
    sight = PoolSight(declare_pool(), state, nodes, nodes is not None, told, tuple(remembered))
    return build_nodes(sight, NOW, OFFERINGS)


def phases(nodes):
    return [(each.id, each.phase.value) for each in nodes]


@pytest.mark.parametrize(
    ("found", "phase"),
    [
        (node("a"), NodePhase.IDLE),
        (node("a", "train", "ns/pod"), NodePhase.BUSY),
        (node("a", ready=False), NodePhase.IN_FLIGHT),
        (node("a", "train", "ns/pod", ready=False), NodePhase.BUSY),
        (node("a", closed=True), NodePhase.DRAINING),
        (node("a", closed=True, closed_by_us=True), NodePhase.IDLE),
        (node("a", running=(RunningPod("ns/agent", daemonset=True),)), NodePhase.IDLE),
    ],
    ids=["empty", "busy", "booting", "silent and busy", "closed", "closed by us", "daemonset"],
)
def test_what_a_node_does(found, phase):
    (seen,) = see(target=1, nodes=(found,))

    assert seen.phase is phase


def test_work_tells_when_it_began():
    begun = NOW - timedelta(seconds=40)
    pods = RunningPod("ns/says", started_at=begun), RunningPod("ns/does-not")
    (seen,) = see(target=1, nodes=(node("a", running=pods),))

    assert [work.started_at for work in seen.running] == [begun, None]


def test_what_ends_on_a_node_that_is_taken_is_not_ordered_for_twice():
    pods = RunningPod("ns/stays"), RunningPod("ns/ends", leaving=True)
    found = node("a", running=pods)
    state = PoolState("train", 1, ())

    def work_of(**sighted):
        sight = PoolSight(declare_pool(), state, (found,), True, None, (), **sighted)
        (seen,) = build_nodes(sight, NOW, OFFERINGS)
        return seen.phase, [work.item for work in seen.running]

    assert work_of() == (NodePhase.BUSY, ["ns/stays", "ns/ends"])
    assert work_of(interrupted={"a": None}) == (NodePhase.INTERRUPTED, ["ns/stays"])


def test_what_was_ordered_and_is_not_there_is_on_its_way():
    assert phases(see(target=3, nodes=(node("a"),))) == [
        ("a", "idle"),
        ("train#in-flight-0", "in-flight"),
        ("train#in-flight-1", "in-flight"),
    ]


def test_what_a_cloud_cannot_deliver_is_no_capacity():
    short = Shortfall(RefusalKind.STOCK_OUT, "none left")

    assert phases(see(target=1, nodes=(), short=short)) == [("train#in-flight-0", "failed")]


def test_a_shortfall_that_may_pass_by_itself_is_still_on_its_way():
    short = Shortfall(RefusalKind.TRANSIENT, "later")

    assert phases(see(target=1, nodes=(), short=short)) == [("train#in-flight-0", "in-flight")]


@pytest.mark.parametrize(
    ("told", "phase"),
    [(None, "busy"), (2, "busy"), (0, "idle")],
    ids=["nobody tells", "work in progress", "none in progress"],
)
def test_a_machine_outside_of_clusters_is_idle_only_when_its_queue_says_so(told, phase):
    machine = Machine("i-1", MachinePhase.RUNNING, "us-east-1a", "p5.48xlarge")

    (seen,) = see(target=1, machines=(machine,), told=told)

    assert (seen.phase.value, bool(seen.work())) == (phase, phase == "busy")
    assert seen.offering == "train/p5.48xlarge/us-east-1a"


def test_a_stopped_machine_is_no_capacity_and_a_leaving_one_is_not_counted():
    machines = (Machine("a", MachinePhase.STOPPED), Machine("b", MachinePhase.LEAVING))

    assert phases(see(target=2, machines=machines)) == [
        ("a", "stopped"),
        ("b", "draining"),
        ("train#in-flight-0", "in-flight"),
    ]


def remember(name, phase="idle", since=LONG_AGO):
    return NodeRecord(name, "train", phase, since, "train/p5.48xlarge/us-east-1a")


def test_since_is_kept_while_the_phase_is():
    kept, changed = see(
        target=2, nodes=(node("a"), node("b")), remembered=[remember("a"), remember("b", "busy")]
    )

    assert (kept.since, changed.since) == (LONG_AGO, NOW)


def test_a_since_from_the_future_is_of_now():
    (seen,) = see(
        target=1, nodes=(node("a"),), remembered=[remember("a", since=NOW + timedelta(hours=1))]
    )

    assert seen.since == NOW


REMEMBERED = [
    ("a", "idle"),
    ("train#in-flight-0", "in-flight"),
    ("train#in-flight-1", "failed"),
    ("c", "failed"),
    ("d", "draining"),
    ("e", "interrupted"),
    ("f", "stopped"),
]


def remember_all():
    return tuple(remember(name, phase) for name, phase in REMEMBERED)


def test_what_its_cloud_cannot_show_is_taken_to_be_there_at_work_or_on_its_way_and_to_cost():
    sight = PoolSight(declare_pool(), None, None, True, None, remember_all())

    seen = build_nodes(sight, NOW, OFFERINGS)

    assert [(node.id, node.phase, len(node.work())) for node in seen] == [
        ("a", NodePhase.BUSY, 1),
        ("train#in-flight-0", NodePhase.IN_FLIGHT, 0),
        ("train#in-flight-1", NodePhase.FAILED, 0),
        ("c", NodePhase.FAILED, 0),
        ("d", NodePhase.DRAINING, 0),
        ("e", NodePhase.INTERRUPTED, 0),
    ]


def test_what_its_cluster_does_not_list_is_taken_to_be_there_and_at_work():
    sight = PoolSight(declare_pool(), PoolState("train", 1), None, True, None, remember_all())

    (seen,) = build_nodes(sight, NOW, OFFERINGS)

    assert (seen.id, seen.phase, len(seen.work())) == ("a", NodePhase.BUSY, 1)


def test_a_cluster_that_lists_nothing_is_in_doubt_only_while_its_clouds_count():
    before = [remember("a"), remember("train#in-flight-0")]

    assert explain_vanished("k8s", (), before, 1)
    assert explain_vanished("k8s", (), before, 0) == ""
    assert explain_vanished("k8s", (), before[1:], 1) == ""
    assert explain_vanished("k8s", (node("b"),), before, 1) == ""


def test_what_is_remembered_is_what_was_seen():
    seen = see(target=1, nodes=(node("a"),))

    (only,) = OFFERINGS
    assert to_records(seen, {}, NOW) == [NodeRecord("a", "train", "idle", NOW, only)]


def test_what_is_ordered_in_the_place_of_a_late_node_begins_anew():
    late = [
        Node(f"train#in-flight-{number}", "train", "x", NodePhase.IN_FLIGHT, since)
        for number, since in enumerate([LONG_AGO, NOW - timedelta(seconds=60)])
    ]

    found = to_records(late, {"train": ["y"]}, NOW, {"train#in-flight-0"})

    assert [(each.id, each.since, each.offering) for each in found] == [
        ("train#in-flight-0", NOW - timedelta(seconds=60), "x"),
        ("train#in-flight-1", NOW, "y"),
    ]


def test_what_was_perhaps_given_up_is_remembered_as_failed_behind_what_is_awaited():
    late = Node("train#in-flight-0", "train", "x", NodePhase.IN_FLIGHT, LONG_AGO)

    found = to_records([late], {"train": ["y"]}, NOW, {late.id}, {"train"})

    assert [(each.id, each.since, each.offering, each.phase) for each in found] == [
        ("train#in-flight-0", NOW, "y", "in-flight"),
        ("train#in-flight-1", NOW, "x", "failed"),
    ]


def test_what_was_ordered_is_remembered_behind_what_is_awaited():
    awaited = Node("train#in-flight-0", "train", "", NodePhase.IN_FLIGHT, NOW)

    found = to_records([awaited], {"train": ["x", "x"], "other": ["y"]}, NOW)

    assert [(each.id, each.pool, each.offering, each.phase) for each in found[1:]] == [
        (f"train{IN_FLIGHT_MARK}1", "train", "x", "in-flight"),
        (f"train{IN_FLIGHT_MARK}2", "train", "x", "in-flight"),
        (f"other{IN_FLIGHT_MARK}0", "other", "y", "in-flight"),
    ]
