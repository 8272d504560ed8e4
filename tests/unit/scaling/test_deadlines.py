from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from decimal import Decimal

import numpy as np
import pytest
from support.scaling import NOW, causes, item, node, offering, ordered, plan, pool, shape, work

from tidegate.scaling.deadlines import (
    Mode,
    Terms,
    _chances,
    _start_spot,
    build_table,
    choose_mode,
)
from tidegate.scaling.offerings import SpotHistory
from tidegate.scaling.spot_odds import (
    SpotOdds,
    count_ages,
    observe,
    phase_now,
    stack_history,
)
from tidegate.vocabulary.capacity import CapacityType

TERMS = Terms(0.3, 2)
RUNS = ((40, 1), (150, 2), (9, 1), (120, 1), (76, 0))
STEADY = tuple(up for ups, downs in RUNS for up in [True] * ups + [False] * downs)
RARE = tuple(not up for up in STEADY)


def odds(*zones: tuple[bool, ...]):
    return observe(np.array(zones), (10,), 400, 100.0)


class TestOdds:
    def test_ages_count_from_the_last_change(self):
        assert count_ages(np.array([True, True, False, False, False, True])).tolist() == [
            0, 1, 0, 1, 2, 0,
        ]  # fmt: skip

    def test_rows_are_probabilities(self):
        found = odds(STEADY)
        assert [sum(row) for row in found.moves] == pytest.approx([1.0] * 4)
        assert all(0 <= sum(row) <= 1 for row in found.keeps)

    def test_what_comes_back_soon_has_a_greater_chance_to(self):
        steady, rare = odds(STEADY), odds(RARE)
        down = steady.phase(0, up=False)
        assert steady.moves[down][0] > rare.moves[down][0]

    def test_another_zone_may_take_over(self):
        other = tuple(not up for up in STEADY)
        assert odds(STEADY, other).lands[0] == 1.0
        assert odds(STEADY).lands[0] == 0.0

    def test_longer_ticks_keep_the_latest(self):
        seen = stack_history([(True, False, False, True), (True, True, False, False)], 2)
        assert seen.tolist() == [[False, True], [True, False]]
        assert phase_now(odds(STEADY), seen, zone=1) == 2


class TestChoice:
    table = build_table(odds(STEADY), TERMS, 64, 32)

    def choose(self, left: int, work: int, mode: Mode = Mode.NONE, phase: int = 0) -> Mode:
        return choose_mode(self.table, left, work, mode, phase)

    def test_spot_is_taken_while_there_is_time(self):
        assert self.choose(60, 20, phase=1) is Mode.SPOT

    def test_nothing_runs_while_spot_is_away_and_there_is_time(self):
        assert self.choose(60, 20, phase=2) is Mode.NONE

    def test_on_demand_is_taken_in_time(self):
        assert self.choose(22, 20) is Mode.ON_DEMAND

    def test_work_that_runs_on_spot_keeps_the_time_for_a_changeover_and_stays(self):
        assert self.choose(22, 20, Mode.SPOT, phase=1) is Mode.SPOT
        assert self.choose(21, 20, Mode.SPOT, phase=1) is Mode.SPOT

    def test_a_changeover_to_spot_is_given_up_in_time(self):
        found = choose_mode(self.table, 22, 20, Mode.SPOT, 0, changing=1)
        assert found is Mode.ON_DEMAND

    def test_a_changeover_that_is_nearly_over_is_worth_more_than_a_new_one(self):
        long_away = self.table.odds.phase(10, up=False)
        table = build_table(odds(STEADY), Terms(0.3, 9), 64, 32)
        found = [choose_mode(table, 45, 20, Mode.ON_DEMAND, long_away, changing=n) for n in (1, 9)]
        assert found == [Mode.ON_DEMAND, Mode.NONE]

    def test_spot_that_is_lost_while_changing_over_is_paid_only_until_then(self):
        # Gone after each tick for certain: one tick of the changeover is paid, then on-demand.
        gone = SpotOdds((), ((0.0, 1.0), (0.0, 1.0)), ((0.0,),), (0.0, 1.0))
        table = build_table(gone, Terms(0.3, 4), 40, 10)
        spot = _start_spot(table, _chances(gone, 4), 40, 10)
        assert spot.tolist() == pytest.approx([0.3 + 4 + 10])

    def test_what_is_done_needs_nothing(self):
        assert self.choose(60, 0) is Mode.NONE

    def test_more_time_never_costs_more(self):
        assert np.all(np.diff(self.table.none, axis=1) <= 1e-6)


class TestInDecisions:
    spot = offering("spot", capacity_type=CapacityType.SPOT, per_hour=Decimal(24))
    safe = offering("safe")
    pools = (pool("spot"), pool("safe"))

    def decide(self, hours: float, seen: tuple[bool, ...], nodes=(), **changes):
        asked = item(deadline=NOW + timedelta(hours=hours), work_left_seconds=36_000)
        history = {"spot/node": SpotHistory(300, seen)}
        waiting = () if nodes else (asked,)
        market = {"spot_history": history, **changes}
        return plan(self.pools, (self.spot, self.safe), *waiting, nodes=nodes, market=market)

    def test_spot_while_there_is_time(self):
        assert ordered(self.decide(20, STEADY)) == {"spot/node": 1}

    def test_waits_for_spot_that_will_be_back(self):
        away = (*STEADY, False)
        found = self.decide(20, away)
        assert (ordered(found), causes(found)) == ({}, {"deadline"})
        assert "waits for spot" in found.unmet[0].causes[0].text

    def test_on_demand_when_time_runs_out(self):
        assert ordered(self.decide(10.2, STEADY)) == {"safe/node": 1}

    def test_on_demand_when_spot_is_rare(self):
        assert ordered(self.decide(11, RARE)) == {"safe/node": 1}

    def test_running_work_stays_on_spot_while_on_demand_still_makes_it(self):
        running = replace(
            work(shape=shape()),
            checkpoint_at=NOW,
            deadline=NOW + timedelta(hours=10.25),
            work_left_seconds=36_000,
        )
        busy = node(pool="spot", phase="busy", running=(running,))
        assert ordered(self.decide(10.25, STEADY, nodes=(busy,))) == {}

    def test_a_short_history_leaves_the_plain_rule(self):
        assert ordered(self.decide(20, (False,))) == {"spot/node": 1}
