from __future__ import annotations

from decimal import Decimal

from hypothesis import given, settings
from support.scaling import NOW, demand, items, offering, pool, shape
from support.scaling_worlds import worlds

from tidegate.scaling.decide import decide
from tidegate.scaling.fleet import Fleet
from tidegate.scaling.offerings import Offerings
from tidegate.scaling.settings import ScalingSettings


@settings(max_examples=150, deadline=None)
@given(worlds())
def test_whatever_is_resized_has_a_reason(world):
    plan = decide(*world, NOW)

    assert [resize.pool for resize in plan.resizes if not resize.reason] == []


def test_a_pool_to_which_work_moves_for_less_says_why_it_grows():
    large = offering("large", per_hour=Decimal(10))
    room = large.room
    small = offering("small", per_hour=Decimal(3), room=type(room)("h100-80gb", 2, 48_000, 500_000))
    fleet = Fleet((pool("large"), pool("small")), (), NOW)
    waiting = items(4, shape(2))

    plan = decide(fleet, demand(*waiting), Offerings((large, small)), ScalingSettings(), NOW)

    assert [(each.pool, each.to_nodes, each.reason) for each in plan.resizes] == [
        ("large", 1, "waiting work fits nothing that is there or in flight, and costs least here")
    ]
