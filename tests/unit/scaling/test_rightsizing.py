from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from decimal import Decimal

import pytest
from support.scaling import NOW

from tidegate.scaling.rightsizing import (
    ObservedUse,
    RightsizingHint,
    hint_sizes,
    observe_pools,
)
from tidegate.vocabulary.use import Shows, UsePoint, UseReport

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


def told(pool, shows, shares, **changes):
    """Return what a source told of a pool, a point an hour."""
    start = NOW - timedelta(hours=len(shares))
    points = tuple(
        UsePoint(start + timedelta(hours=number + 1), Decimal(share))
        for number, share in enumerate(shares)
    )
    made = UseReport("dcgm", f"pool/{pool}", shows, points, start, NOW, 3600, 900, Decimal(1))
    return replace(made, **changes)


def test_a_pools_use_is_its_95th_percentile_of_load_and_its_peak_of_memory():
    load = told("train", Shows.LOAD, ["0.3"] * 19 + ["1"])
    memory = told("train", Shows.MEMORY, ["0.1", "0.6", "0.2"])

    assert observe_pools([load, memory], {"train": 8}) == (
        ObservedUse("train", 8, Decimal("0.3"), Decimal("0.6"), Decimal("20.0")),
    )


def test_of_what_nobody_told_nothing_is_said():
    load = told("train", Shows.LOAD, ["0.3"])
    silent = told("quiet", Shows.LOAD, [])
    memory = told("taken", Shows.MEMORY, ["0.5"])
    notebook = told("train", Shows.LOAD, ["1"], about="notebook/train")
    reports = [load, silent, memory, notebook, told("plain", Shows.LOAD, ["0.1"])]

    found = observe_pools(reports, {"train": 8, "quiet": 8, "taken": 8, "plain": 0})

    assert found == (ObservedUse("train", 8, Decimal("0.3"), None, Decimal("1.0")),)


def test_hints_stand_by_name():
    found = hint_sizes([replace(USE, name="b"), replace(USE, name="a")])
    assert [hint.name for hint in found] == ["a", "b"]
