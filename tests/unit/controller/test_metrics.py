from __future__ import annotations

import asyncio
import re
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families
from support.controller import NOW, FakeClock, wire
from support.troubled import POOLS, SOURCES, build_troubled

from tidegate.controller.emptying import Finished
from tidegate.controller.errands import Errand, Step
from tidegate.controller.hearing import Heard
from tidegate.controller.interruptions import Struck
from tidegate.controller.loop import Controller
from tidegate.controller.metrics import ControllerMetrics
from tidegate.controller.reap_records import Reaped
from tidegate.controller.reaping import Reaping
from tidegate.scaling.fleet import NodePhase
from tidegate.scaling.reaping import (
    ReapAction,
    ReapDecision,
    ReapRule,
    ReapSight,
    ReapVerdict,
)
from tidegate.state.database import open_database
from tidegate.state.store import DatabaseStore
from tidegate.vocabulary.fleet_state import RefusalKind, RunningPod
from tidegate.vocabulary.notices import Notice, NoticeKind, NoticeRecord
from tidegate.vocabulary.plans import CauseKind
from tidegate.vocabulary.reaping import ReapablePhase, ReapableState
from tidegate.vocabulary.records import DecisionRecord, Outcome

DOCUMENT = Path(__file__).parents[3] / "docs" / "controller.md"
ROW = re.compile(r"^\| `(tidegate_[a-z_]+)(?:\{([a-z,]+)\})?` \|", re.MULTILINE)
WORDS = {
    "phase": {phase.value for phase in NodePhase},
    "cause": {kind.value for kind in CauseKind},
    "kind": {kind.value for kind in RefusalKind} | {"lease-lost", "unavailable", "mistake"},
    "action": {"grow", "shrink"},
    "outcome": {"applied", "refused"},
    "currency": {"USD"},
    "stack": {"tests/dev"},
}


@pytest.fixture
def controller(tmp_path):
    """Yield a controller of a stack with every kind of trouble."""
    engine = open_database(f"sqlite:///{tmp_path / 'state.db'}")
    wiring = build_troubled()
    found = Controller(lambda: wiring, DatabaseStore(engine), FakeClock(), holder="one")
    yield found
    found._executor.shutdown(wait=False)
    engine.dispose()


def take_turns(controller, turns=2):
    async def go():
        for _ in range(turns):
            tick = await controller.tick()
            controller._clock.advance(15)
        return tick

    return asyncio.run(go())


def samples(metrics):
    return {
        (sample.name, *sorted(sample.labels.items())): sample.value
        for family in text_string_to_metric_families(metrics.render().decode())
        for sample in family.samples
        if not sample.name.endswith("_created")
    }


def test_a_turn_is_told_in_figures(controller):
    take_turns(controller, 2)
    found = samples(controller.metrics)

    def of(name, **labels):
        return found.get((f"tidegate_{name}", *sorted(labels.items())))

    assert of("leads") == 1
    assert of("last_tick_timestamp_seconds") == (NOW + timedelta(seconds=15)).timestamp()
    assert of("pool_nodes", pool="train", phase="busy") == 3
    assert of("pool_max_nodes", pool="train") == 3
    assert of("pool_readable", pool="away") == 0
    assert of("pool_target_nodes", pool="away") is None
    assert of("pool_cost_per_hour", pool="full", currency="USD") == 0
    assert of("pool_cost_per_hour", pool="train", currency="USD") > 0
    assert of("commitment_units", commitment="block") == 3
    assert of("commitment_idle_units", commitment="block") == 2
    assert of("waiting_items", source="queue") == 9
    assert of("unmet_items", stack="tests/dev") > 0
    assert of("unmet_items_by_cause", cause="maximum") == of("unmet_items", stack="tests/dev")
    assert of("source_sound", source="queue") == 1
    assert of("source_sound", source="silent") == 0
    assert of("source_received_timestamp_seconds", source="silent") is None
    assert of("held_decisions", stack="tests/dev") > 0
    assert of("refusals_total", pool="spot", kind="stock-out") == 1
    assert of("refusals_total", pool="train", kind="denied") == 0
    assert of("decisions_total", action="grow", outcome="refused") == 1
    assert of("decisions_total", action="grow", outcome="applied") == 1
    assert of("hourly_ceiling", currency="USD") == 100_000
    assert of("tick_failures_total", kind="mistake") == 0


