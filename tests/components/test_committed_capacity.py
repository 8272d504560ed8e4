from __future__ import annotations

import pytest
from tidegate_components import CommittedCapacity
from tidegate_components.committed_capacity.parse import parse_reservation

from tidegate.vocabulary.problems import InvalidInput

CLOUDS = ["aws", "gcp", "azure"]
MACHINES = {
    "aws": {"region": "us-east-1", "zone": "us-east-1b", "instance_type": "g6.12xlarge"},
    "gcp": {"region": "us-central1", "zone": "us-central1-a", "instance_type": "g2-standard-48"},
    "azure": {
        "region": "eastus",
        "zone": "1",
        "instance_type": "Standard_NC24ads_A100_v4",
        "azure": {"resource_group_name": "ml"},
    },
}
AGREED = {"hourly_amount": "12", "currency": "USD", "end_date": "2027-06-30"}
BOUGHT = {
    "aws": ["aws:ec2/capacityReservation:CapacityReservation"],
    "gcp": ["gcp:compute/reservation:Reservation"],
    "azure": [
        "azure-native:compute:CapacityReservationGroup",
        "azure-native:compute:CapacityReservation",
    ],
}


@pytest.fixture
def args(labels):
    def build(cloud, **changes):
        shared = {"cloud": cloud, "units": 2, "acknowledge": AGREED, "labels": labels}
        merged = {**shared, **MACHINES[cloud], **changes}
        return {key: value for key, value in merged.items() if value is not None}

    return build


@pytest.fixture
def declare(record, args, catalog):
    return lambda cloud, **changes: record(
        lambda: CommittedCapacity("serve", args(cloud, **changes), None, catalog)
    )


@pytest.mark.parametrize("cloud", CLOUDS)
def test_what_is_bought_is_protected_and_kept_on_deletion(declare, cloud):
    bought = [each for each in declare(cloud).all if not each.type.startswith("tidegate:")]

    assert [each.type for each in bought] == BOUGHT[cloud]
    assert all(each.request.protect and each.request.retainOnDelete for each in bought)


@pytest.mark.parametrize("cloud", CLOUDS)
def test_the_manifest_records_what_was_agreed_to(declare, cloud):
    (commitment,) = declare(cloud).outputs["serve"]["capacity"]["commitments"]

    assert commitment["kind"] == "capacity-reservation"
    assert (commitment["units"], commitment["hourlyAmount"]) == (2, "12")
    assert commitment["end"] == "2027-06-30"
    assert commitment["covers"] == [MACHINES[cloud]["instance_type"]]
    assert commitment["price"]["currency"] == "USD"
    assert commitment["price"]["origin"]


@pytest.mark.parametrize("cloud", CLOUDS)
def test_nothing_is_bought_without_an_acknowledgement(args, record, catalog, cloud):
    given = args(cloud, acknowledge=None)
    caught = []

    def program():
        with pytest.raises(InvalidInput) as error:
            CommittedCapacity("serve", given, None, catalog)
        caught.append(str(error.value))

    assert record(program).all == []
    assert caught == [
        (
            "commitment serve: acknowledge: is required: a reservation is paid for whether used or "
            "not; expected hourly_amount, currency and end_date"
        )
    ]


def test_only_pools_that_name_a_reservation_consume_it(declare):
    aws = declare("aws").one("CapacityReservation").inputs
    gcp = declare("gcp").one("Reservation").inputs

    assert aws["instanceMatchCriteria"] == "targeted"
    assert gcp["specificReservationRequired"] is True


def test_reservations_end_on_the_acknowledged_day(declare):
    aws = declare("aws").one("CapacityReservation").inputs
    gcp = declare("gcp").one("Reservation").inputs

    assert (aws["endDateType"], aws["endDate"]) == ("limited", "2027-06-30T23:59:59Z")
    assert gcp["deleteAtTime"] == "2027-06-30T23:59:59Z"


def test_labels_go_where_a_reservation_takes_them(declare):
    assert declare("aws").one("CapacityReservation").inputs["tags"]["cost-center"] == "cc-1001"
    assert "cost-center=cc-1001" in declare("gcp").one("Reservation").inputs["description"]
    azure = declare("azure")
    for each in BOUGHT["azure"]:
        assert azure.one(each).inputs["tags"]["cost-center"] == "cc-1001"


def test_an_accelerator_that_is_attached_is_reserved_with_its_machine(declare):
    inputs = (
        declare("gcp", instance_type="n1-standard-8", accelerator="t4", accelerators_per_node=2)
        .one("Reservation")
        .inputs
    )

    assert inputs["specificReservation"]["instanceProperties"] == {
        "machineType": "n1-standard-8",
        "guestAccelerators": [{"acceleratorType": "nvidia-tesla-t4", "acceleratorCount": 2}],
    }


@pytest.mark.parametrize("cloud", CLOUDS)
def test_pools_get_the_target_that_their_cloud_wants(declare, cloud):
    target = declare(cloud).outputs["serve"]["reservation_target"]

    assert target == {"aws": "serve-id", "gcp": "serve", "azure": "serve-id"}[cloud]


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        (
            {"acknowledge": {**AGREED, "hourly_amount": "1"}},
            (
                "commitment serve: acknowledge.hourly_amount = 1: is less than what 2 reserved "
                "machines cost"
            ),
        ),
        (
            {"acknowledge": {**AGREED, "currency": "EUR"}},
            "commitment serve: acknowledge.currency = 'EUR': is not the currency of the price, USD",
        ),
        (
            {"acknowledge": {**AGREED, "currency": "dollar"}},
            "commitment serve: acknowledge.currency = 'dollar': is no ISO 4217 code",
        ),
        (
            {"acknowledge": {**AGREED, "end_date": "30.06.2027"}},
            "commitment serve: acknowledge.end_date = '30.06.2027': is no day; expected YYYY-MM-DD",
        ),
        (
            {"acknowledge": {"currency": "USD", "end_date": "2027-06-30"}},
            "commitment serve: acknowledge.hourly_amount: is required and is missing",
        ),
        (
            {"zone": "us-east-1e"},
            "commitment serve: instance_type = 'g6.12xlarge': is sold in none of us-east-1e",
        ),
        ({"units": 0}, "commitment serve: units = 0: is out of range"),
        (
            {"gcp": {"project": "acme-ml"}},
            "commitment serve: gcp: concerns gcp, and the reservation is in aws",
        ),
    ],
)
def test_what_should_not_be_bought_is_refused(args, catalog, changes, line):
    with pytest.raises(InvalidInput) as caught:
        parse_reservation("serve", args("aws", **changes), catalog)

    (found,) = str(caught.value).splitlines()
    assert found.startswith(line)
