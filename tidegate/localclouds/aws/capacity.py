"""EC2 On-Demand Capacity Reservations."""

# ruff: noqa: ARG002 - every behaviour has the contract's signature, used or not

from __future__ import annotations

from collections.abc import Iterable

from tidegate.localclouds.aws.clients import find_region
from tidegate.localclouds.aws.convert import from_structure, from_tags, to_request
from tidegate.localclouds.aws.corrections.offerings import explain_unoffered
from tidegate.localclouds.aws.ec2_type import Ec2Type
from tidegate.localclouds.aws.tags import split_live_tags
from tidegate.localclouds.contracts import Call, CheckFailure, Created, Values
from tidegate.localclouds.refusals import NotFoundError
from tidegate.localclouds.schema import load_schema
from tidegate.localclouds.store import Record

ALIASES = {"instanceCount": "TotalInstanceCount"}
GONE = frozenset({"cancelled", "expired", "failed"})


class CapacityReservation(Ec2Type):
    """`aws.ec2.CapacityReservation`."""

    resource_type = "capacity-reservation"

    def check(self, inputs: Values, call: Call) -> Iterable[CheckFailure]:
        """Refuse a type that AWS has not, or that the zone does not sell."""
        instance_type, zone = inputs["instanceType"], inputs["availabilityZone"]
        if isinstance(instance_type, str) and isinstance(zone, str):
            region = find_region(call.settings, inputs)
            reason = explain_unoffered(instance_type, region, [zone])
            if reason:
                yield CheckFailure("instanceType", reason)

    def create(self, inputs: Values, call: Call) -> Created:
        """Reserve the capacity."""
        client = self.client(call, inputs)
        plain = {key: value for key, value in inputs.items() if key not in {"tags", "tagsAll"}}
        arguments: Values = to_request(client.input_shape("CreateCapacityReservation"), plain)
        made = client.create_capacity_reservation(**arguments, **self.tag_specifications(inputs))
        reservation = made["CapacityReservation"]
        return Created(
            reservation["CapacityReservationId"], self._outputs(reservation, inputs, call)
        )

    def _outputs(self, reservation: Values, inputs: Values, call: Call) -> Values:
        schema = load_schema(call.type_token)
        known: Values = from_structure(schema.inputs, reservation, ALIASES)
        known.pop("tags", None)
        end = reservation.get("EndDate")
        return {
            **known,
            "arn": reservation["CapacityReservationArn"],
            "ownerId": reservation["OwnerId"],
            "endDate": end.strftime("%Y-%m-%dT%H:%M:%SZ") if end else None,
        }

    def read(self, record: Record, call: Call) -> Values | None:
        """Return the reservation as it is live; one that was cancelled is gone."""
        client = self.client(call, record.inputs)
        try:
            found = client.describe_capacity_reservations(CapacityReservationIds=[record.id])
        except NotFoundError:
            return None
        reservation = found["CapacityReservations"][0]
        if reservation["State"] in GONE:
            return None
        tags = from_tags(reservation.get("Tags", []))
        outputs = self._outputs(reservation, record.inputs, call)
        return {**outputs, **split_live_tags(tags, record.inputs, call)}

    def update(self, record: Record, old: Values, new: Values, call: Call) -> Values:
        """Change the number of instances, the end and tags."""
        client = self.client(call, new)
        names = ("instanceCount", "endDate", "endDateType", "instanceMatchCriteria")
        changed = {name: new[name] for name in names if name in new and new[name] != old.get(name)}
        if changed:
            shape = client.input_shape("ModifyCapacityReservation")
            client.modify_capacity_reservation(
                CapacityReservationId=record.id, **to_request(shape, changed)
            )
        self.set_tags(record.id, new, call)
        return self.read(record, call) or {}

    def delete(self, record: Record, call: Call) -> None:
        """Cancel the reservation."""
        with self.ignore_missing():
            self.client(call, record.inputs).cancel_capacity_reservation(
                CapacityReservationId=record.id
            )