def test_the_wait_until_a_cloud_took_the_order_is_counted_once_an_item(controller):
    take_turns(controller, 4)
    found = samples(controller.metrics)

    assert found["tidegate_pending_to_resize_seconds_count",] == 2
    # Queued a minute before the first turn, and ordered in it.
    assert found["tidegate_pending_to_resize_seconds_sum",] == 2 * 60


def test_an_interruption_is_counted_once(controller):
    tick = take_turns(controller, 1)
    seen = tick.decision.observation
    pool = next(sight.pool for sight in seen.sights if sight.pool.id == "train")
    notice = Notice("event-1", "aws", "i-1", NoticeKind.INTERRUPTION, NOW)
    record = NoticeRecord(notice, "spot", NOW, "train")
    struck = Struck(record, pool, is_there=True, matters=True, is_new=True, counts=True)
    metrics = ControllerMetrics()
    for told in (
        struck,
        replace(struck, is_new=False),
        replace(struck, counts=False),
    ):
        decision = replace(tick.decision, observation=replace(seen, struck=[told]))
        metrics.note_tick(replace(tick, decision=decision), 1.0, NOW)

    assert interruptions(metrics) == {("interruption", "train"): 1}


def interruptions(metrics):
    return {
        tuple(value for _, value in key[1:]): count
        for key, count in samples(metrics).items()
        if key[0] == "tidegate_interruptions_total"
    }


@pytest.mark.parametrize(
    ("kinds", "forced", "counted", "cause"),
    [
        ([NoticeKind.DRILL], True, {("drill", "train"): 1}, "drill"),
        ([NoticeKind.INTERRUPTION], True, {("interruption", "train"): 1}, "interruption"),
        (
            [NoticeKind.DRILL, NoticeKind.INTERRUPTION],
            True,
            {("drill", "train"): 1, ("interruption", "train"): 1},
            "interruption",
        ),
        ([], False, {}, "choice"),
    ],
)
def test_a_drill_and_what_it_makes_work_repeat_have_a_cause_of_their_own(
    controller, kinds, forced, counted, cause
):
    tick = take_turns(controller, 1)
    seen = tick.decision.observation
    pool = next(sight.pool for sight in seen.sights if sight.pool.id == "train")
    struck = [
        Struck(
            NoticeRecord(Notice(kind.value, "aws", "i-1", kind, NOW), "any", NOW, "train", "one"),
            pool,
            is_there=True,
            matters=True,
            is_new=True,
            counts=kind is NoticeKind.INTERRUPTION,
        )
        for kind in kinds
    ]
    pod = RunningPod("work", started_at=seen.at - timedelta(seconds=90))
    evicted = DecisionRecord(NOW, "train", "evict", "")
    errand = Errand(Step.EVICT, "train", "one", (pod,), evicted, forced)
    finished = Finished(errand, Outcome.APPLIED, "", ended=(pod,))
    decision = replace(tick.decision, observation=replace(seen, struck=struck))
    metrics = ControllerMetrics()
    metrics.note_tick(replace(tick, decision=decision, finished=[finished]), 1.0, NOW)

    assert interruptions(metrics) == counted
    repeated = {
        key[1:]: count
        for key, count in samples(metrics).items()
        if key[0] == "tidegate_rework_seconds_total"
    }
    assert repeated == {(("cause", cause), ("pool", "train")): 90}


def test_a_source_of_notices_that_does_not_answer_is_told(controller):
    tick = take_turns(controller, 1)
    listeners = [Heard("spot", fault="no answer"), Heard("events")]

    controller.metrics.note_tick(replace(tick, listeners=listeners), 1.0, NOW)

    found = samples(controller.metrics)
    assert found["tidegate_notice_source_sound", ("source", "spot")] == 0
    assert found["tidegate_notice_source_sound", ("source", "events")] == 1


