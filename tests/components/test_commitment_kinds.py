"""What only some commitments are: bought once, undone never, or recorded."""

from __future__ import annotations

from datetime import date, timedelta

import pulumi
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tidegate_components import CommittedCapacity
from tidegate_components.committed_capacity.parse import parse_reservation

from tidegate.vocabulary.problems import InvalidInput

AGREED = {"hourly_amount": "40", "currency": "USD", "end_date": "2028-01-04"}
TERM = {"start_date": "2027-01-04", "term_months": 12}
KINDS = {
    "savings-plan": {
        "cloud": "aws",
        "region": "us-east-1",
        "purchase": {
            "offering_id": "offering-1",
            "purchase_time": "2027-01-04T09:00:00+00:00",
            "upfront_amount": "100.50",
            "term_months": 12,
            "covers": ["sagemaker"],
        },
    },
    "capacity-block": {
        "cloud": "aws",
        "region": "us-east-2",
        "zone": "us-east-2a",
        "instance_type": "p5.48xlarge",
        "units": 1,
        "purchase": {"offering_id": "cb-1", "start_date": "2027-01-04"},
    },
    "future-reservation": {
        "cloud": "gcp",
        "region": "us-central1",
        "zone": "us-central1-a",
        "instance_type": "g2-standard-48",
        "units": 2,
        "purchase": {"start_date": "2027-01-04"},
        "gcp": {"project": "acme-ml"},
    },
    "resource-cud": {
        "cloud": "gcp",
        "region": "us-central1",
        "instance_type": "a2-highgpu-1g",
        "units": 2,
        "purchase": {**TERM, "existing_reservations": "held"},
        "gcp": {"project": "acme-ml"},
    },
    "reserved-instance": {
        "cloud": "aws",
        "region": "us-east-1",
        "instance_type": "g6.12xlarge",
        "units": 2,
        "purchase": TERM,
    },
    "flexible-cud": {
        "cloud": "gcp",
        "region": "us-central1",
        "purchase": {**TERM, "covers": ["compute"]},
    },
    "azure-reservation": {
        "cloud": "azure",
        "region": "eastus",
        "instance_type": "Standard_NC24ads_A100_v4",
        "units": 1,
        "purchase": TERM,
    },
}
BOUGHT = {
    "savings-plan": "aws:savingsplans/savingsPlan:SavingsPlan",
    "capacity-block": "aws:ec2/capacityBlockReservation:CapacityBlockReservation",
    "future-reservation": "gcp:compute/futureReservation:FutureReservation",
    "resource-cud": "gcp:compute/regionCommitment:RegionCommitment",
}


@pytest.fixture
def args(labels):
    def build(kind, **changes):
        merged = {"kind": kind, "acknowledge": AGREED, "labels": labels, **KINDS[kind], **changes}
        return {key: value for key, value in merged.items() if value is not None}

    return build


@pytest.fixture
def declare(record, args, catalog):
    def run(kind, opts=None, **changes):
        return record(lambda: CommittedCapacity("floor", args(kind, **changes), opts, catalog))

    return run


@pytest.mark.parametrize("kind", sorted(BOUGHT))
def test_what_cannot_be_undone_is_protected_and_kept(declare, kind):
    recording = declare(kind)
    bought = recording.one(BOUGHT[kind])

    assert bought.request.protect
    assert bought.request.retainOnDelete
    (commitment,) = recording.outputs["floor"]["capacity"]["commitments"]
    recorded = "capacity-reservation" if kind == "future-reservation" else kind
    assert (commitment["kind"], commitment["hourlyAmount"]) == (recorded, "40")
    assert (commitment["start"], commitment["end"]) == ("2027-01-04", "2028-01-04")


def test_a_create_error_that_taints_a_savings_plan_does_not_buy_another(declare):
    # The engine refuses to replace what is protected, whatever the provider thinks of it
    # (hashicorp/terraform-provider-aws#46265, #49753).
    assert declare("savings-plan").one("SavingsPlan").request.protect


