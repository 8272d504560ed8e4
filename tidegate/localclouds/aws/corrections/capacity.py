"""EC2 capacity reservations, which moto lacks: create, describe, modify, cancel, tags.

A capacity block is one too, with a start and an end of its own: nothing modifies or cancels it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from tidegate.localclouds.aws.corrections.offerings import explain_unoffered
from tidegate.localclouds.aws.corrections.patching import add

ACTIVE, CANCELLED = "active", "cancelled"
SCHEDULED, EXPIRED = "scheduled", "expired"
CAPACITY_BLOCK = "capacity-block"
UNLIMITED, LIMITED = "unlimited", "limited"
RUNNING = "running"


@dataclass
class Reservation:
    """One capacity reservation; `fields` are the API's, as they were asked for."""

    id: str
    fields: dict[str, Any]
    created: Any
    state: str = ACTIVE
    order: int = field(default=0)

    @property
    def is_block(self) -> bool:
        """Tell whether it is a capacity block."""
        return self.fields.get("ReservationType") == CAPACITY_BLOCK

    @property
    def shown_state(self) -> str:
        """Return the state as of now: a block starts and ends by itself."""
        if self.state != ACTIVE or not self.is_block:
            return self.state
        moment = _now()
        if moment < self.fields["StartDate"]:
            return SCHEDULED
        return ACTIVE if moment < self.fields["EndDate"] else EXPIRED

    def matches(self, instance: Any) -> bool:
        """Tell whether a running instance would count against it."""
        return (
            self.shown_state == ACTIVE
            and instance.state == RUNNING
            and getattr(instance, "capacity_reservation_id", None) in (None, self.id)
            and self._takes(instance)
            and instance.instance_type == self.fields["InstanceType"]
            and instance.placement.zone == self.fields["AvailabilityZone"]
        )

    def _takes(self, instance: Any) -> bool:
        """Tell whether it takes instances of that market: targeted ones only those that name it."""
        if self.is_block:
            return getattr(instance, "capacity_reservation_id", None) == self.id
        return getattr(instance, "lifecycle", None) is None


def correct_capacity_reservations() -> None:
    """Give moto's EC2 the four actions."""
    from moto.ec2.responses import EC2Response
    from moto.ec2.utils import EC2_RESOURCE_TO_PREFIX

    EC2_RESOURCE_TO_PREFIX.setdefault("capacity-reservation", "cr")
    add(
        EC2Response,
        create_capacity_reservation=_create,
        describe_capacity_reservations=_describe,
        modify_capacity_reservation=_modify,
        cancel_capacity_reservation=_cancel,
    )


def _reservations(backend: Any) -> dict[str, Reservation]:
    found: dict[str, Reservation] = backend.__dict__.setdefault("capacity_reservations", {})
    return found


def _create(self: Any) -> Any:
    from moto.core.responses import ActionResult

    asked = self._get_params()
    _check_request(asked, self.region)
    fields = {
        "InstanceType": asked["InstanceType"],
        "InstancePlatform": asked["InstancePlatform"],
        "AvailabilityZone": asked["AvailabilityZone"],
        "TotalInstanceCount": int(asked["InstanceCount"]),
        "Tenancy": asked.get("Tenancy", "default"),
        "EbsOptimized": _to_bool(asked.get("EbsOptimized")),
        "EphemeralStorage": _to_bool(asked.get("EphemeralStorage")),
        "EndDateType": asked.get("EndDateType") or (LIMITED if "EndDate" in asked else UNLIMITED),
        "InstanceMatchCriteria": asked.get("InstanceMatchCriteria", "open"),
        "EndDate": asked.get("EndDate"),
        "OutpostArn": asked.get("OutpostArn"),
        "PlacementGroupArn": asked.get("PlacementGroupArn"),
    }
    made = keep_reservation(self, fields, asked)
    return ActionResult({"CapacityReservation": render_reservation(self, made)})


def keep_reservation(self: Any, fields: dict[str, Any], asked: dict[str, Any]) -> Reservation:
    """Keep a new reservation with the tags that were asked for."""
    from moto.core.utils import utcnow
    from moto.ec2.utils import random_id

    known = _reservations(self.ec2_backend)
    made = Reservation(random_id("cr"), fields, utcnow(), order=len(known))
    known[made.id] = made
    for specification in asked.get("TagSpecifications", []):
        tags = {tag["Key"]: tag.get("Value", "") for tag in specification.get("Tags", [])}
        self.ec2_backend.create_tags([made.id], tags)
    return made


def _now() -> datetime:
    from moto.core.utils import utcnow

    moment: datetime = utcnow()
    return moment.replace(tzinfo=UTC)


