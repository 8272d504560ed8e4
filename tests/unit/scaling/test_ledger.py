"""What may still be ordered: the quick answer and the one with words agree."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from support.scaling import NOW
from support.scaling_worlds import worlds

from tidegate.scaling.admission import lay_out
from tidegate.scaling.situation import build_situation
from tidegate.scaling.standing import build_standing


@settings(max_examples=150, deadline=None)
@given(worlds(), st.integers(0, 12))
def test_an_offering_is_allowed_exactly_when_nothing_refuses_it(world, orders):
    bench = lay_out(build_standing(build_situation(*world, NOW)))
    offerings = list(bench.situation.offerings.values())
    for number in range(orders):
        bench.order(offerings[number % len(offerings)])
    answers = {entry.id: bench.ledger.allows(entry) for entry in offerings}
    assert answers == {entry.id: bench.ledger.refusal(entry) is None for entry in offerings}
