"""Future reservations of Compute Engine.

Sources: GoogleCloudPlatform/magic-modules, mmv1/products/compute/FutureReservation.yaml (read on
2026-11-30), and the discovery document compute.v1; which states there are between a draft and its
approval: general vendor documentation, not verified.
"""

# ruff: noqa: ARG001 - what completes a body has one signature for all kinds

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

from tidegate.localclouds.bodies import Body, look
from tidegate.localclouds.contracts import UNKNOWN, CheckFailure, Values
from tidegate.localclouds.gcp import machines, names
from tidegate.localclouds.gcp.compute_kinds import OUTPUT_ONLY, fill_compute
from tidegate.localclouds.gcp.compute_rules import check_name
from tidegate.localclouds.gcp.kind import Kind, Reference
from tidegate.localclouds.gcp.kind_rules import (
    choice_rule,
    exclusive_rule,
    length_rule,
    range_rule,
)
from tidegate.localclouds.gcp.references import find_template
from tidegate.localclouds.gcp.resource_shape import share_settings
from tidegate.localclouds.rest_shape import Shape

FUTURE_RESERVATION = "compute.googleapis.com/FutureReservation"
MAX_NAME_PREFIX = 20


def _check_window(body: Body) -> Iterator[CheckFailure]:
    window = body.get("timeWindow")
    if not isinstance(window, dict):
        return
    start, end = window.get("startTime"), window.get("endTime")
    if bool(end) == bool(window.get("duration")) and end is not UNKNOWN:
        yield CheckFailure("timeWindow", "Exactly one of endTime and duration has to be given.")
    times = {}
    for word, value in (("startTime", start), ("endTime", end)):
        if not isinstance(value, str):
            continue
        try:
            parsed = datetime.fromisoformat(value)
        except ValueError:
            yield CheckFailure(f"timeWindow.{word}", f"Invalid time '{value}': RFC 3339.")
            continue
        times[word] = parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)
    if len(times) == 2 and times["endTime"] <= times["startTime"]:
        yield CheckFailure("timeWindow.endTime", f"{end} is not after the start, {start}.")


def _check_reserved(body: Body) -> Iterator[CheckFailure]:
    sku, aggregate = body.get("specificSkuProperties"), body.get("aggregateReservation")
    if UNKNOWN not in (sku, aggregate) and bool(sku) == bool(aggregate):
        yield CheckFailure(
            "specificSkuProperties",
            "Exactly one of specificSkuProperties and aggregateReservation has to be given.",
        )
    machine = look(sku, "instanceProperties.machineType")
    if isinstance(machine, str):
        at = "specificSkuProperties.instanceProperties"
        for reason in machines.check_machine(machine, []):
            yield CheckFailure(f"{at}.machineType", reason)
        accelerators = look(sku, "instanceProperties.guestAccelerators") or []
        for index, item in enumerate(accelerators if isinstance(accelerators, list) else []):
            kind, count = look(item, "acceleratorType"), look(item, "acceleratorCount")
            if isinstance(kind, str) and isinstance(count, int):
                for reason in machines.check_accelerator(machine, names.last_part(kind), count):
                    yield CheckFailure(f"{at}.guestAccelerators[{index}]", reason)


def _fill_future(name: str, body: Body) -> None:
    fill_compute("futureReservation")(name, body)
    body.setdefault("planningStatus", "DRAFT")
    body.setdefault("reservationMode", "DEFAULT")
    body.setdefault("schedulingType", "INDEPENDENT")
    body["selfLinkWithId"] = f"{body['selfLink'].rsplit('/', 1)[0]}/{body['id']}"
    status = body.setdefault("status", {})
    if status.get("procurementStatus") != "CANCELLED":
        is_draft = body["planningStatus"] == "DRAFT"
        status["procurementStatus"] = "DRAFTING" if is_draft else "PENDING_APPROVAL"


def _show_future(name: str, body: Body) -> Values:
    return {"statuses": [body["status"]]}


FUTURE_KIND = Kind(
    pulumi="gcp:compute/futureReservation:FutureReservation",
    name=FUTURE_RESERVATION,
    path="projects/{project}/zones/{zone}/futureReservations/{name}",
    shape=Shape(
        fields={"shareSettings": share_settings()},
        provider_only=frozenset({"params"}),
        rest_only=OUTPUT_ONLY | {"status"},
    ),
    rules=(
        check_name,
        choice_rule("planningStatus", "DRAFT", "SUBMITTED"),
        length_rule("namePrefix", MAX_NAME_PREFIX),
        range_rule("specificSkuProperties.totalCount", 1, 1e6),
        exclusive_rule("reservationName", "namePrefix"),
        exclusive_rule("autoCreatedReservationsDeleteTime", "autoCreatedReservationsDuration"),
        _check_window,
        _check_reserved,
    ),
    references=(Reference("specificSkuProperties.sourceInstanceTemplate", find_template),),
    fill=_fill_future,
    body_name="short",
    make_id=lambda seed: f"future-{names.hexadecimal_of(seed)}",
    outputs=_show_future,
    message="FutureReservation",
)


def check_future_change(old: Body, new: Body) -> Iterator[CheckFailure]:
    """Refuse to make a draft of what was submitted."""
    if old["planningStatus"] == "SUBMITTED" and new.get("planningStatus") == "DRAFT":
        yield CheckFailure(
            "planningStatus", "A future reservation that was submitted cannot be a draft again."
        )
