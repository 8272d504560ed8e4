from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from decimal import Decimal

import pytest
from support.controller import NOW, declare_pool, node

from tidegate.controller.nodes import PoolSight
from tidegate.controller.orders import build_orders, build_remarks, find_machine
from tidegate.controller.refusals import add_refusal, forget, note_shortfalls
from tidegate.scaling.settings import ScalingSettings
from tidegate.vocabulary.fleet_state import (
    Machine,
    MachinePhase,
    PoolState,
    RefusalKind,
    Shortfall,
)
from tidegate.vocabulary.money import Money
from tidegate.vocabulary.plans import (
    Addition,
    Cause,
    CauseKind,
    Hold,
    Method,
    Resize,
    ScalingPlan,
    Stop,
    Unmet,
)
from tidegate.vocabulary.records import RefusalRecord

EMPTY = ScalingPlan((), (), (), (), (), (), (), Money(Decimal(0)), (), False, Method("h", None, ""))


def machines(*names):
    return tuple(Machine(name, MachinePhase.RUNNING) for name in names)


def sight(target, *names, nodes=(), in_cluster=True, **pool):
    state = PoolState("train", target, machines(*names))
    return PoolSight(declare_pool(**pool), state, tuple(nodes), in_cluster, None, ())


def plan(*stops, grown=0):
    additions = (Addition("train/p5.48xlarge", grown, None),) if grown else ()
    return replace(
        EMPTY,
        resizes=(Resize("train", 0, 0, additions, "because", None),),
        stops=tuple(Stop(name, "train", "idle", None) for name in stops),
    )


def order(plan, sight, *, choosing=True):
    (found,) = build_orders(plan, [sight], {"train": choosing}, NOW)
    return found


def test_growth_is_over_what_the_cloud_works_towards():
    found = order(plan(grown=2), sight(1, "i-1", nodes=[node("i-1")]))

    assert (found.seen, found.wanted, found.machines, found.refusal) == (1, 3, (), "")
    assert (found.record.action, found.record.reason) == ("grow", "because")
    assert found.offerings == ("train/p5.48xlarge",)


def test_a_node_goes_by_the_machine_behind_it():
    nodes = [node("ip-10-0-0-1", provider_id="aws:///us-east-1a/i-1"), node("i-2")]

    found = order(plan("ip-10-0-0-1"), sight(2, "i-1", "i-2", nodes=nodes))

    assert (found.wanted, found.machines, dict(found.nodes)) == (
        1,
        ("i-1",),
        {"ip-10-0-0-1": "i-1"},
    )


def test_a_node_whose_machine_nobody_tells_stays():
    found = order(plan("a"), sight(1, "i-1", nodes=[node("a", provider_id="")]))

    assert found.refusal == "nobody tells which machine stands behind a"


def test_what_was_not_started_is_given_up_by_the_size_alone():
    found = order(plan("train#in-flight-0"), sight(2, "i-1", nodes=[node("i-1")]))

    assert (found.wanted, found.machines, found.refusal) == (1, (), "")


def test_a_machine_that_never_became_a_node_is_named():
    """Or its cloud would choose, and might take the one that works."""
    found = order(plan("train#in-flight-0"), sight(2, "i-1", "i-2", nodes=[node("i-2")]))

    assert (found.wanted, found.machines) == (1, ("i-1",))


def test_where_its_cloud_chooses_all_go_before_others_are_ordered_in_their_place():
    late = plan("train#in-flight-0", grown=1)

    chosen = order(late, sight(1, "i-1"))
    whole = order(late, sight(1, "i-1"), choosing=False)
    part = order(late, sight(2, "i-1", "i-2", nodes=[node("i-2")]), choosing=False)

    assert (chosen.wanted, chosen.machines) == (1, ("i-1",))
    assert (whole.refusal, whole.wanted, whole.offerings, whole.record.action) == (
        "", 0, (), "shrink",
    )  # fmt: skip
    assert part.refusal.startswith("its cloud would choose")


