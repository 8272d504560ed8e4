from __future__ import annotations

import csv
import gzip
import io
from datetime import timedelta
from decimal import Decimal
from pathlib import Path

import pytest
from support.focus import FORM, START, build_charge, read_charges, render_charges

from tidegate.review.charge_rows import ChargeReader
from tidegate.review.charges import Charges, CommitmentBill, PoolBill
from tidegate.review.used_hours import UNUSABLE, Place
from tidegate.vocabulary.capacity import Cloud
from tidegate.vocabulary.problems import InvalidInput

SERVE = Place("serve", "g6.12xlarge", Cloud.AWS, "us-east-1")
SAMPLES = Path(__file__).parents[4] / "shared" / "data" / "billing"


def parse(*charges: dict[str, str]):
    return read_charges(render_charges(charges))


def nodes(charges: Charges, place: Place = SERVE) -> list[int]:
    return list(charges.used.series[place].micro_nodes)


def test_nodes_of_an_hour_are_added_up_and_their_costs_kept_apart():
    one = build_charge(BilledCost="0", EffectiveCost="3.1", ResourceId="i-1")
    other = build_charge(ConsumedQuantity="0.25", ResourceId="i-2")
    charges, remarks = parse(one, other)
    assert nodes(charges) == [1_250_000]
    bill = PoolBill(Decimal("4.6016"), Decimal("7.7016"), Decimal("1.25"))
    assert charges.pools == {("serve", "USD"): bill}
    assert (charges.rows, remarks) == (2, [])
    assert charges.used.from_charges


def test_an_hour_with_charges_of_others_alone_is_idle_and_one_without_any_is_not_measured():
    charges, _ = parse(build_charge(0), build_charge(1, pool=""), build_charge(3))
    series = charges.used.series[SERVE]
    assert [hour - series.hours[0] for hour in series.hours] == [0, 1, 3]
    assert nodes(charges) == [1_000_000, 0, 1_000_000]


@pytest.mark.parametrize(
    "tags",
    [
        '{"capacity-pool": "serve"}',
        '{"Capacity_Pool": "serve", "owner": "x"}',
        '{"user:capacity-pool": "serve"}',
        '"capacity-pool": "serve","owner": "x"',
    ],
)
def test_tags_are_found_in_every_spelling_of_exports(tags):
    charges, remarks = parse(build_charge(Tags=tags))
    assert nodes(charges) == [1_000_000]
    assert remarks == []


@pytest.mark.parametrize(
    ("quantity", "unit", "micro"),
    [
        ("1", "hours", 1_000_000),
        ("1", "Hrs", 1_000_000),
        ("1800", "Seconds", 500_000),
        ("30", "minutes", 500_000),
        ("0.01", "100 Hours", 1_000_000),
    ],
)
def test_units_of_time_are_read_as_hours_of_a_node(quantity, unit, micro):
    charges, _ = parse(build_charge(ConsumedQuantity=quantity, ConsumedUnit=unit))
    assert nodes(charges) == [micro]


@pytest.mark.parametrize(
    ("quantity", "unit"), [("48", "Hours"), ("1", "GB-Hours"), ("x", "Hours"), ("NULL", "NULL")]
)
def test_cores_memory_and_what_is_no_number_count_as_no_nodes(quantity, unit):
    charge = build_charge(ConsumedQuantity=quantity, ConsumedUnit=unit)
    charges, remarks = parse(build_charge(1), charge)
    assert nodes(charges) == [0, 1_000_000]
    assert charges.pools["serve", "USD"].billed == Decimal("9.2032")
    assert "1 of 2 charges of pools that do not count hours of nodes" in str(remarks[0])


def test_daily_charges_keep_their_cost_and_are_spread_over_no_hours():
    end = (START + timedelta(days=1)).strftime(FORM)
    charges, remarks = parse(build_charge(), build_charge(ChargePeriodEnd=end))
    assert nodes(charges) == [1_000_000]
    assert charges.pools["serve", "USD"].billed == Decimal("9.2032")
    assert "1 of 2 charges of usage that span more than an hour or less" in str(remarks[0])


