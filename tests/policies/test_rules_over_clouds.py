"""Each rule on plain resources, from what the protocol carries to its verdict."""

from __future__ import annotations

import pytest

UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9"
LABELS = {
    "environment": "prod",
    "owner": "ml-platform",
    "business-unit": "research",
    "platform-project": "vision",
    "workload-class": "training",
    "cost-center": "cc-100",
}
SERVING = {**LABELS, "workload-class": "inference"}
NODE_GROUP = "aws:eks/nodeGroup:NodeGroup"
NODE_POOL = "gcp:container/nodePool:NodePool"
AGENT_POOL = "azure-native:containerservice:AgentPool"
S3, GCS = "aws:s3/bucket:Bucket", "gcp:storage/bucket:Bucket"
COMMITMENT = "gcp:compute/regionCommitment:RegionCommitment"
DELETE = {"action": {"type": "Delete"}, "condition": {"age": 14}}
ANYTIME = {"action": {"type": "Delete"}, "condition": {"matchesPrefixes": ["old/"]}}
WORKBENCH = "gcp:workbench/instance:Instance"
ENVIRONMENT = {"environment": {"variables": {"LOG_LEVEL": "DEBUG"}}}


def spot(labels):
    return {"nodeConfig": {"spot": True, "resourceLabels": labels}}


def moving(days, expiry):
    rule = {
        "status": "Enabled",
        "transitions": [{"days": days, "storageClass": "STANDARD_IA"}],
        "expiration": {"days": expiry},
    }
    return {"bucket": "b", "rules": [rule]}


