"""Instance templates of Compute Engine, global and regional.

Sources: the property descriptions of pulumi-gcp 10.2.0 (what SPOT and FLEX_START need) and
google-cloud-compute 1.48.0 (2026-11-30). That machines with GPUs do not migrate: general vendor
documentation, not verified.
"""

# ruff: noqa: ARG001 - what completes a body has one signature for all kinds

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from tidegate.localclouds.bodies import Body, fill_defaults, look
from tidegate.localclouds.contracts import UNKNOWN, CheckFailure, Values
from tidegate.localclouds.gcp import machines, names
from tidegate.localclouds.gcp.collection_types import CollectionType
from tidegate.localclouds.gcp.compute_kinds import OUTPUT_ONLY, fill_compute
from tidegate.localclouds.gcp.compute_rules import check_name
from tidegate.localclouds.gcp.kind import Kind, Reference, find_all
from tidegate.localclouds.gcp.kind_rules import choice_rule, items_rule
from tidegate.localclouds.gcp.references import (
    TEMPLATE,
    find_account,
    find_network,
    find_reservation,
    find_resource_policy,
    find_subnetwork,
)
from tidegate.localclouds.rest_shape import Field, Shape
from tidegate.localclouds.shelf import Shelf

GROUP = "compute.googleapis.com/InstanceGroupManager"
PROPERTIES = "properties"
STARTUP = "startup-script"
SCOPES = "https://www.googleapis.com/auth/"
MODELS = ("STANDARD", "SPOT", "FLEX_START", "RESERVATION_BOUND")
# Properties of a template itself; all others are of its instances.
OWN = frozenset({"creationTimestamp", "description", "name", "region", "selfLink"})

_INITIAL = ("diskName", "diskSizeGb", "diskType", "labels", "provisionedIops",
            "provisionedThroughput", "resourceManagerTags", "sourceImage",
            "sourceImageEncryptionKey", "sourceSnapshot", "sourceSnapshotEncryptionKey",
            "storagePool")  # fmt: skip


def _features_to_rest(features: list[str]) -> list[Body]:
    return [{"type": feature} for feature in features]


def _features_to_pulumi(features: list[Body]) -> list[str]:
    return [feature["type"] for feature in features]


def _affinity_to_rest(affinity: Body) -> Body:
    return {"consumeReservationType": affinity.get("type"),
            **(affinity.get("specificReservation") or {})}  # fmt: skip


def _affinity_to_pulumi(affinity: Body) -> Body:
    shown: Body = {"type": affinity.get("consumeReservationType")}
    if affinity.get("key"):
        shown["specificReservation"] = {"key": affinity["key"], "values": affinity.get("values")}
    return shown


def _metadata_to_rest(metadata: Body) -> Body:
    return {"items": [{"key": key, "value": value} for key, value in metadata.items()]}


def _metadata_to_pulumi(metadata: Body) -> Body:
    return {item["key"]: item["value"] for item in metadata.get("items", [])}


_KEY = Shape(fields={"kmsKeySelfLink": Field("kmsKeyName")})
DISK = Shape(
    fields={
        **{word: Field(f"initializeParams.{word}") for word in _INITIAL},
        "diskEncryptionKey": Field(shape=_KEY),
        **{
            word: Field(f"initializeParams.{word}", shape=_KEY)
            for word in ("sourceImageEncryptionKey", "sourceSnapshotEncryptionKey")
        },
        "guestOsFeatures": Field(to_rest=_features_to_rest, to_pulumi=_features_to_pulumi),
        "resourcePolicies": Field("initializeParams.resourcePolicies", listed=True),
    }
)
_INTERFACE = Shape(
    fields={
        "accessConfigs": Field(shape=Shape(fields={"natIp": Field("natIP")})),
        "networkIp": Field("networkIP"),
    },
    provider_only=frozenset({"subnetworkProject"}),
)
_SCHEDULING = Shape(
    fields={"localSsdRecoveryTimeouts": Field("localSsdRecoveryTimeout", single=True)}
)
_ACCELERATORS = Shape(fields={"type": Field("acceleratorType"), "count": Field("acceleratorCount")})
_INSIDE: dict[str, Field] = {
    "disks": Field(shape=DISK),
    "enableDisplay": Field("displayDevice.enableDisplay"),
    "guestAccelerators": Field(shape=_ACCELERATORS),
    "instanceDescription": Field("description"),
    "metadata": Field(to_rest=_metadata_to_rest, to_pulumi=_metadata_to_pulumi),
    "networkInterfaces": Field(shape=_INTERFACE),
    "reservationAffinity": Field(to_rest=_affinity_to_rest, to_pulumi=_affinity_to_pulumi),
    "resourcePolicies": Field(listed=True),
    "scheduling": Field(shape=_SCHEDULING),
    "serviceAccount": Field("serviceAccounts", listed=True),
    "tags": Field("tags.items"),
    **{
        word: Field()
        for word in ("advancedMachineFeatures", "canIpForward", "confidentialInstanceConfig",
                     "keyRevocationActionType", "labels", "machineType", "minCpuPlatform",
                     "networkPerformanceConfig", "partnerMetadata", "resourceManagerTags",
                     "shieldedInstanceConfig", "workloadIdentityConfig")
    },
}  # fmt: skip
TEMPLATE_SHAPE = Shape(
    fields={
        name: replace(place, rest=f"{PROPERTIES}.{place.rest or name}")
        for name, place in _INSIDE.items()
    },
    provider_only=frozenset({"namePrefix"}),
    rest_only=OUTPUT_ONLY | {PROPERTIES},
)


