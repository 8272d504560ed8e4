"""What the local Kubernetes refuses: forms, closed sets, limits, contradictions."""

from __future__ import annotations

import httpx
import pytest

MISSING = [
    ("ConfigMap", "data", "settings", "expected a map"),
    ("Deployment", "spec__selector", None, "missing required property 'selector'"),
    ("PriorityClass", "value", None, "missing required property 'value'"),
    ("LimitRange", "spec__limits", None, "missing required property 'limits'"),
    ("Service", "spec__ports", [{"targetPort": 80}], "missing required property 'port'"),
    ("ResourceFlavor", "spec__nodeTaints", [{"key": "a"}], "missing required property 'effect'"),
    (
        "ClusterQueue",
        "spec__resourceGroups",
        [{"coveredResources": ["nvidia.com/gpu"]}],
        "missing required property 'flavors'",
    ),
    (
        "Cohort",
        "spec__resourceGroups",
        [{"flavors": []}],
        "missing required property 'coveredResources'",
    ),
    ("LocalQueue", "spec__clusterQueue", 1, "expected a string"),
    ("WorkloadPriorityClass", "value", None, "missing required property 'value'"),
    ("NodePool", "spec__template__spec__nodeClassRef", None, "missing required property"),
    ("NodePool", "spec", None, "missing required property 'spec'"),
    ("EC2NodeClass", "spec__amiSelectorTerms", None, "missing required property"),
    ("ScaledObject", "spec__triggers", None, "missing required property 'triggers'"),
    ("AdmissionCheck", "spec__controllerName", None, "missing required property"),
    ("ProvisioningRequestConfig", "spec__provisioningClassName", None, "missing required"),
    ("ResourceQuota", "spec__hard", ["pods"], "expected a map"),
    ("Namespace", "metadata__labels", ["a"], "expected a map"),
]


@pytest.mark.parametrize(("kind", "path", "value", "reason"), MISSING)
def test_a_missing_or_misshapen_property_is_refused(engine, body, kind, path, value, reason):
    refused = engine.refusals(kind, body(kind, **{path: value}))

    (said,) = refused.values()
    assert said.startswith(reason)


BAD = [
    ("Namespace", "metadata__name", "Team_A", "metadata.name"),
    ("Namespace", "metadata__labels", {"a": "no spaces please"}, "metadata.labels.a"),
    ("ResourceQuota", "spec__hard", {"pods": "many"}, "spec.hard.pods"),
    ("LimitRange", "spec__limits", [{"type": "Node"}], "spec.limits[0].type"),
    ("Service", "spec__type", "Internal", "spec.type"),
    ("Service", "spec__ports", [{"port": 70000}], "spec.ports[0].port"),
    ("PriorityClass", "value", 1_000_000_001, "value"),
    ("PriorityClass", "preemptionPolicy", "Always", "preemptionPolicy"),
    ("Deployment", "spec__strategy", {"type": "Blue"}, "spec.strategy.type"),
    ("Deployment", "spec__replicas", -1, "spec.replicas"),
    (
        "ResourceFlavor",
        "spec__nodeTaints",
        [{"key": "a", "effect": "NO_SCHEDULE"}],
        "spec.nodeTaints[0].effect",
    ),
    (
        "ResourceFlavor",
        "spec__nodeLabels",
        {str(number): "x" for number in range(9)},
        "spec.nodeLabels",
    ),
    ("ClusterQueue", "spec__queueingStrategy", "FIFO", "spec.queueingStrategy"),
    (
        "ClusterQueue",
        "spec__flavorFungibility",
        {"whenCanBorrow": "Borrow"},
        "spec.flavorFungibility.whenCanBorrow",
    ),
    ("ClusterQueue", "spec__cohortName", "GPUs", "spec.cohortName"),
    ("Cohort", "spec__parentName", "-all", "spec.parentName"),
    ("LocalQueue", "spec__stopPolicy", "Stop", "spec.stopPolicy"),
    (
        "ProvisioningRequestConfig",
        "spec__podSetMergePolicy",
        "All",
        "spec.podSetMergePolicy",
    ),
    ("WorkloadPriorityClass", "value", 2**31, "value"),
    ("NodePool", "spec__weight", 0, "spec.weight"),
    (
        "NodePool",
        "spec__disruption",
        {"consolidateAfter": "5 minutes"},
        "spec.disruption.consolidateAfter",
    ),
    (
        "NodePool",
        "spec__disruption",
        {"consolidateAfter": "5m", "consolidationPolicy": "Always"},
        "spec.disruption.consolidationPolicy",
    ),
    (
        "NodePool",
        "spec__disruption",
        {"consolidateAfter": "5m", "budgets": [{"nodes": "1", "reasons": ["Bored"]}]},
        "spec.disruption.budgets[0].reasons[0]",
    ),
    ("EC2NodeClass", "spec__instanceStorePolicy", "RAID1", "spec.instanceStorePolicy"),
    ("EC2NodeClass", "spec__subnetSelectorTerms", [], "spec.subnetSelectorTerms"),
    (
        "EC2NodeClass",
        "spec__blockDeviceMappings",
        [{"ebs": {"volumeType": "gp9"}}],
        "spec.blockDeviceMappings[0].ebs.volumeType",
    ),
    ("ScaledObject", "spec__idleReplicaCount", 2, "spec.idleReplicaCount"),
    (
        "PersistentVolumeClaim",
        "spec__accessModes",
        ["ReadWrite"],
        "spec.accessModes[0]",
    ),
    (
        "PersistentVolumeClaim",
        "spec__resources__requests",
        {"storage": "one"},
        "spec.resources.requests.storage",
    ),
    ("NetworkPolicy", "spec__policyTypes", ["Outward"], "spec.policyTypes[0]"),
    (
        "NetworkPolicy",
        "spec__egress",
        [{"ports": [{"protocol": "ICMP"}]}],
        "spec.egress[0].ports[0].protocol",
    ),
    (
        "PodMonitor",
        "spec__podMetricsEndpoints",
        [{"port": "http", "scheme": "ftp"}],
        "spec.podMetricsEndpoints[0].scheme",
    ),
    ("ServiceMonitor", "spec__endpoints", None, "spec.endpoints"),
    (
        "ScaledObject",
        "spec__fallback",
        {"failureThreshold": 3, "replicas": 1, "behavior": "guess"},
        "spec.fallback.behavior",
    ),
]


