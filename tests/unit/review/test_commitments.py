from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from io import StringIO
from typing import Any

import pytest
from support.review_inputs import (
    LABELS,
    TODAY,
    build_pool,
    build_reservation,
    build_stack,
    build_usage_csv,
)

from tidegate.catalog.load import load_catalog
from tidegate.manifest.read import read_manifest
from tidegate.pricing.usage import Usage
from tidegate.review.commitments import ReviewInputs, build_commitment_review
from tidegate.review.explain import explain, list_ids
from tidegate.review.online import SHARE_A_MONTH
from tidegate.review.settings import ReviewSettings
from tidegate.review.usage_rows import parse_usage_csv
from tidegate.vocabulary.problems import InvalidInput

CATALOG = load_catalog()


def review(text: str = "", stack: dict[str, Any] | None = None, **settings: Any):
    rows, remarks = parse_usage_csv("u.csv", StringIO(text or build_usage_csv()))
    manifest = read_manifest("stack", stack or build_stack())
    chosen = ReviewSettings(today=TODAY, **settings)
    return build_commitment_review(
        ReviewInputs("u.csv", rows, [manifest], remarks=remarks), CATALOG, chosen
    )


def messages(found) -> dict[str, str]:
    return {each.subject: f"{each.message}: {each.consequence}" for each in found.remarks}


def findings(found) -> list[str]:
    return [each.id for each in found.inventory.findings]


def test_coverage_and_utilization_are_two_things():
    plan = {
        "id": "plan",
        "cloud": "aws",
        "kind": "savings-plan",
        "hourlyAmount": "6.258176",
        "covers": ["compute"],
        "termMonths": 12,
        "labels": LABELS,
    }
    found = review(
        stack=build_stack(commitments=[plan], pools=[build_pool("serve", "g6.12xlarge")])
    )
    # Two nodes of 4.6016 at 32 % off are used in every hour: all of the plan, little of the use.
    assert found.inventory.utilization["plan"].overall == 1
    coverage = found.inventory.coverage["USD"]
    assert Decimal("0.1") < coverage.overall < Decimal("0.25")
    assert coverage.least < coverage.overall < coverage.most


def test_a_commitment_that_matches_nothing_is_named():
    lone = build_reservation("lone", 1, "2027-12-31") | {
        "covers": ["p5.48xlarge"],
        "price": {"amount": "50", "currency": "USD", "asOf": "2026-11-01", "origin": "a quote"},
    }
    found = review(
        stack=build_stack(commitments=[lone], pools=[build_pool("serve", "g6.12xlarge")])
    )
    named = {each.id: each.cost for each in found.inventory.findings}
    assert named["never-matched:lone"] == 50 * 8 * 168


def test_an_under_used_reservation_says_what_the_empty_part_cost():
    stack = build_stack(
        commitments=[build_reservation("wide", 4, "2027-12-31")],
        pools=[build_pool("held", "g6.12xlarge", "wide"), build_pool("serve", "g6.12xlarge")],
    )
    found = review(stack=stack)
    named = {each.id: each for each in found.inventory.findings}
    assert named["under-used:wide"].message == "was used to 50.0% of what was bought"
    assert named["under-used:wide"].cost == Decimal("4.6016") * 2 * 8 * 168


def test_an_ended_commitment_is_no_longer_counted():
    stack = build_stack(
        commitments=[build_reservation("gone", 2, "2026-10-11")],
        pools=[build_pool("held", "g6.12xlarge", "gone"), build_pool("serve", "g6.12xlarge")],
    )
    found = review(stack=stack)
    assert "ended:gone" in findings(found)
    assert found.inventory.utilization["gone"].hours == 7 * 24


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"start": "2027-05-01"}, "ends on 2027-01-15, before it starts on 2027-05-01"),
        ({"kind": "resource-cud"}, "which aws does not sell"),
        ({"kind": "savings-plan", "units": None}, "does not state an hourly amount"),
        ({"kind": "reserved-instance", "termMonths": 12}, "states no price"),
    ],
)
def test_commitments_that_cannot_be_taken_are_said_and_left_out(change, reason):
    commitment = {**build_reservation("odd", 2, "2027-01-15"), **change}
    stack = build_stack(commitments=[{k: v for k, v in commitment.items() if v is not None}])
    stack["pools"] = [build_pool("serve", "g6.12xlarge")]
    found = review(stack=stack)
    assert reason in messages(found)["commitment odd"]
    assert found.held == ()


