"""EC2 Capacity Blocks, which moto lacks: what is offered, and the purchase.

A look-up is not journaled, so that an offering's id says all of the offering: type, number, zone,
first hour and days. Sources: botocore service model, DescribeCapacityBlockOfferings (days, at most
64 instances), read 2026-11-30; EC2 user guide, Capacity Blocks for ML (types, numbers, how far
ahead, the end at 11:30 UTC): general vendor documentation, not verified.
What a block costs is not told: the local clouds have no price for it.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from tidegate.localclouds.aws.corrections.capacity import (
    CAPACITY_BLOCK,
    LIMITED,
    Reservation,
    keep_reservation,
    render_reservation,
)
from tidegate.localclouds.aws.corrections.offerings import zones_offering
from tidegate.localclouds.aws.corrections.patching import add

TYPES = (
    "p4d.24xlarge",
    "p4de.24xlarge",
    "p5.4xlarge",
    "p5.48xlarge",
    "p5e.48xlarge",
    "p5en.48xlarge",
    "p6-b200.48xlarge",
    "p6-b300.48xlarge",
    "trn1.32xlarge",
    "trn2.3xlarge",
    "trn2.48xlarge",
)
COUNTS = (1, 2, 4, 8, 16, 32, 64)
DAYS = (*range(1, 15), *range(21, 183, 7))
WEEKS_AHEAD = 8
END_OF_DAY = timedelta(hours=11, minutes=30)
PREFIX = "cb-"
BAD = "InvalidParameterValue"


@dataclass(frozen=True)
class Offering:
    """One block that can be bought; `day` counts days since 1970, `days` is its length."""

    instance_type: str
    count: int
    zone: str
    day: int
    days: int

    @property
    def start(self) -> datetime:
        """Return when it starts, in UTC."""
        return datetime.fromtimestamp(0, UTC) + timedelta(days=self.day) + END_OF_DAY

    @property
    def end(self) -> datetime:
        """Return when it ends, in UTC."""
        return self.start + timedelta(days=self.days)

    def render_id(self) -> str:
        """Return the id, which holds all of the above and a checksum: 17 digits."""
        parts = (TYPES.index(self.instance_type), COUNTS.index(self.count), ord(self.zone[-1]))
        digits = f"{parts[0]:02x}{parts[1]:01x}{parts[2]:02x}{self.day:05x}{self.days:02x}"
        return f"{PREFIX}{digits}{_check_digits(digits)}"


def parse_offering(id: str, region: str) -> Offering | None:
    """Return the offering of an id, None when there is none."""
    digits = id.removeprefix(PREFIX)
    if len(digits) != 17 or _check_digits(digits[:12]) != digits[12:]:
        return None
    numbers = [int(digits[a:b], 16) for a, b in ((0, 2), (2, 3), (3, 5), (5, 10), (10, 12))]
    zone = f"{region}{chr(numbers[2])}"
    return Offering(TYPES[numbers[0]], COUNTS[numbers[1]], zone, numbers[3], numbers[4])


def _check_digits(digits: str) -> str:
    return f"{zlib.crc32(digits.encode()):08x}"[:5]


def correct_capacity_blocks() -> None:
    """Give moto's EC2 the two actions."""
    from moto.ec2.responses import EC2Response

    add(
        EC2Response,
        describe_capacity_block_offerings=_describe_offerings,
        purchase_capacity_block=_purchase,
    )


def _describe_offerings(self: Any) -> Any:
    from moto.core.responses import ActionResult
    from moto.ec2.exceptions import EC2ClientError

    asked = self._get_params()
    instance_type, count = asked.get("InstanceType", ""), int(asked.get("InstanceCount") or 1)
    days, rest = divmod(int(asked["CapacityDurationHours"]), 24)
    if instance_type not in TYPES:
        words = f"Capacity Blocks are not offered for {instance_type!r}; they are for"
        raise EC2ClientError(BAD, f"{words} {', '.join(TYPES)}")
    if count not in COUNTS:
        raise EC2ClientError(BAD, f"InstanceCount must be one of {COUNTS}, not {count}")
    if rest or days not in DAYS:
        raise EC2ClientError(BAD, "CapacityDurationHours: 1 to 14 days, then weeks, up to 182 days")
    first, last = _read_range(asked)
    found = [
        Offering(instance_type, count, zone, day, days)
        for zone in zones_offering(instance_type, self.region)
        for day in range(first, last + 1)
    ]
    fitting = [offering for offering in found if offering.end <= _read_end(asked, offering)]
    return ActionResult({"CapacityBlockOfferings": [_render_offering(part) for part in fitting]})


def _read_range(asked: dict[str, Any]) -> tuple[int, int]:
    """Return the first and last day on which a block may start."""
    tomorrow = _today() + 1
    start = asked.get("StartDateRange")
    first = max(tomorrow, _to_day(start)) if start else tomorrow
    return first, min(_today() + WEEKS_AHEAD * 7, first + WEEKS_AHEAD * 7)


def _read_end(asked: dict[str, Any], offering: Offering) -> datetime:
    end = asked.get("EndDateRange")
    return _to_time(end) if end else offering.end


def _to_time(value: Any) -> datetime:
    moment = value if isinstance(value, datetime) else datetime.fromisoformat(str(value))
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _to_day(value: Any) -> int:
    return (_to_time(value) - datetime.fromtimestamp(0, UTC)).days


def _today() -> int:
    from moto.core.utils import utcnow

    return _to_day(utcnow())


def _render_offering(offering: Offering) -> dict[str, Any]:
    return {
        "CapacityBlockOfferingId": offering.render_id(),
        "InstanceType": offering.instance_type,
        "AvailabilityZone": offering.zone,
        "InstanceCount": offering.count,
        "StartDate": offering.start,
        "EndDate": offering.end,
        "CapacityBlockDurationHours": offering.days * 24,
        "Tenancy": "default",
    }


def _find_offering(id: str, region: str) -> Offering:
    from moto.ec2.exceptions import EC2ClientError

    offering = parse_offering(id, region)
    if offering is None or offering.zone not in zones_offering(offering.instance_type, region):
        words = (
            f"The capacity block offering '{id}' does not exist; "
            "DescribeCapacityBlockOfferings lists what is offered"
        )
        raise EC2ClientError("InvalidCapacityBlockOfferingId.NotFound", words)
    if offering.day <= _today():
        words = f"The capacity block offering '{id}' has expired"
        raise EC2ClientError("InvalidCapacityBlockOfferingId.Expired", words)
    return offering


def _purchase(self: Any) -> Any:
    from moto.core.responses import ActionResult

    asked = self._get_params()
    offering = _find_offering(asked["CapacityBlockOfferingId"], self.region)
    fields = {
        "InstanceType": offering.instance_type,
        "InstancePlatform": asked["InstancePlatform"],
        "AvailabilityZone": offering.zone,
        "TotalInstanceCount": offering.count,
        "Tenancy": "default",
        "EbsOptimized": True,
        "EphemeralStorage": False,
        "EndDateType": LIMITED,
        "InstanceMatchCriteria": "targeted",
        "StartDate": offering.start,
        "EndDate": offering.end,
        "ReservationType": CAPACITY_BLOCK,
    }
    made: Reservation = keep_reservation(self, fields, asked)
    return ActionResult({"CapacityReservation": render_reservation(self, made)})
