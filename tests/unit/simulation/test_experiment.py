from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pytest
from support.simulated import NODE, OURS, job, setup

from tidegate.scaling.offerings import Offerings
from tidegate.simulation.experiment import Arm, compare

JOBS = [job(f"j{n}", 7200 * n, 1800 + 60 * (n % 3)) for n in range(20)]


def test_equal_arms_do_not_differ():
    arm = Arm(setup(*JOBS), lambda: OURS)
    found = compare(arm, arm, 5)
    assert (found.blocks, found.cost.mean, found.cost.is_clear()) == (5, 0, False)


def test_a_dearer_market_costs_more_and_nobody_waits_longer():
    dear = Offerings((replace(NODE, per_hour=Decimal(16)),))
    baseline = Arm(setup(*JOBS), lambda: OURS)
    treatment = Arm(replace(setup(*JOBS), market=dear), lambda: OURS)
    found = compare(baseline, treatment, 5)
    assert found.cost.mean == pytest.approx(found.baseline_cost)
    assert found.cost.is_clear()
    assert found.cost.low <= found.cost.mean <= found.cost.high
    assert found.wait_p95.mean == 0


def test_spans_are_told_as_they_are_done():
    arm, done = Arm(setup(*JOBS), lambda: OURS), []
    compare(arm, arm, 3, done.append)
    assert done == [1, 2, 3]


def test_one_span_says_nothing():
    arm = Arm(setup(job("a", 0, 60)), lambda: OURS)
    assert compare(arm, arm, 1) is None
