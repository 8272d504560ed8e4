"""What Azure refuses of its types that data describes: one case a rule, at the wrong property."""

from __future__ import annotations

from typing import Any

import pytest
from support.azure_types import (
    ACTION_GROUP,
    AUTOSCALE,
    BUDGET,
    COMPUTE,
    DEPLOYMENT,
    ENDPOINT,
    EVENT_SUBSCRIPTION,
    FEDERATION,
    FLEET,
    GPU_SIZE,
    INPUTS,
    INSIGHTS,
    NETWORK,
    PROVIDERS,
    QUEUE,
    ROLE_ASSIGNMENT,
    ROLE_DEFINITION,
    SCALE_SET,
    SCHEDULED_ACTION,
    SCOPE,
    SETTINGS,
    SUBNET,
    SYSTEM_TOPIC,
    VAULT,
    WORKSPACE,
    change,
    inside,
)

from tidegate.localclouds.azure.cloud import build_azure_cloud
from tidegate.localclouds.contracts import World

Case = tuple[str, dict[str, Any], str, str]
NODES = "properties.properties"
SCALING = f"{NODES}.scaleSettings"


@pytest.fixture
def engine(world: World, make_engine: Any) -> Any:
    return make_engine(build_azure_cloud(world), world, SETTINGS)


REQUIRED: list[tuple[str, str]] = [
    (QUEUE, "accountName"),
    (SYSTEM_TOPIC, "resourceGroupName"),
    (SYSTEM_TOPIC, "source"),
    (SYSTEM_TOPIC, "topicType"),
    (EVENT_SUBSCRIPTION, "systemTopicName"),
    (EVENT_SUBSCRIPTION, "destination"),
    (WORKSPACE, "storageAccount"),
    (WORKSPACE, "keyVault"),
    (WORKSPACE, "identity"),
    (COMPUTE, "workspaceName"),
    (COMPUTE, "properties"),
    (ENDPOINT, "properties"),
    (ENDPOINT, "identity"),
    (DEPLOYMENT, "endpointName"),
    (AUTOSCALE, "profiles"),
    (AUTOSCALE, "targetResourceUri"),
    (ACTION_GROUP, "groupShortName"),
    (BUDGET, "timePeriod"),
    (SCHEDULED_ACTION, "viewId"),
    (ROLE_DEFINITION, "scope"),
    (ROLE_DEFINITION, "roleName"),
    (ROLE_DEFINITION, "assignableScopes"),
    (VAULT, "properties"),
    (INSIGHTS, "kind"),
    (INSIGHTS, "workspaceResourceId"),
    (NETWORK, "addressSpace"),
    (SUBNET, "virtualNetworkName"),
    (SCALE_SET, "resourceGroupName"),
    (FEDERATION, "issuer"),
    (FEDERATION, "audiences"),
    (FLEET, "vmSizesProfile"),
    (FLEET, "computeProfile"),
]


@pytest.mark.parametrize(("token", "name"), REQUIRED)
def test_what_is_required_and_missing_is_refused(engine: Any, token: str, name: str) -> None:
    found = engine.refusals(token, change(token, **{name: None}))
    assert [place for place in found if place.startswith(name)]


def compute(**properties: Any) -> dict[str, Any]:
    own = {**INPUTS[COMPUTE]["properties"]["properties"], **properties}
    kept = {key: value for key, value in own.items() if value is not None}
    return inside(COMPUTE, "properties", properties=kept)


def instance(**properties: Any) -> dict[str, Any]:
    own = {"computeType": "ComputeInstance", "properties": {"vmSize": GPU_SIZE, **properties}}
    return change(COMPUTE, properties=own)


