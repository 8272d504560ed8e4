"""What holds of every plan, whatever the fleet, the demand and the market."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from datetime import timedelta
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from support.scaling import NOW, apply, demand, item, offering, ordered, pool, shape
from support.scaling_worlds import worlds

from tidegate.scaling.decide import decide
from tidegate.scaling.fleet import GONE, HEALTHY, Fleet, NodePhase
from tidegate.scaling.offerings import Offerings
from tidegate.scaling.settings import ScalingSettings
from tidegate.vocabulary.demand import PlacementNeed
from tidegate.vocabulary.plans import ScalingPlan


def run(world: Any) -> ScalingPlan:
    return decide(*world, NOW)


def remaining(world: Any, plan: ScalingPlan) -> list[Any]:
    stopped = {stop.node for stop in plan.stops}
    return [entry for entry in world[0].nodes if entry.id not in stopped]


@settings(max_examples=150, deadline=None)
@given(worlds())
def test_no_plan_passes_a_maximum_a_quota_or_the_ceiling(world):
    fleet, _, market, limits = world
    plan = run(world)
    high = {entry.id: entry.max_nodes for entry in fleet.pools}
    of = {entry.id: entry for entry in market.offerings}
    kept = remaining(world, plan)
    total = Counter(entry.pool for entry in kept if entry.phase not in GONE)
    units = Counter()
    for entry in kept:
        units[of[entry.offering].quota] += of[entry.offering].quota_units
    for name, count in ordered(plan).items():
        total[of[name].pool] += count
        units[of[name].quota] += count * of[name].quota_units
    assert all(count <= high[name] for name, count in total.items())
    assert all(units[name] <= limit for name, limit in market.quotas.items())
    if limits.hourly_ceiling is not None and ordered(plan):
        assert plan.per_hour.amount <= limits.hourly_ceiling


@settings(max_examples=150, deadline=None)
@given(worlds())
def test_nothing_healthy_is_stopped_below_the_minimum(world):
    plan = run(world)
    left = Counter(e.pool for e in remaining(world, plan) if e.phase in HEALTHY)
    stopped = {stop.node for stop in plan.stops}
    for entry in world[0].nodes:
        if entry.id in stopped and entry.phase in HEALTHY and entry.phase.value != "in-flight":
            low = next(p.min_nodes for p in world[0].pools if p.id == entry.pool)
            new = sum(
                count for name, count in ordered(plan).items() if name.startswith(f"{entry.pool}/")
            )
            assert left[entry.pool] + new >= low


@settings(max_examples=150, deadline=None)
@given(worlds())
def test_work_without_a_checkpoint_is_never_stopped_by_choice(world):
    plan = run(world)
    unsaved = {
        entry.item
        for each in world[0].nodes
        for entry in each.work()
        if entry.checkpoint_at is None
    }
    nodes = {entry.id: entry for entry in world[0].nodes}
    chosen = {
        item
        for drain in plan.drains
        if nodes[drain.node].phase is not NodePhase.INTERRUPTED
        for item in drain.work
    }
    chosen |= {entry.item for entry in plan.preemptions}
    chosen |= {entry.item for stop in plan.stops for entry in nodes[stop.node].work()}
    assert not chosen & unsaved


@settings(max_examples=100, deadline=None)
@given(worlds(), st.randoms(use_true_random=False))
def test_order_and_repetition_of_the_input_do_not_matter(world, random):
    fleet, waiting, market, limits = world
    twice = [*waiting.items, *waiting.items]
    shuffled = [list(fleet.pools), list(fleet.nodes), twice, list(market.offerings)]
    for entries in shuffled:
        random.shuffle(entries)
    other = (
        Fleet(tuple(shuffled[0]), tuple(shuffled[1]), NOW),
        replace(waiting, items=tuple(shuffled[2])),
        replace(market, offerings=tuple(shuffled[3])),
        limits,
    )
    assert run(other) == run(world)


@settings(max_examples=150, deadline=None)
@given(worlds())
def test_a_plan_that_serves_everyone_and_was_carried_out_is_not_made_again(world):
    fleet, waiting, market, limits = world
    plan = run(world)
    after = apply(plan, fleet.nodes, market.offerings)
    again = run((replace(fleet, nodes=after), waiting, market, limits))
    # What goes may free the quota that a minimum lacks.
    lacking = any("below its minimum" in hold.reason for hold in plan.holds)
    if not (plan.unmet or lacking or plan.preemptions or plan.drains):
        assert ordered(again) == {}


@settings(max_examples=150, deadline=None)
@given(worlds(), st.integers(0, 2), st.sampled_from([1, 4, 8]), st.integers(1, 3))
def test_one_more_item_takes_no_service_from_those_before_it(world, priority, gpus, workers):
    fleet, waiting, market, limits = world
    late = replace(shape(gpus), priority=priority, workers=workers)
    more = item("late", late, queued_at=NOW + timedelta(seconds=1))
    before = run(world)
    after = run((fleet, replace(waiting, items=(*waiting.items, more)), market, limits))
    unserved = {name for unmet in before.unmet for name in unmet.items}
    lost = {name for unmet in after.unmet for name in unmet.items} - unserved - {"late"}
    priorities = {entry.id: entry.shape.priority for entry in waiting.items}
    priorities |= {work.item: work.priority for entry in fleet.nodes for work in entry.work()}
    assert not {name for name in lost if priorities[name] >= priority}


@settings(max_examples=60, deadline=None)
@given(st.permutations(["a", "b", "c"]), st.permutations(["a", "b", "c"]))
def test_the_order_of_labels_taints_and_places_does_not_matter(first, second):
    def decided(names: list[str], others: list[str]) -> ScalingPlan:
        declared = pool(node_labels=dict.fromkeys(names, "1"), taints=tuple(others))
        need = PlacementNeed(
            software=tuple((name, "1") for name in others),
            tolerations=tuple(name for name in names if name != "c"),
            residency=tuple(f"region-{name}" for name in names),
            pools=("train", *names),
        )
        elsewhere = replace(need, residency=())
        lacking = replace(need, residency=(), software=tuple((name, "2") for name in names))
        waiting = [
            item(f"job-{number}", shape(8, placement=placement))
            for number, placement in enumerate((need, elsewhere, lacking))
        ]
        return decide(
            Fleet((declared,), (), NOW),
            demand(*waiting),
            Offerings((offering(),)),
            ScalingSettings(),
            NOW,
        )

    usual = ["a", "b", "c"]
    assert decided(first, second) == decided(usual, usual)
