"""Bad input of a commitment review, row by row: it is said, with what can still be concluded."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from support.review_inputs import START, TODAY, build_reservation, build_stack, build_usage_csv
from typer.testing import CliRunner

from tidegate.cli.main import app

WEEK_OF_LINES = 4 * 168


@dataclass
class Given:
    """What a review is given; a case spoils one part of it."""

    stack: Any = field(default_factory=lambda: {"capacity": build_stack()})
    usage: str = field(default_factory=build_usage_csv)
    day: str = TODAY.isoformat()
    overlay: str = ""

    def review(self, folder: Path) -> dict[str, Any]:
        (folder / "stack.json").write_text(json.dumps(self.stack), encoding="utf-8")
        (folder / "usage.csv").write_text(self.usage, encoding="utf-8")
        arguments = ["--stack", str(folder / "stack.json"), "--usage", str(folder / "usage.csv")]
        if self.overlay:
            (folder / "prices.yaml").write_text(self.overlay, encoding="utf-8")
            arguments += ["--overlay", str(folder / "prices.yaml")]
        command = ["review", "commitments", *arguments, "--as-of", self.day, "--format", "json"]
        result = CliRunner().invoke(app, command)
        assert result.exit_code == 0, result.exception
        found: dict[str, Any] = json.loads(result.stdout)
        return found


def cut_lines(text: str, first: int, last: int) -> str:
    lines = text.splitlines(keepends=True)
    return "".join([*lines[:first], *lines[last:]])


def in_local_time(text: str) -> str:
    """Return use whose hours are of a zone that leaves summer time on 2026-10-25."""
    lines = text.splitlines()
    for index in range(8 * 168):
        utc = START + timedelta(hours=index)
        shift = 2 if utc.isoformat() < "2026-10-25T01:00:00+00:00" else 1
        local = (utc + timedelta(hours=shift)).replace(tzinfo=None).isoformat()
        for line in range(4):
            at = 1 + 4 * index + line
            lines[at] = f"{local}+0{shift}:00,{lines[at].partition(',')[2]}"
    return "\n".join(lines) + "\n"


def ends_before_it_starts() -> dict[str, Any]:
    odd = {**build_reservation("ends-soon", 2, "2026-01-15"), "start": "2026-05-01"}
    return {"capacity": build_stack(commitments=[odd])}


EURO = (
    "version: tidegate/prices/v1\n"
    "currencies: {EUR: {inUsd: 1.08, asOf: 2026-11-27, origin: ECB}}\n"
    "defaults: {cloud: aws, asOf: 2026-11-01, origin: an agreement}\n"
    "prices:\n- {region: us-east-1, instanceType: p4d.24xlarge, capacityType: on-demand, "
    "perHour: 20, currency: EUR}\n"
)

CASES: dict[str, tuple[Given, str, str, Callable[[dict[str, Any]], bool]]] = {
    "a manifest of another version": (
        Given(stack={"version": "tidegate/capacity/v9"}),
        "written by a newer Tidegate",
        "its pools count as undeclared",
        lambda found: found["stacks"] == [] and found["past"]["onDemand"] != {},
    ),
    "a stack without outputs": (
        Given(stack={}),
        "holds no capacity manifest",
        "what it declares is not known",
        lambda found: found["stacks"] == [] and found["past"]["onDemand"] != {},
    ),
    "missing hours": (
        Given(usage=cut_lines(build_usage_csv(), 41, 49)),
        "misses 2 of 1344 hours",
        "left out of every sum, for every pool",
        lambda found: found["usage"]["measuredHours"] == 1342,
    ),
    "missing weeks": (
        Given(usage=cut_lines(build_usage_csv(), 1 + WEEK_OF_LINES, 1 + 6 * WEEK_OF_LINES)),
        "too few for a trend",
        "the level is kept",
        lambda found: found["outlook"]["weeksMeasured"] == 3 and not found["outlook"]["hasTrend"],
    ),
    "an hour that a clock change repeats": (
        Given(usage=build_usage_csv() + build_usage_csv().splitlines()[9] + "\n"),
        "as a clock change without zones would",
        "these hours count as not measured",
        lambda found: found["usage"]["measuredHours"] == 1343,
    ),
    "mixed currencies": (
        Given(overlay=EURO),
        "is priced in EUR and USD",
        "totals stand apart; nothing is converted",
        lambda found: set(found["past"]["onDemand"]) == {"EUR", "USD"},
    ),
    "an unknown price": (
        Given(usage=build_usage_csv().replace("p4d.24xlarge,aws", "zz9.large,aws")),
        "has no price",
        "its use is in no sum",
        lambda found: any(each["pricePerHour"] is None for each in found["usage"]["pools"]),
    ),
    "stale prices": (
        Given(day="2028-11-30"),
        "holds on-demand prices as old as",
        "figures are those of these days",
        lambda found: found["outlook"] is not None,
    ),
    "less than a week": (
        Given(usage="\n".join(build_usage_csv(1).splitlines()[:101]) + "\n"),
        "which is less than one whole week",
        "inventory and the past hold",
        lambda found: found["outlook"] is None and found["past"]["optimum"] != {},
    ),
    "negative use": (
        Given(usage=build_usage_csv(replaced={5: "-3"})),
        "line 22 ('-3')",
        "their hours count as not measured",
        lambda found: found["usage"]["measuredHours"] == 1343,
    ),
    "use that is no number": (
        Given(usage=build_usage_csv(replaced={5: "NaN"})),
        "line 22 ('NaN')",
        "their hours count as not measured",
        lambda found: found["usage"]["measuredHours"] == 1343,
    ),
    "a commitment that ends before it starts": (
        Given(stack=ends_before_it_starts()),
        "ends on 2026-01-15, before it starts on 2026-05-01",
        "left out of costs, coverage and utilization",
        lambda found: found["inventory"]["commitments"] == [],
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_what_is_wrong_is_said_with_what_can_still_be_concluded(case: str, tmp_path: Path):
    given, message, consequence, holds = CASES[case]
    found = given.review(tmp_path)
    said = [each for each in found["remarks"] if message in each["message"]]
    assert len(said) == 1
    assert consequence in said[0]["consequence"]
    assert holds(found)


def test_hours_with_their_zones_pass_a_clock_change(tmp_path: Path):
    expected = Given().review(tmp_path)
    found = Given(usage=in_local_time(build_usage_csv())).review(tmp_path)
    assert found["usage"] == expected["usage"]
    assert found["past"] == expected["past"]
