"""What people and programs read of the cost of a change."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import date
from decimal import Decimal

import pytest

from tidegate.policy.stack_cost import StackCost
from tidegate.pricing.difference import build_cost_difference
from tidegate.pricing.figures import Figures
from tidegate.pricing.lines import CostLine, LineKind, UsedPrice
from tidegate.pricing.plan import sum_lines
from tidegate.report.check_markdown import render_markdown
from tidegate.report.json_report import render_json
from tidegate.report.table import render_table
from tidegate.vocabulary.capacity import CapacityType, Cloud

QUOTE = UsedPrice("p5.48xlarge spot", "AWS price list", date(2026, 11, 1))
GUESS = UsedPrice("a3 spot", "average", date(2025, 8, 20), assumed=True)


def figures(*amounts):
    return Figures(*(None if each is None else Decimal(each) for each in amounts))


def pool(id, monthly, cloud=Cloud.AWS, **others):
    return CostLine(
        **{
            "kind": LineKind.POOL,
            "id": id,
            "cloud": cloud,
            "region": "us-east-1",
            "capacity_type": CapacityType.SPOT,
            "currency": "USD",
            "monthly": monthly,
            "prices": (QUOTE,),
            **others,
        }
    )


BUCKET = pool("data", figures(5, 5, 5, 5), kind=LineKind.BUCKET, capacity_type=None)
BEFORE = sum_lines([pool("train", figures(0, 1000, 4000, 2000)), BUCKET], "sha256:0")
AFTER = sum_lines(
    [
        pool("train", figures(0, 1500, "8000.5", 3000)),
        BUCKET,
        pool("serve", figures(10, 10, 10, 10), Cloud.GCP, prices=(GUESS,)),
        pool(
            "odd",
            figures(0, None, None, None),
            Cloud.AZURE,
            prices=(),
            unknown=("no price of 'x|y'",),
        ),
    ],
    "sha256:0",
)


@pytest.fixture
def priced(report):
    return replace(report, costs=(StackCost(build_cost_difference(BEFORE, AFTER)),))


def test_the_table_shows_before_after_and_change_with_what_nobody_knows(priced):
    text = render_table(priced)
    shown = text[text.index("monthly cost") : text.index("note:")]
    rows = [" ".join(line.split()) for line in shown.splitlines()]
    assert rows == [
        "monthly cost of vision/prod, USD: before → after (change)",
        "at minimum expected at maximum",
        (
            "all 5.00 → 15.00 (+10.00)~ 1,005.00 → 1,515.00 (+510.00)~* "
            "4,005.00 → 8,015.50 (+4,010.50)~*"
        ),
        "by cloud",
        ("aws 5.00 (no change) 1,005.00 → 1,505.00 (+500.00) 4,005.00 → 8,005.50 (+4,000.50)"),
        "azure 0.00 (no change) 0.00 (no change)* 0.00 (no change)*",
        "gcp 0.00 → 10.00 (+10.00)~ 0.00 → 10.00 (+10.00)~ 0.00 → 10.00 (+10.00)~",
        "by capacity type",
        "no nodes 5.00 (no change) 5.00 (no change) 5.00 (no change)",
        (
            "spot 0.00 → 10.00 (+10.00)~ 1,000.00 → 1,510.00 (+510.00)~* "
            "4,000.00 → 8,010.50 (+4,010.50)~*"
        ),
        "by kind",
        (
            "pools beyond commitments 0.00 → 10.00 (+10.00)~ 1,000.00 → 1,510.00 (+510.00)~* "
            "4,000.00 → 8,010.50 (+4,010.50)~*"
        ),
        "storage 5.00 (no change) 5.00 (no change) 5.00 (no change)",
        "changed",
        (
            "azure pool odd (spot) 0.00 (no change) 0.00 → not known (change not known) "
            "0.00 → not known (change not known)"
        ),
        (
            "gcp pool serve (spot) 0.00 → 10.00 (+10.00)~ 0.00 → 10.00 (+10.00)~ "
            "0.00 → 10.00 (+10.00)~"
        ),
        (
            "aws pool train (spot) 0.00 (no change) 1,000.00 → 1,500.00 (+500.00) "
            "4,000.00 → 8,000.50 (+4,000.50)"
        ),
        "~ rests on assumed prices, averages or ratios rather than quotes",
        "* leaves something out whose price is not known, listed as not counted",
        "not counted after the change (expected, at maximum): pool odd: no price of 'x|y'",
        "2 prices of 2025-08-20 to 2026-11-01, 1 of them assumed; 730 hours a month",
    ]


def test_markdown_folds_the_parts_away_and_reads_nothing_into_texts(priced):
    lines = render_markdown(priced).splitlines()
    start = lines.index("### Monthly cost of vision/prod")
    assert lines[start + 2 : start + 5] == [
        "| USD, before → after (change) | at minimum | expected | at maximum |",
        "| --- | ---: | ---: | ---: |",
        (
            "| **all** | **5.00 → 15.00 (+10.00)\\~** | "
            "**1,005.00 → 1,515.00 (+510.00)\\~\\*** | "
            "**4,005.00 → 8,015.50 (+4,010.50)\\~\\*** |"
        ),
    ]
    assert lines.count("</details>") == 1
    not_counted = "- not counted after the change (expected, at maximum): pool odd: no price of"
    assert f"{not_counted} 'x\\|y'" in lines


def test_json_has_every_line_and_price_and_null_where_nothing_is_known(priced):
    cost = json.loads(render_json(priced))["stacks"][0]["cost"]
    assert cost["totals"]["USD"] == {
        "before": {
            "minimum": "5",
            "expected": "1005",
            "maximum": "4005",
            "allOnDemand": "2005",
        },
        "after": {
            "minimum": "15",
            "expected": "1515",
            "maximum": "8015.5",
            "allOnDemand": "3015",
        },
        "change": {
            "minimum": "10",
            "expected": "510",
            "maximum": "4010.5",
            "allOnDemand": "1010",
        },
        "incomplete": ["expected", "maximum", "allOnDemand"],
        "assumed": ["minimum", "expected", "maximum", "allOnDemand"],
    }
    lines = {each["id"]: each for each in cost["lines"]}
    assert {name: each["changed"] for name, each in lines.items()} == {
        "odd": True,
        "serve": True,
        "train": True,
        "data": False,
    }
    assert lines["odd"]["after"]["monthly"]["expected"] is None
    assert lines["serve"]["before"] is None
    assert lines["serve"]["after"]["pricesAsOf"] == ["2025-08-20", "2025-08-20"]
    assert [each["name"] for each in cost["byCapacityType"]] == [None, "spot"]
    assert cost["unknown"] == [
        {
            "side": "after",
            "kind": "pool",
            "id": "odd",
            "bases": ["expected", "maximum", "allOnDemand"],
            "reason": "no price of 'x|y'",
        }
    ]
    assert [(each["asOf"], each["assumed"]) for each in cost["prices"]] == [
        ("2025-08-20", True),
        ("2026-11-01", False),
    ]


def test_without_a_state_before_only_what_comes_is_shown(report):
    cost = StackCost(build_cost_difference(None, BEFORE), "nobody told")
    priced = replace(report, costs=(cost,))
    text = render_table(priced)
    assert "monthly cost of vision/prod, USD: after the change" in text
    assert "no change is shown: nobody told" in text
    assert "→" not in text
    document = json.loads(render_json(priced))["stacks"][0]["cost"]
    assert (document["compared"], document["totals"]["USD"]["before"]) == (False, None)


def test_a_cost_that_is_not_known_says_why(report):
    priced = replace(report, costs=(StackCost(None, "no <outputs>"),))
    assert "monthly cost of vision/prod: not known: no <outputs>" in render_table(priced)
    assert "Not known: no &lt;outputs&gt;." in render_markdown(priced)
    assert json.loads(render_json(priced))["stacks"][0]["cost"] == {
        "known": False,
        "reason": "no <outputs>",
    }


def test_a_stack_without_a_manifest_has_no_cost_and_says_nothing(report):
    priced = replace(report, costs=(None,))
    assert render_table(priced) == render_table(report)
    assert json.loads(render_json(priced))["stacks"][0]["cost"] is None


def test_of_very_many_changes_some_are_shown_and_the_rest_counted(report):
    many = sum_lines([pool(f"p-{each:03}", figures(1, 1, 1, 1)) for each in range(60)], "sha256:0")
    cost = StackCost(build_cost_difference(sum_lines((), "sha256:0"), many))
    text = render_table(replace(report, costs=(cost,)))
    assert text.count("aws pool p-") == 50
    assert "and 10 more that changed" in text


def test_nothing_declared_costs_nothing_and_says_so(report):
    empty = sum_lines((), "sha256:0")
    cost = StackCost(build_cost_difference(empty, empty))
    text = render_table(replace(report, costs=(cost,)))
    assert "monthly cost of vision/prod: nothing is declared that costs" in text
