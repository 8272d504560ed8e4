from __future__ import annotations

import numpy as np
import pytest

from tidegate.simulation.serving import (
    FixedReplicas,
    HorizontalPodAutoscaler,
    Knative,
    TidegateServing,
    run_serving,
)
from tidegate.simulation.serving_bound import ReplicaTerms, bound_serving

TERMS = ReplicaTerms(rate=1.0, boot_ticks=4, served_share=0.99)
DAYS = [10 + 8 * float(np.sin(minute / 1440 * 2 * np.pi)) for minute in range(2880)]
POLICIES = (TidegateServing(), HorizontalPodAutoscaler(), Knative(), FixedReplicas(18))


@pytest.mark.parametrize("policy", POLICIES, ids=lambda policy: type(policy).__name__)
def test_a_policy_that_keeps_the_promise_is_not_below_the_bound(policy):
    found = run_serving(DAYS, TERMS, policy)
    assert found.served_share >= 0.99
    assert found.cost >= bound_serving(np.array(DAYS), TERMS)


def test_ours_keeps_the_promise_near_the_bound():
    found = run_serving(DAYS, TERMS, TidegateServing())
    assert found.cost <= 1.1 * bound_serving(np.array(DAYS), TERMS)


def test_a_constant_rate_is_bounded_by_the_replicas_it_needs():
    rates = np.full(1000, 5.0)
    assert bound_serving(rates, TERMS) == pytest.approx(0.99 * 5000 + 5 * 4, rel=0.01)


def test_what_exceeds_the_replicas_is_not_served_in_time():
    found = run_serving([4.0] * 10, TERMS, FixedReplicas(4))
    assert (found.cost, found.served_share) == (40, 1)
    assert run_serving([4.0] * 2 + [8.0] * 2, TERMS, FixedReplicas(4)).served_share == 16 / 24


def test_an_order_serves_after_its_boot():
    found = run_serving([1.0] + [3.0] * 9, TERMS, FixedReplicas(3))
    assert found.levels == (1, *[3] * 9)
    # Ordered after the first tick, ready four ticks later.
    assert found.served_share == (1 + 4 * 1 + 5 * 3) / 28


def test_an_idle_endpoint_sleeps_within_its_break_even_and_wakes():
    rates = [1.0] * 20 + [0.0] * 30 + [1.0] * 10
    levels = run_serving(rates, TERMS, TidegateServing(cooldown_seconds=0)).levels
    assert levels[20 + TERMS.boot_ticks + 2] == 0
    assert levels[-1] >= 1


def test_bursts_that_nothing_foretells_are_served_where_a_stabilization_spans_them():
    bursts = ([20.0, 12.0] + [1.0] * 6) * 60
    found = run_serving(bursts, TERMS, TidegateServing(0.7, 0.0, stabilization=10))
    blind = run_serving(bursts, TERMS, TidegateServing(0.7, 0.0))
    assert found.served_share >= 0.99 > blind.served_share
    assert found.cost <= run_serving(bursts, TERMS, HorizontalPodAutoscaler(0.6, 10)).cost


def test_a_stabilization_keeps_no_endpoint_awake_beyond_its_break_even():
    rates = [*[1.0] * 20, 9.0, *[0.0] * 30]
    levels = run_serving(rates, TERMS, TidegateServing(stabilization=30)).levels
    assert levels[-1] == 0