ENUMS: list[Case] = [
    (SYSTEM_TOPIC, change(SYSTEM_TOPIC, identity={"type": "Mine"}), "identity.type", "Mine"),
    (EVENT_SUBSCRIPTION, inside(EVENT_SUBSCRIPTION, "destination", endpointType="Fax"),
     "destination.endpointType", "StorageQueue"),
    (EVENT_SUBSCRIPTION, change(EVENT_SUBSCRIPTION, eventDeliverySchema="Xml"),
     "eventDeliverySchema", "CloudEventSchemaV1_0"),
    (WORKSPACE, change(WORKSPACE, publicNetworkAccess="Perhaps"), "publicNetworkAccess", "Enabled"),
    (COMPUTE, inside(COMPUTE, "properties", computeType="Abacus"), "properties.computeType",
     "AmlCompute"),
    (COMPUTE, compute(vmPriority="Cheap"), f"{NODES}.vmPriority", "LowPriority"),
    (ENDPOINT, inside(ENDPOINT, "properties", authMode="Password"), "properties.authMode", "Key"),
    (DEPLOYMENT, inside(DEPLOYMENT, "properties", scaleSettings={"scaleType": "Magic"}),
     "properties.scaleSettings.scaleType", "Default"),
    (AUTOSCALE, change(AUTOSCALE, notifications=[{"operation": "Fax"}]),
     "notifications[0].operation", "Scale"),
    (BUDGET, change(BUDGET, timeGrain="Hourly"), "timeGrain", "Monthly"),
    (SCHEDULED_ACTION, change(SCHEDULED_ACTION, kind="Fax"), "kind", "InsightAlert"),
    (ROLE_ASSIGNMENT, {"scope": SCOPE, "principalId": "x", "roleDefinitionId": "x",
                       "principalType": "Robot"}, "principalType", "ServicePrincipal"),
    (VAULT, inside(VAULT, "properties", sku={"family": "A", "name": "free"}),
     "properties.sku.name", "premium"),
    (INSIGHTS, change(INSIGHTS, ingestionMode="Fax"), "ingestionMode", "LogAnalytics"),
    (NETWORK, change(NETWORK, privateEndpointVNetPolicies="Fax"), "privateEndpointVNetPolicies",
     "Basic"),
    (SUBNET, change(SUBNET, sharingScope="World"), "sharingScope", "Tenant"),
    (SCALE_SET, change(SCALE_SET, orchestrationMode="Loose"), "orchestrationMode", "Flexible"),
    (FLEET, inside(FLEET, "spotPriorityProfile", allocationStrategy="Random"),
     "spotPriorityProfile.allocationStrategy", "PriceCapacityOptimized"),
]  # fmt: skip


@pytest.mark.parametrize(("token", "inputs", "place", "words"), ENUMS)
def test_what_is_no_choice_is_refused(
    engine: Any, token: str, inputs: dict[str, Any], place: str, words: str
) -> None:
    assert words in engine.refusals(token, inputs)[place]


def rule(**parts: Any) -> dict[str, Any]:
    profile = INPUTS[AUTOSCALE]["profiles"][0]
    own = profile["rules"][0]
    changed = {name: {**own[name], **inner} for name, inner in parts.items()}
    return change(AUTOSCALE, profiles=[{**profile, "rules": [{**own, **changed}]}])


def capacity(**counts: str) -> dict[str, Any]:
    profile = INPUTS[AUTOSCALE]["profiles"][0]
    return change(AUTOSCALE, profiles=[{**profile, "capacity": {**profile["capacity"], **counts}}])


def period(start: str, end: str = "2030-01-01T00:00:00Z") -> dict[str, Any]:
    return change(BUDGET, timePeriod={"startDate": start, "endDate": end})


ALERT = INPUTS[BUDGET]["notifications"]["actual-80"]
ROLES = f"{SCOPE}/providers/Microsoft.Authorization/roleDefinitions"
ASSIGNED = {"scope": SCOPE, "roleDefinitionId": f"{ROLES}/b24988ac-6180-42a0-ab88-20f7382dd24c",
            "principalId": "6f1b2c3d-0000-4000-8000-000000000009"}  # fmt: skip
CONDITION = "((!(ActionMatches{'Microsoft.Authorization/roleAssignments/write'})))"

