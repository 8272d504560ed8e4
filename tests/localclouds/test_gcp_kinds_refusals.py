"""What Google refuses of its kinds: what is missing, what is out of range, what does not exist."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from support import gcp_inputs as given

from tidegate.localclouds.contracts import UNKNOWN, World
from tidegate.localclouds.gcp.cloud import build_gcp_cloud
from tidegate.localclouds.refusals import CloudError

ABSENT = f"projects/{given.PROJECT}/topics/absent"
NOBODY = f"nobody-here@{given.PROJECT}.iam.gserviceaccount.com"


@pytest.fixture
def engine(world: World, make_engine: Any) -> Any:
    return make_engine(build_gcp_cloud(world), world, given.SETTINGS)


@pytest.fixture
def furnished(engine: Any) -> Any:
    given.declare_base(engine)
    return engine


MISSING: dict[str, str] = {
    "subscription": "topic",
    "sink": "destination",
    "metric": "filter",
    "role": "permissions",
    "project-member": "role",
    "topic-member": "topic",
    "account-member": "serviceAccountId",
    "bucket-member": "bucket",
    "budget": "amount",
    "channel": "type",
    "endpoint": "displayName",
    "notebook": "location",
    "template": "machineType",
    "global-template": "disks",
    "group": "versions",
    "zone-group": "baseInstanceName",
    "future": "timeWindow",
}


@pytest.mark.parametrize("case", sorted(MISSING))
def test_missing_required_property_is_refused(engine: Any, case: str) -> None:
    token, inputs = given.EVERY_KIND[case]
    left = {key: value for key, value in inputs.items() if key != MISSING[case]}
    refusals = engine.refusals(token, left)
    assert refusals == {MISSING[case]: f"missing required property '{MISSING[case]}'"}


def test_condition_without_title_or_expression_is_refused(engine: Any) -> None:
    token, inputs = given.EVERY_KIND["project-member"]
    for word in ("title", "expression"):
        condition = {key: "x" for key in ("title", "expression") if key != word}
        refusals = engine.refusals(token, {**inputs, "condition": condition})
        assert list(refusals) == [f"condition.{word}"]
        empty = engine.refusals(token, {**inputs, "condition": {**condition, word: ""}})
        assert empty == {"condition": f"Condition {word} must not be empty."}


# Case → kind, changes, the property that is refused, words of the reason.
BAD: dict[str, tuple[str, dict[str, Any], str, str]] = {
    "topic-name": ("topic", {"name": "go"}, "name", "3 to 255"),
    "topic-reserved": ("topic", {"name": "google-x"}, "name", "reserved"),
    "topic-labels": ("topic", {"labels": {"Team": "ml"}}, "labels.Team", "Invalid label key"),
    "topic-retention": ("topic", {"messageRetentionDuration": "60s"}, "messageRetentionDuration",
                        "600s to 2678400s"),
    "topic-transforms": ("topic", {"messageTransforms": [{"disabled": True}]},
                         "messageTransforms", "do not emulate"),
    "subscription-deadline": ("subscription", {"ackDeadlineSeconds": 601}, "ackDeadlineSeconds",
                              "0 to 600"),
    "subscription-duration": ("subscription", {"messageRetentionDuration": "7d"},
                              "messageRetentionDuration", "Invalid duration"),
    "subscription-attempts": (
        "subscription",
        {"deadLetterPolicy": {"deadLetterTopic": given.TOPIC_NAME, "maxDeliveryAttempts": 4}},
        "deadLetterPolicy.maxDeliveryAttempts", "5 to 100"),
    "subscription-filter": ("subscription", {"filter": 'attributes.a="b"'}, "filter",
                            "do not emulate"),
    "sink-filter": ("sink", {"filter": 'a="b'}, "filter", "Unparseable filter"),
    "sink-function": ("sink", {"filter": 'ip_in_net(a, "10.0.0.0/8")'}, "filter", "ip_in_net"),
    "sink-name": ("sink", {"name": "a b"}, "name", "at most 100"),
    "metric-kind": ("metric", {"metricDescriptor": {"metricKind": "RATE", "valueType": "INT64"}},
                    "metricDescriptor.metricKind", "DELTA"),
    "metric-extractor": ("metric", {"valueExtractor": None}, "valueExtractor", "value extractor"),
    "metric-labels": ("metric", {"labelExtractors": {"region": "EXTRACT(a)"}}, "labelExtractors",
                      "region, zone"),
    "role-id": ("role", {"roleId": "tidegate-controller"}, "roleId", "Invalid role id"),
    "role-permission": ("role", {"permissions": ["compute.admin"]}, "permissions[0]",
                        "not valid for a role of a project"),
    "role-above": ("role", {"permissions": ["resourcemanager.projects.list"]}, "permissions[0]",
                   "not valid"),
    "role-stage": ("role", {"stage": "DONE"}, "stage", "ALPHA"),
    "member-sort": ("project-member", {"member": "ops@example.com"}, "member", "user:a@b.c"),
    "member-role": ("topic-member", {"role": "pubsub.publisher"}, "role", "roles/"),
    "member-basic": ("project-member", {"role": "roles/viewer"}, "condition", "basic role"),
    "budget-projects": ("budget", {"budgetFilter": {"projects": ["projects/my-project"]}},
                        "budgetFilter.projects[0]", "its number"),
    "budget-labels": ("budget", {"budgetFilter": {"labels": {"a": "b", "c": "d"}}},
                      "budgetFilter.labels", "Only one label"),
    "budget-amount": ("budget", {"amount": {"lastPeriodAmount": True, "specifiedAmount": {
        "units": "1"}}}, "amount", "Exactly one"),
    "budget-basis": ("budget", {"thresholdRules": [{"thresholdPercent": 1, "spendBasis": "X"}]},
                     "thresholdRules[0].spendBasis", "FORECASTED_SPEND"),
    "budget-forecast": (
        "budget",
        {"budgetFilter": {"customPeriod": {"startDate": {"day": 1, "month": 1, "year": 2027}}},
         "thresholdRules": [{"thresholdPercent": 1, "spendBasis": "FORECASTED_SPEND"}]},
        "thresholdRules[0].spendBasis", "calendar period"),
    "budget-account": ("budget", {"billingAccount": "my-account"}, "billingAccount",
                       "does not match"),
    "channel-type": ("channel", {"type": "pigeon"}, "type", "Unknown channel type"),
    "channel-labels": ("channel", {"labels": {"address": "a@b.c"}}, "labels", "email_address"),
    "endpoint-name": ("endpoint", {"name": "0123"}, "name", "at most 10 digits"),
    "endpoint-place": ("endpoint", {"location": "us-central1-a"}, "location", "Invalid region"),
    "endpoint-split": ("endpoint", {"trafficSplit": '{"1": 50}'}, "trafficSplit", "not to 100"),
    "pool-zero": ("resource-pool", {"dedicatedResources": {
        "minReplicaCount": 0, "machineSpec": {"machineType": "n1-standard-8"}}},
        "dedicatedResources.minReplicaCount", "At least 1"),
    "pool-maximum": ("resource-pool", {"dedicatedResources": {
        "minReplicaCount": 3, "maxReplicaCount": 2,
        "machineSpec": {"machineType": "n1-standard-8"}}},
        "dedicatedResources.maxReplicaCount", "less than"),
    "pool-machine": ("resource-pool", {"dedicatedResources": {
        "minReplicaCount": 1, "machineSpec": {
            "machineType": "g2-standard-8", "acceleratorType": "NVIDIA_TESLA_A100",
            "acceleratorCount": 1}}},
        "dedicatedResources.machineSpec.acceleratorType", "does not match"),
    "pool-accelerator": ("resource-pool", {"dedicatedResources": {
        "minReplicaCount": 1, "machineSpec": {"machineType": "n1-standard-8",
                                              "acceleratorType": "nvidia-l4"}}},
        "dedicatedResources.machineSpec.acceleratorType", "NVIDIA_L4"),
    "notebook-place": ("notebook", {"location": "us-central1"}, "location", "Invalid zone"),
    "notebook-machine": ("notebook", {"gceSetup": {"machineType": "n2-standard-3"}},
                         "gceSetup.machineType", "does not exist"),
    "notebook-disk": ("notebook", {"gceSetup": {"dataDisks": {"diskSizeGb": "5"}}},
                      "gceSetup.dataDisks.diskSizeGb", "10 to 64000"),
    "notebook-disk-type": ("notebook", {"gceSetup": {"bootDisk": {"diskType": "pd-ssd"}}},
                           "gceSetup.bootDisk.diskType", "PD_SSD"),
    "notebook-state": ("notebook", {"desiredState": "IDLE"}, "desiredState", "ACTIVE or STOPPED"),
    "notebook-idle": ("notebook", {"gceSetup": {"metadata": {"idle-timeout-seconds": "1h"}}},
                      "gceSetup.metadata.idle-timeout-seconds", "number of seconds"),
    "template-machine": ("template", {"machineType": "g2-standard-9"}, "machineType",
                         "does not exist"),
    "template-accelerator": ("template", {"guestAccelerators": [
        {"type": "nvidia-tesla-a100", "count": 1}]}, "guestAccelerators[0]", "comes with"),
    "template-labels": ("template", {"labels": {"Owner": "ml"}}, "labels.Owner", "label key"),
    "template-disk-labels": ("template", {"disks": [{"boot": True, "labels": {"Owner": "ml"}}]},
                             "disks[0].labels.Owner", "label key"),
    "snapshot-labels": ("snapshots", {"snapshotSchedulePolicy": {
        "schedule": {"dailySchedule": {"daysInCycle": 1, "startTime": "04:00"}},
        "snapshotProperties": {"labels": {"a": "B"}}}},
        "snapshotSchedulePolicy.snapshotProperties.labels.a", "label value"),
    "channel-user-labels": ("channel", {"userLabels": {"Owner": "ml"}}, "userLabels.Owner",
                            "label key"),
    "template-name": ("template", {"name": "Spot"}, "name", "regex"),
    "template-spot": ("global-template", {"scheduling": {
        "provisioningModel": "SPOT", "automaticRestart": False}}, "scheduling.preemptible",
        "preemptible"),
    "template-restart": ("global-template", {"scheduling": {
        "provisioningModel": "SPOT", "preemptible": True}}, "scheduling.automaticRestart",
        "automaticRestart"),
    "template-model": ("global-template", {"scheduling": {"provisioningModel": "CHEAP"}},
                       "scheduling.provisioningModel", "FLEX_START"),
    "template-migrate": ("template", {"scheduling": {"onHostMaintenance": "MIGRATE"}},
                         "scheduling.onHostMaintenance", "TERMINATE"),
    "group-shape": ("group", {"distributionPolicyTargetShape": "ROUND"},
                    "distributionPolicyTargetShape", "ANY_SINGLE_ZONE"),
    "group-redistribution": ("group", {
        "distributionPolicyTargetShape": "BALANCED",
        "updatePolicy": {"type": "OPPORTUNISTIC", "minimalAction": "REPLACE"}},
        "updatePolicy.instanceRedistributionType", "needs instanceRedistributionType NONE"),
    "group-canary": ("group", {"versions": [
        {"name": "a", "instanceTemplate": given.TEMPLATE_NAME},
        {"name": "b", "instanceTemplate": given.TEMPLATE_NAME, "targetSize": {"fixed": 1}}]},
        "versions", "one version only"),
    "group-surge": ("group", {"updatePolicy": {
        "type": "PROACTIVE", "minimalAction": "REPLACE", "instanceRedistributionType": "NONE",
        "maxSurgeFixed": 1}}, "updatePolicy.maxSurgeFixed", "number of zones, 2"),
    "group-size": ("group", {"targetSize": -1}, "targetSize", "0 to 4000"),
    "group-action": ("zone-group", {"updatePolicy": {
        "type": "LAZY", "minimalAction": "REPLACE"}}, "updatePolicy.type", "PROACTIVE"),
    "group-base": ("zone-group", {"baseInstanceName": "x" * 59}, "baseInstanceName", "58"),
    "group-labels": ("group", {"allInstancesConfig": {"labels": {"A": "b"}}},
                     "allInstancesConfig.labels.A", "label key"),
    "policy-two": ("policy", {"workloadPolicy": {"type": "HIGH_THROUGHPUT"}}, "workloadPolicy",
                   "exclude each other"),
    "policy-collocation": ("policy", {"groupPlacementPolicy": {"collocation": "NEAR"}},
                           "groupPlacementPolicy.collocation", "COLLOCATED"),
    "policy-tpu": ("policy", {"groupPlacementPolicy": {"tpuTopology": "4x4"}},
                   "groupPlacementPolicy.vmCount", "needs vmCount"),
    "policy-hour": ("snapshots", {"snapshotSchedulePolicy": {"schedule": {
        "dailySchedule": {"daysInCycle": 1, "startTime": "04:30"}}}},
        "snapshotSchedulePolicy.schedule.dailySchedule.startTime", "full hour"),
    "future-window": ("future", {"timeWindow": {
        "startTime": "2027-06-01T00:00:00Z", "endTime": "2027-05-01T00:00:00Z"}},
        "timeWindow.endTime", "not after the start"),
    "future-status": ("future", {"planningStatus": "SENT"}, "planningStatus", "SUBMITTED"),
    "future-machine": ("future", {"specificSkuProperties": {
        "totalCount": "1", "instanceProperties": {"machineType": "a2-highgpu-3g"}}},
        "specificSkuProperties.instanceProperties.machineType", "does not exist"),
    "future-zone": ("future", {"zone": "us-central1"}, "zone", "Invalid zone"),
}  # fmt: skip


@pytest.mark.parametrize("case", sorted(BAD))
def test_what_the_cloud_would_refuse_is_refused_beforehand(engine: Any, case: str) -> None:
    kind, changes, place, words = BAD[case]
    token, inputs = given.EVERY_KIND[kind]
    changed = {key: value for key, value in {**inputs, **changes}.items() if value is not None}
    refusals = engine.refusals(token, changed)
    assert place in refusals
    assert words in refusals[place]


# What a commitment is refused: changes, property, words.
UNCOMMITTED: dict[str, tuple[dict[str, Any], str, str]] = {
    "plan": ({"plan": "SIX_MONTH"}, "plan", "TWELVE_MONTH"),
    "type": ({"resources": [{"type": "GPU", "amount": "1"}]}, "resources[0].type", "ACCELERATOR"),
    "alone": ({"resources": [{"type": "VCPU", "amount": "4"}]}, "resources", "together"),
    "step": ({"resources": [{"type": "VCPU", "amount": "4"}, {"type": "MEMORY", "amount": "100"}]},
             "resources", "multiple of 256"),
    "memory": ({"type": "GENERAL_PURPOSE", "resources": [
        {"type": "VCPU", "amount": "1"}, {"type": "MEMORY", "amount": "8192"}]},
        "resources", "more than 6656"),
    "reservation": ({"existingReservations": None}, "existingReservations", "attached"),
    "license": ({"category": "LICENSE"}, "licenseResource", "needs a license"),
    "region": ({"region": "us-central1-a"}, "region", "Invalid region"),
}  # fmt: skip


@pytest.mark.parametrize("case", sorted(UNCOMMITTED))
def test_commitment_is_refused(engine: Any, case: str) -> None:
    changes, place, words = UNCOMMITTED[case]
    changed = {
        key: value for key, value in {**given.COMMITTED, **changes}.items() if value is not None
    }
    refusals = engine.refusals(given.COMMITMENT, changed)
    assert place in refusals
    assert words in refusals[place]


# What does not exist: kind, changes, words of the refusal.
NOT_THERE: dict[str, tuple[str, dict[str, Any], str]] = {
    "subscription-topic": ("subscription", {"topic": "absent"}, ABSENT),
    "dead-letters": ("subscription", {"deadLetterPolicy": {"deadLetterTopic": ABSENT}}, ABSENT),
    "push-account": ("subscription", {"pushConfig": {
        "pushEndpoint": "https://a.b", "oidcToken": {"serviceAccountEmail": NOBODY}}}, NOBODY),
    "sink-topic": ("sink", {"destination": f"pubsub.googleapis.com/{ABSENT}"}, ABSENT),
    "sink-bucket": ("sink", {"destination": "storage.googleapis.com/absent"}, "Bucket 'absent'"),
    "sink-nowhere": ("sink", {"destination": "kafka/x"}, "Invalid destination"),
    "member-topic": ("topic-member", {"topic": "absent"}, "absent"),
    "member-account": ("project-member", {"member": f"serviceAccount:{NOBODY}"}, NOBODY),
    "member-role": ("project-member", {"role": f"projects/{given.PROJECT}/roles/absent"},
                    "does not exist in the resource's hierarchy"),
    "member-bucket": ("bucket-member", {"bucket": "absent"}, "absent"),
    "member-of-account": ("account-member", {
        "serviceAccountId": f"projects/{given.PROJECT}/serviceAccounts/{NOBODY}"}, NOBODY),
    "budget-topic": ("budget", {"allUpdatesRule": {"pubsubTopic": ABSENT}}, ABSENT),
    "budget-channel": ("budget", {"allUpdatesRule": {"monitoringNotificationChannels": [
        f"projects/{given.PROJECT}/notificationChannels/1"]}}, "notificationChannels/1"),
    "channel-topic": ("channel", {"type": "pubsub", "labels": {"topic": ABSENT}}, ABSENT),
    "endpoint-network": ("endpoint", {"network": "projects/1/global/networks/absent"}, "absent"),
    "notebook-account": ("notebook", {"gceSetup": {"serviceAccounts": [{"email": NOBODY}]}},
                         NOBODY),
    "notebook-network": ("notebook", {"gceSetup": {"networkInterfaces": [{"network": "absent"}]}},
                         "networks/absent"),
    "template-network": ("template", {"networkInterfaces": [{"network": "absent"}]},
                         "networks/absent"),
    "template-subnetwork": ("template", {"networkInterfaces": [{"subnetwork": "absent"}]},
                            "absent"),
    "template-account": ("template", {"serviceAccount": {"email": NOBODY, "scopes": []}}, NOBODY),
    "template-policy": ("template", {"resourcePolicies": "absent"}, "resourcePolicies/absent"),
    "group-template": ("group", {"versions": [{"instanceTemplate": "absent"}]}, "absent"),
    "zone-group-template": ("zone-group", {"versions": [
        {"instanceTemplate": f"projects/{given.PROJECT}/global/instanceTemplates/absent"}]},
        "instanceTemplates/absent"),
    "future-template": ("future", {"specificSkuProperties": {
        "totalCount": "1", "sourceInstanceTemplate": "absent"}}, "absent"),
}  # fmt: skip


@pytest.mark.parametrize("case", sorted(NOT_THERE))
def test_reference_to_what_does_not_exist_is_refused(furnished: Any, case: str) -> None:
    kind, changes, words = NOT_THERE[case]
    token, inputs = given.EVERY_KIND[kind]
    with pytest.raises(CloudError, match=words):
        furnished.up(token, {**inputs, "name": "refused", **changes}
                     if "name" in inputs else {**inputs, **changes})  # fmt: skip


def test_commitment_on_an_absent_reservation_is_refused(furnished: Any) -> None:
    with pytest.raises(CloudError, match="reservations/absent"):
        furnished.up(given.COMMITMENT, {**given.COMMITTED, "existingReservations": "absent"})


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        (
            {"placementPolicy": {"type": "COMPACT", "policyName": "absent"}},
            "resourcePolicies/absent",
        ),
        ({"nodeConfig": {"serviceAccount": NOBODY}}, NOBODY),
    ],
)
def test_node_pool_that_names_what_does_not_exist_is_refused(
    furnished: Any, changes: dict[str, Any], words: str
) -> None:
    furnished.up(
        given.CLUSTER,
        {"name": "train", "location": "us-central1-a", "initialNodeCount": 1},
        "cluster",
    )
    inputs = {"name": "p", "cluster": "train", "location": "us-central1-a"}
    with pytest.raises(CloudError, match=words):
        furnished.up(given.NODE_POOL, {**inputs, **changes})


def test_accounts_of_googles_own_services_need_not_be_made(furnished: Any) -> None:
    for member in (
        "serviceAccount:cloud-logs@system.gserviceaccount.com",
        "serviceAccount:service-1@gcp-sa-pubsub.iam.gserviceaccount.com",
        "serviceAccount:tidegate-tests.svc.id.goog[tidegate/controller]",
    ):
        token, inputs = given.EVERY_KIND["topic-member"]
        made = furnished.up(token, {**inputs, "member": member}, member)
        assert furnished.refresh(token, made, member) == made.inputs


def test_zone_that_nobody_says_is_refused(world: World, make_engine: Any) -> None:
    engine = make_engine(build_gcp_cloud(world), world, {"project": given.PROJECT})
    inputs = {
        key: value for key, value in given.EVERY_KIND["zone-group"][1].items() if key != "zone"
    }
    assert "Invalid zone ''" in engine.refusals(given.ZONE_GROUP, inputs)["zone"]


def blank_leaves(value: Any) -> Iterator[Any]:
    """Yield the value with each of its parts, at any depth, not known yet."""
    yield UNKNOWN
    if isinstance(value, dict):
        for key, part in value.items():
            yield from ({**value, key: blank} for blank in blank_leaves(part))
    elif isinstance(value, list):
        for index, part in enumerate(value):
            yield from (
                [*value[:index], blank, *value[index + 1 :]] for blank in blank_leaves(part)
            )


@pytest.mark.parametrize("case", sorted(given.EVERY_KIND))
def test_what_a_preview_does_not_know_yet_is_not_refused(engine: Any, case: str) -> None:
    token, inputs = given.EVERY_KIND[case]
    for blank in blank_leaves(inputs):
        if blank is not UNKNOWN:
            assert engine.refusals(token, blank) == {}


def test_commitment_that_a_preview_does_not_know_yet_is_not_refused(engine: Any) -> None:
    for blank in blank_leaves(given.COMMITTED):
        if blank is not UNKNOWN:
            assert engine.refusals(given.COMMITMENT, blank) == {}
