from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from decimal import Decimal

from support.scaling import NOW, ago, apply, item, node, offering, ordered, plan, pool, shape, work

from tidegate.scaling.fleet import NodePhase, TimeWindow
from tidegate.scaling.offerings import CommittedCapacity, FailureKind, OfferingFailure
from tidegate.vocabulary.capacity import CapacityType

SPOT = {"capacity_type": CapacityType.SPOT, "per_hour": Decimal(24)}
SAVED = {"checkpoint_at": ago(60), "restart_seconds": 60}


def busy(id: str, pool: str = "train", gpus: int = 4, **saved) -> object:
    running = work(f"run-{id}", gpus, **{**SAVED, **saved})
    return node(id, pool, "busy", running=(running,))


def test_two_half_empty_nodes_become_one():
    found = plan([pool()], [offering()], nodes=[busy("n1"), busy("n2")])
    assert [(drain.node, drain.work, drain.rework_seconds) for drain in found.drains] == [
        ("n1", ("run-n1",), 120)
    ]
    assert found.drains[0].reason == "its work fits elsewhere, which saves 80.00 USD an hour"


def test_work_without_a_checkpoint_is_never_moved():
    nodes = [busy("n1", checkpoint_at=None), busy("n2", checkpoint_at=None)]
    assert plan([pool()], [offering()], nodes=nodes).drains == ()


def test_a_gang_is_not_torn_apart():
    nodes = [busy("n1", workers=2), busy("n2", workers=2)]
    assert plan([pool()], [offering()], nodes=nodes).drains == ()


def test_work_is_not_moved_onto_a_node_that_is_being_emptied():
    found = plan([pool()], [offering()], nodes=[busy("n1"), busy("n2"), busy("n3")])
    drained = {drain.node for drain in found.drains}
    seats = {placement.seat for placement in found.placements}
    assert len(drained) == 1
    assert not drained & seats


def test_a_disruption_budget_bounds_moves():
    nodes = [busy(f"n{number}", gpus=2) for number in range(4)]
    free = plan([pool()], [offering()], nodes=nodes)
    bounded = plan([pool(max_disrupted=1)], [offering()], nodes=nodes)
    none = plan([pool(max_disrupted=0)], [offering()], nodes=nodes)
    assert (len(free.drains), len(bounded.drains), len(none.drains)) == (3, 1, 0)


def test_moves_wait_for_their_window():
    nodes = [busy("n1"), busy("n2")]
    night = pool(windows=(TimeWindow("0 22 * * *", "UTC", 3600),))
    noon = pool(windows=(TimeWindow("0 12 * * *", "UTC", 3600),))
    assert plan([night], [offering()], nodes=nodes).drains == ()
    assert len(plan([noon], [offering()], nodes=nodes).drains) == 1


def test_a_move_whose_rework_costs_more_than_it_saves_is_not_made():
    cheap = offering("cheap", per_hour=Decimal(79))
    old = busy("n1", gpus=8, checkpoint_at=ago(1500))
    found = plan([pool(), pool("cheap")], [offering(), cheap], nodes=[old])
    assert (ordered(found), found.drains) == ({}, ())


def test_work_goes_back_to_spot_in_two_steps():
    pools, offers = [pool("od"), pool("spot")], [offering("od"), offering("spot", **SPOT)]
    running = busy("n1", "od", gpus=8)
    first = plan(pools, offers, nodes=[running])
    assert (ordered(first), first.drains) == ({"spot/node": 1}, ())
    assert first.resizes[0].reason == "cheaper for running work: takes over from n1"
    flying = apply(first, [running], offers)
    waiting = plan(pools, offers, nodes=flying)
    assert (waiting.resizes, waiting.drains) == ((), ())
    ready = [replace(n, phase=NodePhase.READY) if n.pool == "spot" else n for n in flying]
    last = plan(pools, offers, nodes=ready)
    assert ([drain.node for drain in last.drains], last.resizes) == (["n1"], ())


