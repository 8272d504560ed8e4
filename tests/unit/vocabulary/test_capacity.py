from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidegate.vocabulary.capacity import split_purchase


@pytest.mark.parametrize(
    ("nodes", "base", "percent", "split"),
    [
        ("0", 2, 50, ("0", "0")),
        ("1", 2, 50, ("1", "0")),
        ("10", 2, 0, ("2", "8")),
        ("10", 2, 100, ("10", "0")),
        ("10", 0, 25, ("3", "7")),  # 2.5 rounds up, in favour of on-demand
        ("2.5", 2, 50, ("2.25", "0.25")),
    ],
)
def test_the_first_nodes_and_a_share_of_the_others_are_on_demand(nodes, base, percent, split):
    on_demand, spot = split_purchase(Decimal(nodes), base, percent)

    assert (on_demand, spot) == tuple(map(Decimal, split))


@given(nodes=st.integers(0, 1000), base=st.integers(0, 1000), percent=st.integers(0, 100))
def test_a_split_loses_no_node_keeps_the_floor_and_never_shrinks_it(nodes, base, percent):
    on_demand, spot = split_purchase(Decimal(nodes), base, percent)
    more, _ = split_purchase(Decimal(nodes + 1), base, percent)

    assert on_demand + spot == nodes
    assert on_demand >= min(nodes, base)
    assert spot >= 0
    assert on_demand <= more