def test_less_than_a_week_forecasts_nothing_and_keeps_the_rest():
    text = "".join(f"{line}\n" for line in build_usage_csv(1).splitlines()[:400])
    found = review(text)
    assert found.outlook is None
    assert "less than one whole week" in messages(found)["u.csv"]
    assert found.past.applied.totals()["USD"] < found.past.without.totals()["USD"]
    assert "idle:idle" in findings(found)


def test_few_weeks_have_no_trend_and_say_so():
    found = review(build_usage_csv(2))
    assert "too few for a trend" in messages(found)["u.csv"]
    assert found.outlook is not None
    assert not found.outlook.forecast.has_trend


def test_missing_hours_are_left_out_for_every_pool():
    lines = build_usage_csv(2).splitlines()
    kept = [line for number, line in enumerate(lines) if not 41 <= number < 49]
    found = review("\n".join(kept) + "\n")
    assert found.usage.hours - found.usage.known_hours == 2
    assert "misses 2 of 336 hours: they are left out of every sum" in messages(found)[
        "u.csv"
    ] or any("misses 2 of 336 hours" in str(each) for each in found.remarks)


def test_an_hour_stated_twice_is_not_measured():
    text = build_usage_csv(2)
    line = text.splitlines()[9]
    found = review(text + line + "\n")
    assert found.usage.hours - found.usage.known_hours == 1
    assert any("as a clock change without zones would" in str(each) for each in found.remarks)


def test_negative_use_makes_its_hour_unknown_and_never_zero():
    found = review(build_usage_csv(2, replaced={3: "-4"}))
    assert not found.usage.known[3]
    assert found.usage.known_hours == 335


def test_undeclared_use_that_does_not_say_where_it_runs_is_named_and_in_no_sum():
    text = build_usage_csv(2).replace("p4d.24xlarge,aws,us-east-1", ",,")
    found = review(text)
    assert "undeclared-use:lab" in findings(found)
    assert "its use is in no sum" in messages(found)["pool lab"]
    assert {row.pool for row in found.usage.rows} == {"serve", "held", "asleep"}


def test_a_usage_of_which_nothing_can_be_placed_is_refused():
    rows, _ = parse_usage_csv("u.csv", StringIO("hour,pool,nodes\n2026-10-25T02:00Z,lab,1\n"))
    with pytest.raises(InvalidInput, match="of which is known where and on what it runs"):
        build_commitment_review(ReviewInputs("u.csv", rows), CATALOG, ReviewSettings(today=TODAY))


def test_spot_is_priced_as_spot_and_nothing_is_bought_for_it():
    spot = build_pool("serve", "g6.12xlarge", capacityType="spot", interruptionTolerance="tolerant")
    text = "hour,pool,nodes\n" + "".join(
        f"2026-10-{5 + index // 24:02}T{index % 24:02}:00Z,serve,4\n" for index in range(168)
    )
    found = review(text, build_stack(pools=[spot], commitments=[]))
    assert found.past.chosen == ()
    assert found.inventory.coverage == {}
    assert any("no commitment covers spot" in str(each) for each in found.remarks)


def test_unknown_prices_are_named_and_in_no_sum():
    text = build_usage_csv(2).replace("p4d.24xlarge,aws", "zz9.large,aws")
    found = review(text)
    assert found.past.without.unpriced == ("lab/zz9.large",)
    assert "is in no sum" in messages(found)["lab on zz9.large"]


