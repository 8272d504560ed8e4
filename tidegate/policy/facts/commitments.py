"""What is paid for whether it is used or not, and what its purchase says of its end."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tidegate.policy.facts.reading import Fact, absent, hidden, known, read, read_first
from tidegate.policy.graph import Resource

_MONTHS = {
    "TWELVE_MONTH": 12,
    "THIRTY_SIX_MONTH": 36,
}
_BY_TERM = "the end of its term"


def build_commitment(resource: Resource) -> dict[str, Any] | None:
    """Return what a commitment says: `{kind, end, renews, months}`; None for other resources.

    `kind` is "reservation" (machines kept free, at their price), or "purchase" (a term that
    nobody can leave).
    """
    build = _BUILDERS.get(resource.type)
    return None if build is None else build(resource.properties)


def _commitment(kind: str, end: Fact, renews: Fact, months: Fact) -> dict[str, Any]:
    return {"kind": kind, "end": end, "renews": renews, "months": months}


def _reservation(end: Fact) -> dict[str, Any]:
    return _commitment("reservation", end, known(False, ""), absent(""))


def _purchase(renews: Fact, term: Fact, end: Fact) -> dict[str, Any]:
    months = term
    if term["state"] == "known":
        found = _MONTHS.get(str(term["value"]))
        months = known(found, term["property"]) if found else hidden(term["property"])
    return _commitment("purchase", end, renews, months)


def _aws_reservation(properties: Any) -> dict[str, Any]:
    end = read(properties, "endDate")
    if read(properties, "endDateType")["value"] == "unlimited":
        end = absent("endDateType")
    return _reservation(end)


def _offering(path: str) -> Callable[[Any], dict[str, Any]]:
    def build(_properties: Any) -> dict[str, Any]:
        # The offering fixes the term; what it is, the program does not say.
        return _commitment("purchase", known(_BY_TERM, path), known(False, ""), hidden(path))

    return build


def _aws_block(_properties: Any) -> dict[str, Any]:
    return _reservation(known(_BY_TERM, "capacityBlockOfferingId"))


def _gcp_commitment(properties: Any) -> dict[str, Any]:
    renews = read(properties, "autoRenew")
    return _purchase(renews, read(properties, "plan"), known(_BY_TERM, "plan"))


def _gcp_reservation(properties: Any) -> dict[str, Any]:
    return _reservation(read_first(properties, ("deleteAtTime", "deleteAfterDuration")))


def _gcp_future(properties: Any) -> dict[str, Any]:
    return _reservation(read_first(properties, ("timeWindow.endTime", "timeWindow.duration")))


def _azure_reservation(_properties: Any) -> dict[str, Any]:
    # Azure keeps it until somebody deletes it; nothing on it can say when.
    return _reservation(absent("tags"))


_BUILDERS: dict[str, Callable[[Any], dict[str, Any]]] = {
    "aws:ec2/capacityReservation:CapacityReservation": _aws_reservation,
    "aws:ec2/capacityBlockReservation:CapacityBlockReservation": _aws_block,
    "aws:savingsplans/savingsPlan:SavingsPlan": _offering("savingsPlanOfferingId"),
    "aws:rds/reservedInstance:ReservedInstance": _offering("offeringId"),
    "gcp:compute/regionCommitment:RegionCommitment": _gcp_commitment,
    "gcp:compute/reservation:Reservation": _gcp_reservation,
    "gcp:compute/futureReservation:FutureReservation": _gcp_future,
    "azure-native:compute:CapacityReservation": _azure_reservation,
}
