"""Managed instance groups of Compute Engine, zonal and regional: data and rules.

Sources: hashicorp/terraform-provider-google, resource_compute_region_instance_group_manager.go
(descriptions and validation, read on 2026-11-30), the discovery document compute.v1, and Compute
Engine documentation, "Set a target distribution shape for VMs in a regional MIG", limitations
(stored copy, read on 2026-11-30).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from tidegate.localclouds.bodies import Body, fill_defaults, look
from tidegate.localclouds.contracts import UNKNOWN, CheckFailure
from tidegate.localclouds.gcp import machines, names
from tidegate.localclouds.gcp.compute_kinds import OUTPUT_ONLY, fill_compute
from tidegate.localclouds.gcp.compute_rules import NAME, check_name
from tidegate.localclouds.gcp.instance_groups import GROUP, MAX_SIZES
from tidegate.localclouds.gcp.kind import Kind, Reference, find_all
from tidegate.localclouds.gcp.kind_rules import choice_rule, exclusive_rule, range_rule
from tidegate.localclouds.gcp.references import find_resource_policy, find_template
from tidegate.localclouds.gcp.template_kinds import DISK
from tidegate.localclouds.rest_shape import Field, Shape, build_properties, build_rest

RIGID_SHAPES = ("BALANCED", "ANY_SINGLE_ZONE")
"""Shapes that redistribution would undo."""
SHAPES = ("EVEN", "BALANCED", "ANY", "ANY_SINGLE_ZONE")


def _pairs_to_rest(pairs: list[Body]) -> Body:
    return {pair["key"]: pair["value"] for pair in pairs}


def _pairs_to_pulumi(pairs: Body) -> list[Body]:
    return [{"key": key, "value": value} for key, value in pairs.items()]


# Here alone Pulumi has a list of pairs where a template's disk has a map.
_PAIRS = {
    word: Field(f"initializeParams.{word}", to_rest=_pairs_to_rest, to_pulumi=_pairs_to_pulumi)
    for word in ("labels", "resourceManagerTags")
}
_SELECTION = Shape(fields={"disks": Field(shape=replace(DISK, fields={**DISK.fields, **_PAIRS}))})


def _selections_to_rest(items: list[Body]) -> Body:
    """REST has the selections by name."""
    return {
        item["name"]: build_rest(_SELECTION, {k: v for k, v in item.items() if k != "name"})
        for item in items
    }


def _selections_to_pulumi(items: Body) -> list[Body]:
    return [{"name": key, **build_properties(_SELECTION, item)} for key, item in items.items()]


def _stateful(key: str) -> Field:
    def to_rest(items: list[Body]) -> Body:
        return {item[key]: {"autoDelete": item.get("deleteRule", "NEVER")} for item in items}

    def to_pulumi(items: Body) -> list[Body]:
        return [{key: name, "deleteRule": item["autoDelete"]} for name, item in items.items()]

    return Field(to_rest=to_rest, to_pulumi=to_pulumi)


_UPDATE = Shape(
    fields={
        "maxSurgeFixed": Field("maxSurge.fixed"),
        "maxSurgePercent": Field("maxSurge.percent"),
        "maxUnavailableFixed": Field("maxUnavailable.fixed"),
        "maxUnavailablePercent": Field("maxUnavailable.percent"),
    }
)
_FLEXIBILITY = Shape(
    fields={
        "instanceSelections": Field(to_rest=_selections_to_rest, to_pulumi=_selections_to_pulumi)
    }
)
_GROUP_SHAPE = Shape(
    fields={
        "allInstancesConfig": Field("allInstancesConfig.properties"),
        "autoHealingPolicies": Field(listed=True),
        "distributionPolicyTargetShape": Field("distributionPolicy.targetShape"),
        "distributionPolicyZones": Field(
            "distributionPolicy.zones",
            to_rest=lambda zones: [{"zone": zone} for zone in zones],
            to_pulumi=lambda zones: [names.last_part(item["zone"]) for item in zones],
        ),
        "instanceFlexibilityPolicy": Field(shape=_FLEXIBILITY),
        "statefulDisks": replace(
            _stateful("deviceName"), rest="statefulPolicy.preservedState.disks"
        ),
        "statefulExternalIps": replace(
            _stateful("interfaceName"), rest="statefulPolicy.preservedState.externalIPs"
        ),
        "statefulInternalIps": replace(
            _stateful("interfaceName"), rest="statefulPolicy.preservedState.internalIPs"
        ),
        "targetSizePolicies": Field("targetSizePolicy", single=True),
        "updatePolicy": Field(shape=_UPDATE),
    },
    provider_only=frozenset({"params", "waitForInstances", "waitForInstancesStatus"}),
    rest_only=OUTPUT_ONLY
    | {"currentActions", "distributionPolicy", "instanceTemplate", "lastError", "made",
       "properties", "statefulPolicy", "status"},
)  # fmt: skip


def _check_base(body: Body) -> Iterator[CheckFailure]:
    base = body.get("baseInstanceName")
    if isinstance(base, str) and not (NAME.fullmatch(base) and len(base) <= 58):
        yield CheckFailure(
            "baseInstanceName",
            f"Invalid value for field 'baseInstanceName': '{base}'. At most 58 lowercase letters, "
            "digits and dashes, starting with a letter.",
        )


def _check_update(body: Body) -> Iterator[CheckFailure]:
    policy = body.get("updatePolicy")
    if not isinstance(policy, dict):
        return
    surge, gone = (look(policy, f"{word}.fixed") for word in ("maxSurge", "maxUnavailable"))
    if surge == 0 and gone == 0:
        yield CheckFailure(
            "updatePolicy", "One of maxSurge and maxUnavailable must be greater than 0."
        )
    if policy.get("replacementMethod") == "RECREATE" and surge not in (0, UNKNOWN):
        yield CheckFailure("updatePolicy.maxSurge.fixed", "RECREATE needs a maximum surge of 0.")


def _check_regional(body: Body) -> Iterator[CheckFailure]:
    """Say what only groups of a region refuse."""
    zones = look(body, "distributionPolicy.zones")
    if isinstance(zones, list):
        for word in ("maxSurge", "maxUnavailable"):
            count = look(body, f"updatePolicy.{word}.fixed")
            if isinstance(count, int) and 0 < count < len(zones):
                yield CheckFailure(
                    f"updatePolicy.{word}.fixed",
                    f"{word} of {count} has to be 0 or at least the number of zones, {len(zones)}.",
                )
    shape = look(body, "distributionPolicy.targetShape")
    redistribution = look(body, "updatePolicy.instanceRedistributionType")
    if shape in RIGID_SHAPES and redistribution not in ("NONE", UNKNOWN):
        yield CheckFailure(
            "updatePolicy.instanceRedistributionType",
            f"Target shape {shape} needs instanceRedistributionType NONE.",
        )
    versions = body.get("versions")
    if shape not in (None, UNKNOWN, "EVEN") and isinstance(versions, list) and len(versions) > 1:
        yield CheckFailure("versions", f"Target shape {shape} takes one version only.")
    for place, machine in find_all(
        body, "instanceFlexibilityPolicy.instanceSelections{}.machineTypes[]"
    ):
        if isinstance(machine, str):
            for reason in machines.check_machine(machine, []):
                yield CheckFailure(place, reason)


def _fill_group(name: str, body: Body) -> None:
    fill_compute("instanceGroupManager")(name, body)
    project, sort, place = name.split("/")[1:4]
    for version in body["versions"]:
        template = names.relative_name(version["instanceTemplate"])
        version["instanceTemplate"] = f"{names.COMPUTE_URL}/{template}"
    url = body["selfLink"]
    fill_defaults(
        body,
        {
            "instanceGroup": url.replace("/instanceGroupManagers/", "/instanceGroups/"),
            "instanceLifecyclePolicy": {
                "defaultActionOnFailure": "REPAIR",
                "forceUpdateOnRepair": "NO",
            },
            "listManagedInstancesResults": "PAGELESS",
            "made": 0,
            "targetSize": 0,
            "updatePolicy": {
                "minimalAction": "REPLACE",
                "type": "OPPORTUNISTIC",
                "replacementMethod": "SUBSTITUTE",
            },
        },
    )
    body["instanceTemplate"] = body["versions"][0]["instanceTemplate"]
    if sort == "regions":
        policy = body.setdefault("distributionPolicy", {})
        zones = policy.get("zones") or [{"zone": zone} for zone in names.default_zones(place)]
        policy["zones"] = [
            {
                "zone": f"{names.COMPUTE_URL}/projects/{project}/zones/"
                f"{names.last_part(item['zone'])}"
            }
            for item in zones
        ]
        policy.setdefault("targetShape", "EVEN")
        body["updatePolicy"].setdefault("instanceRedistributionType", "PROACTIVE")


RULES = (
    check_name,
    _check_base,
    _check_update,
    range_rule("autoHealingPolicies[].initialDelaySec", 0, 3600),
    choice_rule("updatePolicy.type", "OPPORTUNISTIC", "PROACTIVE"),
    choice_rule("updatePolicy.minimalAction", "NONE", "REFRESH", "RESTART", "REPLACE"),
    choice_rule("updatePolicy.replacementMethod", "RECREATE", "SUBSTITUTE"),
    exclusive_rule("updatePolicy.maxSurge.fixed", "updatePolicy.maxSurge.percent"),
    exclusive_rule("updatePolicy.maxUnavailable.fixed", "updatePolicy.maxUnavailable.percent"),
)

ZONE_GROUP_KIND = Kind(
    pulumi="gcp:compute/instanceGroupManager:InstanceGroupManager",
    name=GROUP,
    path="projects/{project}/zones/{zone}/instanceGroupManagers/{name}",
    shape=_GROUP_SHAPE,
    rules=(*RULES, range_rule("targetSize", 0, MAX_SIZES["zones"])),
    references=(
        Reference("versions[].instanceTemplate", find_template),
        Reference("resourcePolicies.workloadPolicy", find_resource_policy),
    ),
    fill=_fill_group,
    private=frozenset({"lastError", "made", "properties"}),
    labels=("allInstancesConfig.properties.labels",),
    body_name="short",
    message="InstanceGroupManager",
)
GROUP_KIND = replace(
    ZONE_GROUP_KIND,
    pulumi="gcp:compute/regionInstanceGroupManager:RegionInstanceGroupManager",
    path="projects/{project}/regions/{region}/instanceGroupManagers/{name}",
    rules=(
        *RULES,
        range_rule("targetSize", 0, MAX_SIZES["regions"]),
        _check_regional,
        choice_rule("distributionPolicy.targetShape", *SHAPES),
        choice_rule("updatePolicy.instanceRedistributionType", "NONE", "PROACTIVE"),
    ),
)