@pytest.mark.parametrize(("kind", "path", "value", "place"), BAD)
def test_a_value_beyond_its_limit_or_closed_set_is_refused(engine, body, kind, path, value, place):
    assert [*engine.refusals(kind, body(kind, **{path: value}))] == [place]


def group(*resources, covered=("nvidia.com/gpu",), flavor="spot"):
    return {
        "coveredResources": [*covered],
        "flavors": [{"name": flavor, "resources": [*resources]}],
    }


GPU = {"name": "nvidia.com/gpu", "nominalQuota": 4}
CPU = {"name": "cpu", "nominalQuota": "4"}
CONTRADICTIONS = [
    ("ClusterQueue", {"spec__cohortName": None}, "must be nil when cohort is empty"),
    (
        "ClusterQueue",
        {"spec__resourceGroups": [group({**GPU, "lendingLimit": 5})]},
        "must be less than or equal to the nominalQuota",
    ),
    (
        "ClusterQueue",
        {"spec__resourceGroups": [group(CPU, GPU, covered=("nvidia.com/gpu", "cpu"))]},
        "must list the coveredResources of its group, in the same order",
    ),
    (
        "ClusterQueue",
        {"spec__resourceGroups": [group(GPU), group(CPU, covered=("cpu",))]},
        "each flavor can only be in one group, once",
    ),
    (
        "ClusterQueue",
        {"spec__resourceGroups": [group(GPU), group(GPU, flavor="other")]},
        "each resource can only be in one group, once",
    ),
    (
        "ClusterQueue",
        {"spec__flavorFungibility": {"preference": "PreemptionOverBorrowing"}},
        "preference needs whenCanBorrow and whenCanPreempt to be TryNextFlavor",
    ),
    (
        "ClusterQueue",
        {"spec__preemption": {"borrowWithinCohort": {"policy": "LowerPriority"}}},
        "reclaimWithinCohort=Never and borrowWithinCohort.Policy!=Never",
    ),
    (
        "Cohort",
        {"spec__resourceGroups": [group({**GPU, "borrowingLimit": 1})]},
        "must be nil when parent is empty",
    ),
    (
        "ResourceFlavor",
        {"spec": {"topologyName": "racks"}},
        "at least one nodeLabel is required when topology is set",
    ),
    (
        "ResourceFlavor",
        {"spec__tolerations": [{"operator": "Equal"}]},
        "operator must be Exists when 'key' is empty",
    ),
    (
        "ResourceFlavor",
        {"spec__tolerations": [{"key": "a", "operator": "Exists", "value": "b"}]},
        "a value must be empty when 'operator' is 'Exists'",
    ),
    (
        "Deployment",
        {"spec__selector": {"matchLabels": {"app": "other"}}},
        "`selector` does not match template `labels`",
    ),
    ("Deployment", {"spec__selector": {}}, "empty selector is invalid for deployment"),
    (
        "NodePool",
        {"spec__disruption": {"consolidateAfter": "0s", "budgets": [{"schedule": "0 9 * * 1"}]}},
        "'schedule' must be set with 'duration'",
    ),
    (
        "NodePool",
        {"spec__template__spec__requirements": [{"key": "a", "operator": "In"}]},
        "requirements with operator 'In' must have a value defined",
    ),
    (
        "NodePool",
        {"spec__template__spec__requirements": [{"key": "a", "operator": "Gt", "values": ["x"]}]},
        "operator 'Gt' must have a single positive integer value",
    ),
    (
        "NodePool",
        {
            "spec__template__spec__requirements": [
                {"key": "karpenter.sh/nodepool", "operator": "Exists"}
            ]
        },
        "label 'karpenter.sh/nodepool' is restricted",
    ),
    (
        "NodePool",
        {"spec__replicas": 2},
        "only 'limits.nodes' is supported on static NodePools",
    ),
    (
        "EC2NodeClass",
        {"spec__instanceProfile": "nodes"},
        "must specify exactly one of ['role', 'instanceProfile']",
    ),
    (
        "EC2NodeClass",
        {"spec__tags": {"karpenter.sh/nodepool": "x"}},
        "tag contains a restricted tag matching karpenter.sh/nodepool",
    ),
    (
        "EC2NodeClass",
        {"spec__amiSelectorTerms": [{"id": "ami-1"}]},
        "must specify amiFamily if amiSelectorTerms does not contain an alias",
    ),
    (
        "EC2NodeClass",
        {"spec__subnetSelectorTerms": [{"id": "subnet-1", "tags": {"a": "b"}}]},
        "'id' is mutually exclusive, cannot be set with other fields",
    ),
    (
        "ScaledObject",
        {"spec__minReplicaCount": 5},
        "MinReplicaCount=5 must be less than MaxReplicaCount=4",
    ),
    (
        "ScaledObject",
        {"spec__idleReplicaCount": 0},
        "IdleReplicaCount=0 must be less than MinReplicaCount=0",
    ),
    ("ClusterQueue", {"metadata__namespace": "default"}, "a ClusterQueue stands in no namespace"),
]


