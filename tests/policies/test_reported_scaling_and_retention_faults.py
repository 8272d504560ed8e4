"""Zeros, unknowns and hidden defaults that other tools read wrongly, with the right verdicts."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9"
LOG_GROUP = "aws:cloudwatch/logGroup:LogGroup"
NODE_GROUP = "aws:eks/nodeGroup:NodeGroup"
SHORT = {
    "floors": {"run-logs": {"default": 1}},
    "ceilings": {"run-logs": {"default": 30}},
    "defaultClass": "run-logs",
}


def test_zero_is_kept_and_passes(judge_every_way, make):
    # pulumi/pulumi-eks#916: a zero taken for "not given"
    group = make(
        NODE_GROUP,
        {"instanceTypes": ["p5.48xlarge"], "scalingConfig": {"minSize": 0.0, "desiredSize": 0.0}},
    )
    verdicts = judge_every_way(group, rule="TG-SCL-001")
    assert [verdict.outcome.value for verdict in verdicts] == ["pass"]


@pytest.mark.parametrize("properties", [{}, {"retentionInDays": 0.0}, {"retentionInDays": None}])
def test_retention_of_zero_or_nothing_is_for_ever(judge_every_way, make, properties):
    # bridgecrewio/checkov#5009
    verdicts = judge_every_way(make(LOG_GROUP, properties), rule="TG-TEL-001", **SHORT)
    assert [(v.outcome.value, v.property) for v in verdicts] == [("fail", "retentionInDays")]


def test_retention_within_the_budget_passes(judge_every_way, make):
    verdicts = judge_every_way(
        make(LOG_GROUP, {"retentionInDays": 30.0}), rule="TG-TEL-001", **SHORT
    )
    assert [verdict.outcome.value for verdict in verdicts] == ["pass"]


@pytest.mark.parametrize("pattern", ["Route", "/Route/", "*Route", "urn:*::Route"])
def test_an_exception_for_one_name_does_not_cover_a_longer_one(judge_every_way, make, pattern):
    # aws-cloudformation/cloudformation-guard PR#285
    group = make(
        NODE_GROUP,
        {"instanceTypes": ["p5.48xlarge"], "scalingConfig": {"minSize": 1}},
        "RouteTable",
    )
    exceptions = [{"pool": pattern, "serviceLevel": "x", "owner": "y"}]
    verdicts = judge_every_way(group, rule="TG-SCL-001", exceptions=exceptions)
    assert [verdict.outcome.value for verdict in verdicts] == ["fail"]


def test_a_cpu_pool_of_a_minimal_cluster_is_not_judged(judge_every_way, make):
    pools = [
        make(NODE_GROUP, {"instanceTypes": ["m7i.large"], "scalingConfig": {"minSize": 1}}),
        make(
            "gcp:container/nodePool:NodePool",
            {"nodeConfig": {"machineType": "e2-standard-4"}, "nodeCount": 1},
        ),
        make(
            "azure-native:containerservice:ManagedCluster",
            {
                "agentPoolProfiles": [
                    {"name": "system", "mode": "System", "count": 1, "vmSize": "Standard_D2s_v5"}
                ]
            },
        ),
    ]
    assert judge_every_way(*pools, rule="TG-SCL-001") == []


# What the protocol can carry where a program is wrong, or writes an odd thing.
ANY_VALUE = st.recursive(
    st.none()
    | st.booleans()
    | st.floats(allow_nan=False, allow_infinity=False, width=32)
    | st.text(max_size=8)
    | st.just(UNKNOWN)
    | st.just("[secret]"),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3)
    ),
    max_leaves=6,
)


def properties_of(*names: str) -> st.SearchStrategy:
    return st.fixed_dictionaries({}, optional=dict.fromkeys(names, ANY_VALUE))


CONFIG = properties_of(
    "minSize", "desiredSize", "machineType", "labels", "tags", "guestAccelerators", "launchTemplate"
)
PLAIN_PROPERTIES = [
    "tags",
    "labels",
    "taints",
    "nodeTaints",
    "nodeLabels",
    "instanceTypes",
    "amiType",
    "vmSize",
    "mode",
    "count",
    "minCount",
    "minSize",
    "enableAutoScaling",
    "initialNodeCount",
    "capacityType",
    "tagSpecifications",
    "retentionInDays",
    "totalRetentionInDays",
    "retentionDays",
    "workspaceName",
    "name",
    "bucketId",
    "logGroupClass",
]
POOL = st.fixed_dictionaries(
    {},
    optional={
        **dict.fromkeys(PLAIN_PROPERTIES, ANY_VALUE),
        "scalingConfig": ANY_VALUE | CONFIG,
        "nodeConfig": ANY_VALUE | CONFIG,
        "autoscaling": ANY_VALUE | CONFIG,
        "launchTemplate": ANY_VALUE | CONFIG,
        "mixedInstancesPolicy": ANY_VALUE | CONFIG,
        "agentPoolProfiles": ANY_VALUE | st.lists(CONFIG, max_size=2),
    },
)
ACCELERATED = {
    NODE_GROUP: {"instanceTypes": ["p5.48xlarge"]},
    "gcp:container/nodePool:NodePool": {"nodeConfig": {"machineType": "a3-highgpu-8g"}},
    "azure-native:containerservice:AgentPool": {"vmSize": "Standard_NC24ads_A100_v4"},
}
STREAMS = [
    LOG_GROUP,
    "gcp:logging/projectBucketConfig:ProjectBucketConfig",
    "azure-native:operationalinsights:Workspace",
    "azure-native:operationalinsights:Table",
]
REAL_ENGINE = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@REAL_ENGINE
@given(properties=POOL, stream=st.sampled_from(STREAMS), complete=st.booleans())
def test_a_stream_always_gets_one_word_whatever_its_properties(
    judge, make, properties, stream, complete
):
    verdicts = judge(make(stream, properties), rule="TG-TEL-001", complete=complete)
    assert len(verdicts) == 1


@REAL_ENGINE
@given(properties=POOL, pool=st.sampled_from(sorted(ACCELERATED)), complete=st.booleans())
def test_an_accelerated_pool_always_gets_one_word_whatever_its_properties(
    judge, make, properties, pool, complete
):
    resource = make(pool, {**properties, **ACCELERATED[pool]})
    assert len(judge(resource, rule="TG-SCL-001", complete=complete)) == 1


LABELLED = [
    NODE_GROUP,
    "aws:autoscaling/group:Group",
    "aws:ec2/launchTemplate:LaunchTemplate",
    "aws:s3/bucket:Bucket",
    "gcp:container/nodePool:NodePool",
    "azure-native:containerservice:ManagedCluster",
]


@REAL_ENGINE
@given(properties=POOL, type_token=st.sampled_from(LABELLED), complete=st.booleans())
def test_a_labelled_type_always_gets_a_word_and_passes_only_with_labels(
    judge, make, properties, type_token, complete
):
    verdicts = judge(make(type_token, properties), rule="TG-LBL-001", complete=complete)
    assert verdicts
    # No generated map can hold six required keys.
    assert "pass" not in {verdict.outcome.value for verdict in verdicts}