# rule, type, properties, outcome
CASES = [
    ("TG-LBL-002", S3, {"tags": {**LABELS, "workload-class": "trainings"}}, "fail"),
    ("TG-LBL-002", GCS, {"labels": LABELS}, "pass"),
    ("TG-LBL-002", S3, {"tags": {**LABELS, "workload-class": UNKNOWN}}, "unknown"),
    ("TG-LBL-003", S3, {"tags": {**LABELS, "run-id": "7f3"}}, "fail"),
    ("TG-LBL-003", NODE_POOL, {"nodeConfig": {"resourceLabels": LABELS}}, "pass"),
    ("TG-LBL-005", S3, {"tags": {**LABELS, "expires-on": "2026-01-01"}}, "fail"),
    ("TG-SCL-003", NODE_GROUP, {"scalingConfig": {"maxSize": 101}, "tags": LABELS}, "fail"),
    ("TG-SCL-003", NODE_GROUP, {"scalingConfig": {"maxSize": 100}, "tags": LABELS}, "pass"),
    ("TG-SCL-003", NODE_GROUP, {"scalingConfig": {"maxSize": UNKNOWN}}, "unknown"),
    ("TG-SCL-003", AGENT_POOL, {"enableAutoScaling": True, "maxCount": 900}, "fail"),
    ("TG-SCL-003", "kubernetes:karpenter.sh/v1:NodePool", {"spec": {}}, "fail"),
    ("TG-SCL-003", "kubernetes:karpenter.sh/v1:NodePool", {"spec": {"limits": {"cpu": 9}}}, "pass"),
    ("TG-SPT-001", NODE_GROUP, {"capacityType": "ON_DEMAND", "tags": LABELS}, "fail"),
    ("TG-SPT-001", AGENT_POOL, {"scaleSetPriority": "Spot", "tags": LABELS}, "pass"),
    ("TG-SPT-002", NODE_POOL, spot(SERVING), "fail"),
    ("TG-SPT-002", NODE_GROUP, {"capacityType": "SPOT", "tags": SERVING}, "fail"),
    ("TG-SPT-002", AGENT_POOL, {"scaleSetPriority": "Regular", "tags": SERVING}, "pass"),
    ("TG-SPT-002", NODE_GROUP, {"capacityType": UNKNOWN, "tags": SERVING}, "unknown"),
    ("TG-SPT-003", NODE_POOL, spot(LABELS), "fail"),
    ("TG-SPT-003", NODE_POOL, spot({**LABELS, "checkpoint-interval-seconds": "900"}), "pass"),
    ("TG-CMT-001", COMMITMENT, {"plan": "TWELVE_MONTH"}, "fail"),
    ("TG-CMT-002", COMMITMENT, {"plan": "TWELVE_MONTH"}, "fail"),
    ("TG-CMT-003", "azure-native:compute:CapacityReservation", {"tags": LABELS}, "fail"),
    (
        "TG-CMT-003",
        "azure-native:compute:CapacityReservation",
        {"tags": {**LABELS, "commitment-end": "2027-06-30"}},
        "pass",
    ),
    ("TG-CMT-004", COMMITMENT, {"autoRenew": True}, "fail"),
    ("TG-CMT-004", COMMITMENT, {"autoRenew": UNKNOWN}, "unknown"),
    ("TG-CMT-006", COMMITMENT, {"plan": "THIRTY_SIX_MONTH"}, "pass"),
    ("TG-CMT-006", "aws:savingsplans/savingsPlan:SavingsPlan", {"commitment": "1"}, "unknown"),
    ("TG-STO-001", GCS, {}, "fail"),
    ("TG-STO-001", GCS, {"lifecycleRules": [DELETE]}, "pass"),
    ("TG-STO-001", GCS, {"lifecycleRules": UNKNOWN}, "unknown"),
    ("TG-STO-001", S3, {}, "fail"),
    ("TG-STO-001", "azure-native:storage:StorageAccount", {"accountName": "a"}, "fail"),
    ("TG-STO-002", GCS, {"labels": {**LABELS, "data-class": "scratch"}}, "fail"),
    (
        "TG-STO-002",
        GCS,
        {"labels": {**LABELS, "data-class": "scratch"}, "lifecycleRules": [DELETE]},
        "pass",
    ),
    (
        "TG-STO-003",
        "aws:s3/bucketLifecycleConfiguration:BucketLifecycleConfiguration",
        moving(30, 40),
        "fail",
    ),
    (
        "TG-STO-003",
        "aws:s3/bucketLifecycleConfiguration:BucketLifecycleConfiguration",
        moving(7, 90),
        "fail",
    ),
    (
        "TG-STO-003",
        "aws:s3/bucketLifecycleConfiguration:BucketLifecycleConfiguration",
        moving(30, 90),
        "pass",
    ),
    ("TG-STO-004", GCS, {"lifecycleRules": [ANYTIME]}, "fail"),
    ("TG-STO-004", GCS, {"lifecycleRules": [DELETE]}, "pass"),
    ("TG-STO-005", GCS, {"versioning": {"enabled": True}, "lifecycleRules": [DELETE]}, "fail"),
    ("TG-STO-006", GCS, {"lifecycleRules": [DELETE]}, "fail"),
    ("TG-TEL-003", "gcp:logging/metric:Metric", {"labelExtractors": {"run_id": "x"}}, "fail"),
    ("TG-TEL-003", "gcp:logging/metric:Metric", {"labelExtractors": {"model": "x"}}, "pass"),
    ("TG-TEL-004", "aws:lambda/function:Function", {**ENVIRONMENT, "tags": LABELS}, "fail"),
    ("TG-IDL-001", WORKBENCH, {"labels": LABELS}, "fail"),
    ("TG-IDL-001", "aws:sagemaker/notebookInstance:NotebookInstance", {"tags": LABELS}, "fail"),
    (
        "TG-IDL-002",
        "kubernetes:keda.sh/v1alpha1:ScaledObject",
        {"spec": {"cooldownPeriod": 7200}},
        "fail",
    ),
    ("TG-BGT-002", "gcp:billing/budget:Budget", {}, "fail"),
    ("TG-BGT-002", "aws:budgets/budget:Budget", {"notifications": UNKNOWN}, "unknown"),
    (
        "TG-SCL-002",
        "gcp:vertex/aiDeploymentResourcePool:AiDeploymentResourcePool",
        {"dedicatedResources": {"minReplicaCount": 1}},
        "fail",
    ),
    (
        "TG-KUB-001",
        "kubernetes:core/v1:Namespace",
        {"metadata": {"name": "vision"}},
        "fail",
    ),
]


@pytest.mark.parametrize(
    ("rule", "type_token", "properties", "outcome"),
    CASES,
    ids=[f"{case[0]}-{case[1].rpartition(':')[2]}-{case[3]}" for case in CASES],
)
def test_a_rule_judges_plain_resources(judge, make, rule, type_token, properties, outcome):
    verdicts = judge(make(type_token, properties), rule=rule, complete=True)
    assert {verdict.outcome.value for verdict in verdicts} == {outcome}


REGIONS = {"regions": {"aws": ["us-*"], "gcp": ["us-*"], "azure": ["eastus"]}}


@pytest.mark.parametrize(
    ("type_token", "properties", "provider", "outcome"),
    [
        (S3, {"region": "us-east-1"}, {}, "pass"),
        (S3, {}, {"region": "ap-south-1"}, "fail"),
        (GCS, {"location": "EUROPE-WEST4"}, {}, "fail"),
        ("azure-native:storage:StorageAccount", {"location": "East US"}, {}, "pass"),
        (S3, {"region": UNKNOWN}, {}, "unknown"),
    ],
)
def test_regions_are_allowed_by_cloud(judge, make, type_token, properties, provider, outcome):
    resource = make(type_token, properties, provider=provider)
    (verdict,) = judge(resource, rule="TG-PLC-001", **REGIONS)
    assert verdict.outcome.value == outcome


