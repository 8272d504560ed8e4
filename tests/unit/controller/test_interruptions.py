from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.controller import NOW, declare_pool, node
from support.scaling import offering

from tidegate.controller.interruptions import (
    build_interruption,
    find_struck,
    is_in_force,
    mark_interrupted,
    split_name,
)
from tidegate.controller.nodes import PoolSight
from tidegate.controller.risks import apply_risks, count_exposure
from tidegate.scaling.fleet import Node, NodePhase
from tidegate.scaling.offerings import Offerings
from tidegate.vocabulary.capacity import CapacityType, Cloud
from tidegate.vocabulary.fleet_state import Machine, MachinePhase, PoolState
from tidegate.vocabulary.notices import Notice, NoticeKind, NoticeRecord, RiskRecord
from tidegate.vocabulary.records import NodeRecord

MINUTE = timedelta(seconds=60)
AZURE = "/subscriptions/S/resourceGroups/ml/providers/Microsoft.Compute/virtualMachineScaleSets/a"


def told(machine="i-1", kind=NoticeKind.INTERRUPTION, *, ago=0, ends=None, cloud="aws", id="e"):
    notice = Notice(id, cloud, machine, kind, NOW - timedelta(seconds=ago), ends, "told")
    return NoticeRecord(notice, "spot/interruptions", NOW)


def sight(*nodes, machines=(), remembered=(), in_cluster=True, **pool):
    made = tuple(Machine(name, MachinePhase.RUNNING) for name in machines)
    state = PoolState("train", len(made), made)
    return PoolSight(
        declare_pool(**pool), state, nodes if in_cluster else None, in_cluster, None, remembered
    )


def found(record, *sights):
    return [(each.record.pool, each.record.node, each.is_there) for each in
            find_struck([record], sights)]  # fmt: skip


@pytest.mark.parametrize(
    ("cloud", "machine", "name", "provider_id"),
    [
        ("aws", "i-1", "ip-10-0-0-1", "aws:///us-east-1a/i-1"),
        ("gcp", "projects/p/zones/z/instances/vm-1", "vm-1", "gce://p/z/vm-1"),
        ("azure", f"{AZURE}/virtualMachines/0", "aks-1", f"azure://{AZURE.lower()}/virtualMachines/0"),
    ],
)  # fmt: skip
def test_a_notice_means_the_node_of_its_machine(cloud, machine, name, provider_id):
    seen = sight(node(name, provider_id=provider_id), cloud=cloud)

    assert found(told(machine, cloud=cloud), seen) == [("train", name, True)]


@pytest.mark.parametrize(
    ("cloud", "machine", "id"),
    [
        ("aws", "i-1", "i-1"),
        ("gcp", "projects/p/zones/z/instances/vm-1",
         "https://www.googleapis.com/compute/v1/projects/p/zones/z/instances/vm-1"),
        ("azure", f"{AZURE.rpartition('/')[0]}/virtualMachines/Spot_1", "spot_1"),
    ],
)  # fmt: skip
def test_a_notice_means_a_machine_outside_of_clusters(cloud, machine, id):
    seen = sight(machines=[id], in_cluster=False, cloud=cloud)

    assert found(told(machine, cloud=cloud), seen) == [("train", id, True)]


@pytest.mark.parametrize(
    ("cloud", "machine", "id"),
    [
        ("aws", "i-2", "i-1"),
        ("gcp", "projects/p/zones/other/instances/vm-1", "projects/p/zones/z/instances/vm-1"),
        ("gcp", "projects/other/zones/z/instances/vm-1", "projects/p/zones/z/instances/vm-1"),
        ("azure", f"{AZURE}/virtualMachines/0", "0"),
        ("azure", f"{AZURE}/virtualMachines/0", f"{AZURE}2/virtualMachines/0"),
    ],
    ids=["another id", "another zone", "another project", "a mere number", "another scale set"],
)
def test_another_machine_is_not_taken_for_it(cloud, machine, id):
    assert (
        found(told(machine, cloud=cloud), sight(machines=[id], in_cluster=False, cloud=cloud)) == []
    )


def test_a_machine_of_another_cloud_is_not_meant():
    assert found(told(cloud="gcp"), sight(machines=["i-1"], in_cluster=False)) == []


def test_what_is_gone_already_is_known_by_what_is_remembered():
    record = NodeRecord("i-1", "train", "busy", NOW, "train/p5.48xlarge")
    (struck,) = find_struck([told()], [sight(remembered=(record,))])

    assert (struck.record.pool, struck.record.offering, struck.is_there) == (
        "train",
        "train/p5.48xlarge",
        False,
    )
    assert build_interruption(struck, NOW).detail == "no node of it is there any more"


def marked(record, now=NOW, **pool):
    (seen,) = mark_interrupted(
        [sight(node("i-1"), **pool)], find_struck([record], [sight(node("i-1"), **pool)]), now
    )
    return seen.interrupted


def test_an_interrupted_node_is_marked_with_its_end():
    ends = NOW + 2 * MINUTE

    assert marked(told(ends=ends)) == {"i-1": ends}


