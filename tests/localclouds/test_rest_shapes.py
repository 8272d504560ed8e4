"""Pulumi properties and REST bodies say the same, for any value."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tidegate.localclouds.azure.kinds import KINDS, STORAGE_ACCOUNT
from tidegate.localclouds.bodies import apply_changes, merge_patch
from tidegate.localclouds.contracts import UNKNOWN
from tidegate.localclouds.gcp.gke_shape import CLUSTER, NODE_POOL
from tidegate.localclouds.gcp.messages import parse_message
from tidegate.localclouds.gcp.resource_shape import BUCKET
from tidegate.localclouds.rest_shape import build_properties, build_rest, pulumi_place
from tidegate.localclouds.schema import Shape as SdkShape
from tidegate.localclouds.schema import load_schema

WORDS = st.text("abcdefghij-./", min_size=1, max_size=8)
SCALARS = {
    "string": WORDS,
    "boolean": st.booleans(),
    "integer": st.integers(0, 1000),
    "number": st.integers(0, 1000),
}
# Both spellings of one place, or values that mean the same on both sides.
LEFT_OUT = {
    "withState": st.sampled_from(["LIVE", "ARCHIVED"]),
    "networkingMode": st.sampled_from(["VPC_NATIVE", "ROUTES"]),
    "enableObjectRetention": st.just(True),
    "retentionPeriod": st.integers(0, 1000).map(str),
}


def build_values(shape: SdkShape, name: str = "", depth: int = 0) -> st.SearchStrategy[Any]:
    """Values of any property of a type, as its SDK describes it."""
    if name in LEFT_OUT:
        return LEFT_OUT[name]
    if shape.options:
        return st.one_of(build_values(option, depth=depth) for option in shape.options)
    if shape.choices:
        return st.sampled_from(shape.choices)
    if shape.kind in SCALARS:
        return SCALARS[shape.kind]
    if shape.kind == "list" and shape.item is not None:
        size = {"min_size": 1, "max_size": 1 if shape.item.kind == "object" else 3}
        return st.lists(build_values(shape.item, depth=depth), **size)
    if shape.kind == "map" and shape.item is not None:
        return st.dictionaries(WORDS, build_values(shape.item, depth=depth), max_size=2)
    if shape.kind == "object" and depth < 4:
        parts = {key: build_values(part, key, depth + 1) for key, part in shape.properties.items()}
        chosen = st.lists(st.sampled_from(sorted(parts)), unique=True, max_size=3)
        return chosen.flatmap(lambda keys: st.fixed_dictionaries({k: parts[k] for k in keys}))
    return st.nothing() if shape.kind == "object" else WORDS


def drop_empty(value: Any) -> Any:
    """An object without properties is the same as none."""
    if isinstance(value, dict):
        parts = {key: drop_empty(part) for key, part in value.items()}
        return {key: part for key, part in parts.items() if part not in ({}, [])}
    if isinstance(value, list):
        return [part for part in map(drop_empty, value) if part not in ({}, [])]
    return value


GOOGLE = [
    ("gcp:container/nodePool:NodePool", NODE_POOL),
    ("gcp:storage/bucket:Bucket", BUCKET),
]


@pytest.mark.parametrize(("token", "shape"), GOOGLE)
@settings(deadline=None, max_examples=80)
@given(data=st.data())
def test_google_properties_survive_the_way_to_rest_and_back(
    token: str, shape: Any, data: st.DataObject
) -> None:
    known = load_schema(token).inputs.properties
    names = st.sampled_from(sorted(set(known) - shape.provider_only))
    properties = {
        name: data.draw(build_values(known[name], name), label=name)
        for name in data.draw(st.lists(names, unique=True, min_size=1, max_size=3))
    }
    kept = drop_empty(properties)
    for name in ("effectiveTaints",):
        kept.get("nodeConfig", {}).pop(name, None)
    for rule in kept.get("lifecycleRules", []):
        for name in [key for key in rule.get("condition", {}) if key.endswith("IfZero")]:
            del rule["condition"][name]
    kept = drop_empty(kept)
    assert drop_empty(build_properties(shape, build_rest(shape, kept))) == kept


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.token)
@settings(deadline=None, max_examples=20)
@given(data=st.data())
def test_azure_properties_survive_the_way_to_rest_and_back(kind: Any, data: st.DataObject) -> None:
    known = load_schema(kind.token).inputs.properties
    names = sorted(set(known) - kind.path_inputs - kind.envelope)
    properties = (
        {
            name: data.draw(build_values(known[name], name), label=name)
            for name in data.draw(st.lists(st.sampled_from(names), unique=True, max_size=3))
        }
        if names
        else {}
    )
    assert build_properties(kind.shape, build_rest(kind.shape, properties)) == properties


def test_every_node_pool_property_stands_where_googles_message_has_it() -> None:
    body = build_rest(
        NODE_POOL,
        {
            "name": "p",
            "initialNodeCount": 1.0,
            "maxPodsPerNode": 32.0,
            "nodeLocations": ["us-central1-a"],
            "nodeDrainConfigs": [{"respectPdbDuringNodePoolDeletion": True}],
            "networkConfig": {"podCidrOverprovisionConfig": {"disabled": True}},
            "nodeConfig": {
                "advancedMachineFeatures": {"threadsPerCore": 1.0},
                "guestAccelerators": [{"type": "nvidia-l4", "count": 1.0}],
                "labels": {"tidegate.dev/pool": "a"},
                "linuxNodeConfig": {"hugepagesConfig": {"hugepageSize2m": 1.0}},
                "loggingVariant": "MAX_THROUGHPUT",
                "resourceManagerTags": {"tagKeys/1": "tagValues/2"},
                "sandboxConfig": {"type": "GVISOR"},
            },
        },
    )
    assert parse_message("google.cloud.container_v1", "NodePool", body) == {
        "name": "p",
        "initialNodeCount": 1,
        "maxPodsConstraint": {"maxPodsPerNode": 32},
        "locations": ["us-central1-a"],
        "nodeDrainConfig": {"respectPdbDuringNodePoolDeletion": True},
        "networkConfig": {"podCidrOverprovisionConfig": {"disable": True}},
        "config": {
            "advancedMachineFeatures": {"threadsPerCore": 1},
            "accelerators": [{"acceleratorType": "nvidia-l4", "acceleratorCount": 1}],
            "labels": {"tidegate.dev/pool": "a"},
            "linuxNodeConfig": {"hugepages": {"hugepageSize2m": 1}},
            "loggingConfig": {"variantConfig": {"variant": "MAX_THROUGHPUT"}},
            "resourceManagerTags": {"tags": {"tagKeys/1": "tagValues/2"}},
            "sandboxConfig": {"type": "GVISOR"},
        },
    }


def test_cluster_properties_stand_where_googles_message_has_them() -> None:
    body = build_rest(
        CLUSTER,
        {
            "enableAutopilot": True,
            "datapathProvider": "ADVANCED_DATAPATH",
            "networkingMode": "VPC_NATIVE",
            "ipAllocationPolicy": {"clusterIpv4CidrBlock": "/16"},
            "clusterAutoscaling": {
                "enabled": True,
                "resourceLimits": [{"resourceType": "cpu", "maximum": 8}],
            },
            "loggingConfig": {"enableComponents": ["WORKLOADS"]},
            "monitoringConfig": {"managedPrometheus": {"enabled": True}},
            "defaultMaxPodsPerNode": 64,
            "deletionProtection": False,
        },
    )
    assert body == {
        "autopilot": {"enabled": True},
        "networkConfig": {"datapathProvider": "ADVANCED_DATAPATH"},
        "ipAllocationPolicy": {"useIpAliases": True, "clusterIpv4CidrBlock": "/16"},
        "autoscaling": {
            "enableNodeAutoprovisioning": True,
            "resourceLimits": [{"resourceType": "cpu", "maximum": 8}],
        },
        "loggingConfig": {"componentConfig": {"enableComponents": ["WORKLOADS"]}},
        "monitoringConfig": {"managedPrometheusConfig": {"enabled": True}},
        "defaultMaxPodsConstraint": {"maxPodsPerNode": 64},
    }
    parse_message("google.cloud.container_v1", "Cluster", body)


def test_azure_names_that_differ_in_rest() -> None:
    properties = {
        "enableHttpsTrafficOnly": True,
        "networkRuleSet": {"ipRules": [{"iPAddressOrRange": "10.0.0.0/8"}]},
        "encryption": {"keyVaultProperties": {"keyName": "k"}},
    }
    assert build_rest(STORAGE_ACCOUNT.shape, properties) == {
        "supportsHttpsTrafficOnly": True,
        "networkAcls": {"ipRules": [{"value": "10.0.0.0/8"}]},
        "encryption": {"keyvaultproperties": {"keyname": "k"}},
    }


@pytest.mark.parametrize(
    ("rest", "pulumi"),
    [
        ("config.taints[0].effect", "nodeConfig.taints[0].effect"),
        ("config.accelerators[1].acceleratorCount", "nodeConfig.guestAccelerators[1].count"),
        ("config.labels.a", "nodeConfig.labels.a"),
        ("locations[0]", "nodeLocations[0]"),
        ("maxPodsConstraint.maxPodsPerNode", "maxPodsPerNode"),
        ("autoscaling.minNodeCount", "autoscaling.minNodeCount"),
        ("nodeDrainConfig.pdbTimeoutDuration", "nodeDrainConfigs[0].pdbTimeoutDuration"),
        ("name", "name"),
    ],
)
def test_places_are_told_in_pulumis_spelling(rest: str, pulumi: str) -> None:
    assert pulumi_place(NODE_POOL, rest) == pulumi


def test_unknown_values_pass_through() -> None:
    properties = {"nodeConfig": UNKNOWN, "maxPodsPerNode": UNKNOWN, "nodeDrainConfigs": UNKNOWN}
    assert build_rest(NODE_POOL, properties) == {
        "config": UNKNOWN,
        "maxPodsConstraint": {"maxPodsPerNode": UNKNOWN},
        "nodeDrainConfig": UNKNOWN,
    }


JSON = st.recursive(
    st.integers() | WORDS, lambda inner: st.dictionaries(WORDS, inner, max_size=3), max_leaves=8
)
OBJECTS = st.dictionaries(WORDS, JSON, max_size=4)


@given(live=OBJECTS, wanted=OBJECTS)
def test_no_change_leaves_the_live_body(live: dict[str, Any], wanted: dict[str, Any]) -> None:
    assert apply_changes(live, wanted, wanted) == live


@given(old=OBJECTS, new=OBJECTS)
def test_changes_over_the_old_body_give_the_new(old: dict[str, Any], new: dict[str, Any]) -> None:
    assert drop_empty(apply_changes(old, old, new)) == drop_empty(new)


@given(body=OBJECTS, patch=OBJECTS)
def test_merge_patch_twice_is_once(body: dict[str, Any], patch: dict[str, Any]) -> None:
    once = merge_patch(body, patch)
    assert merge_patch(once, patch) == once


def test_merge_patch_removes_with_null() -> None:
    assert merge_patch({"a": {"b": 1, "c": 2}}, {"a": {"b": None}}) == {"a": {"c": 2}}
