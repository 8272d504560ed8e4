from __future__ import annotations

import random
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.simulated import NODE, OURS, job, setup

from tidegate.scaling.offerings import CommittedCapacity, Offerings
from tidegate.simulation.engine import simulate
from tidegate.simulation.metrics import (
    actions_a_day,
    cost_per_useful_hour,
    lost_per_interruption,
    measure_overshoot,
    share_of_targets_met,
    split_time,
)
from tidegate.simulation.peers import Static
from tidegate.simulation.policy import build_plan
from tidegate.simulation.setup import START, Faults
from tidegate.vocabulary.plans import Stop


class TwiceTooMany:
    """Orders two nodes for each job that waits, and stops whatever is idle."""

    def plan(self, fleet, demand, offerings, now):
        coming = sum(1 for node in fleet.nodes if node.phase == "in-flight")
        wanted = 2 * len(demand.items) - coming
        idle = tuple(
            Stop(node.id, "pool", "idle", None) for node in fleet.nodes if node.phase == "idle"
        )
        return build_plan(fleet, {"pool/node": ("pool", max(wanted, 0))}, stops=idle)

    def review_in(self, fleet, now):
        return 60


def committed(nodes: int, ends_after: int | None = None, **changes):
    ends = None if ends_after is None else START + timedelta(seconds=ends_after)
    market = Offerings(
        (replace(NODE, commitment="block"),),
        commitments=(CommittedCapacity("block", Decimal(nodes), ends),),
    )
    return replace(setup(**changes), market=market)


def test_the_paid_time_is_useful_lost_setup_or_idle():
    found = simulate(setup(job("a", 0, 3600, gpus=4)), OURS)
    split = split_time(setup(), found)
    assert (split.useful.hours, split.lost.hours) == (4, 0)
    assert split.setup.hours == Decimal(8 * 240) / 3600
    assert split.idle.hours == found.paid_hours["pool/node"] * 8 - 4 - split.setup.hours
    # A node of 8 costs 8 an hour.
    assert split.useful.cost == 4
    assert cost_per_useful_hour(found) == found.cost / 4


@settings(deadline=None, max_examples=25)
@given(
    st.lists(
        st.tuples(st.integers(0, 9000), st.integers(1, 9000), st.sampled_from((1, 2, 8, 16))),
        min_size=1,
        max_size=8,
    ),
    st.integers(0, 99),
)
def test_the_parts_add_up_to_what_nodes_cost_whatever_was_lost(drawn, seed):
    jobs = [job(f"j{n}", *told) for n, told in enumerate(drawn)]
    chance = random.Random(seed)
    given_to = setup(*jobs, end=20_000, faults=Faults(chance, dies_per_hour=0.5))
    found = simulate(given_to, OURS)
    split = split_time(given_to, found)
    parts = (split.useful, *split.waste().values())
    paid = sum(found.paid_hours.values()) * 8
    assert float(sum(part.hours for part in parts)) == pytest.approx(float(paid))
    nodes = float(found.cost - found.unfinished_cost)
    assert float(sum(part.cost for part in parts)) == pytest.approx(nodes)
    assert float(split.useful.hours) * 3600 == pytest.approx(
        found.useful_seconds - found.left_seconds
    )
    assert float(split.lost.hours) * 3600 == pytest.approx(found.lost_seconds)
    assert split.idle.hours >= -Decimal("1e-20")


def test_what_a_lost_node_undid_is_told_for_each_loss():
    # Spot for 1,300 s: 240 of boot, 1,060 of work of which 600 were saved.
    found = simulate(setup(job("a", 0, 3600), spot=[(0, 1), (1300, 0)]), OURS)
    assert (found.interruptions, found.interrupted_seconds) == (1, 460 * 8)
    assert lost_per_interruption(found) == Decimal(460 * 8) / 3600


def test_nothing_lost_is_no_zero_a_loss():
    assert lost_per_interruption(simulate(setup(job("a", 0, 60)), OURS)) is None


def test_nodes_ordered_for_nothing_are_overshoot():
    found = measure_overshoot(simulate(setup(job("a", 0, 3600)), TwiceTooMany()))
    assert (found.nodes, found.share, found.node_hours) == (1, Decimal("0.5"), Decimal(240) / 3600)
    none = measure_overshoot(simulate(setup(job("a", 0, 3600)), OURS))
    assert (none.nodes, none.share, none.node_hours) == (0, 0, 0)
    assert measure_overshoot(simulate(setup(), OURS)).share is None


def test_actions_are_told_by_the_day_of_what_happened():
    found = simulate(setup(job("a", 0, 3600), end=864_000), OURS)
    # One order and one stop, within the time until the stop.
    assert found.actions == 2
    assert actions_a_day(found) == Decimal(2 * 86_400) / found.span_seconds
    assert 3840 <= found.span_seconds < 7200
    assert actions_a_day(simulate(setup(), OURS)) is None


def test_targets_are_met_by_those_that_start_in_time():
    def aiming(name, most):
        told = job(name, 0, 60)
        return replace(told, shape=replace(told.shape, wait_target_seconds=most))

    found = simulate(setup(aiming("a", 240), aiming("b", 239), job("c", 0, 60)), OURS)
    assert (found.wait_targets, found.wait_targets_met) == (2, 1)
    assert share_of_targets_met(found) == Decimal("0.5")
    assert share_of_targets_met(simulate(setup(job("c", 0, 60)), OURS)) is None


def test_what_never_started_met_no_target():
    told = job("a", 0, 60)
    aiming = replace(told, shape=replace(told.shape, wait_target_seconds=10**6))
    assert share_of_targets_met(simulate(setup(aiming), Static())) == 0


def test_deadlines_are_counted_beside_those_missed():
    jobs = [job("a", 0, 60, deadline=3600), job("b", 0, 600, deadline=300), job("c", 0, 60)]
    found = simulate(setup(*jobs), OURS)
    assert (found.deadlines, found.missed) == (2, 1)


def test_what_a_commitment_pays_for_is_not_billed_again():
    found = simulate(committed(1, end=36_000), Static())
    assert found.commitments["block"].share is None
    given_to = replace(committed(2), jobs=(job("a", 0, 3600), job("b", 0, 3600), job("c", 0, 3600)))
    found = simulate(given_to, OURS)
    # Two of three nodes are within it; the third goes last of all that happens.
    assert float(found.cost) == pytest.approx(found.span_seconds / 3600 * 8)
    assert found.commitments["block"].covered["pool/node"] == 2 * found.span_seconds
    assert found.commitments["block"].share == 1


def test_a_commitment_that_ends_pays_for_nothing_from_then_on():
    given_to = replace(committed(1, ends_after=1920), jobs=(job("a", 0, 3600),))
    use = simulate(given_to, OURS).commitments["block"]
    assert (use.share, use.covered["pool/node"]) == (1, 1920)
