from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal

from support.controller import (
    NOW,
    FakeClock,
    FakePools,
    FakeSource,
    declare,
    declare_pool,
    wire,
    work,
)

from tidegate.controller.loop import Controller
from tidegate.controller.status import VERSION, build_snapshot, describe_status
from tidegate.manifest.model import HourlyCeiling
from tidegate.vocabulary.fleet_state import CloudRefused, RefusalKind
from tidegate.vocabulary.notices import Notice, NoticeKind, NoticeRecord
from tidegate.vocabulary.records import OverrideRecord
from tidegate.vocabulary.reports import WorkReport


def turn(wiring, store):
    async def go():
        controller = Controller(lambda: wiring, store, FakeClock(), holder="one")
        found = await controller.tick()
        controller._executor.shutdown(wait=False)
        return found

    return asyncio.run(go())


def test_a_turn_is_shown_with_its_pools_costs_work_and_what_is_unmet(store):
    ceiling = HourlyCeiling(amount=Decimal(500))
    far = declare_pool("far", scaler="karpenter", capacity_type="spot")
    manifest = declare(far, declare_pool(max_nodes=2)).model_copy(
        update={"hourly_ceiling": ceiling}
    )
    pools = FakePools({"far": 0, "train": 1})
    pools.unreadable["far"] = CloudRefused(RefusalKind.DENIED, "credentials expired")

    tick = turn(wire(manifest, pools, FakeSource(answer=WorkReport(work(3)))), store)

    shown = build_snapshot(tick)
    assert store.read_snapshot() == shown == json.loads(json.dumps(shown))
    assert (shown["stack"], shown["at"]) == ("tests/dev", "2026-11-30T12:00:00+00:00")
    cost = shown["cost"]
    assert (cost["currency"], cost["ceiling"]) == ("USD", "500.0000")
    assert Decimal(cost["planned"]) > Decimal(cost["perHour"]) > 0
    away, near = shown["pools"]
    assert away == {
        "id": "far",
        "cloud": "aws",
        "region": "us-east-1",
        "accelerator": "h100-80gb",
        "acceleratorsPerNode": 8,
        "capacityType": "spot",
        "scaler": "karpenter",
        "target": None,
        "min": 0,
        "max": 4,
        "phases": {},
        "perHour": "0.0000",
        "unpricedNodes": 0,
        "assumed": False,
        "unread": "denied: credentials expired",
    }
    assert (near["target"], near["phases"], near["perHour"]) == (1, {"busy": 1}, cost["perHour"])
    assert shown["waiting"] == [
        {
            "source": "queue",
            "class": "training",
            "items": 3,
            "oldestQueuedAt": "2026-11-30T11:59:00+00:00",
        }
    ]
    (unmet,) = shown["unmet"]
    assert (unmet["items"], unmet["first"], unmet["workers"]) == (1, "job-2", 1)
    assert {"kind": "maximum", "where": "train", "why": "has 2 of at most 2 nodes"} in unmet[
        "causes"
    ]


def test_what_no_turn_saw_yet_is_not_shown_as_nothing(store):
    told = describe_status(store, NOW)

    assert (told["leader"], told["lastTick"], told["snapshot"]) == ("", None, None)


def test_a_persons_word_is_shown_until_it_lapses(store):
    store.record_override(OverrideRecord("train", "ana", NOW + timedelta(hours=1), 2))
    store.record_override(OverrideRecord("serve", "ben", NOW))

    assert describe_status(store, NOW)["overrides"] == [
        {"pool": "train", "owner": "ana", "until": "2026-11-30T13:00:00+00:00", "nodes": 2}
    ]


def test_decisions_are_shown_newest_first_with_reason_and_outcome(store):
    pools = FakePools({"train": 0})
    turn(wire(declare(declare_pool()), pools, FakeSource(answer=WorkReport(work(1)))), store)

    (decision,) = describe_status(store, NOW)["decisions"]
    assert (decision["pool"], decision["from"], decision["to"]) == ("train", 0, 1)
    assert (decision["outcome"], bool(decision["reason"])) == ("applied", True)


def test_interruptions_of_the_last_day_are_shown_newest_first(store):
    token = store.take_lease("one", 0.0)
    for number, received_at in enumerate((NOW - timedelta(days=2), NOW - timedelta(hours=1), NOW)):
        notice = Notice(f"event-{number}", "aws", f"i-{number}", NoticeKind.INTERRUPTION, NOW)
        record = NoticeRecord(notice, "spot", received_at)
        store.record_notices(token, [record])
        store.record_struck(token, replace(record, pool="train", node=f"i-{number}"), True)
    strange = Notice("event-9", "aws", "i-9", NoticeKind.INTERRUPTION, NOW)
    store.record_notices(token, [NoticeRecord(strange, "spot", NOW)])

    shown = describe_status(store, NOW)["interruptions"]

    assert [each["node"] for each in shown] == ["i-2", "i-1"]
    assert shown[0] == {
        "pool": "train",
        "node": "i-2",
        "kind": "interruption",
        "at": "2026-11-30T12:00:00+00:00",
        "endsAt": None,
        "items": 0,
        "reworkSeconds": 0,
    }


def test_what_another_version_wrote_is_not_shown(store):
    token = store.take_lease("one", 0.0)
    store.record_snapshot(token, {"version": 99, "pools": "in another form"})

    assert describe_status(store, NOW)["snapshot"] is None


def test_what_an_older_version_wrote_down_is_shown_without_secrets(store):
    token = store.take_lease("one", 0.0)
    store.record_snapshot(token, {"version": VERSION, "pools": [{"unread": "password=hunter-2"}]})

    assert describe_status(store, NOW)["snapshot"]["pools"] == [{"unread": "password=***"}]
