"""What a dry run tells people: orders with their price and purpose, and all that is not done."""

from __future__ import annotations

import asyncio
import io
from dataclasses import replace

import pytest
from rich.console import Console
from support.controller import (
    FakeClock,
    FakePools,
    FakeSource,
    declare,
    declare_pool,
    fault,
    wire,
    work,
)

from tidegate.cli.controller_plan import describe_tick
from tidegate.cli.controller_plan_text import print_plan
from tidegate.controller.loop import Controller
from tidegate.vocabulary.fleet_state import CloudRefused, RefusalKind
from tidegate.vocabulary.reports import WorkReport


def plan(manifest, pools, *sources):
    async def go():
        controller = Controller(lambda: wire(manifest, pools, *sources), None, FakeClock())
        try:
            return await controller.plan()
        finally:
            await controller.close()

    return describe_tick(asyncio.run(go()))


def lines(told):
    text = io.StringIO()
    print_plan(Console(file=text, width=120), told, is_dry=True)
    return [line.strip() for line in text.getvalue().splitlines()]


@pytest.fixture
def told():
    pools = FakePools({"train": 1, "other": 0, "away": 0, "jobs": 0})
    pools.unreadable["away"] = CloudRefused(RefusalKind.DENIED, "not allowed")
    manifest = declare(
        declare_pool("train"),
        declare_pool("other", scaler="karpenter"),
        declare_pool("away"),
        declare_pool("jobs", kind="managed-training", scaler="provider"),
    )
    (giant,) = work(1, gpus=64)
    sources = (
        FakeSource("sweeps", WorkReport(work(2), in_progress={"train": 1}, notes=("3 wait",))),
        FakeSource("gone", fault("connection refused")),
        FakeSource("giants", WorkReport((replace(giant, id="giant"),))),
    )
    return plan(manifest, pools, *sources)


def test_a_dry_run_tells_orders_with_their_price_and_whom_they_serve(told):
    (order,) = told["orders"]

    assert (order["pool"], order["from"], order["to"]) == ("train", 1, 2)
    assert order["serves"] == {"sweeps": 1}
    assert order["fallbacks"] == []
    assert told["cost"]["ceiling"] is None
    assert float(told["cost"]["then"]) == pytest.approx(2 * float(told["cost"]["now"]))


def test_a_dry_run_tells_why_pools_are_not_resized(told):
    assert told["excluded"] == {
        "other": "scaled by karpenter",
        "away": "cannot be read: denied: not allowed",
        "jobs": "has no size to set (managed-training)",
    }


def test_a_dry_run_is_read_from_above_orders_cost_work_and_what_is_held(told):
    shown = lines(told)

    assert shown[0] == (
        "Stack tests/dev, 2026-11-30 12:00:00 UTC: what would be done now (nothing is changed)"
    )
    assert shown[2].startswith("grow  train  1 → 2")
    assert "1 item of sweeps" in shown[2]
    work_line = shown.index("Work: 3 items, 1 without a place")
    assert shown[work_line + 1 : work_line + 4] == [
        "sweeps: 2 items; 3 wait",
        "gone: in doubt: connection refused",
        "giants: 1 item",
    ]
    assert "fleet: demand from gone is in doubt (connection refused): nothing shrinks" in shown
    assert "jobs: has no size to set (managed-training)" in shown


def test_the_same_cause_is_told_once_for_all_the_pools_that_have_it():
    manifest = declare(*(declare_pool(f"train-{n}") for n in range(6)))
    pools = FakePools({f"train-{n}": 0 for n in range(6)})

    told = plan(manifest, pools, FakeSource(answer=WorkReport(work(1, gpus=64))))

    types = ", ".join(f"train-{n}/p5.48xlarge" for n in range(4))
    assert [line for line in lines(told) if line.startswith("train-0/")] == [
        f"{types} and 2 more: one worker is larger than a node of p5.48xlarge"
    ]


def test_with_nothing_to_do_a_dry_run_says_so():
    shown = lines(plan(declare(declare_pool()), FakePools({"train": 0}), FakeSource()))

    assert shown[1:] == [
        "nothing is to be resized",
        "Cost an hour, USD: 0.00 now, 0.00 then",
        "Work: 0 items",
        "queue: 0 items",
        "Empty now: train",
    ]