def test_of_several_notices_the_earliest_end_counts():
    seen = sight(node("i-1", "train", "ml/job"))
    records = [
        told(kind=NoticeKind.REBALANCE, id="a"),
        told(ends=NOW + 2 * MINUTE, id="b"),
        told(ends=NOW + MINUTE, kind=NoticeKind.ENDED, id="c"),
    ]

    (sighted,) = mark_interrupted([seen], find_struck(records, [seen]), NOW)

    assert sighted.interrupted == {"i-1": NOW + MINUTE}


def test_a_pool_of_another_scaler_is_left_to_it():
    assert marked(told(), scaler="karpenter") == {}
    seen = sight(node("i-1"), scaler="karpenter")
    (struck,) = find_struck([told()], [seen])
    assert build_interruption(struck, NOW).detail == "left to karpenter, which scales the pool"


@pytest.mark.parametrize("kind", [NoticeKind.ENDED, NoticeKind.REBALANCE])
def test_the_end_of_a_machine_without_work_concerns_nobody(kind):
    seen = sight(node("i-1"), node("i-2", "train", "ml/job"))
    records = [told(f"i-{n}", kind=kind, id=str(n)) for n in (1, 2)]

    struck = find_struck(records, [seen])
    (marked_now,) = mark_interrupted([seen], struck, NOW)

    assert [each.matters for each in struck] == [False, True]
    assert list(marked_now.interrupted) == ["i-2"]


@pytest.mark.parametrize(
    ("record", "in_force"),
    [
        (told(ago=179), True),
        (told(ago=181), False),
        (told(ago=290, ends=NOW - timedelta(seconds=170)), True),
        (told(kind=NoticeKind.ENDED, ago=181), False),
        (told(kind=NoticeKind.REBALANCE, ago=3000), True),
        (told(kind=NoticeKind.REBALANCE, ago=4000), False),
        (told(kind=NoticeKind.MAINTENANCE, ends=NOW + 61 * MINUTE), False),
        (told(kind=NoticeKind.MAINTENANCE, ends=NOW + 59 * MINUTE, ago=9000), True),
        (told(kind=NoticeKind.MAINTENANCE, ends=NOW - 61 * MINUTE), False),
    ],
)
def test_how_long_a_notice_is_heeded(record, in_force):
    assert is_in_force(record, NOW) is in_force


def test_what_came_late_is_told_and_left_alone():
    (struck,) = find_struck([told(ago=700)], [sight(node("i-1"))])

    assert build_interruption(struck, NOW).detail == (
        "came 700 s late, and its machine is still there: left alone"
    )


def test_one_interruption_is_counted_once_however_often_it_is_told():
    seen = sight(node("i-1"))
    records = [
        told(kind=NoticeKind.REBALANCE, id="a", ago=60),
        told(id="b", ago=50),
        told(id="c", ago=40),
        told(kind=NoticeKind.ENDED, id="d"),
    ]

    assert [each.counts for each in find_struck(records, [seen])] == [False, True, False, False]


@given(st.text(max_size=12), st.text(max_size=12), st.sampled_from(list(Cloud)))
def test_names_of_any_form_mean_one_another_or_nothing(name, machine, cloud):
    seen = sight(node("node-with-a-name", provider_id=name), cloud=cloud)

    struck = find_struck([told(machine, cloud=cloud.value)], [seen])

    one, other = split_name(cloud, name), split_name(cloud, machine)
    if struck and other[-1:] != ("node-with-a-name",):
        assert one[-1:] == other[-1:] != ()


SPOT = offering("train", id="train/p5", capacity_type=CapacityType.SPOT)
MARKET = Offerings((SPOT, offering("od", id="od/p5")))


def rate(node_hours, interruptions, market=MARKET, name="train/p5"):
    risks = [RiskRecord(name, int(node_hours * 3600), interruptions)]
    return {e.id: e.interruptions_per_hour for e in apply_risks(market, risks).offerings}[name]


def test_what_happened_moves_the_rate_and_little_experience_moves_it_little():
    assert rate(0, 1) == Decimal("1.5") / 24
    assert rate(76, 9) == Decimal("9.5") / 100
    assert round(rate(976, 0), 9) == Decimal("0.0005")


def test_what_hardly_ran_keeps_the_rate_that_it_had():
    assert rate(23, 0) is None
    known = replace(MARKET, offerings=(replace(SPOT, interruptions_per_hour=Decimal("0.2")),))
    assert rate(23, 0, known) == Decimal("0.2")


def test_what_is_not_spot_is_never_interrupted():
    assert rate(0, 3, name="od/p5") is None


def test_the_time_of_running_spot_nodes_is_counted_up_to_a_bound():
    def made(name, phase, offering):
        return Node(name, offering.partition("/")[0], offering, phase, NOW)

    nodes = [
        made("a", NodePhase.BUSY, "train/p5"),
        made("b", NodePhase.INTERRUPTED, "train/p5"),
        made("c", NodePhase.IN_FLIGHT, "train/p5"),
        made("d", NodePhase.BUSY, "od/p5"),
    ]

    assert count_exposure(nodes, MARKET, 15.0) == {"train/p5": 30}
    assert count_exposure(nodes, MARKET, 9000.0) == {"train/p5": 600}
    assert count_exposure(nodes, MARKET, -5.0) == {}