def test_what_stands_idle_is_told_in_figures(controller):
    tick = take_turns(controller, 1)
    rule = ReapRule("notebook/desk", "ana", 3600, ReapAction.STOP)
    state = ReapableState(rule.id, ReapablePhase.RUNNING, 1)
    since = NOW - timedelta(hours=2)
    ended = ReapDecision(rule, ReapVerdict.END, "idle", NOW, 1, 0, since)
    other = replace(rule, id="endpoint/chat")
    held = ReapDecision(other, ReapVerdict.HOLD, "not known")
    reaping = Reaping(
        sights=[ReapSight(rule, state), ReapSight(other, None, "denied")],
        decisions=[held, ended],
        faults={"gpu": "", "kernels": "no answer"},
    )
    reaped = [Reaped(ended, Outcome.REFUSED, "slow down", RefusalKind.THROTTLED)]

    controller.metrics.note_tick(replace(tick, reaping=reaping, reaped=reaped), 1.0, NOW)

    found = samples(controller.metrics)
    told = {key: value for key, value in found.items() if "_idle_" in key[0] or "use_" in key[0]}
    assert {key: told[key] for key in sorted(told) if "commitment" not in key[0]} == {
        ("tidegate_idle_seconds", ("id", "notebook/desk")): 7200,
        ("tidegate_idle_size", ("id", "notebook/desk")): 1,
        ("tidegate_idle_warned", ("id", "endpoint/chat")): 0,
        ("tidegate_idle_warned", ("id", "notebook/desk")): 1,
        ("tidegate_use_source_sound", ("source", "gpu")): 1,
        ("tidegate_use_source_sound", ("source", "kernels")): 0,
    }
    counted = ("tidegate_decisions_total", ("action", "reap-stop"), ("outcome", "refused"))
    assert found[counted] == 1
    refused = ("tidegate_refusals_total", ("kind", "throttled"), ("pool", "notebook/desk"))
    assert found[refused] == 1


def test_what_a_controller_saw_is_gone_with_its_lead(controller):
    take_turns(controller, 2)
    controller.metrics.note_lead(leads=False)
    found = {name for name, *_ in samples(controller.metrics)}

    assert samples(controller.metrics)["tidegate_leads",] == 0
    assert {
        name for name in found if name.startswith(("tidegate_pool", "tidegate_source"))
    } == set()
    assert "tidegate_refusals_total" in found


def test_a_pool_that_is_gone_is_told_no_more(controller):
    take_turns(controller, 1)
    wiring = controller._read_wiring()
    left = [pool for pool in wiring.manifest.pools if pool.id != "train"]
    smaller = wire(
        wiring.manifest.model_copy(update={"pools": left}), wiring.pools, *wiring.sources
    )
    controller._read_wiring = lambda: smaller
    take_turns(controller, 1)

    told = {key[0] for key in samples(controller.metrics) if ("pool", "train") in key}
    assert told == {"tidegate_refusals_total"}, "only what is counted stays"


def test_every_name_and_label_is_documented_and_every_documented_one_is_told(controller):
    documented = {
        name: frozenset(filter(None, labels.split(",")))
        for name, labels in ROW.findall(DOCUMENT.read_text(encoding="utf-8"))
    }
    told = {
        f"{family.name}_total" if family.type == "counter" else family.name: frozenset(labels)
        for family in controller.metrics.registry.collect()
        for labels in [collector_labels(controller.metrics, family.name)]
    }

    assert told == documented


def collector_labels(metrics, name):
    return metrics.registry._names_to_collectors[name]._labelnames


def test_labels_hold_ids_and_words_and_no_text(controller):
    take_turns(controller, 3)
    allowed = {
        **WORDS,
        "pool": set(POOLS),
        "source": set(SOURCES),
        "commitment": {"block"},
    }

    for _, *labels in samples(controller.metrics):
        for name, value in labels:
            assert name == "le" or value in allowed[name], (name, value)
