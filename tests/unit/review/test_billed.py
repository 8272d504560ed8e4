from __future__ import annotations

from decimal import Decimal
from io import StringIO

from support.focus import build_charge, read_charges, render_charges
from support.review_inputs import TODAY, build_stack, build_usage_csv

from tidegate.catalog.load import load_catalog
from tidegate.manifest.read import read_manifest
from tidegate.review.commitments import ReviewInputs, build_commitment_review
from tidegate.review.settings import ReviewSettings
from tidegate.review.usage_rows import parse_usage_csv

WEEK = 168
CATALOG = load_catalog()


def review(charges: list[dict[str, str]], usage: str = "", bound: dict[str, str] | None = None):
    billed, remarks = read_charges(render_charges(charges))
    used = parse_usage_csv("u.csv", StringIO(usage))[0] if usage else billed.used
    manifest = read_manifest("stack", build_stack())
    inputs = ReviewInputs("u.csv", used, [manifest], billed, bound or {}, remarks)
    return build_commitment_review(inputs, CATALOG, ReviewSettings(today=TODAY))


def findings(found) -> dict[str, Decimal | None]:
    return {each.id: each.cost for each in found.inventory.findings}


def test_use_can_be_taken_from_charges_alone():
    found = review([build_charge(hour) for hour in range(WEEK)])
    row = next(row for row in found.usage.rows if row.pool == "serve")
    assert set(row.micro_nodes.tolist()) == {1_000_000}
    assert found.billing.pools[0].used_node_hours is None
    assert not any(key.startswith("used-not-as-billed") for key in findings(found))


def test_hours_used_and_hours_billed_are_compared():
    charges = [build_charge(hour) for hour in range(WEEK)]
    found = review(charges, build_usage_csv(1))
    (serve,) = found.billing.pools
    assert (serve.billed_node_hours, serve.used_node_hours) == (WEEK, Decimal("1162.082"))
    assert findings(found)["used-not-as-billed:serve"] == Decimal("4.6016") * WEEK


def test_hours_that_agree_but_for_booting_are_no_finding():
    usage = "hour,pool,nodes\n" + "".join(
        f"{charge['ChargePeriodStart']},serve,0.96\n"
        for charge in (build_charge(hour) for hour in range(WEEK))
    )
    found = review([build_charge(hour) for hour in range(WEEK)], usage)
    assert "used-not-as-billed:serve" not in findings(found)


def test_billed_commitments_are_matched_by_what_the_cloud_calls_them():
    reserved = [
        build_charge(hour, "held", CapacityReservationId="ARN:x/CR-1") for hour in range(WEEK)
    ]
    plan = build_charge(0, "", CommitmentDiscountId="sp-9", CommitmentDiscountType="Savings Plan")
    bound = {"arn:x/cr-1": "ends-soon", "cr-1": "ends-soon", "arn:x/cr-2": "idle"}
    found = review([*reserved, plan], bound=bound)
    assert {(each.bill_id, each.declared) for each in found.billing.commitments} == {
        ("ARN:x/CR-1", "ends-soon"),
        ("sp-9", ""),
    }
    assert findings(found)["billed-undeclared:sp-9"] == Decimal("4.6016")
    assert "never-billed:idle" in findings(found)
    assert "never-billed:ends-soon" not in findings(found)


def test_without_charges_nothing_is_said_of_bills():
    used, _ = parse_usage_csv("u.csv", StringIO(build_usage_csv(1)))
    manifest = read_manifest("stack", build_stack())
    inputs = ReviewInputs("u.csv", used, [manifest], bound={"cr-1": "idle"})
    found = build_commitment_review(inputs, CATALOG, ReviewSettings(today=TODAY))
    assert found.billing is None
    assert not any("billed" in key for key in findings(found))