def check_scheduling(body: Body) -> Iterator[CheckFailure]:
    """Say what is wrong with how instances are bought and kept running."""
    at = f"{PROPERTIES}.scheduling"
    scheduling = look(body, at) or {}
    if scheduling is UNKNOWN:
        return
    model = look(scheduling, "provisioningModel")
    preemptible, restart = look(scheduling, "preemptible"), look(scheduling, "automaticRestart")
    short_lived = model in ("SPOT", "FLEX_START") or preemptible is True
    if model == "SPOT" and preemptible not in (True, UNKNOWN):
        yield CheckFailure(f"{at}.preemptible", "SPOT instances need preemptible to be true.")
    if short_lived and restart not in (False, UNKNOWN):
        yield CheckFailure(
            f"{at}.automaticRestart",
            "SPOT, FLEX_START and preemptible instances need automaticRestart to be false.",
        )
    if short_lived and look(scheduling, "onHostMaintenance") == "MIGRATE":
        yield CheckFailure(f"{at}.onHostMaintenance", "Such instances cannot MIGRATE: TERMINATE.")
    if model == "FLEX_START":
        yield from _check_flex_start(scheduling, at)
    ends = look(scheduling, "instanceTerminationAction") and model == "STANDARD"
    if ends and not look(scheduling, "maxRunDuration"):
        yield CheckFailure(
            f"{at}.instanceTerminationAction",
            "A termination action needs SPOT instances or a maximum run duration.",
        )


def _check_flex_start(scheduling: Body, at: str) -> Iterator[CheckFailure]:
    if look(scheduling, "instanceTerminationAction") not in ("DELETE", UNKNOWN):
        yield CheckFailure(
            f"{at}.instanceTerminationAction", "FLEX_START instances need DELETE here."
        )
    if not look(scheduling, "maxRunDuration"):
        yield CheckFailure(f"{at}.maxRunDuration", "FLEX_START needs a maximum run duration.")


def check_template(body: Body) -> Iterator[CheckFailure]:
    """Say what is wrong with the machine, its accelerators and its disks."""
    machine = look(body, f"{PROPERTIES}.machineType")
    has_accelerator = bool(look(body, f"{PROPERTIES}.guestAccelerators"))
    if isinstance(machine, str):
        for reason in machines.check_machine(machine, []):
            yield CheckFailure(f"{PROPERTIES}.machineType", reason)
        found = machines.find_machine(machine)
        has_accelerator = has_accelerator or bool(found and found.accelerator)
        yield from _check_accelerators(body, machine)
    maintenance = look(body, f"{PROPERTIES}.scheduling.onHostMaintenance")
    if has_accelerator and maintenance not in ("TERMINATE", UNKNOWN):
        yield CheckFailure(
            f"{PROPERTIES}.scheduling.onHostMaintenance",
            "Instances with accelerators do not support live migration: expected TERMINATE.",
        )
    disks = look(body, f"{PROPERTIES}.disks")
    known = isinstance(disks, list) and UNKNOWN not in disks
    if known and len(disks) > 1 and not any(look(disk, "boot") for disk in disks):
        yield CheckFailure(f"{PROPERTIES}.disks", "One of the disks has to be a boot disk.")


def _check_accelerators(body: Body, machine: str) -> Iterator[CheckFailure]:
    accelerators = look(body, f"{PROPERTIES}.guestAccelerators")
    for index, item in enumerate(accelerators if isinstance(accelerators, list) else []):
        kind, count = look(item, "acceleratorType"), look(item, "acceleratorCount")
        if isinstance(kind, str) and isinstance(count, int):
            for reason in machines.check_accelerator(machine, names.last_part(kind), count):
                yield CheckFailure(f"{PROPERTIES}.guestAccelerators[{index}]", reason)


