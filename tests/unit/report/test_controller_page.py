from __future__ import annotations

import base64
import hashlib
import re
from typing import Any

import pytest

from tidegate.report.controller_page import content_policy, render_controller_page
from tidegate.report.controller_view import build_view

AT = "2026-11-30T12:00:00+00:00"


def pool(**changes: Any) -> dict[str, Any]:
    return {
        "id": "train", "cloud": "aws", "region": "us-east-1", "accelerator": "h100-80gb",
        "acceleratorsPerNode": 8, "capacityType": "spot", "scaler": "tidegate", "target": 2,
        "min": 0, "max": 4, "phases": {"busy": 1, "idle": 1}, "perHour": "160.0000",
        "unpricedNodes": 0, "assumed": False, "unread": "", **changes,
    }  # fmt: skip


def status(*pools: dict[str, Any], **changes: Any) -> dict[str, Any]:
    shown = {
        "stack": "shop/prod",
        "at": AT,
        "cost": {
            "currency": "USD", "perHour": "160.0000", "planned": "160.0000", "ceiling": None,
            "assumed": False, "unpriced": [],
        },
        "pools": list(pools) or [pool()],
        "waiting": [],
        "unmet": [],
        "moreUnmet": 0,
        "listeners": [],
        "holds": [],
        "idle": [],
        "commitments": [],
    }  # fmt: skip
    told = {
        "at": AT, "leader": "one", "lastTick": {"at": AT}, "snapshot": shown, "sources": [],
        "overrides": [], "refused": [], "interruptions": [], "decisions": [],
    }  # fmt: skip
    shown.update({key: value for key, value in changes.items() if key in shown})
    told.update({key: value for key, value in changes.items() if key in told})
    return told


def troubles(told: dict[str, Any]) -> list[str]:
    return [trouble.text for trouble in build_view(told).troubles]


def test_where_all_is_well_nothing_needs_a_look():
    assert troubles(status()) == []
    assert "Nothing needs a look." in render_controller_page(status())


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"leader": ""}, "Nobody leads: no pool is resized."),
        ({"lastTick": None}, "No turn is known yet."),
        ({"snapshot": None}, "No turn is known yet."),
        (
            {"lastTick": {"at": "2026-11-30T11:55:00+00:00"}},
            "The last turn was 5 min ago: what stands here is old.",
        ),
        (
            {"sources": [{"name": "q", "fault": "no answer", "receivedAt": None, "items": 0}]},
            "Source q: no answer. Nothing shrinks.",
        ),
        (
            {
                "sources": [{"name": "q", "fault": "no answer", "receivedAt": None, "items": 0}],
                "listeners": ["q"],
            },
            "Source q: no answer. Interruptions may go unheard.",
        ),
        ({"pools": [pool(unread="denied")]}, "Pool train cannot be read: denied."),
        (
            {"commitments": [{"id": "block", "units": "3", "used": "1", "idle": "2"}]},
            "Commitment block: 2 of 3 are paid for and not used.",
        ),
    ],
)
def test_what_is_wrong_is_said_first(changes, says):
    told = status(**changes)

    assert troubles(told) == [says]
    assert says in render_controller_page(told)


@pytest.mark.parametrize(
    ("offerings", "words"), [(["a"], "1 offering"), (["a", "b"], "2 offerings")]
)
def test_offerings_without_a_price_are_counted(offerings, words):
    cost = {**status()["snapshot"]["cost"], "unpriced": offerings}

    (tile, *_) = build_view(status(cost=cost)).tiles
    assert tile.notes == [f"not in it: {words} without a known price"]


@pytest.mark.parametrize(("number", "s"), [(1, ""), (2, "s")])
def test_what_is_not_shown_is_counted(number, s):
    unmet = {"items": 1, "first": "a", "workers": 1, "causes": [], "moreCauses": number}

    page = render_controller_page(status(unmet=[unmet], moreUnmet=number))
    assert f"and {number} more cause{s}<" in page
    assert f"and {number} more shape{s} that nothing can serve" in page


@pytest.mark.parametrize(("spent", "near"), [("94.0000", False), ("95.0000", True)])
def test_a_fleet_close_to_its_ceiling_is_told(spent, near):
    cost = {**status()["snapshot"]["cost"], "perHour": spent, "ceiling": "100.0000"}

    assert troubles(status(cost=cost)) == (["The fleet costs 95% of its ceiling an hour."] * near)


@pytest.mark.parametrize(
    ("changes", "cost"),
    [
        ({}, "160.00"),
        ({"assumed": True}, "~160.00"),
        ({"unpricedNodes": 2}, "160.00 + 2 of unknown price"),
        ({"unread": "denied", "phases": {}, "perHour": "0.0000"}, "unknown"),
        ({"phases": {}, "perHour": "0.0000"}, "0.00"),
    ],
)
def test_a_cost_that_is_not_known_is_not_told_as_nothing(changes, cost):
    (row,) = build_view(status(pool(**changes))).pools

    assert row.cost == cost