def test_a_savings_plan_can_be_undone_until_its_purchase_time(declare):
    plan = declare("savings-plan").one("SavingsPlan").inputs

    assert plan == {
        "commitment": "40",
        "savingsPlanOfferingId": "offering-1",
        "purchaseTime": "2027-01-04T09:00:00Z",
        "upfrontPaymentAmount": "100.50",
        "tags": plan["tags"],
    }
    assert plan["tags"]["cost-center"] == "cc-1001"


def test_unchanged_existing_reservations_replace_no_commitment(declare):
    # hashicorp/terraform-provider-google#27579
    ignored = declare("resource-cud").one("RegionCommitment").ignored

    assert sorted(ignored) == ["description", "existingReservations", "name"]


def test_other_labels_replace_no_commitment_whose_description_holds_them(declare):
    for kind in ("resource-cud", "future-reservation"):
        assert "description" in declare(kind).one(BOUGHT[kind]).ignored


def test_committed_use_is_worked_out_from_machines(declare):
    commitment = declare("resource-cud").one("RegionCommitment").inputs

    assert commitment["type"] == "ACCELERATOR_OPTIMIZED"
    assert (commitment["plan"], commitment["autoRenew"]) == ("TWELVE_MONTH", False)
    assert commitment["resources"] == [
        {"type": "VCPU", "amount": "24"},
        {"type": "MEMORY", "amount": str(2 * 85 * 1024)},
        {"type": "ACCELERATOR", "acceleratorType": "nvidia-tesla-a100", "amount": "2"},
    ]


def test_a_future_reservation_is_a_draft_until_it_is_submitted(declare):
    draft = declare("future-reservation").one("FutureReservation").inputs
    purchase = {"start_date": "2027-01-04", "planning_status": "SUBMITTED"}
    sent = declare("future-reservation", purchase=purchase).one("FutureReservation").inputs

    assert (draft["planningStatus"], sent["planningStatus"]) == ("DRAFT", "SUBMITTED")
    assert draft["timeWindow"] == {
        "startTime": "2027-01-04T00:00:00Z",
        "endTime": "2028-01-04T23:59:59Z",
    }
    assert draft["specificSkuProperties"]["totalCount"] == "2"


@pytest.mark.parametrize("kind", sorted(set(KINDS) - set(BOUGHT)))
def test_what_no_type_buys_is_only_recorded(declare, kind):
    recording = declare(kind)

    assert [each.type for each in recording.all] == ["tidegate:index:CommittedCapacity"]
    (commitment,) = recording.outputs["floor"]["capacity"]["commitments"]
    assert (commitment["kind"], commitment["termMonths"]) == (kind, 12)
    assert recording.outputs["floor"]["reservation_target"] == ""


def test_an_azure_savings_plan_is_only_recorded(declare):
    purchase = {**TERM, "covers": ["compute"]}
    recording = declare("savings-plan", cloud="azure", region="eastus", purchase=purchase)

    assert [each.type for each in recording.all] == ["tidegate:index:CommittedCapacity"]


def test_the_callers_options_reach_what_is_bought(declare):
    recording = declare("savings-plan", pulumi.ResourceOptions(ignore_changes=["tags"]))

    assert recording.one("SavingsPlan").ignored == ["tags"]


