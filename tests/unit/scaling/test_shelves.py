"""Bins by what is free on them: the index never hides room and never invents any."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from support.scaling import NOW, shape
from support.scaling_worlds import worlds

from tidegate.scaling.admission import lay_out
from tidegate.scaling.groups import OptionBook
from tidegate.scaling.situation import build_situation
from tidegate.scaling.standing import build_standing


@settings(max_examples=150, deadline=None)
@given(worlds(), st.sampled_from([1, 2, 4, 8]), st.integers(0, 6))
def test_room_is_told_of_exactly_where_a_bin_has_enough_free(world, gpus, takers):
    bench = lay_out(build_standing(build_situation(*world, NOW)))
    wanted = shape(gpus)
    domain = OptionBook(bench.situation).options_for(wanted, urgent=False).anywhere
    for number in range(takers):
        for choice in domain.choices[:1]:
            seat = bench.find(choice, wanted) or bench.order(choice.offering)
            if seat is not None and seat.fits(choice, wanted):
                bench.take(seat, choice, wanted, (f"taker-{number}",))
    open_to = {choice.offering.id: choice.accelerators for choice in domain.choices}
    free = [
        seat
        for seat in bench.bins.values()
        if seat.accelerators >= open_to.get(seat.offering.id, 10**9)
    ]
    assert bool(bench.shelves.with_free(domain, nearby=False)) == bool(free)
    assert {name for name in open_to if bench.find(_choice(domain, name), wanted)} == {
        seat.offering.id for seat in free if seat.fits(_choice(domain, seat.offering.id), wanted)
    }


def _choice(domain, name):
    return next(choice for choice in domain.choices if choice.offering.id == name)