def test_running_work_tries_spot_again_before_waiting_work_does():
    pools, offers = [pool("od"), pool("spot")], [offering("od"), offering("spot", **SPOT)]

    def tried(kind: FailureKind, seconds: int) -> dict[str, int]:
        refused = OfferingFailure("spot/node", kind, ago(seconds), attempts=10)
        market = {"failures": (refused,)}
        running = busy("n1", "od", gpus=8)
        return ordered(plan(pools, offers, item("new"), nodes=[running], market=market))

    assert tried(FailureKind.STOCK_OUT, 170) == {"od/node": 1}
    assert tried(FailureKind.STOCK_OUT, 190) == {"od/node": 1, "spot/node": 1}
    assert tried(FailureKind.QUOTA, 190) == {"od/node": 1}


def test_what_running_work_tries_again_stays_within_every_limit():
    refused = OfferingFailure("spot/node", FailureKind.STOCK_OUT, ago(190), attempts=10)
    offers = [offering("od"), offering("spot", quota="spot", **SPOT)]
    running = [busy(f"n{number}", "od", gpus=8) for number in range(3)]

    def tried(most: int, **market) -> dict[str, int]:
        pools = [pool("od"), pool("spot", max_nodes=most)]
        told = {"failures": (refused,), **market}
        return ordered(plan(pools, offers, nodes=running, market=told))

    assert tried(9) == {"spot/node": 3}
    assert tried(2) == {"spot/node": 2}
    assert tried(9, quotas={"spot": 1}) == {"spot/node": 1}
    assert tried(0) == {}


def test_a_seat_that_is_kept_for_a_move_is_given_to_nobody_else():
    pools, offers = (
        [pool("od", max_nodes=1), pool("spot", max_nodes=1)],
        [
            offering("od"),
            offering("spot", **SPOT),
        ],
    )
    running = busy("n1", "od", gpus=8)
    kept = node("s1", "spot", "in-flight", assigned=("run-n1",), since=ago(10))
    found = plan(pools, offers, item("other"), nodes=[running, kept])
    assert [unmet.items for unmet in found.unmet] == [("other",)]


def test_work_on_spot_that_could_miss_its_deadline_moves_to_on_demand():
    pools, offers = [pool("od"), pool("spot")], [offering("od"), offering("spot", **SPOT)]
    due = {"deadline": NOW + timedelta(hours=2, minutes=20), "work_left_seconds": 7200}
    found = plan(pools, offers, nodes=[busy("n1", "spot", gpus=8, **due)])
    assert ordered(found) == {"od/node": 1}
    assert found.resizes[0].reason == "safer before a deadline: takes over from n1"


def test_interrupted_work_gets_its_new_place_before_what_waits():
    lost = replace(busy("n1", gpus=8), phase=NodePhase.INTERRUPTED)
    found = plan([pool(max_nodes=2)], [offering()], item("waits"), nodes=[lost])
    assert [drain.work for drain in found.drains] == [("run-n1",)]
    assert [placement.item for placement in found.placements] == ["run-n1"]
    assert [unmet.items for unmet in found.unmet] == [("waits",)]


def test_interrupted_work_of_unknown_needs_is_said():
    lost = replace(busy("n1", gpus=8, shape=None), phase=NodePhase.INTERRUPTED)
    found = plan([pool()], [offering()], nodes=[lost])
    assert found.holds[0].reason == (
        "run-n1 is interrupted, and what it needs of a node is not known"
    )


def test_nothing_is_ordered_of_a_capacity_block_that_ends_soon():
    block = CommittedCapacity("cb", Decimal(4), ends=NOW + timedelta(minutes=39), evicts=True)
    offers = [offering("block", commitment="cb"), offering("od")]
    pools, market = [pool("block"), pool("od")], {"commitments": (block,)}
    assert ordered(plan(pools, offers, item(), market=market)) == {"od/node": 1}


def test_saved_work_leaves_a_capacity_block_before_it_ends():
    block = CommittedCapacity("cb", Decimal(4), ends=NOW + timedelta(minutes=39), evicts=True)
    offers = [offering("block", commitment="cb"), offering("od")]
    pools, market = [pool("block"), pool("od")], {"commitments": (block,)}
    running = busy("n1", "block", gpus=8)
    first = plan(pools, offers, nodes=[running], market=market)
    assert ordered(first) == {"od/node": 1}
    assert first.resizes[0].reason == "its commitment ends: takes over from n1"


def test_small_work_is_placed_where_it_does_not_need_a_new_node():
    found = plan([pool()], [offering()], item("new", shape(2)), nodes=[busy("n1")])
    assert found.resizes == ()
    assert found.placements[0].seat == "n1"
