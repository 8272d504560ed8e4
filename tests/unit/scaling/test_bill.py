from __future__ import annotations

from datetime import timedelta
from decimal import Decimal

from support.scaling import NOW, node, offering, pool

from tidegate.scaling.bill import Bill, CommitmentUse, PoolCost, build_bill
from tidegate.scaling.fleet import Fleet
from tidegate.scaling.offerings import CommittedCapacity, Offerings


def bill(nodes, offerings, pools=None, **others):
    fleet = Fleet(tuple(pools or [pool()]), tuple(nodes), NOW)
    return build_bill(fleet, Offerings(tuple(offerings), **others), NOW)


def test_each_pool_is_billed_for_the_nodes_that_are_there():
    nodes = [
        node("a", phase="busy"),
        node("b", phase="in-flight"),
        node("c", phase="failed"),
        node("d", phase="stopped"),
    ]

    found = bill(nodes, [offering()], [pool(), pool("empty")])

    assert found == Bill({"train": PoolCost(Decimal(160)), "empty": PoolCost()}, {})
    assert found.per_hour() == 160


def test_a_price_that_nobody_knows_is_counted_and_not_taken_for_nothing():
    found = bill([node("a"), node("b")], [offering(per_hour=None)])

    assert found.pools == {"train": PoolCost(Decimal(0), unpriced_nodes=2)}


def test_nodes_of_a_pool_without_offerings_are_unpriced():
    assert bill([node("a")], []).pools == {"train": PoolCost(Decimal(0), unpriced_nodes=1)}


def test_a_commitment_pays_first_and_what_is_left_of_it_lies_idle():
    owned = offering(commitment="block")
    capacity = CommittedCapacity("block", Decimal(3))

    used = bill([node("a")], [owned], commitments=(capacity,))
    beyond = bill([node(name) for name in "abcd"], [owned], commitments=(capacity,))

    assert used.pools == {"train": PoolCost()}
    assert used.commitments == {"block": CommitmentUse(Decimal(3), Decimal(1))}
    assert used.commitments["block"].idle() == 2
    assert beyond.pools == {"train": PoolCost(Decimal(80))}
    assert beyond.commitments["block"].idle() == 0


def test_a_commitment_that_has_ended_or_that_no_pool_draws_on_is_not_told():
    ended = CommittedCapacity("block", Decimal(3), NOW - timedelta(hours=1))
    other = CommittedCapacity("plan", Decimal(9))

    found = bill([node("a")], [offering(commitment="block")], commitments=(ended, other))

    assert found == Bill({"train": PoolCost(Decimal(80))}, {})


def test_the_first_nodes_of_a_spot_pool_cost_what_its_cloud_buys_them_for():
    mixed = offering(base_nodes=1, base_per_hour=Decimal(80), per_hour=Decimal(24))

    assert bill([node("a"), node("b")], [mixed]).pools == {"train": PoolCost(Decimal(104))}


def test_assumed_prices_are_marked():
    assert bill([node("a")], [offering(assumed=True)]).pools["train"].assumed
    assert not bill([], [offering(assumed=True)]).pools["train"].assumed