@pytest.mark.parametrize(
    ("kind", "changes", "start"),
    [
        (
            "savings-plan",
            {"acknowledge": None},
            (
                "commitment floor: acknowledge: is required: a savings-plan is paid for whether "
                "used or not; expected hourly_amount, currency and end_date"
            ),
        ),
        (
            "savings-plan",
            {"purchase": {**KINDS["savings-plan"]["purchase"], "purchase_time": None}},
            "commitment floor: purchase.purchase_time: is needed by a savings-plan and is missing",
        ),
        (
            "savings-plan",
            {
                "purchase": {
                    **KINDS["savings-plan"]["purchase"],
                    "purchase_time": "2027-01-04T09:00:00+01:00",
                }
            },
            (
                "commitment floor: purchase.purchase_time = '2027-01-04T09:00:00+01:00': is no "
                "moment in UTC; expected YYYY-MM-DDTHH:MM:SSZ"
            ),
        ),
        (
            "savings-plan",
            {"acknowledge": {**AGREED, "hourly_amount": "0.0000001"}},
            (
                "commitment floor: acknowledge.hourly_amount = '1E-7': is no hourly commitment "
                "that AWS sells (API reference, CreateSavingsPlan); expected 0.001 to 1000000, "
                "with at most 5 decimal places"
            ),
        ),
        (
            "savings-plan",
            {"acknowledge": {**AGREED, "end_date": "2027-12-31"}},
            (
                "commitment floor: acknowledge.end_date = '2027-12-31': is before the term of 12 "
                "months ends, on 2028-01-04"
            ),
        ),
        (
            "savings-plan",
            {"units": 2},
            "commitment floor: units: concerns no savings-plan, which commits an amount of money",
        ),
        (
            "savings-plan",
            {"cloud": "gcp", "region": "us-central1"},
            (
                "commitment floor: kind = 'savings-plan': does not exist on gcp; expected on "
                "aws, azure"
            ),
        ),
        (
            "resource-cud",
            {"purchase": TERM},
            "commitment floor: purchase.existing_reservations: is needed: Compute Engine sells",
        ),
        (
            "resource-cud",
            {"purchase": {**TERM, "term_months": 24, "existing_reservations": "held"}},
            (
                "commitment floor: purchase.term_months = 24: is no term that the clouds sell; "
                "expected 12 or 36"
            ),
        ),
        (
            "resource-cud",
            {
                "instance_type": "a3-highgpu-8g",
                "purchase": {**TERM, "existing_reservations": "held"},
            },
            "commitment floor: purchase.commitment_type: is needed: the family a3 of a3-highgpu-8g",
        ),
        (
            "resource-cud",
            {
                "instance_type": "ct5lp-hightpu-1t",
                "purchase": {
                    **TERM,
                    "existing_reservations": "held",
                    "commitment_type": "ACCELERATOR_OPTIMIZED",
                },
            },
            (
                "commitment floor: instance_type = 'ct5lp-hightpu-1t': has cores or memory that "
                "the catalog does not know, and those are what is sold"
            ),
        ),
        (
            "future-reservation",
            {"purchase": {"start_date": "2027-01-04", "planning_status": "BOUGHT"}},
            "commitment floor: purchase.planning_status = 'BOUGHT': is no planning status",
        ),
        (
            "capacity-block",
            {"purchase": {"offering_id": "cb-1", "start_date": "2027-01-04", "term_months": 12}},
            (
                "commitment floor: purchase.term_months: concerns no capacity-block on aws; "
                "expected leave it out"
            ),
        ),
        (
            "capacity-block",
            {"acknowledge": {**AGREED, "end_date": "2027-01-04"}},
            (
                "commitment floor: acknowledge.end_date = '2027-01-04': is not after the start "
                "2027-01-04; expected a later day"
            ),
        ),
    ],
)
def test_what_is_not_sold_is_refused(args, catalog, kind, changes, start):
    with pytest.raises(InvalidInput) as caught:
        parse_reservation("floor", args(kind, **changes), catalog)

    (line,) = str(caught.value).splitlines()
    assert line.startswith(start)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    start=st.dates(date(2026, 1, 1), date(2040, 12, 31)),
    term=st.sampled_from([12, 36]),
    days=st.integers(-40, 40),
)
def test_what_is_acknowledged_lasts_as_long_as_the_term(args, catalog, start, term, days):
    last = start.replace(year=start.year + term // 12, day=min(start.day, 28))
    end = last + timedelta(days=days)
    raw = args(
        "reserved-instance",
        acknowledge={**AGREED, "end_date": end.isoformat()},
        purchase={"start_date": start.isoformat(), "term_months": term},
    )

    try:
        spec = parse_reservation("floor", raw, catalog)
    except InvalidInput as error:
        (problem,) = error.problems
        assert problem.property == "acknowledge.end_date"
        assert end < last + timedelta(days=max(0, start.day - 28))
    else:
        assert spec.acknowledged.end_date == end >= last