def _fill_template(name: str, body: Body) -> None:
    fill_compute("instanceTemplate")(name, body)
    project = name.split("/")[1]
    inside = body[PROPERTIES]
    network = f"{names.COMPUTE_URL}/projects/{project}/global/networks/default"
    inside.setdefault("networkInterfaces", [{"network": network}])
    for account in inside.get("serviceAccounts", []):
        account["scopes"] = [
            scope if "://" in scope else f"{SCOPES}{scope}" for scope in account.get("scopes", [])
        ]
    scheduling = inside.setdefault("scheduling", {})
    model = scheduling.get("provisioningModel", "STANDARD")
    spot = model == "SPOT" or scheduling.get("preemptible") is True
    fill_defaults(
        scheduling,
        {
            "automaticRestart": not spot,
            "onHostMaintenance": "TERMINATE" if spot else "MIGRATE",
            "preemptible": spot,
            "provisioningModel": model,
        },
    )
    if inside.get("disks") and not any(disk.get("boot") for disk in inside["disks"]):
        inside["disks"][0]["boot"] = True
    if inside.get("metadata"):
        inside["metadata"]["fingerprint"] = names.fingerprint_of(inside["metadata"])


def _find_group(shelf: Shelf, name: str) -> str:
    for group, body in shelf.items(GROUP, f"projects/{name.split('/')[1]}/"):
        for _, url in find_all(body, "versions[].instanceTemplate"):
            if names.relative_name(url).partition("?")[0] == name:
                return group
    return ""


def _show_template(name: str, body: Body) -> Values:
    inside: dict[str, Any] = body[PROPERTIES]
    return {
        "metadataFingerprint": (inside.get("metadata") or {}).get("fingerprint", ""),
        "numericId": body["id"],
        "selfLinkUnique": f"{body['selfLink']}?uniqueId={body['id']}",
        "tagsFingerprint": "",
    }


TEMPLATE_KIND = Kind(
    pulumi="gcp:compute/instanceTemplate:InstanceTemplate",
    name=TEMPLATE,
    path="projects/{project}/global/instanceTemplates/{name}",
    shape=TEMPLATE_SHAPE,
    rules=(
        check_name,
        choice_rule(f"{PROPERTIES}.scheduling.provisioningModel", *MODELS),
        choice_rule(f"{PROPERTIES}.scheduling.instanceTerminationAction", "STOP", "DELETE"),
        choice_rule(f"{PROPERTIES}.scheduling.onHostMaintenance", "MIGRATE", "TERMINATE"),
        check_scheduling,
        check_template,
        items_rule(f"{PROPERTIES}.serviceAccounts", 1),
    ),
    references=(
        Reference(f"{PROPERTIES}.networkInterfaces[].network", find_network),
        Reference(f"{PROPERTIES}.networkInterfaces[].subnetwork", find_subnetwork),
        Reference(f"{PROPERTIES}.resourcePolicies[]", find_resource_policy),
        Reference(f"{PROPERTIES}.reservationAffinity.values[]", find_reservation),
        Reference(f"{PROPERTIES}.serviceAccounts[].email", find_account),
    ),
    fill=_fill_template,
    in_use=_find_group,
    labels=(f"{PROPERTIES}.labels", f"{PROPERTIES}.disks[].initializeParams.labels"),
    body_name="short",
    outputs=_show_template,
    message="InstanceTemplate",
)
REGION_TEMPLATE_KIND = replace(
    TEMPLATE_KIND,
    pulumi="gcp:compute/regionInstanceTemplate:RegionInstanceTemplate",
    path="projects/{project}/regions/{region}/instanceTemplates/{name}",
)


class TemplateType(CollectionType):
    """Instance templates: nothing of one ever changes, so what was asked for is what is there."""

    def build_body(self, inputs: Values) -> Body:
        """Return the body; the startup script is an entry of the metadata."""
        script = inputs.get("metadataStartupScript")
        rest = {key: value for key, value in inputs.items() if key != "metadataStartupScript"}
        if script and rest.get("metadata") is not UNKNOWN:
            rest["metadata"] = {**(rest.get("metadata") or {}), STARTUP: script}
        return super().build_body(rest)

    def compute_outputs(self, name: str, body: Body, inputs: Values) -> Values:
        """Return what was asked for as it was written, and what Compute adds."""
        asked = {key: value for key, value in inputs.items() if key not in self._kind.words}
        metadata = _metadata_to_pulumi(body[PROPERTIES].get("metadata") or {})
        if not inputs and STARTUP in metadata:
            asked["metadataStartupScript"] = metadata[STARTUP]
        return {**super().compute_outputs(name, body, inputs), **asked}
