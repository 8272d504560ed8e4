"""Where the properties of Compute, Storage, Logging and IAM types stand in their REST bodies.

Read from pulumi-gcp 10.2.0 and google-cloud-compute 1.48.0 (2026-11-30); the bodies of storage v1,
logging v2 and iam v1 are general vendor documentation, not verified.
"""

from __future__ import annotations

from typing import Any

from tidegate.localclouds.rest_shape import Field, Shape


def _integer(value: Any) -> int:
    return int(value)


_PROVIDER = frozenset({"deletionPolicy", "project"})


def _share_settings_to_rest(value: dict[str, Any]) -> dict[str, Any]:
    if "projectMap" in value:
        value["projectMap"] = {
            item["id"]: {"projectId": item.get("projectId", item["id"])}
            for item in value["projectMap"]
        }
    return value


def _share_settings_to_pulumi(value: dict[str, Any]) -> dict[str, Any]:
    if "projectMaps" in value:
        value["projectMaps"] = [
            {"id": key, **item} for key, item in sorted(value["projectMaps"].items())
        ]
    return value


def share_settings() -> Field:
    """Return where the sharing of a reservation stands: REST has a map of projects by id."""
    return Field(
        shape=Shape(fields={"projectMaps": Field("projectMap")}),
        to_rest=_share_settings_to_rest,
        to_pulumi=_share_settings_to_pulumi,
    )


RESERVATION = Shape(
    fields={
        "shareSettings": share_settings(),
        "zone": Field(to_pulumi=lambda url: url.rsplit("/", 1)[-1]),
    },
    provider_only=_PROVIDER | {"params"},
    rest_only=frozenset({"id"}),
)

NETWORK = Shape(
    fields={
        "bgpAlwaysCompareMed": Field("routingConfig.bgpAlwaysCompareMed"),
        "bgpBestPathSelectionMode": Field("routingConfig.bgpBestPathSelectionMode"),
        "bgpInterRegionCost": Field("routingConfig.bgpInterRegionCost"),
        "gatewayIpv4": Field("gatewayIPv4"),
        "networkId": Field("id"),
        "routingMode": Field("routingConfig.routingMode"),
    },
    provider_only=_PROVIDER
    | {"deleteBgpAlwaysCompareMed", "deleteDefaultRoutesOnCreate", "params"},
    rest_only=frozenset({"creationTimestamp", "kind", "selfLinkWithId", "subnetworks"}),
)

SUBNETWORK = Shape(
    fields={
        "logConfig": Field(
            to_rest=lambda config: {"enable": True, **config},
            to_pulumi=lambda config: {k: v for k, v in config.items() if k != "enable"},
        ),
        "region": Field(to_pulumi=lambda url: url.rsplit("/", 1)[-1]),
        "subnetworkId": Field("id"),
    },
    provider_only=_PROVIDER | {"params", "sendSecondaryIpRangeIfEmpty"},
    rest_only=frozenset({"kind"}),
)


_STATE_TO_LIVE = {"LIVE": True, "ARCHIVED": False}
_LIVE_TO_STATE = {live: state for state, live in _STATE_TO_LIVE.items()}

_CONDITION = Shape(
    fields={
        "matchesPrefixes": Field("matchesPrefix"),
        "matchesStorageClasses": Field("matchesStorageClass"),
        "matchesSuffixes": Field("matchesSuffix"),
        "withState": Field("isLive", to_rest=_STATE_TO_LIVE.get, to_pulumi=_LIVE_TO_STATE.get),
    },
    provider_only=frozenset(
        {
            "sendAgeIfZero",
            "sendDaysSinceCustomTimeIfZero",
            "sendDaysSinceNoncurrentTimeIfZero",
            "sendNumNewerVersionsIfZero",
        }
    ),
)

BUCKET = Shape(
    fields={
        "cors": Field(
            shape=Shape(
                fields={
                    "methods": Field("method"),
                    "origins": Field("origin"),
                    "responseHeaders": Field("responseHeader"),
                }
            )
        ),
        "enableObjectRetention": Field(
            "objectRetention.mode",
            to_rest=lambda on: "Enabled" if on else None,
            to_pulumi=lambda mode: mode == "Enabled",
        ),
        "lifecycleRules": Field(
            "lifecycle.rule", shape=Shape(fields={"condition": Field(shape=_CONDITION)})
        ),
        "projectNumber": Field(to_pulumi=_integer),
        "publicAccessPrevention": Field("iamConfiguration.publicAccessPrevention"),
        "requesterPays": Field("billing.requesterPays"),
        "retentionPolicy": Field(
            shape=Shape(fields={"retentionPeriod": Field(to_rest=str, to_pulumi=str)})
        ),
        "softDeletePolicy": Field(
            shape=Shape(fields={"retentionDurationSeconds": Field(to_rest=str, to_pulumi=_integer)})
        ),
        "uniformBucketLevelAccess": Field("iamConfiguration.uniformBucketLevelAccess.enabled"),
    },
    provider_only=_PROVIDER | {"effectiveLabels", "forceDestroy", "pulumiLabels", "url"},
    rest_only=frozenset({"etag", "generation", "id", "kind", "locationType", "metageneration"}),
)

LOG_BUCKET = Shape(
    fields={"enableAnalytics": Field("analyticsEnabled")},
    provider_only=_PROVIDER | {"bucketId", "location"},
    rest_only=frozenset({"createTime", "updateTime"}),
)