def test_where_its_cloud_chooses_nothing_goes_while_others_stay():
    nodes = [node("i-1"), node("i-2")]

    held = order(plan("i-1"), sight(2, "i-1", "i-2", nodes=nodes), choosing=False)
    whole = order(plan("i-1", "i-2"), sight(2, "i-1", "i-2", nodes=nodes), choosing=False)

    assert held.refusal.startswith("its cloud would choose")
    assert (whole.refusal, whole.wanted, whole.machines) == ("", 0, ())
    assert set(whole.nodes) == {"i-1", "i-2"}


def test_nothing_grows_past_the_declared_maximum():
    found = order(plan(grown=3), sight(2, "i-1", "i-2", nodes=[node("i-1"), node("i-2")]))

    assert found.refusal == "5 nodes are outside of 0 to 4"


def test_outside_of_clusters_the_machine_is_the_node():
    found = order(plan("i-2"), sight(2, "i-1", "i-2", in_cluster=False))

    assert (found.machines, dict(found.nodes), found.wanted) == (("i-2",), {}, 1)


@pytest.mark.parametrize(
    ("made", "machine"),
    [
        (node("aks-1", provider_id="azure:///subscriptions/s/virtualMachines/0"), "aks-1"),
        (node("n", provider_id="gce://p/us-central1-a/vm-1"), "https://g/instances/vm-1"),
        (node("n", provider_id=""), ""),
    ],
    ids=["by name", "by the end of its URL", "none"],
)
def test_machines_are_found_as_each_cloud_names_them(made, machine):
    assert find_machine(made, machines("aks-1", "https://g/instances/vm-1")) == machine


def test_what_a_plan_leaves_alone_is_told():
    cause = Cause(CauseKind.MAXIMUM, "train", "is at its maximum")
    given = replace(
        EMPTY,
        holds=(Hold("train", "doubt"),),
        unmet=(
            Unmet(("a", "b"), 2, (cause, replace(cause, where="serve"))),
            Unmet(("c",), 1, (replace(cause, where="", text="asks for nothing"),)),
        ),
    )

    assert [(each.action, each.reason) for each in build_remarks(given, NOW)] == [
        ("hold", "doubt"),
        ("unmet", "2 items of 2 workers, a first: train, serve: is at its maximum"),
        ("unmet", "1 item of 1 worker, c: fleet: asks for nothing"),
    ]


def refused(attempts=1, kind="stock-out", at=NOW):
    return RefusalRecord("train/a", kind, at, attempts)


def test_refusals_in_a_row_are_counted_and_a_conflict_is_none():
    assert add_refusal([refused()], ["train/a"], RefusalKind.STOCK_OUT, NOW) == [refused(2)]
    assert add_refusal([refused(3)], ["train/a"], RefusalKind.QUOTA, NOW) == [refused(1, "quota")]
    assert add_refusal([], ["train/a"], RefusalKind.CONFLICT, NOW) == []


def test_refusals_are_forgotten_in_time_and_stamps_from_the_future_are_of_now():
    settings = ScalingSettings()
    old, ahead = refused(at=NOW - timedelta(hours=3)), refused(at=NOW + timedelta(hours=3))

    assert forget([old], settings, NOW) == []
    assert forget([ahead], settings, NOW) == [refused(at=NOW)]


def test_a_shortfall_seen_at_look_after_look_is_one_refusal():
    from support.scaling import offering

    short = Shortfall(RefusalKind.STOCK_OUT, "none left")
    seen = PoolSight(declare_pool(), PoolState("train", 1, (), short), (), True, None, ())
    market = [offering(id="train/a"), offering("other", id="other/a")]
    settings = ScalingSettings()

    first = note_shortfalls([], [seen], market, settings, NOW)
    soon = note_shortfalls(first, [seen], market, settings, NOW + timedelta(seconds=15))
    later = note_shortfalls(soon, [seen], market, settings, NOW + timedelta(seconds=200))

    assert first == soon == [refused()]
    assert later == [refused(2, at=NOW + timedelta(seconds=200))]
