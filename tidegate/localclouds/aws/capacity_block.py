"""EC2 Capacity Blocks: bought by creation, and undone by nothing."""

# ruff: noqa: ARG002 - every behaviour has the contract's signature, used or not

from __future__ import annotations

from tidegate.localclouds.aws.convert import from_tags
from tidegate.localclouds.aws.ec2_type import Ec2Type
from tidegate.localclouds.aws.tags import split_live_tags
from tidegate.localclouds.contracts import Call, Created, Values
from tidegate.localclouds.refusals import CloudError, NotFoundError
from tidegate.localclouds.store import Record

TIME_FORM = "%Y-%m-%dT%H:%M:%SZ"
SHOWN = {
    "arn": "CapacityReservationArn",
    "availabilityZone": "AvailabilityZone",
    "ebsOptimized": "EbsOptimized",
    "endDateType": "EndDateType",
    "instanceCount": "TotalInstanceCount",
    "instancePlatform": "InstancePlatform",
    "instanceType": "InstanceType",
    "reservationType": "ReservationType",
    "tenancy": "Tenancy",
}
TIMES = {"createdDate": "CreateDate", "startDate": "StartDate", "endDate": "EndDate"}
GONE = frozenset({"expired", "cancelled", "payment-failed"})


class CapacityBlockReservation(Ec2Type):
    """`aws.ec2.CapacityBlockReservation`."""

    resource_type = "capacity-reservation"

    def create(self, inputs: Values, call: Call) -> Created:
        """Buy the block; a purchase that fails is told, never kept."""
        made = self.client(call, inputs).purchase_capacity_block(
            CapacityBlockOfferingId=inputs["capacityBlockOfferingId"],
            InstancePlatform=inputs["instancePlatform"],
            **self.tag_specifications(inputs),
        )["CapacityReservation"]
        if made["State"] in GONE:
            words = f"The purchase of {inputs['capacityBlockOfferingId']} ended as {made['State']}"
            raise CloudError("PurchaseFailed", words)
        return Created(made["CapacityReservationId"], self._outputs(made))

    def _outputs(self, reservation: Values) -> Values:
        times = {name: reservation[member].strftime(TIME_FORM) for name, member in TIMES.items()}
        return {**{name: reservation.get(member) for name, member in SHOWN.items()}, **times}

    def read(self, record: Record, call: Call) -> Values | None:
        """Return the block as it is live; one that ended is gone."""
        client = self.client(call, record.inputs)
        try:
            found = client.describe_capacity_reservations(CapacityReservationIds=[record.id])
        except NotFoundError:
            return None
        reservation = found["CapacityReservations"][0]
        if reservation["State"] in GONE:
            return None
        tags = from_tags(reservation.get("Tags", []))
        return {**self._outputs(reservation), **split_live_tags(tags, record.inputs, call)}

    def update(self, record: Record, old: Values, new: Values, call: Call) -> Values:
        """Change tags, which is all that can be changed."""
        self.set_tags(record.id, new, call)
        return self.read(record, call) or {}

    def delete(self, record: Record, call: Call) -> None:
        """Drop the state alone: the block was paid for and stays until it ends."""
