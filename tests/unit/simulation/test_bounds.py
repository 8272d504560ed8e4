from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.simulated import OURS, TERMS, job, setup

from tidegate.simulation.bounds import NodeTerms, bound_levels, bound_mean_wait, bound_work
from tidegate.simulation.engine import simulate
from tidegate.simulation.jobs import cut_window
from tidegate.simulation.peers import Karpenter
from tidegate.simulation.spot_bound import bound_spot

SPOT = NodeTerms(2.4, 8, 240)


def hours(seconds: int, price: float = 8.0) -> float:
    return seconds / 3600 * price


def test_the_work_bound_counts_accelerators_alone():
    assert bound_work([job("a", 0, 3600, gpus=2), job("b", 50, 1800, gpus=4)], TERMS) == 4.0


def test_levels_are_rounded_up_to_whole_nodes():
    assert bound_levels([job("a", 0, 3600, gpus=1)], TERMS) == pytest.approx(hours(3600 + 240))


def test_a_short_gap_is_kept_through_and_a_long_one_is_booted_after():
    short = [job("a", 0, 1000), job("b", 1100, 1000)]
    long = [job("a", 0, 1000), job("b", 9000, 1000)]
    assert bound_levels(short, TERMS) == pytest.approx(hours(240 + 2100))
    assert bound_levels(long, TERMS) == pytest.approx(hours(2 * 240 + 2000))


def test_a_wait_may_hide_what_is_shorter():
    assert bound_levels([job("a", 0, 200)], TERMS, wait=300) == 0
    assert bound_levels([job("a", 0, 1000)], TERMS, wait=300) == pytest.approx(hours(240 + 700))


def test_waits_spare_what_the_waiting_would_have_filled_alone():
    lone = [job(f"j{n}", 20_000 * n, 10_000, gpus=1) for n in range(4)]
    assert bound_mean_wait(lone, TERMS, 0) == pytest.approx(hours(40_000))
    assert bound_mean_wait(lone, TERMS, 1000) == pytest.approx(hours(36_000))
    # Never below the work itself.
    assert bound_mean_wait(lone, TERMS, 10_000) == bound_work(lone, TERMS)
    gang = [*lone, job("gang", 0, 10_000, gpus=32)]
    spared = hours(5 * 100) * 4
    assert bound_mean_wait(gang, TERMS, 100) == pytest.approx(
        bound_mean_wait(gang, TERMS, 0) - spared
    )


@pytest.mark.parametrize("build", [lambda: OURS, Karpenter], ids=["ours", "karpenter"])
@settings(deadline=None, max_examples=20)
@given(
    st.lists(
        st.tuples(st.integers(0, 9000), st.integers(1, 9000), st.sampled_from((1, 2, 8, 16))),
        min_size=1,
        max_size=12,
    )
)
def test_no_run_is_below_the_bound_of_its_mean_wait(build, drawn):
    jobs = cut_window([job(f"j{n}", *told) for n, told in enumerate(drawn)], 0, 20_000)
    found = simulate(setup(*jobs), build())
    waited = (sum(found.waits.values()) + sum(found.stalls.values())) / len(jobs)
    assert float(found.cost) >= bound_mean_wait(jobs, TERMS, waited) - 1e-6


def test_spot_is_taken_while_it_is_there_and_every_node_boots():
    found = bound_spot([job("a", 0, 3600)], SPOT, TERMS, ((0, 1), (1800, 0)), 0)
    assert found == pytest.approx(hours(240 + 1800, 2.4) + hours(240 + 1800))


def test_without_spot_it_is_on_demand():
    found = bound_spot([job("a", 0, 3600)], SPOT, TERMS, ((0, 0),), 0)
    assert found == pytest.approx(hours(240 + 3600))