@pytest.mark.parametrize(
    ("kind", "changes", "reason"), CONTRADICTIONS, ids=[each[2][:60] for each in CONTRADICTIONS]
)
def test_what_contradicts_itself_is_refused_alike_by_the_provider_and_the_api(
    engine, kubeconfig, body, kind, changes, reason
):
    asked = body(kind, **changes)

    refused = engine.refusals(kind, asked)

    assert any(reason in said for said in refused.values()), refused
    if "namespace" not in asked["metadata"]:
        server = kubeconfig["clusters"][0]["cluster"]["server"]
        version, plural = asked["apiVersion"], f"{kind.lower()}{'es' * kind.endswith('s') or 's'}"
        answer = httpx.post(f"{server}/apis/{version}/{plural}", json=asked)
        assert answer.status_code == 422
        assert reason in answer.json()["message"]


def test_unknown_fields_are_refused_as_strict_decoding_would(engine, body):
    assert engine.refusals("ClusterQueue", body("ClusterQueue", spec__cohort="gpus")) == {
        "spec.cohort": "unknown property 'cohort'; did you mean 'cohortName'?"
    }


def test_an_unknown_kind_is_no_type_and_the_version_that_is_served_is_named(engine):
    from tidegate.localclouds.schema import UnknownType

    with pytest.raises(
        UnknownType, match=r"did you mean kubernetes:kueue\.x-k8s\.io/v1beta2:ClusterQ"
    ):
        engine.find("kubernetes:kueue.x-k8s.io/v1beta1:ClusterQueue", "r")
