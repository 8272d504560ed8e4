"""What is bought on AWS: capacity blocks and Savings Plans; and placement groups beside them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from botocore.exceptions import ClientError

from tidegate.localclouds.refusals import CloudError

BLOCK = "aws:ec2/capacityBlockReservation:CapacityBlockReservation"
PLAN = "aws:savingsplans/savingsPlan:SavingsPlan"
GROUP = "aws:ec2/placementGroup:PlacementGroup"
LINUX = "Linux/UNIX"
TIME_FORM = "%Y-%m-%dT%H:%M:%SZ"


def tags_of(pairs):
    return {pair["Key"]: pair["Value"] for pair in pairs}


@pytest.fixture(scope="module")
def plans(boto):
    return boto("savingsplans")


@pytest.fixture(scope="module")
def offer(plans):
    """Return the id of the Savings Plan of a kind."""

    def find(payment="No Upfront", plan="Compute", **filters):
        more = [{"name": name, "values": [value]} for name, value in filters.items()]
        found = plans.describe_savings_plans_offerings(
            planTypes=[plan], paymentOptions=[payment], durations=[31536000], filters=more
        )
        return found["searchResults"][0]["offeringId"]

    return find


@pytest.fixture
def block(boto):
    """Return the first capacity block that is offered."""
    found = boto("ec2").describe_capacity_block_offerings(
        InstanceType="p5.48xlarge", InstanceCount=4, CapacityDurationHours=48
    )
    return found["CapacityBlockOfferings"][0]


def test_a_capacity_block_is_bought_as_offered_and_reads_back_whole(aws, boto, block):
    inputs = {
        "capacityBlockOfferingId": block["CapacityBlockOfferingId"],
        "instancePlatform": LINUX,
        "tags": {"team": "ml"},
    }
    made = aws.up(BLOCK, inputs, "whole")

    found = boto("ec2").describe_capacity_reservations(CapacityReservationIds=[made.id])
    live = found["CapacityReservations"][0]

    assert live["ReservationType"] == "capacity-block"
    assert live["State"] == "scheduled"
    assert live["InstanceType"] == made.outputs["instanceType"] == "p5.48xlarge"
    assert live["AvailabilityZone"] == block["AvailabilityZone"]
    assert live["TotalInstanceCount"] == made.outputs["instanceCount"] == 4
    assert (live["StartDate"], live["EndDate"]) == (block["StartDate"], block["EndDate"])
    assert live["EndDate"] - live["StartDate"] == timedelta(hours=48)
    assert live["InstanceMatchCriteria"] == "targeted"
    assert tags_of(live["Tags"]) == {"team": "ml"}
    assert made.outputs["startDate"] == block["StartDate"].strftime(TIME_FORM)
    assert aws.refresh(BLOCK, made, "whole") == made.inputs


def test_deleting_a_capacity_block_drops_only_the_state(aws, boto, block):
    inputs = {
        "capacityBlockOfferingId": block["CapacityBlockOfferingId"],
        "instancePlatform": LINUX,
    }
    made = aws.up(BLOCK, inputs, "kept")

    aws.destroy(BLOCK, made, "kept")

    found = boto("ec2").describe_capacity_reservations(CapacityReservationIds=[made.id])
    assert found["CapacityReservations"][0]["State"] == "scheduled"
    with pytest.raises(ClientError, match="it cannot be changed"):
        boto("ec2").cancel_capacity_reservation(CapacityReservationId=made.id)


def test_a_queued_savings_plan_reads_back_whole_and_can_be_deleted(aws, plans, offer):
    start = (datetime.now(UTC) + timedelta(days=30)).strftime(TIME_FORM)
    inputs = {
        "commitment": "12.50",
        "savingsPlanOfferingId": offer("Partial Upfront"),
        "purchaseTime": start,
        "upfrontPaymentAmount": "60000",
        "tags": {"team": "ml"},
    }
    made = aws.up(PLAN, inputs, "queued")

    def look():
        return plans.describe_savings_plans(savingsPlanIds=[made.id])["savingsPlans"][0]

    live = look()
    assert live["state"] == made.outputs["state"] == "queued"
    assert live["commitment"] == "12.50"
    assert live["upfrontPaymentAmount"] == "60000"
    assert live["start"].startswith(start.removesuffix("Z"))
    assert live["savingsPlanArn"] == made.outputs["savingsPlanArn"]
    assert live["tags"] == {"team": "ml"}
    assert aws.refresh(PLAN, made, "queued") == made.inputs
    aws.destroy(PLAN, made, "queued")
    assert look()["state"] == "queued-deleted"
    assert aws.refresh(PLAN, made, "queued") is None


def test_deleting_an_active_savings_plan_drops_only_the_state(aws, plans, offer):
    inputs = {"commitment": "1.5", "savingsPlanOfferingId": offer()}
    made = aws.up(PLAN, inputs, "active")

    aws.destroy(PLAN, made, "active")

    live = plans.describe_savings_plans(savingsPlanIds=[made.id])["savingsPlans"][0]
    assert live["state"] == "active"
    with pytest.raises(ClientError, match="only a queued one can go"):
        plans.delete_queued_savings_plan(savingsPlanId=made.id)


def test_what_a_savings_plan_costs_at_once_and_each_hour_adds_up(aws, offer):
    hours = 365 * 24
    for payment, upfront in (("All Upfront", 2 * hours), ("No Upfront", 0)):
        inputs = {"commitment": "2", "savingsPlanOfferingId": offer(payment)}
        outputs = aws.up(PLAN, inputs, payment).outputs
        hourly = float(outputs["recurringPaymentAmount"])
        assert float(outputs["upfrontPaymentAmount"]) == upfront
        assert upfront + hourly * hours == 2 * hours


def test_an_instance_savings_plan_names_its_region_and_family(aws, offer):
    offering = offer(plan="EC2Instance", region="us-east-1", instanceFamily="p5")

    made = aws.up(PLAN, {"commitment": "1", "savingsPlanOfferingId": offering}, "family")

    assert made.outputs["region"] == "us-east-1"
    assert made.outputs["ec2InstanceFamily"] == "p5"


def test_tags_are_all_that_changes_of_what_was_bought(aws, boto, block, plans, offer):
    inputs = {
        "capacityBlockOfferingId": block["CapacityBlockOfferingId"],
        "instancePlatform": LINUX,
    }
    bought = aws.up(BLOCK, inputs, "tags")
    plan_inputs = {"commitment": "1", "savingsPlanOfferingId": offer(), "tags": {"a": "b"}}
    plan = aws.up(PLAN, plan_inputs, "tags")

    aws.change(BLOCK, bought, {**inputs, "tags": {"team": "ml"}}, "tags")
    aws.change(PLAN, plan, {**plan_inputs, "tags": {"team": "ml"}}, "tags")

    found = boto("ec2").describe_capacity_reservations(CapacityReservationIds=[bought.id])
    assert tags_of(found["CapacityReservations"][0]["Tags"]) == {"team": "ml"}
    live = plans.describe_savings_plans(savingsPlanIds=[plan.id])["savingsPlans"][0]
    assert live["tags"] == {"team": "ml"}


@pytest.mark.parametrize(
    ("token", "old", "new", "replaced"),
    [
        (
            BLOCK,
            {"capacityBlockOfferingId": "a"},
            {"capacityBlockOfferingId": "b"},
            {"capacityBlockOfferingId"},
        ),
        (BLOCK, {"tags": {"a": "b"}}, {"tags": {"a": "c"}}, set()),
        (PLAN, {"commitment": "1"}, {"commitment": "2"}, {"commitment"}),
        (PLAN, {"purchaseTime": "a"}, {"purchaseTime": "b"}, {"purchaseTime"}),
        (PLAN, {"tags": {"a": "b"}}, {"tags": {"a": "c"}}, set()),
        (GROUP, {"strategy": "cluster"}, {"strategy": "spread"}, {"strategy"}),
    ],
)
def test_every_change_of_what_was_bought_replaces_it(aws, token, old, new, replaced):
    assert aws.find(token, "r").diff("id", old, new).replaces == replaced


@pytest.mark.parametrize(
    ("token", "inputs", "place", "words"),
    [
        (BLOCK, {"instancePlatform": LINUX}, "capacityBlockOfferingId", "missing required"),
        (
            BLOCK,
            {"capacityBlockOfferingId": "cb-1", "instancePlatform": "BSD"},
            "instancePlatform",
            "Linux/UNIX",
        ),
        (PLAN, {"commitment": "1"}, "savingsPlanOfferingId", "missing required"),
        (
            PLAN,
            {"commitment": "-1", "savingsPlanOfferingId": "x"},
            "commitment",
            "decimal number without a sign",
        ),
        (
            PLAN,
            {"commitment": "1", "savingsPlanOfferingId": "x", "purchaseTime": "tomorrow"},
            "purchaseTime",
            "such as 2027-01-31T12:00:00Z",
        ),
        (GROUP, {}, "strategy", "missing required"),
        (GROUP, {"strategy": "scatter"}, "strategy", "cluster"),
        (
            GROUP,
            {"strategy": "cluster", "partitionCount": 2},
            "partitionCount",
            "only valid with the strategy partition",
        ),
    ],
)
def test_refuses_what_is_missing_or_out_of_range(aws, token, inputs, place, words):
    assert words in aws.refusals(token, inputs)[place]


@pytest.mark.parametrize(
    ("token", "inputs", "words"),
    [
        (
            BLOCK,
            {"capacityBlockOfferingId": "cb-0123456789abcdef0", "instancePlatform": LINUX},
            "does not exist; DescribeCapacityBlockOfferings lists",
        ),
        (
            PLAN,
            {"commitment": "1", "savingsPlanOfferingId": "no-offering"},
            "does not exist; DescribeSavingsPlansOfferings lists",
        ),
    ],
)
def test_a_purchase_of_what_is_not_offered_is_refused_and_leaves_nothing(
    aws, boto, plans, token, inputs, words
):
    def count():
        blocks = boto("ec2").describe_capacity_reservations()["CapacityReservations"]
        return len(blocks) + len(plans.describe_savings_plans()["savingsPlans"])

    before = count()
    with pytest.raises(CloudError, match=words):
        aws.up(token, inputs, "not-offered")
    assert count() == before


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"purchaseTime": "2020-01-01T00:00:00Z"}, "is in the past"),
        ({"upfrontPaymentAmount": "5"}, "only supported for Partial Upfront"),
        ({"commitment": "0.0001"}, "between 0.001 and 1000000"),
        ({"commitment": "1.123456"}, "at most 5 digits"),
    ],
)
def test_refuses_a_savings_plan_that_contradicts_itself(aws, offer, changes, words):
    inputs = {"commitment": "1", "savingsPlanOfferingId": offer(), **changes}

    with pytest.raises(CloudError, match=words):
        aws.up(PLAN, inputs, words)


def test_a_partial_payment_is_half_of_a_plan_at_least(aws, offer):
    inputs = {"commitment": "1", "savingsPlanOfferingId": offer("Partial Upfront")}

    with pytest.raises(CloudError, match="not between 50 and 99 percent of 8760"):
        aws.up(PLAN, {**inputs, "upfrontPaymentAmount": "4379"}, "too-little")

    made = aws.up(PLAN, inputs, "half")
    assert made.outputs["upfrontPaymentAmount"] == "4380.00"
    assert float(made.outputs["recurringPaymentAmount"]) == 0.5


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"InstanceType": "g5.xlarge"}, "not offered for 'g5.xlarge'"),
        ({"InstanceCount": 3}, "InstanceCount must be one of"),
        ({"CapacityDurationHours": 25}, "1 to 14 days"),
    ],
)
def test_refuses_to_offer_blocks_that_there_are_not(boto, changes, words):
    asked = {"InstanceType": "p5.48xlarge", "InstanceCount": 1, "CapacityDurationHours": 24}

    with pytest.raises(ClientError, match=words):
        boto("ec2").describe_capacity_block_offerings(**{**asked, **changes})


def test_a_placement_group_reads_back_whole(aws, boto):
    inputs = {"strategy": "partition", "partitionCount": 3, "tags": {"team": "ml"}}
    made = aws.up(GROUP, inputs, "placed")

    live = boto("ec2").describe_placement_groups(GroupNames=[made.id])["PlacementGroups"][0]

    assert (live["Strategy"], live["PartitionCount"]) == ("partition", 3)
    assert live["GroupId"] == made.outputs["placementGroupId"]
    assert tags_of(live["Tags"]) == {"team": "ml"}
    assert aws.refresh(GROUP, made, "placed") == made.inputs
    changed = aws.change(GROUP, made, {**inputs, "tags": {"team": "ai"}}, "placed")
    live = boto("ec2").describe_placement_groups(GroupNames=[made.id])["PlacementGroups"][0]
    assert tags_of(live["Tags"]) == {"team": "ai"}
    aws.destroy(GROUP, changed, "placed")
    assert aws.refresh(GROUP, changed, "placed") is None


def test_looking_at_what_was_bought_is_not_journaled(aws, plans):
    def count():
        with aws.world.store.transaction() as connection:
            return connection.execute("SELECT COUNT(*) FROM aws_journal").fetchone()[0]

    before = count()
    plans.describe_savings_plans()
    plans.describe_savings_plans_offerings(planTypes=["Compute"])

    assert count() == before