def test_data_of_a_class_stays_where_it_may_lie(judge, make):
    residency = {"personal": ["eu-*"]}
    tags = {**LABELS, "data-class": "personal"}
    for region, outcome in (("eu-west-1", "pass"), ("us-east-1", "fail"), (UNKNOWN, "unknown")):
        bucket = make(S3, {"tags": tags, "region": region})
        (verdict,) = judge(bucket, rule="TG-PLC-002", residency=residency)
        assert verdict.outcome.value == outcome


def test_compute_far_from_its_dataset_is_said(judge, make):
    labels = {**LABELS, "dataset": "images"}
    bucket = make(GCS, {"location": "US", "labels": labels}, "images")
    for region, outcome in (("us-central1", "pass"), ("europe-west4", "fail")):
        pool = make(NODE_POOL, {"location": region, "nodeConfig": {"resourceLabels": labels}})
        (verdict,) = judge(bucket, pool, rule="TG-PLC-003", complete=True)
        assert verdict.outcome.value == outcome


def test_a_lifecycle_that_stands_apart_is_found_by_what_it_is_computed_from(judge, make):
    bucket = make(S3, {}, "runs")
    lifecycle = make(
        "aws:s3/bucketLifecycleConfiguration:BucketLifecycleConfiguration",
        {"bucket": UNKNOWN, "rules": [{"status": "Enabled", "expiration": {"days": 7}}]},
        "runs-lifecycle",
        dependencies={"bucket": (bucket.urn,)},
    )
    found = judge(bucket, lifecycle, rule="TG-STO-001", complete=True)
    assert [verdict.outcome.value for verdict in found] == ["pass"]


def test_a_cost_centre_needs_a_budget_that_watches_it(judge, make):
    bucket = make(S3, {"tags": LABELS})
    for value, outcome in (("user:cost-center$cc-100", "pass"), ("user:cost-center$cc-9", "fail")):
        budget = make(
            "aws:budgets/budget:Budget",
            {"costFilters": [{"name": "TagKeyValue", "values": [value]}]},
            "budget",
        )
        (verdict,) = judge(bucket, budget, rule="TG-BGT-001", complete=True)
        assert (verdict.urn, verdict.outcome.value) == ("", outcome)


def test_a_pool_and_a_stack_have_ceilings(judge, make):
    group = make(
        NODE_GROUP,
        {
            "region": "us-east-1",
            "instanceTypes": ["p5.48xlarge"],
            "scalingConfig": {"maxSize": 4},
            "tags": LABELS,
        },
    )
    for rule in ("TG-SCL-004", "TG-SCL-005"):
        for ceiling, outcome in ((1000, "pass"), (100, "fail")):
            (verdict,) = judge(group, rule=rule, complete=True, hourlyCeilings={"default": ceiling})
            assert verdict.outcome.value == outcome


def test_what_the_engine_is_about_to_do_with_a_commitment_is_judged_where_it_is_told(judge, make):
    for operation, outcomes in (("replace", ["fail"]), ("update", ["pass"]), ("", [])):
        plan = make("aws:savingsplans/savingsPlan:SavingsPlan", {}, operation=operation)
        found = judge(plan, rule="TG-CMT-005")
        assert [verdict.outcome.value for verdict in found] == outcomes


def test_a_stack_has_a_telemetry_budget(judge, make):
    groups = [
        make(
            "aws:cloudwatch/logGroup:LogGroup",
            {"tags": {**LABELS, "expected-gib-per-month": gib}},
            f"g{gib}",
        )
        for gib in ("100", "200")
    ]
    for budget, outcome in ((300, "pass"), (299, "fail")):
        (verdict,) = judge(
            *groups, rule="TG-TEL-002", complete=True, maxGibPerMonth={"default": budget}
        )
        assert verdict.outcome.value == outcome


def test_a_launch_template_that_labels_for_another_owner_is_said(judge, make):
    other = {**LABELS, "owner": "other"}
    template = make(
        "aws:ec2/launchTemplate:LaunchTemplate",
        {
            "tags": LABELS,
            "tagSpecifications": [{"resourceType": "instance", "tags": other}],
        },
    )
    verdicts = judge(template, rule="TG-LBL-004")
    failed = [verdict.property for verdict in verdicts if verdict.outcome.value == "fail"]
    assert failed == ["owner"]
