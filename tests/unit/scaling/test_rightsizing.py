from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pytest

from tidegate.scaling.rightsizing import ObservedUse, RightsizingHint, hint_sizes

USE = ObservedUse("queue a", 8, Decimal("0.30"), Decimal("0.25"), Decimal(48))


def test_work_that_uses_a_third_is_told_what_would_do():
    assert hint_sizes([USE]) == (
        RightsizingHint("queue a", 8, 3, "over 48 h at most 30 % busy and 25 % of the memory used"),
    )


def test_memory_decides_as_well_as_computing():
    assert hint_sizes([replace(USE, memory_share=Decimal("0.55"))])[0].would_do == 6


@pytest.mark.parametrize(
    "changes",
    [
        {"busy_share": None},
        {"memory_share": None},
        {"busy_share": Decimal("NaN")},
        {"busy_share": Decimal("-0.1")},
        {"memory_share": Decimal("1.5")},
        {"hours": Decimal(23)},
        {"busy_share": Decimal("0.9")},
        {"accelerators": 1},
    ],
)
def test_nothing_is_said_where_use_is_unknown_brief_or_fitting(changes):
    assert hint_sizes([replace(USE, **changes)]) == ()


def test_hints_stand_by_name():
    found = hint_sizes([replace(USE, name="b"), replace(USE, name="a")])
    assert [hint.name for hint in found] == ["a", "b"]
