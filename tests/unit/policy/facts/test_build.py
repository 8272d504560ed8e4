"""Whatever a program writes, its facts are read, and nothing secret is among them."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tidegate.policy.facts import capacity, commitments, idle, signals, storage
from tidegate.policy.facts.build import build_facts
from tidegate.policy.graph import Provider, Resource
from tidegate.policy.values import SECRET, UNKNOWN, decode_properties

NAMES = sorted(
    {
        "scalingConfig minSize maxSize capacityType instanceTypes mixedInstancesPolicy",
        "instancesDistribution onDemandBaseCapacity launchTemplate overrides autoscaling",
        "nodeConfig spot nodeLocations agentPoolProfiles count maxCount priority sku capacity",
        "properties computeType spec template requirements limits nodes values key status",
        "vmSize instanceType machineType scheduling instanceMarketOptions virtualMachineProfile",
        "productionVariants managedInstanceScaling serviceNamespace minCapacity scaling",
        "lifecycleRules rules filter and prefix expiration days transitions action condition",
        "type age matchesPrefixes policy definition actions baseBlob delete filters costFilters",
        "notifications budgetFilter labels thresholdRules tags name metadata containers env",
        "endDate autoRenew plan region location environment variables data labelExtractors",
    }
)
KEYS = st.sampled_from([name for line in NAMES for name in line.split()])
TEXTS = st.sampled_from(
    ["", "SPOT", "1", "us-east-1a", "PT5M", "Delete", "AmlCompute", "LOG_LEVEL"]
)
LEAVES = (
    st.none() | st.booleans() | st.integers(-3, 300) | TEXTS | st.just(UNKNOWN) | st.just(SECRET)
)
VALUES = st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4)
)
PROPERTIES = st.dictionaries(KEYS, VALUES, max_size=6)
TYPES = sorted(
    {
        *capacity._BUILDERS,
        *commitments._BUILDERS,
        *idle._BUILDERS,
        *signals._MAPS,
        *signals._LISTS,
        *signals._MONITORS,
        *storage.S3_BUCKETS,
        *storage.S3_LIFECYCLES,
        "aws:s3/bucketVersioning:BucketVersioning",
        "azure-native:storage:BlobServiceProperties",
        "azure-native:storage:ManagementPolicy",
        "azure-native:storage:StorageAccount",
        "gcp:storage/bucket:Bucket",
        "aws:budgets/budget:Budget",
        "gcp:billing/budget:Budget",
        "azure-native:consumption:Budget",
        "gcp:logging/metric:Metric",
        "aws:cloudwatch/logMetricFilter:LogMetricFilter",
        "gcp:monitoring/metricDescriptor:MetricDescriptor",
    }
)


def resource_of(type_token, properties, **others):
    return Resource("urn:a", type_token, "a", properties, **others)


@settings(max_examples=1000)
@given(type_token=st.sampled_from(TYPES), properties=PROPERTIES)
def test_any_properties_are_read_and_give_plain_json(type_token, properties):
    facts = build_facts(resource_of(type_token, properties))
    assert json.loads(json.dumps(facts)) == facts


@pytest.mark.parametrize("type_token", TYPES)
def test_a_resource_that_says_nothing_is_read(type_token):
    assert isinstance(build_facts(resource_of(type_token, {})), dict)


def test_no_secret_is_among_the_facts():
    mark = "plaintext-of-a-secret"
    wire = {"4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270", "value": mark}
    properties = decode_properties({"environment": {"variables": {"LOG_LEVEL": wire}}})
    provider = Provider("urn:p", decode_properties({"region": wire}))
    facts = build_facts(resource_of("aws:lambda/function:Function", properties, provider=provider))
    assert facts == {
        "logLevels": [
            {"state": "hidden", "value": None, "property": "environment.variables.LOG_LEVEL"}
        ],
        "region": {"state": "hidden", "value": None, "property": "region"},
    }


def test_resources_that_are_none_of_the_rules_business_have_no_facts():
    assert build_facts(resource_of("random:index/randomId:RandomId", {"byteLength": 8})) == {}