RULES: dict[str, Case] = {
    "queue-of-double-dash": (QUEUE, change(QUEUE, queueName="a--b"), "queueName", "single dashes"),
    "queue-in-capitals": (QUEUE, change(QUEUE, queueName="Spot"), "queueName", "lowercase"),
    "federation-of-two-audiences": (
        FEDERATION, change(FEDERATION, audiences=["api://a", "api://b"]), "audiences",
        "takes one audience"),
    "federation-over-http": (
        FEDERATION, change(FEDERATION, issuer="http://oidc.example"), "issuer", "over HTTPS"),
    "health-of-a-group": (
        SYSTEM_TOPIC, change(SYSTEM_TOPIC, source=f"{SCOPE}/resourceGroups/ml"), "source",
        "a subscription as its source"),
    "health-in-a-region": (
        SYSTEM_TOPIC, change(SYSTEM_TOPIC, location="westeurope"), "location", "in 'global'"),
    "queue-without-a-name": (
        EVENT_SUBSCRIPTION, inside(EVENT_SUBSCRIPTION, "destination", queueName=None),
        "destination.queueName", "needs queueName"),
    "attempts": (
        EVENT_SUBSCRIPTION, change(EVENT_SUBSCRIPTION, retryPolicy={"maxDeliveryAttempts": 31}),
        "retryPolicy.maxDeliveryAttempts", "at most 30"),
    "filter-without-key": (
        EVENT_SUBSCRIPTION,
        change(EVENT_SUBSCRIPTION, filter={"advancedFilters": [{"operatorType": "IsNotNull"}]}),
        "filter.advancedFilters[0].key", "has a key"),
    "workspace-name": (
        WORKSPACE, change(WORKSPACE, workspaceName="ab"), "workspaceName", "3 to 33"),
    "compute-name": (COMPUTE, change(COMPUTE, computeName="4gpu"), "computeName", "a letter"),
    "no-size": (COMPUTE, compute(vmSize=None), f"{NODES}.vmSize", "needs vmSize"),
    "unknown-size": (
        COMPUTE, compute(vmSize="Standard_NC25ads_A100_v4"), f"{NODES}.vmSize", "not known"),
    "negative-nodes": (
        COMPUTE, compute(scaleSettings={"minNodeCount": -1, "maxNodeCount": 1}),
        f"{SCALING}.minNodeCount", "at least 0"),
    "more-nodes-at-least-than-at-most": (
        COMPUTE, compute(scaleSettings={"minNodeCount": 2, "maxNodeCount": 1}),
        f"{SCALING}.minNodeCount", "above maxNodeCount 1"),
    "idle-seconds": (
        COMPUTE, compute(scaleSettings={"maxNodeCount": 1, "nodeIdleTimeBeforeScaleDown": "120"}),
        f"{SCALING}.nodeIdleTimeBeforeScaleDown", "ISO 8601"),
    "idle-too-short": (
        COMPUTE, instance(idleTimeBeforeShutdown="PT10M"), f"{NODES}.idleTimeBeforeShutdown",
        "15 minutes to 3 days"),
    "idle-too-long": (
        COMPUTE, instance(idleTimeBeforeShutdown="P4D"), f"{NODES}.idleTimeBeforeShutdown",
        "15 minutes to 3 days"),
    "schedule-without-cron": (
        COMPUTE,
        instance(schedules={"computeStartStop": [{"action": "Stop", "triggerType": "Cron"}]}),
        f"{NODES}.schedules.computeStartStop[0].cron", "needs cron"),
    "instance-name": (
        COMPUTE, {**instance(), "computeName": "a" * 25}, "computeName", "3 to 24"),
    "traffic": (
        ENDPOINT, inside(ENDPOINT, "properties", traffic={"blue": 90}), "properties.traffic",
        "0 or 100"),
    "managed-by-target": (
        DEPLOYMENT,
        inside(DEPLOYMENT, "properties", scaleSettings={"scaleType": "TargetUtilization"}),
        "properties.scaleSettings.scaleType", "Azure Monitor autoscale"),
    "managed-at-zero": (
        DEPLOYMENT, change(DEPLOYMENT, sku={"name": "Default", "capacity": 0}), "sku.capacity",
        "at least 1 instance"),
    "count-of-words": (
        AUTOSCALE, capacity(minimum="none"), "profiles[0].capacity.minimum", "no whole number"),
    "minimum-above-maximum": (
        AUTOSCALE, capacity(minimum="5"), "profiles[0].capacity.minimum", "above the maximum 4"),
    "default-outside": (
        AUTOSCALE, capacity(default="9"), "profiles[0].capacity.default", "between 0 and 4"),
    "cooldown": (
        AUTOSCALE, rule(scaleAction={"cooldown": "PT30S"}),
        "profiles[0].rules[0].scaleAction.cooldown", "no duration between"),
    "window": (
        AUTOSCALE, rule(metricTrigger={"timeWindow": "PT1M"}),
        "profiles[0].rules[0].metricTrigger.timeWindow", "no duration between"),
    "short-name": (
        ACTION_GROUP, change(ACTION_GROUP, groupShortName="a" * 13), "groupShortName",
        "at most 12"),
    "no-address": (
        ACTION_GROUP, change(ACTION_GROUP, emailReceivers=[{"name": "a", "emailAddress": "a"}]),
        "emailReceivers[0].emailAddress", "does not match"),
    "budget-name": (BUDGET, change(BUDGET, budgetName="a b"), "budgetName", "1 to 63"),
    "budget-of-nothing": (BUDGET, change(BUDGET, amount=0), "amount", "greater than 0"),
    "six-notifications": (
        BUDGET, change(BUDGET, notifications={f"at-{n}": ALERT for n in range(6)}),
        "notifications", "up to five"),
    "threshold": (
        BUDGET, change(BUDGET, notifications={"a": {**ALERT, "threshold": 1001}}),
        "notifications.a.threshold", "at most 1000"),
    "nobody-to-tell": (
        BUDGET, change(BUDGET, notifications={"a": {**ALERT, "contactEmails": []}}),
        "notifications.a.contactEmails", "e-mail, a group or a role"),
    "mid-month": (
        BUDGET, period("2026-01-15T00:00:00Z"), "timePeriod.startDate", "first of a month"),
    "before-budgets": (
        BUDGET, period("2017-05-01T00:00:00Z"), "timePeriod.startDate", "June 1, 2017"),
    "end-before-start": (
        BUDGET, period("2026-01-01T00:00:00Z", "2025-01-01T00:00:00Z"), "timePeriod.endDate",
        "is not after"),
    "no-date": (BUDGET, period("soon"), "timePeriod.startDate", "is no date"),
    "weekly-alert": (
        SCHEDULED_ACTION, inside(SCHEDULED_ACTION, "schedule", frequency="Weekly"),
        "schedule.frequency", "is Daily"),
    "alert-on-another-view": (
        SCHEDULED_ACTION,
        change(SCHEDULED_ACTION, viewId=f"{SCOPE}/providers/Microsoft.CostManagement/views/mine"),
        "viewId", "ms:DailyAnomalyByResourceGroup"),
    "long-subject": (
        SCHEDULED_ACTION, inside(SCHEDULED_ACTION, "notification", subject="a" * 71),
        "notification.subject", "at most 70"),
    "role-of-no-guid": (
        ROLE_DEFINITION, change(ROLE_DEFINITION, roleDefinitionId="mine"), "roleDefinitionId",
        "It is a GUID"),
    "role-of-azure": (
        ROLE_DEFINITION, change(ROLE_DEFINITION, roleType="BuiltInRole"), "roleType",
        "CustomRole can be made"),
    "action-of-no-provider": (
        ROLE_DEFINITION, change(ROLE_DEFINITION, permissions=[{"actions": ["scale"]}]),
        "permissions[0].actions[0]", "does not match any"),
    "root-scope": (
        ROLE_DEFINITION, change(ROLE_DEFINITION, assignableScopes=["/"]), "assignableScopes[0]",
        "no scope of a custom role"),
    "condition-without-version": (
        ROLE_ASSIGNMENT, {**ASSIGNED, "condition": CONDITION}, "conditionVersion", "'2.0'"),
    "version-without-condition": (
        ROLE_ASSIGNMENT, {**ASSIGNED, "conditionVersion": "2.0"}, "conditionVersion",
        "without a condition"),
    "unbalanced-condition": (
        ROLE_ASSIGNMENT,
        {**ASSIGNED, "condition": f"({CONDITION}", "conditionVersion": "2.0"}, "condition",
        "is not valid"),
    "vault-name": (VAULT, change(VAULT, vaultName="1a"), "vaultName", "3 to 24"),
    "vault-days": (
        VAULT, inside(VAULT, "properties", softDeleteRetentionInDays=5),
        "properties.softDeleteRetentionInDays", "at least 7"),
    "vault-of-nobody": (
        VAULT, inside(VAULT, "properties", enableRbacAuthorization=False),
        "properties.accessPolicies", "is required"),
    "no-purge-protection": (
        VAULT, inside(VAULT, "properties", enablePurgeProtection=False),
        "properties.enablePurgeProtection", "leave it out"),
    "insights-days": (
        INSIGHTS, change(INSIGHTS, retentionInDays=31), "retentionInDays", "expected one of"),
}  # fmt: skip


@pytest.mark.parametrize(("token", "inputs", "place", "words"), RULES.values(), ids=RULES)
def test_refused_at_the_property_that_is_wrong(
    engine: Any, token: str, inputs: dict[str, Any], place: str, words: str
) -> None:
    found = engine.refusals(token, inputs)
    assert words in found[place]


def test_project_of_a_hub_needs_no_storage_of_its_own(engine: Any) -> None:
    hub = f"{PROVIDERS}/Microsoft.MachineLearningServices/workspaces/hub"
    project = change(WORKSPACE, storageAccount=None, keyVault=None, hubResourceId=hub)
    assert engine.refusals(WORKSPACE, project) == {}


def test_condition_of_the_version_that_there_is_is_accepted(engine: Any) -> None:
    given = {**ASSIGNED, "condition": CONDITION, "conditionVersion": "2.0"}
    assert engine.refusals(ROLE_ASSIGNMENT, given) == {}
