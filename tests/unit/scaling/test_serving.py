from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.scaling import NOW, ago

from tidegate.scaling.serving import MOST_REPLICAS, decide_replicas
from tidegate.vocabulary.serving import ServingSignals, ServingTarget

TARGET = ServingTarget(
    min_replicas=0,
    max_replicas=20,
    concurrency=4,
    service_seconds=Decimal(2),
    utilization=Decimal("0.5"),
    latency_seconds=Decimal(3),
)


def decide(target: ServingTarget = TARGET, **signals):
    return decide_replicas(target, ServingSignals(**{"replicas": 4, **signals}), NOW)


def test_replicas_follow_the_request_rate_by_the_service_time():
    # A replica serves 4 / 2 s at half use: one request a second.
    found = decide(request_rate=Decimal(6))
    assert (found.replicas, found.reasons) == (6, ("6 requests/s and 0 waiting",))


def test_a_backlog_is_worked_off_within_its_time():
    assert decide(request_rate=Decimal(4), queue_depth=120).replicas == 6


def test_requests_in_service_count_where_the_service_time_is_unknown():
    blind = replace(TARGET, service_seconds=None)
    assert decide(blind, request_rate=Decimal(90), in_flight=Decimal(12)).replicas == 6


def test_the_largest_of_several_signals_is_taken():
    found = decide(request_rate=Decimal(5), utilization=Decimal("0.9"), scheduled_replicas=7)
    assert (found.replicas, found.reasons) == (8, ("accelerators 90 % busy",))


def test_latency_above_the_service_level_grows():
    assert decide(latency_seconds=Decimal("4.5")).replicas == 6


def test_latency_within_the_service_level_asks_for_nothing():
    found = decide(latency_seconds=Decimal(1))
    assert (found.replicas, found.reasons) == (4, ("no signal asks for a number",))


def test_growth_is_bounded_each_time():
    found = decide(request_rate=Decimal(1000))
    assert (found.replicas, found.reasons[-1]) == (8, "at most 2 x at once")


def test_shrinking_is_bounded_each_time():
    found = decide(replicas=16, request_rate=Decimal(1))
    assert (found.replicas, found.reasons[-1]) == (8, "at most 2 x fewer at once")


def test_nothing_shrinks_soon_after_it_grew():
    found = decide(request_rate=Decimal(1), grown_at=ago(100))
    assert (found.replicas, found.reasons[-1]) == (4, "grown within the cooldown")


@pytest.mark.parametrize("value", [Decimal("NaN"), Decimal(-1), Decimal("Infinity")])
def test_a_signal_that_makes_no_sense_shrinks_nothing(value):
    found = decide(request_rate=value, in_flight=Decimal(1))
    assert found.replicas == 4
    assert "makes no sense" in found.reasons[-1]


@pytest.mark.parametrize(
    "broken", [{"concurrency": 0}, {"utilization": Decimal(0)}, {"concurrency": -1}]
)
def test_a_target_that_makes_no_sense_divides_by_nothing_and_holds(broken):
    signals = {"request_rate": Decimal(100), "in_flight": Decimal(1), "utilization": Decimal(1)}
    found = decide(replace(TARGET, **broken), **signals)
    assert found.replicas == 4
    assert any("of a replica makes no sense" in reason for reason in found.reasons)


def test_a_queue_of_less_than_nothing_shrinks_nothing():
    found = decide(request_rate=Decimal(1), queue_depth=-1)
    assert found.replicas == 4
    assert "queue_depth of -1 makes no sense" in found.reasons[-1]


def test_lost_signals_hold():
    assert decide().replicas == 4


def test_an_idle_endpoint_sleeps_after_its_time():
    idle = {"request_rate": Decimal(0), "replicas": 1}
    assert decide(**idle, last_request_at=ago(601)).replicas == 0
    assert decide(**idle, last_request_at=ago(599)).replicas == 1
    assert decide(**idle).reasons[-1] == "when the last request came is not known"


def test_a_sleeping_endpoint_wakes_for_one_request():
    assert decide(replicas=0, queue_depth=1, request_rate=Decimal(0)).replicas == 1


def test_committed_replicas_stay():
    committed = replace(TARGET, committed_replicas=2)
    found = decide(committed, request_rate=Decimal(0), replicas=2, last_request_at=ago(9000))
    assert (found.replicas, found.reasons[-1]) == (2, "held between 2 and 20")


def test_enormous_numbers_saturate():
    endless = replace(TARGET, max_replicas=10**9, growth=Decimal(10**12))
    assert decide(endless, request_rate=Decimal(10) ** 40).replicas == MOST_REPLICAS


@given(
    st.integers(0, 30),
    st.one_of(st.none(), st.decimals(allow_nan=True, allow_infinity=True)),
    st.one_of(st.none(), st.integers(-5, 10**9)),
)
def test_replicas_stay_within_bounds_whatever_is_measured(replicas, rate, queue):
    found = decide(replicas=replicas, request_rate=rate, queue_depth=queue)
    assert 0 <= found.replicas <= TARGET.max_replicas
