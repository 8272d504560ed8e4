from __future__ import annotations

import random
from dataclasses import replace
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.simulated import NODE, OURS, POOL, TERMS, job, setup

from tidegate.scaling.offerings import Offerings
from tidegate.simulation.bounds import bound_levels, bound_work
from tidegate.simulation.engine import simulate
from tidegate.simulation.jobs import cut_window
from tidegate.simulation.peers import ClusterAutoscaler, Karpenter, Static
from tidegate.simulation.setup import Faults

POLICIES = {
    "ours": lambda: OURS,
    "karpenter": Karpenter,
    "karpenter evicting": lambda: Karpenter(60, evicts=True),
    "cluster autoscaler": lambda: ClusterAutoscaler(60, 60, evicts=True),
}
every_policy = pytest.mark.parametrize("build", POLICIES.values(), ids=POLICIES)


@every_policy
def test_a_job_waits_for_the_boot_and_pays_from_the_order(build):
    found = simulate(setup(job("a", 0, 3600)), build())
    assert (found.waits, found.unfinished_cost) == ({"a": 240}, 0)
    # 240 s of boot and an hour of work, then at least nothing and at most the idle time.
    assert Decimal(3840) / 3600 * 8 <= found.cost <= Decimal(3840 + 600) / 3600 * 8


@every_policy
def test_a_gang_starts_whole(build):
    found = simulate(setup(job("gang", 0, 3600, gpus=32), job("one", 0, 60, gpus=1)), build())
    assert found.waits["gang"] == 240
    assert found.paid_hours["pool/node"] >= 4


@every_policy
@settings(deadline=None, max_examples=15)
@given(
    st.lists(
        st.tuples(st.integers(0, 9000), st.integers(1, 9000), st.sampled_from((1, 2, 4, 8, 16))),
        min_size=1,
        max_size=12,
    )
)
def test_no_run_is_below_its_bound(build, drawn):
    jobs = [job(f"j{n}", *told) for n, told in enumerate(drawn)]
    found = simulate(setup(*cut_window(jobs, 0, 20_000)), build())
    assert float(found.cost) >= bound_work(jobs, TERMS) - 1e-6
    wait = max(found.waits.values(), default=0)
    assert float(found.cost) >= bound_levels(jobs, TERMS, wait) - 8 * 240 / 3600 - 1e-6


def test_equal_input_gives_an_equal_result():
    jobs = [job(f"j{n}", 97 * n, 400 + 31 * n, gpus=1 + n % 8) for n in range(40)]
    assert simulate(setup(*jobs), OURS) == simulate(setup(*jobs), OURS)


def test_what_an_interruption_undoes_is_repeated():
    # Spot is there for 1,500 s, then gone: two checkpoints of 600 s are kept of 1,260 s of work.
    found = simulate(setup(job("a", 0, 3600), spot=((0, 16), (1500, 0))), OURS)
    assert (found.interruptions, found.lost_seconds) == (1, 8 * 60)
    assert found.paid_hours["pool/node"] > 0
    assert found.waits == {"a": 240}
    assert found.stalls["a"] >= 240


def test_a_stock_out_falls_back_within_one_look():
    found = simulate(setup(job("a", 0, 600), spot=((0, 0),)), OURS)
    assert found.waits == {"a": 240}


def test_unfinished_work_waits_and_is_priced_on_demand():
    late = job("late", 3500, 3600)
    found = simulate(setup(late, end=3600), OURS)
    assert found.waits == {"late": 100}
    assert found.unfinished_cost == Decimal(8)


def test_a_quota_is_never_passed():
    market = Offerings((replace(NODE, quota="gpus", quota_units=8),), quotas={"gpus": 16})
    jobs = [job(f"j{n}", 0, 3600) for n in range(5)]
    found = simulate(replace(setup(*jobs), market=market), OURS)
    assert max(level["pool/node"] for _, level in found.levels) == 2
    assert sorted(found.waits.values())[:2] == [240, 240]


def test_nodes_that_never_boot_are_replaced():
    faults = Faults(random.Random(7), never_boots=0.5)
    jobs = [job(f"j{n}", 0, 600) for n in range(6)]
    found = simulate(setup(*jobs, faults=faults), OURS)
    assert found.unfinished_cost == 0
    assert max(found.waits.values()) > 240


def test_nodes_that_fail_give_their_work_back():
    faults = Faults(random.Random(7), dies_per_hour=0.5)
    found = simulate(setup(*[job(f"j{n}", 0, 9000) for n in range(6)], faults=faults), OURS)
    assert found.interruptions > 0
    assert found.unfinished_cost == 0


def test_fragments_are_joined_by_moves():
    # Each node gets a short job and a long one; when the short ones end, every node is half empty.
    jobs = [job(f"j{n}", 0, 30_000 if n % 2 else 600, gpus=4) for n in range(8)]
    moved, kept = simulate(setup(*jobs), OURS), simulate(setup(*jobs), Karpenter())
    assert moved.cost < kept.cost


def test_a_warm_fleet_has_room_for_what_arrives():
    jobs = [job(f"j{n}", 700 * n, 300, gpus=4) for n in range(50)]
    warm = replace(OURS, settings=replace(OURS.settings, warm_share=Decimal(1)))
    found = simulate(setup(*jobs, counts_arrivals=True), warm)
    assert found.wait_at(0.9) == 0
    assert found.cost > simulate(setup(*jobs), OURS).cost


def test_a_static_fleet_stays():
    pool = replace(POOL, min_nodes=2, max_nodes=2)
    found = simulate(replace(setup(job("a", 600, 60)), pools=(pool,)), Static())
    assert (found.waits, found.paid_hours) == ({"a": 0}, {"pool/node": Decimal(20)})


def test_a_deadline_is_met_where_spot_comes_and_goes():
    steps = tuple((n * 6000, n % 2) for n in range(20))
    found = simulate(setup(job("a", 36_000, 20_000, 8, 66_000), end=72_000, spot=steps), OURS)
    assert found.missed == 0
    assert found.paid_hours["spot/node"] > 0


def test_a_run_ends_some_time_after_all_its_work():
    least = replace(POOL, min_nodes=1)
    jobs = (job("a", 0, 3600), job("b", 9000, 600))
    whole = replace(setup(*jobs), pools=(least,))
    cut = simulate(replace(whole, tail_seconds=1200), OURS)
    # The minimum is paid until 20 minutes after the second job, not until the end.
    assert cut.paid_hours["pool/node"] == Decimal(9000 + 600 + 1200) / 3600
    assert simulate(whole, OURS).paid_hours["pool/node"] == 10
    late = simulate(replace(whole, tail_seconds=10**6), OURS)
    assert late.paid_hours["pool/node"] == 10


def test_a_window_keeps_what_is_due_when_and_clips_what_runs_over_its_ends():
    told = (job("a", 0, 3600, deadline=5000), job("b", 4000, 3600), job("c", 0, 900))
    assert [(j.id, j.submitted, j.seconds, j.deadline) for j in cut_window(told, 1000, 5000)] == [
        ("a", 0, 2600, 4000),
        ("b", 3000, 1000, None),
    ]
