"""What is done with nodes that are to go: whatever is seen and planned, what must never happen."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st
from support.controller import NOW, declare_pool, node

from tidegate.controller.draining import add_stops, plan_draining
from tidegate.controller.errands import DrainRules, Step
from tidegate.controller.nodes import PoolSight
from tidegate.manifest.model import Checkpoint
from tidegate.vocabulary.fleet_state import Machine, MachinePhase, PoolState, RunningPod
from tidegate.vocabulary.money import Money
from tidegate.vocabulary.plans import Drain, Method, Preemption, ScalingPlan, Stop

EMPTY = ScalingPlan((), (), (), (), (), (), (), Money(Decimal(0)), (), False, Method("h", None, ""))
DECLARED = Checkpoint(interval_seconds=600, write_seconds=60, restart_seconds=10)
stamps = st.none() | st.integers(-900, 900).map(lambda ago: NOW - timedelta(seconds=ago))


@st.composite
def pods(draw, name):
    return RunningPod(
        item=f"k8s/{name}",
        name=name,
        daemonset=draw(st.booleans()),
        checkpoint_at=draw(stamps),
        asked_at=draw(stamps),
        leaving=draw(st.booleans()),
        owner=draw(st.sampled_from(["", "k8s/ml/Job/job"])),
        started_at=draw(stamps),
    )


@st.composite
def nodes(draw, name):
    names = [f"{name}-pod-{number}" for number in range(draw(st.integers(0, 3)))]
    return replace(
        node(name),
        running=tuple(draw(pods(each)) for each in names),
        closed=draw(st.booleans()),
        closed_by_us=draw(st.booleans()),
        drained_since=draw(stamps),
        evicting=draw(st.booleans()),
    )


@st.composite
def situations(draw):
    """Return sights of one pool, a plan that drains some of its nodes, and the rules."""
    seen = tuple(draw(nodes(f"i-{number}")) for number in range(draw(st.integers(0, 3))))
    listed = draw(st.lists(st.sampled_from([each.name for each in seen] or ["i-9"]), unique=True))
    interrupted = {
        each.name: draw(st.none() | st.just(NOW + timedelta(seconds=90)))
        for each in seen
        if draw(st.booleans())
    }
    pool = declare_pool(
        cluster="main",
        scaler=draw(st.sampled_from(["tidegate", "tidegate", "karpenter"])),
        checkpoint=draw(st.sampled_from([None, DECLARED])),
    )
    machines = tuple(Machine(name, MachinePhase.RUNNING) for name in listed)
    state = draw(st.sampled_from([None, PoolState("train", len(seen), machines)]))
    advised = frozenset(name for name in interrupted if draw(st.booleans()))
    sight = PoolSight(pool, state, seen, True, None, (), interrupted, advised)
    drained = [each for each in seen if draw(st.booleans()) or each.name in interrupted]
    every = [pod for each in seen for pod in each.running]
    plan = replace(
        EMPTY,
        drains=tuple(Drain(each.name, "train", "why", None) for each in drained),
        preemptions=tuple(
            Preemption(pod.item, (), "urgent", "priority", 0)
            for pod in every
            if draw(st.booleans())
        ),
    )
    rules = DrainRules(
        now=NOW,
        limit_seconds=600,
        stop_without_checkpoint=draw(st.booleans()),
        doubt=draw(st.sampled_from(["", "the queue is silent"])),
        held=draw(st.sampled_from([{}, {"train": "paused by ana"}])),
        choosing={"train": draw(st.booleans())},
    )
    return sight, plan, rules


@given(situations())
def test_nothing_is_ended_by_choice_that_never_saved_itself(situation):
    sight, plan, rules = situation

    for errand in plan_draining(plan, [sight], rules).errands:
        is_certain = errand.forced and errand.node not in sight.advised
        ends = errand.step is Step.EVICT and not is_certain
        if ends and not rules.stop_without_checkpoint:
            assert all(pod.checkpoint_at is not None and pod.owner for pod in errand.pods)


@given(situations())
def test_what_runs_everywhere_and_what_ends_already_is_told_nothing(situation):
    sight, plan, rules = situation

    for errand in plan_draining(plan, [sight], rules).errands:
        assert not any(pod.daemonset or pod.leaving for pod in errand.pods)


@given(situations())
def test_pools_of_other_scalers_are_left_alone(situation):
    sight, plan, rules = situation

    if sight.pool.scaler.value != "tidegate":
        found = plan_draining(plan, [sight], rules)
        assert (found.errands, found.emptied, found.remarks) == ([], [], [])


@given(situations())
def test_in_doubt_or_against_a_persons_word_no_node_is_emptied_by_choice(situation):
    sight, plan, rules = situation

    if rules.doubt or rules.held:
        found = plan_draining(plan, [sight], rules)
        begun = [e for e in found.errands if e.node and e.step in (Step.DRAIN, Step.EVICT)]
        assert all(errand.forced for errand in begun)
    if rules.held:
        assert plan_draining(plan, [sight], rules).emptied == []


@given(situations())
def test_a_machine_goes_only_when_it_is_known_and_runs_nothing(situation):
    sight, plan, rules = situation
    there = {each.name: each for each in sight.nodes}
    machines = {each.id for each in sight.state.machines} if sight.state else set()

    for stop in plan_draining(plan, [sight], rules).emptied:
        assert there[stop.node].work() == ()
        assert stop.node in machines
        assert rules.choosing["train"]


@given(situations())
def test_each_node_has_one_direction(situation):
    sight, plan, rules = situation

    steps: dict[str, set[Step]] = {}
    for errand in plan_draining(plan, [sight], rules).errands:
        if errand.node:
            steps.setdefault(errand.node, set()).add(errand.step)
    assert all(found in ({Step.REOPEN}, {Step.DRAIN}, {Step.EVICT}, {Step.DRAIN, Step.EVICT})
               for found in steps.values())  # fmt: skip


@given(situations())
def test_nothing_is_told_to_go_before_its_time_to_save_itself_is_over(situation):
    sight, plan, rules = situation
    declared = sight.pool.checkpoint
    patience = timedelta(seconds=declared.write_seconds if declared else 0)
    since = {each.name: each.drained_since for each in sight.nodes}

    for errand in plan_draining(plan, [sight], rules).errands:
        begun = since.get(errand.node)
        if errand.step is Step.EVICT and begun is not None and errand.ends_at is None:
            for pod in errand.pods:
                saved = pod.checkpoint_at is not None and pod.checkpoint_at >= begun
                assert saved or begun + patience <= NOW


def test_emptied_nodes_lower_the_size_beside_what_is_ordered():
    state = PoolState("train", 3, ())
    sight = PoolSight(declare_pool(), state, (), True, None, ())
    stop = Stop("i-1", "train", "emptied", None)

    plan = add_stops(EMPTY, [stop], [sight])

    (resize,) = plan.resizes
    assert (resize.from_nodes, resize.to_nodes, plan.stops) == (3, 2, (stop,))
    assert add_stops(EMPTY, [], [sight]) is EMPTY
