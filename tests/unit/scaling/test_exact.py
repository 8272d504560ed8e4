from __future__ import annotations

import itertools
from decimal import Decimal

from hypothesis import given, settings
from hypothesis import strategies as st
from support.scaling import item, items, node, offering, ordered, plan, pool, shape

from tidegate.scaling.offerings import CommittedCapacity, NodeRoom
from tidegate.scaling.settings import ScalingSettings

HEURISTIC = ScalingSettings(exact_groups=0)
SMALL = NodeRoom("h100-80gb", 1, None, None)
LARGE = NodeRoom("h100-80gb", 8, None, None)


def two_sizes(small: int, large: int) -> list:
    return [
        offering("small", room=SMALL, per_hour=Decimal(small)),
        offering("large", room=LARGE, per_hour=Decimal(large)),
    ]


def test_many_small_items_share_a_large_node_where_that_costs_less():
    found = plan([pool("small"), pool("large")], two_sizes(10, 40), *items(8, shape(1)))
    assert ordered(found) == {"large/node": 1}
    assert (found.method.name, found.method.gap) == ("exact", Decimal("0.0000"))


def test_the_heuristic_has_the_same_answer_shape_and_says_why_no_gap_is_known():
    found = plan(
        [pool("small"), pool("large")], two_sizes(10, 40), *items(8, shape(1)), settings=HEURISTIC
    )
    assert ordered(found) == {"large/node": 1}
    assert (found.method.name, found.method.gap) == ("heuristic", None)
    assert "too many for the exact search" in found.method.note


def test_nodes_cut_too_finely_keep_the_layout_that_fits_and_report_the_gap():
    # Three workers of 5 would fit into 15 of 16 summed accelerators, but not into two nodes.
    found = plan([pool()], [offering()], *items(3, shape(5)))
    assert ordered(found) == {"train/node": 3}
    assert found.method.name == "heuristic"
    assert found.method.gap == Decimal("0.3333")


def test_what_a_commitment_pays_for_is_ordered_before_what_is_paid():
    offers = [offering("a", commitment="c"), offering("b", per_hour=Decimal(10))]
    market = {"commitments": (CommittedCapacity("c", Decimal(2)),)}
    found = plan([pool("a"), pool("b")], offers, *items(3), market=market)
    assert ordered(found) == {"a/node": 2, "b/node": 1}
    assert found.per_hour.amount == Decimal(10)


def test_a_price_that_is_unknown_is_proven_by_nobody():
    offers = [offering("a", per_hour=None)]
    found = plan([pool("a")], offers, item())
    assert ordered(found) == {"a/node": 1}
    assert (found.method.gap, found.unpriced) == (None, ("a/node",))
    assert found.resizes[0].per_hour is None


def cheapest(counts: dict[int, int], prices: tuple[int, int], limits: tuple[int, int]) -> int:
    """Return by trying every mix the least that nodes of 1 and of 8 cost for these workers."""
    best = None
    for small, large in itertools.product(range(limits[0] + 1), range(limits[1] + 1)):
        if fits(counts, small, large):
            cost = small * prices[0] + large * prices[1]
            best = cost if best is None else min(best, cost)
    assert best is not None
    return best


def fits(counts: dict[int, int], small: int, large: int) -> bool:
    """First-fit decreasing is exact for sizes that divide one another."""
    free = [8] * large + [1] * small
    for size in sorted(counts, reverse=True):
        for _ in range(counts[size]):
            room = next((i for i, left in enumerate(free) if left >= size), None)
            if room is None:
                return False
            free[room] -= size
    return True


@settings(max_examples=60, deadline=None)
@given(
    st.fixed_dictionaries({size: st.integers(0, 5) for size in (1, 2, 4, 8)}),
    st.integers(1, 30),
    st.integers(20, 100),
)
def test_the_exact_answer_agrees_with_trying_everything(counts, small, large):
    waiting = [
        item(f"{size}-{number}", shape(size))
        for size, count in counts.items()
        for number in range(count)
    ]
    pools = [pool("small", max_nodes=6), pool("large", max_nodes=20)]
    found = plan(pools, two_sizes(small, large), *waiting)
    assert found.unmet == ()
    assert found.per_hour.amount == cheapest(counts, (small, large), (6, 20))


def test_free_room_is_used_before_anything_is_ordered():
    half = node(phase="idle")
    assert plan([pool()], [offering()], *items(2, shape(4)), nodes=[half]).resizes == ()