def test_used_and_unused_parts_of_commitments_are_told_apart():
    plan = {
        "CommitmentDiscountId": "sp-1",
        "CommitmentDiscountName": "one year",
        "CommitmentDiscountType": "Savings Plan",
    }
    used = build_charge(
        **plan, CommitmentDiscountStatus="Used", BilledCost="0", EffectiveCost="3.1"
    )
    unused = build_charge(
        0, "", **plan, CommitmentDiscountStatus="Unused", BilledCost="0", EffectiveCost="0.9"
    )
    bought = build_charge(
        0, "", **plan, ChargeCategory="Purchase", BilledCost="4", EffectiveCost="0"
    )
    charges, _ = parse(used, unused, bought)
    bill = CommitmentBill("one year", "Savings Plan", Decimal(4), Decimal("3.1"), Decimal("0.9"))
    assert charges.commitments == {("sp-1", "USD"): bill}
    assert nodes(charges) == [1_000_000]


def test_an_empty_reserved_node_is_billed_and_not_used():
    empty = build_charge(CapacityReservationId="cr-1", CapacityReservationStatus="Unused")
    charges, _ = parse(empty, build_charge(1))
    assert nodes(charges) == [0, 1_000_000]
    bill = CommitmentBill("", "capacity reservation", Decimal("4.6016"), unused=Decimal("4.6016"))
    assert charges.commitments == {("cr-1", "USD"): bill}


def test_files_are_added_up_and_each_is_remarked_by_itself():
    reader = ChargeReader()
    reader.read_csv("one", io.StringIO(render_charges([build_charge(Tags="{")])))
    reader.read_csv("two", io.StringIO(render_charges([build_charge(0), build_charge(1)])))
    reader.read_csv("three", io.StringIO(render_charges([build_charge(0)])))
    charges, remarks = reader.finish()
    assert charges.rows == 4
    assert nodes(charges) == [2_000_000, 1_000_000]
    assert [each.subject for each in remarks] == ["one"]


def test_currencies_stand_apart():
    charges, _ = parse(build_charge(), build_charge(BillingCurrency="EUR", ResourceId="i-9"))
    assert {key: bill.billed for key, bill in charges.pools.items()} == {
        ("serve", "USD"): Decimal("4.6016"),
        ("serve", "EUR"): Decimal("4.6016"),
    }


def test_more_taken_back_than_used_makes_an_hour_unknown():
    charges, _ = parse(build_charge(ConsumedQuantity="-1"), build_charge(1))
    assert nodes(charges) == [UNUSABLE, 1_000_000]


@pytest.mark.parametrize(
    ("column", "value", "said"),
    [
        ("BilledCost", "NaN", "whose cost is no number: their cost is in no sum"),
        ("EffectiveCost", "", "whose cost is no number"),
        ("BillingCurrency", "NULL", "whose cost is no number"),
        ("Tags", "{not json", "whose tags cannot be read or name two pools"),
        ("Tags", '{"capacity-pool": "a", "Capacity-Pool": "b"}', "name two pools"),
        ("ChargePeriodStart", "soon", "whose period cannot be read"),
    ],
)
def test_what_cannot_be_read_of_a_charge_is_counted_and_said(column, value, said):
    _, remarks = parse(build_charge(), build_charge(**{column: value}))
    assert len(remarks) == 1
    assert "has 1 of 2 charges" in str(remarks[0])
    assert said in str(remarks[0])


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "has no column 'ChargePeriodStart'"),
        ("lineItem/UsageAmount\n1\n", "has no column 'ChargePeriodStart'"),
        (render_charges([build_charge()]) + "one,two\n", "more or fewer cells"),
        ('"never ended\n', "is no CSV"),
    ],
)
def test_files_that_are_no_charges_are_refused(text, reason):
    with pytest.raises(InvalidInput, match=reason):
        read_charges(text)


@pytest.mark.skipif(not SAMPLES.is_dir(), reason=f"{SAMPLES} is absent")
@pytest.mark.parametrize(
    "name",
    [
        "focus/focus_sample_1000_v1_0.csv.gz",
        "generated/focus_1_3_cost_and_usage_aws.csv.gz",
        "generated/focus_1_3_cost_and_usage_gcp.csv.gz",
    ],
)
def test_published_samples_are_read_to_the_last_cent(name):
    with gzip.open(SAMPLES / name, "rt", encoding="utf-8", newline="") as lines:
        charges, _ = read_charges(lines.read())
    with gzip.open(SAMPLES / name, "rt", encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    assert charges.rows == len(rows)
    assert sum((bill.billed for bill in charges.pools.values()), Decimal(0)) == sum(
        (Decimal(row["BilledCost"]) for row in rows), Decimal(0)
    )
