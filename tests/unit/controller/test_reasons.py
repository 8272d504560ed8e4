"""Whatever keeps a controller from its work shows in the status, the figures and the log."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass, field
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from support.controller import (
    NOW,
    FakeClock,
    FakePools,
    FakeSource,
    declare,
    declare_pool,
    fault,
    wire,
    work,
)
from support.logs import forget_logging

from tidegate.controller.logs import start_logging
from tidegate.controller.loop import Controller, LoopSettings
from tidegate.manifest.model import HourlyCeiling
from tidegate.vocabulary.fleet_state import CloudRefused, RefusalKind
from tidegate.vocabulary.problems import Unavailable, refuse
from tidegate.vocabulary.records import OverrideRecord
from tidegate.vocabulary.reports import WorkReport


@pytest.fixture(autouse=True)
def plain_logging():
    yield
    forget_logging()


@dataclass
class World:
    """One pool and one queue, to be broken in one way."""

    pools: FakePools = field(default_factory=lambda: FakePools({"train": 0}))
    source: FakeSource = field(default_factory=lambda: FakeSource(answer=WorkReport(work(2))))
    declared: dict[str, Any] = field(default_factory=dict)
    ceiling: HourlyCeiling | None = None

    def wire(self) -> Any:
        manifest = declare(declare_pool(**self.declared))
        changed = manifest.model_copy(update={"hourly_ceiling": self.ceiling})
        return wire(changed, self.pools, self.source)


@pytest.fixture
def turn(store, capsys):
    """Take one turn of `run`; return the status, the figures and the log."""

    def take(world, read_wiring=None):
        start_logging()

        async def go():
            settings = LoopSettings(source_seconds=0.2, pool_seconds=0.2)
            wiring = world.wire()
            read = read_wiring or (lambda: wiring)
            controller = Controller(read, store, FakeClock(), settings, holder="one")
            await controller._try_tick()
            controller._executor.shutdown(wait=False)
            return controller

        controller = asyncio.run(go())
        lines = [json.loads(line) for line in capsys.readouterr().err.splitlines()]
        told = json.dumps(controller.describe(), ensure_ascii=False)
        return told, controller.metrics.render().decode(), lines

    return take


def warned(lines):
    return json.dumps([line for line in lines if line["level"] != "info"], ensure_ascii=False)


def break_source(world):
    world.source.answer = fault("queue answers 500")


def break_reading(world):
    world.pools.unreadable["train"] = CloudRefused(RefusalKind.DENIED, "credentials expired")


def break_ceiling(world):
    world.ceiling = HourlyCeiling(amount=Decimal(1))


def break_maximum(world):
    world.declared["max_nodes"] = 0


def break_scaler(world):
    world.declared["scaler"] = "karpenter"


@pytest.mark.parametrize(
    ("break_it", "reason", "figure"),
    [
        (break_source, "queue answers 500", 'tidegate_source_sound{source="queue"} 0.0'),
        (
            break_reading,
            "denied: credentials expired",
            'tidegate_pool_readable{pool="train"} 0.0',
        ),
        (
            break_ceiling,
            "the hourly ceiling of 1 USD",
            'tidegate_unmet_items_by_cause{cause="budget"} 2.0',
        ),
        (
            break_maximum,
            "has 0 of at most 0 nodes",
            'tidegate_unmet_items_by_cause{cause="maximum"} 2.0',
        ),
        (
            break_scaler,
            "train is scaled by karpenter",
            'tidegate_unmet_items_by_cause{cause="scaler"} 2.0',
        ),
    ],
)
def test_what_holds_a_turn_is_told_everywhere(turn, break_it, reason, figure):
    world = World()
    break_it(world)

    status, figures, lines = turn(world)

    assert reason in status
    assert figure in figures
    assert reason in warned(lines)


@pytest.mark.parametrize("kind", RefusalKind)
def test_every_refusal_of_a_cloud_is_told_everywhere(turn, kind):
    def refuse_all(_pool):
        raise CloudRefused(kind, "said by the cloud")

    status, figures, lines = turn(World(pools=FakePools({"train": 0}, refuse=refuse_all)))

    assert f"{kind.value}: said by the cloud" in status
    assert f'tidegate_refusals_total{{kind="{kind.value}",pool="train"}} 1.0' in figures
    assert f"{kind.value}: said by the cloud" in warned(lines)


def test_a_persons_word_is_told_everywhere(turn, store):
    store.record_override(OverrideRecord("train", "ana", NOW + timedelta(hours=1)))

    status, figures, lines = turn(World())

    assert "paused by ana" in status
    assert 'tidegate_unmet_items_by_cause{cause="paused"} 2.0' in figures
    assert "paused by ana" in warned(lines)


def break_nothing(world):
    world.source.answer = WorkReport(work(2))


@pytest.mark.parametrize(
    ("nodes", "break_it", "told"),
    [
        (None, break_nothing, [("train", "paused")]),
        (1, break_nothing, [("train", "pinned")]),
        ("unsaid", break_reading, [("", "rule"), ("train", "unread")]),
        (None, break_reading, [("", "rule"), ("train", "paused")]),
        ("unsaid", break_source, [("", "rule")]),
    ],
)
def test_the_status_tells_the_kind_of_cause_of_what_is_held(turn, store, nodes, break_it, told):
    if nodes != "unsaid":
        store.record_override(OverrideRecord("train", "ana", NOW + timedelta(hours=1), nodes))
    world = World()
    break_it(world)

    status, _, _ = turn(world)

    holds = json.loads(status)["snapshot"]["holds"]
    assert [(hold["pool"], hold["cause"]) for hold in holds] == told


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (Unavailable("the stack's outputs cannot be read"), "unavailable"),
        (refuse("stack", "capacity", None, "holds no manifest"), "unavailable"),
        (KeyError("a mistake of this program"), "mistake"),
    ],
    ids=["away", "invalid", "mistake"],
)
def test_a_turn_that_fails_is_told_in_figures_and_log(turn, error, kind):
    def fail():
        raise error

    status, figures, lines = turn(World(), fail)

    assert f'tidegate_tick_failures_total{{kind="{kind}"}} 1.0' in figures
    assert str(error).splitlines()[0] in json.dumps(
        [line for line in lines if line["level"] == "error"]
    )
    assert '"lastTick": null' in status