def _check_request(asked: dict[str, Any], region: str) -> None:
    from moto.ec2.exceptions import EC2ClientError

    zone = asked.get("AvailabilityZone", "")
    if not zone.startswith(region):
        raise EC2ClientError("InvalidParameterValue", f"Invalid availability zone: [{zone}]")
    reason = explain_unoffered(asked["InstanceType"], region, [zone])
    if reason:
        code = "InvalidParameterValue" if "Invalid value" in reason else "Unsupported"
        raise EC2ClientError(code, reason)
    if int(asked["InstanceCount"]) < 1:
        raise EC2ClientError("InvalidParameterValue", "InstanceCount must be at least 1")
    if asked.get("EndDateType") == LIMITED and not asked.get("EndDate"):
        raise EC2ClientError("InvalidParameterCombination", "EndDateType limited needs an EndDate")


def _describe(self: Any) -> Any:
    from moto.core.responses import ActionResult

    ids = self._get_param("CapacityReservationIds", [])
    known = _reservations(self.ec2_backend)
    chosen = [_get(known, key) for key in ids] if ids else list(known.values())
    rendered = [render_reservation(self, reservation) for reservation in chosen]
    for name, values in self._filters_from_querystring().items():
        rendered = [item for item in rendered if _filter_value(item, name) in values]
    return ActionResult({"CapacityReservations": rendered})


def _filter_value(item: dict[str, Any], name: str) -> str:
    if name.startswith("tag:"):
        wanted = name.removeprefix("tag:")
        return next((tag["Value"] for tag in item["Tags"] if tag["Key"] == wanted), "")
    member = "".join(part.capitalize() for part in name.split("-"))
    return str(item.get(member, ""))


def _modify(self: Any) -> Any:
    from moto.core.responses import ActionResult

    asked = self._get_params()
    reservation = _get_changeable(self, asked["CapacityReservationId"])
    if asked.get("InstanceCount"):
        reservation.fields["TotalInstanceCount"] = int(asked["InstanceCount"])
    for name in ("EndDate", "EndDateType", "InstanceMatchCriteria"):
        if asked.get(name):
            reservation.fields[name] = asked[name]
    if reservation.fields["EndDateType"] == UNLIMITED:
        reservation.fields["EndDate"] = None
    return ActionResult({"Return": True})


def _cancel(self: Any) -> Any:
    from moto.core.responses import ActionResult

    key = self._get_param("CapacityReservationId")
    _get_changeable(self, key).state = CANCELLED
    return ActionResult({"Return": True})


def _get_changeable(self: Any, id: str) -> Reservation:
    from moto.ec2.exceptions import EC2ClientError

    reservation = _get(_reservations(self.ec2_backend), id)
    if reservation.is_block:
        words = f"The capacity reservation '{id}' is a Capacity Block: it cannot be changed"
        raise EC2ClientError("OperationNotPermitted", words)
    return reservation


def find_reservation(backend: Any, id: str) -> Reservation:
    """Return a reservation, or refuse an id that nothing has."""
    return _get(_reservations(backend), id)


def _get(known: dict[str, Reservation], id: str) -> Reservation:
    from moto.ec2.exceptions import EC2ClientError

    if id not in known:
        code = "InvalidCapacityReservationId.NotFound"
        raise EC2ClientError(code, f"The capacity reservation '{id}' does not exist")
    return known[id]


def render_reservation(self: Any, reservation: Reservation) -> dict[str, Any]:
    """Return a reservation as the API describes it."""
    backend, account = self.ec2_backend, self.current_account
    tags = backend.describe_tags(filters={"resource-id": [reservation.id]})
    arn = f"arn:aws:ec2:{self.region}:{account}:capacity-reservation/{reservation.id}"
    return {
        "StartDate": reservation.created,
        **{name: value for name, value in reservation.fields.items() if value is not None},
        "CapacityReservationId": reservation.id,
        "CapacityReservationArn": arn,
        "OwnerId": account,
        "AvailableInstanceCount": count_available(backend, reservation),
        "State": reservation.shown_state,
        "CreateDate": reservation.created,
        "Tags": [{"Key": tag["key"], "Value": tag["value"]} for tag in tags],
    }


def count_available(backend: Any, reservation: Reservation) -> int:
    """Return what is unused: running instances fill the oldest matching reservation first."""
    if reservation.shown_state != ACTIVE:
        return 0
    if reservation.is_block:
        running = sum(1 for instance in backend.all_instances() if reservation.matches(instance))
        return max(0, int(reservation.fields["TotalInstanceCount"]) - running)
    used = sum(1 for instance in backend.all_instances() if reservation.matches(instance))
    older = sum(
        other.fields["TotalInstanceCount"]
        for other in _reservations(backend).values()
        if other.order < reservation.order and _is_alike(other, reservation)
    )
    total = int(reservation.fields["TotalInstanceCount"])
    return total - min(total, max(0, used - int(older)))


def _is_alike(one: Reservation, other: Reservation) -> bool:
    names = ("InstanceType", "AvailabilityZone")
    return (
        one.state == ACTIVE
        and not one.is_block
        and all(one.fields[n] == other.fields[n] for n in names)
    )


def _to_bool(value: Any) -> bool:
    return str(value).lower() == "true"
