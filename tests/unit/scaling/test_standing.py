"""What is there is sorted once: layouts of it do not touch each other."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from support.scaling import NOW
from support.scaling_worlds import worlds

from tidegate.scaling.admission import lay_out, seat_in_turn
from tidegate.scaling.bench import Bench
from tidegate.scaling.decide import build_draft
from tidegate.scaling.nodes import counts, is_capacity, offering_of
from tidegate.scaling.situation import build_situation
from tidegate.scaling.standing import build_standing


@settings(max_examples=100, deadline=None)
@given(worlds(), st.integers(0, 6))
def test_a_layout_is_as_a_first_one_whatever_another_seats_and_orders(world, orders):
    situation = build_situation(*world, NOW)
    draft = build_draft(situation)
    used = draft.bench
    seat_in_turn(used, draft.pending, draft.groups)
    offerings = list(situation.offerings.values())
    for number in range(orders):
        used.order(offerings[number % len(offerings)])
    first = lay_out(build_standing(situation))
    assert render(lay_out(used.standing)) == render(first)


@settings(max_examples=100, deadline=None)
@given(worlds())
def test_nodes_are_sorted_as_each_by_itself_is_judged(world):
    situation = build_situation(*world, NOW)
    standing = build_standing(situation)
    known = [(node, offering_of(node, situation)) for node in situation.signals.declared]
    assert standing.counted == [entry for entry in known if counts(*entry, situation)]
    assert standing.capacity == [
        entry for entry in known if entry[1] and is_capacity(*entry, situation)
    ]


def render(bench: Bench) -> tuple[object, ...]:
    rooms = [
        (name, seat.accelerators, seat.vcpus_milli, seat.memory_mib, seat.items)
        for name, seat in bench.bins.items()
    ]
    return rooms, bench.cost(), bench.ledger.nodes, bench.ledger.per_hour, bench.assigned
