from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tidegate.scaling.deadlines import Mode, Terms
from tidegate.simulation.deadline import DeadlineCase, bound_cases, run_case
from tidegate.simulation.deadline_policies import Greedy, Planned, UniformProgress

TERMS = Terms(0.3, 2)
POLICIES = (Planned(every=10), Greedy(), UniformProgress())


def zones(*rows: str) -> np.ndarray:
    return np.array([[letter == "1" for letter in row] for row in rows])


def bound(seen: np.ndarray, work: int, ticks: int) -> float:
    return float(bound_cases(seen, np.array([0]), DeadlineCase(0, work, ticks, TERMS))[0])


def test_on_demand_alone_costs_its_changeover_and_its_work():
    assert bound(zones("0" * 20), 10, 20) == 12


def test_spot_alone_costs_its_share():
    assert bound(zones("1" * 20), 10, 20) == pytest.approx(0.3 * 12)


def test_the_bound_waits_for_spot_that_comes_in_time():
    assert bound(zones("0" * 8 + "1" * 12), 10, 20) == pytest.approx(0.3 * 12)


def test_what_cannot_be_met_has_no_bound():
    assert bound(zones("0" * 20), 10, 11) == np.inf


def test_another_zone_takes_over_after_a_changeover():
    one = zones("1" * 7 + "0" * 13)
    two = zones("1" * 7 + "0" * 13, "0" * 5 + "1" * 9 + "0" * 6)
    assert bound(two, 10, 20) == pytest.approx(0.3 * 14)
    assert bound(one, 10, 20) > bound(two, 10, 20)


@settings(deadline=None, max_examples=30)
@given(st.lists(st.lists(st.booleans(), min_size=60, max_size=60), min_size=1, max_size=3))
def test_every_policy_meets_what_can_be_met_and_none_is_below_the_bound(drawn):
    seen = np.array(drawn)
    case = DeadlineCase(20, 20, 30, TERMS)
    least = float(bound_cases(seen, np.array([20]), case)[0])
    for policy in POLICIES:
        found = run_case(seen, case, policy)
        assert found.met
        assert found.cost >= least - 1e-9


def test_spot_that_is_not_there_cannot_be_taken():
    class Wrong:
        def choose(self, zones, standing, case):
            return Mode.SPOT, 0

    with pytest.raises(ValueError, match="took spot where there is none"):
        run_case(zones("0" * 20), DeadlineCase(0, 5, 10, TERMS), Wrong())
