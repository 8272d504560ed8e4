"""Resource policies and commitments of Compute Engine.

Sources: GoogleCloudPlatform/magic-modules, mmv1/products/compute (read on 2026-11-30), the property
descriptions of pulumi-gcp 10.2.0 and the discovery document compute.v1. That VCPU and MEMORY are
bought together and that GPUs need a reservation: general vendor documentation, not verified.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta

from tidegate.localclouds.bodies import Body, look
from tidegate.localclouds.contracts import UNKNOWN, CheckFailure
from tidegate.localclouds.gcp import names
from tidegate.localclouds.gcp.compute_rules import check_name
from tidegate.localclouds.gcp.kind import Kind, Reference, find_all
from tidegate.localclouds.gcp.kind_rules import (
    choice_rule,
    range_rule,
    read_number,
)
from tidegate.localclouds.gcp.policy_rules import POLICY_RULES
from tidegate.localclouds.gcp.references import (
    RESOURCE_POLICY,
    TEMPLATE,
    find_reservation,
)
from tidegate.localclouds.rest_shape import Field, Shape
from tidegate.localclouds.shelf import Shelf

COMMITMENT = "compute.googleapis.com/Commitment"
FUTURE_RESERVATION = "compute.googleapis.com/FutureReservation"
POOL = "container.googleapis.com/NodePool"

MONTHS = {"TWELVE_MONTH": 12, "THIRTY_SIX_MONTH": 36}
MEMORY_STEP_MB = 256
MEMORY_MB_PER_VCPU = 6656
"""6.5 GB, of N1; other families have machines with more."""
MAX_NAME_PREFIX = 20
OUTPUT_ONLY = frozenset({"kind", "id"})


def last_of(url: str) -> str:
    """Return the short name that Pulumi shows for a URL."""
    return names.last_part(url)


def fill_compute(kind: str) -> Callable[[str, Body], None]:
    """Return what fills in a Compute body: id, links, times, and its place as a URL."""

    def fill(name: str, body: Body) -> None:
        place = "/".join(name.split("/")[:4])
        body.setdefault("creationTimestamp", names.now())
        body |= {
            "id": names.number_of(name),
            "kind": f"compute#{kind}",
            "selfLink": f"{names.COMPUTE_URL}/{name}",
        }
        if "/zones/" in name or "/regions/" in name:
            word = "zone" if "/zones/" in name else "region"
            body[word] = f"{names.COMPUTE_URL}/{place}"

    return fill


# Resource policies


def _find_policy_user(shelf: Shelf, name: str) -> str:
    for kind, at in (
        (TEMPLATE, "properties.resourcePolicies[]"),
        (POOL, "placementPolicy.policyName"),
    ):
        for user, body in shelf.items(kind, f"projects/{name.split('/')[1]}/"):
            if any(names.last_part(v) == names.last_part(name) for _, v in find_all(body, at)):
                return user
    return ""


def _fill_policy(name: str, body: Body) -> None:
    fill_compute("resourcePolicy")(name, body)
    body["status"] = "READY"


_SNAPSHOTS = Shape(
    fields={
        "snapshotProperties": Field(shape=Shape(fields={"storageLocations": Field(listed=True)}))
    }
)
POLICY_KIND = Kind(
    pulumi="gcp:compute/resourcePolicy:ResourcePolicy",
    name=RESOURCE_POLICY,
    path="projects/{project}/regions/{region}/resourcePolicies/{name}",
    shape=Shape(
        fields={
            "diskConsistencyGroupPolicy": Field(
                to_rest=lambda _: {}, to_pulumi=lambda _: {"enabled": True}
            ),
            "snapshotSchedulePolicy": Field(shape=_SNAPSHOTS),
        },
        rest_only=OUTPUT_ONLY | {"creationTimestamp", "status"},
    ),
    rules=(check_name, *POLICY_RULES),
    fill=_fill_policy,
    in_use=_find_policy_user,
    labels=("snapshotSchedulePolicy.snapshotProperties.labels",),
    body_name="short",
    message="ResourcePolicy",
)


# Commitments


def _check_resources(body: Body) -> Iterator[CheckFailure]:
    given = body.get("resources")
    resources = given if isinstance(given, list) else []
    amounts = {look(item, "type"): read_number(look(item, "amount")) for item in resources}
    if given is UNKNOWN or UNKNOWN in amounts:
        return
    if ("VCPU" in amounts) != ("MEMORY" in amounts):
        yield CheckFailure("resources", "VCPU and MEMORY have to be committed together.")
    cpus, memory = amounts.get("VCPU"), amounts.get("MEMORY")
    if memory and memory % MEMORY_STEP_MB:
        yield CheckFailure(
            "resources", f"MEMORY of {memory:.0f} MB is no multiple of {MEMORY_STEP_MB} MB."
        )
    is_n1 = body.get("type") in (None, "GENERAL_PURPOSE")
    if is_n1 and cpus and memory and memory > cpus * MEMORY_MB_PER_VCPU:
        yield CheckFailure(
            "resources",
            f"MEMORY of {memory:.0f} MB is more than {MEMORY_MB_PER_VCPU} MB for each of "
            f"{cpus:.0f} VCPU.",
        )
    for index, item in enumerate(resources):
        if look(item, "type") == "ACCELERATOR" and not look(item, "acceleratorType"):
            yield CheckFailure(
                f"resources[{index}].acceleratorType", "A committed ACCELERATOR needs its type."
            )
    if {"ACCELERATOR", "LOCAL_SSD"} & set(amounts) and not body.get("existingReservations"):
        yield CheckFailure(
            "existingReservations",
            "Accelerators and local SSDs are committed with a reservation attached.",
        )


def _check_category(body: Body) -> Iterator[CheckFailure]:
    if body.get("category") == "LICENSE":
        if not body.get("licenseResource"):
            yield CheckFailure("licenseResource", "A LICENSE commitment needs a license.")
        if body.get("type"):
            yield CheckFailure("type", "Only MACHINE commitments have a type.")
    elif not body.get("resources"):
        yield CheckFailure("resources", "A MACHINE commitment needs resources.")


def _fill_commitment(name: str, body: Body) -> None:
    fill_compute("commitment")(name, body)
    body.setdefault("category", "MACHINE")
    body.setdefault("autoRenew", False)
    if body["category"] == "MACHINE":
        body.setdefault("type", "GENERAL_PURPOSE")
    body |= {"status": "ACTIVE", "statusMessage": "The commitment is active."}
    start = datetime.fromisoformat(body.setdefault("startTimestamp", names.now()))
    years = MONTHS.get(body["plan"], 0) // 12
    # A day more where the 29th of February has no like: Google's own rule is not known.
    try:
        end = start.replace(year=start.year + years)
    except ValueError:
        end = start.replace(year=start.year + years, day=28) + timedelta(days=1)
    body["endTimestamp"] = end.isoformat(timespec="milliseconds").replace("+00:00", "Z")


COMMITMENT_KIND = Kind(
    pulumi="gcp:compute/regionCommitment:RegionCommitment",
    name=COMMITMENT,
    path="projects/{project}/regions/{region}/commitments/{name}",
    shape=Shape(
        fields={
            "commitmentId": Field("id", to_pulumi=int),
            "existingReservations": Field(listed=True),
        },
        provider_only=frozenset({"params"}),
        rest_only=frozenset({"kind"}),
    ),
    rules=(
        check_name,
        choice_rule("plan", *MONTHS),
        choice_rule("category", "LICENSE", "MACHINE"),
        choice_rule("resources[].type", "VCPU", "MEMORY", "LOCAL_SSD", "ACCELERATOR"),
        range_rule("resources[].amount", 1, 1e12),
        _check_resources,
        _check_category,
    ),
    references=(Reference("existingReservations[]", find_reservation),),
    fill=_fill_commitment,
    body_name="short",
    message="Commitment",
)


KINDS = (POLICY_KIND, COMMITMENT_KIND)