def test_old_prices_are_called_old():
    late = replace(ReviewSettings(today=TODAY), today=TODAY.replace(year=2027))
    rows, _ = parse_usage_csv("u.csv", StringIO(build_usage_csv(1)))
    manifest = read_manifest("stack", build_stack())
    found = build_commitment_review(ReviewInputs("u.csv", rows, [manifest]), CATALOG, late)
    assert any("prices as old as" in str(each) for each in found.remarks)


def test_nothing_used_buys_nothing():
    pool = build_pool("serve", "g6.12xlarge")
    lines = [f"{line.rsplit(',', 5)[0]},serve,0" for line in build_usage_csv(2).splitlines()[1::4]]
    text = "\n".join(["hour,pool,nodes", *lines]) + "\n"
    found = review(text, build_stack(commitments=[], pools=[pool]))
    assert found.past.chosen == ()
    assert found.outlook is not None
    assert found.outlook.targets == ()
    assert found.past.applied.totals() == {"USD": Decimal(0)}


def test_the_ladder_adds_up_to_its_targets_over_three_months():
    outlook = review().outlook
    assert outlook is not None
    for target in outlook.targets:
        steps = [step for step in outlook.ladder if step.candidate == target.candidate]
        assert [step.month for step in steps] == [0, 1, 2]
        first = Decimal(repr(SHARE_A_MONTH)) * target.quantity
        assert abs(steps[0].quantity - first) <= Decimal("0.01")
        assert sum(step.quantity for step in steps) == target.quantity
        assert target.quantity <= min(target.by_past, target.by_forecast)


def test_hindsight_is_no_dearer_than_what_is_bought_at_once_or_not_at_all():
    outlook = review().outlook
    assert outlook is not None
    for line in outlook.lines:
        if line.name != "ladder":
            for cell in line.cells.values():
                assert cell.regret["USD"] >= Decimal(-1)


def test_doing_nothing_locks_nothing_in_and_a_ladder_does():
    outlook = review().outlook
    assert outlook is not None
    locked = {line.name: line.locked_in.get("USD", Decimal(0)) for line in outlook.lines}
    assert locked["do-nothing"] == 0
    assert locked["ladder"] > locked["all-at-once"] == 0


def test_simulated_use_is_marked():
    text = build_usage_csv(1).replace("region\n", "region,simulated\n", 1)
    head, *rest = text.splitlines()
    found = review("\n".join([head, *(f"{line},true" for line in rest)]) + "\n")
    assert isinstance(found.usage, Usage)
    assert found.usage.simulated
    assert any("a simulation made" in str(each) for each in found.remarks)


def test_everything_listed_can_be_explained_with_its_rows_and_prices():
    found = review()
    for key in list_ids(found):
        explained = explain(found, key)
        assert explained.id == key
        assert explained.formula
        assert explained.values
        assert {price.what for price in explained.prices} <= {
            f"{row.instance_type} in {row.region}, a node an hour" for row in found.usage.rows
        }
        assert len(explained.rows) == len(explained.prices) * found.usage.hours


def test_mixed_currencies_are_said_and_stand_apart(tmp_path):
    overlay = tmp_path / "prices.yaml"
    overlay.write_text(
        "version: tidegate/prices/v1\n"
        "currencies: {EUR: {inUsd: 1.08, asOf: 2026-11-27, origin: ECB}}\n"
        "defaults: {cloud: aws, asOf: 2026-11-01, origin: an agreement}\n"
        "prices:\n- {region: us-east-1, instanceType: p4d.24xlarge, capacityType: on-demand, "
        "perHour: 20, currency: EUR}\n",
        encoding="utf-8",
    )
    rows, _ = parse_usage_csv("u.csv", StringIO(build_usage_csv(4)))
    manifest = read_manifest("stack", build_stack())
    settings = ReviewSettings(today=TODAY)
    inputs = ReviewInputs("u.csv", rows, [manifest])
    found = build_commitment_review(inputs, load_catalog(overlay), settings)
    assert any("is priced in EUR and USD" in str(each) for each in found.remarks)
    assert found.past.without.totals()["EUR"] == 20 * 4 * 168
    assert found.outlook is not None
    assert set(found.outlook.lines[0].cells["expected"].cost) == {"EUR", "USD"}