def test_a_bar_holds_every_node_within_the_maximum_or_beyond_it():
    (row,) = build_view(status(pool(phases={"failed": 1, "busy": 6, "in-flight": 1}))).pools

    assert [(part.phase, part.start, part.width) for part in row.segments] == [
        ("busy", 0.0, 150.0),
        ("in-flight", 150.0, 25.0),
        ("failed", 175.0, 25.0),
    ]


def test_who_paused_a_pool_is_told_once():
    said = {"pool": "train", "owner": "ana", "until": "2026-11-30T16:00:00+00:00", "nodes": None}
    holds = [
        {"pool": "train", "reason": "left alone for ana", "cause": "paused"},
        {"pool": "train", "reason": "paused for its closed window", "cause": "rule"},
        {"pool": "other", "reason": "x", "cause": "rule"},
    ]

    (row,) = build_view(status(overrides=[said], holds=holds)).pools

    assert row.notes == [
        "paused by ana until 2026-11-30 16:00 UTC",
        "held: paused for its closed window",
    ]


def test_markup_is_escaped_in_every_text():
    mark = "<script>\"'&"
    decision = {
        "at": AT, "pool": mark, "action": mark, "from": 1, "to": 2, "reason": mark,
        "perHour": f"1.0000 {mark}", "outcome": mark, "detail": mark,
    }  # fmt: skip
    told = status(
        pool(id=mark, region=mark, accelerator=mark, unread=mark, scaler=mark, capacityType=mark),
        leader=mark,
        stack=mark,
        sources=[{"name": mark, "fault": mark, "receivedAt": AT, "items": 0}],
        overrides=[{"pool": mark, "owner": mark, "until": AT, "nodes": 1}],
        refused=[{"offering": mark, "kind": mark, "at": AT, "attempts": 1}],
        interruptions=[
            {"pool": mark, "node": mark, "kind": mark, "at": AT, "items": 0, "reworkSeconds": 0}
        ],
        decisions=[decision],
        holds=[{"pool": mark, "reason": mark}],
        waiting=[{"source": mark, "class": mark, "items": 1, "oldestQueuedAt": AT}],
        idle=[idle(id=mark, owner=mark, reason=mark)],
        unmet=[
            {
                "items": 2, "first": mark, "workers": 2, "moreCauses": 1,
                "causes": [{"kind": mark, "where": mark, "why": mark}],
            }
        ],
        commitments=[{"id": mark, "units": "1", "used": "1", "idle": "0"}],
    )  # fmt: skip

    page = render_controller_page(told)

    assert "<script" not in page
    assert page.count("&lt;script&gt;&#34;&#39;&amp;") > 25


def test_the_policy_names_the_style_that_the_page_has():
    (text,) = re.findall(r"<style>(.*?)</style>", render_controller_page(status()), re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()

    assert f"style-src 'sha256-{digest}'" in content_policy()
    assert "style=" not in render_controller_page(status()).replace("<style>", "")


@pytest.mark.parametrize(("seconds", "tag"), [(0, 0), (15, 1)])
def test_a_page_asks_for_itself_anew_unless_it_is_told_not_to(seconds, tag):
    page = render_controller_page(status(), seconds)

    assert page.count('http-equiv="refresh"') == tag
    assert page.count('aria-current="true"') == 1


def idle(**changes: Any) -> dict[str, Any]:
    return {
        "id": "notebook/explore", "owner": "ana", "phase": "running", "size": 1,
        "verdict": "warn", "to": 0, "reason": "unused by every signal", "outcome": "",
        "endsAt": "2026-11-30T12:15:00+00:00", "idleSince": "2026-11-30T09:00:00+00:00",
        **changes,
    }  # fmt: skip


def words(page: str, section: str) -> str:
    (found,) = re.findall(rf'<section id="{section}".*?</section>', page, re.DOTALL)
    return " ".join(re.sub("<[^>]+>", " ", found).split())


def test_what_is_idle_is_shown_with_its_end_and_its_owner():
    found = words(render_controller_page(status(idle=[idle()])), "idle")

    assert (
        "notebook/explore 1 → 0 3 h warned ends at 2026-11-30 12:15 UTC unused by every signal ana"
    ) in found


def test_what_is_not_known_of_an_idle_thing_is_not_told_as_nothing():
    unknown = idle(size=None, to=None, verdict="hold", endsAt=None, idleSince=None, owner="")
    found = words(render_controller_page(status(idle=[unknown])), "idle")

    assert "unknown – held unused by every signal nobody is named" in found


def test_interruptions_have_a_section_when_there_are_any():
    told = {"pool": "train", "node": "i-1", "kind": "drill", "at": AT, "items": 2,
            "reworkSeconds": 90}  # fmt: skip

    assert 'id="interruptions"' not in render_controller_page(status())
    assert "90 s" in render_controller_page(status(interruptions=[told]))
