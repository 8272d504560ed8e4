"""Azure's types that data describes, as the engine meets them: whole, kept, replaced, refused."""

from __future__ import annotations

from typing import Any

import pytest
from support.azure_types import (
    ACCOUNT,
    ACTION_GROUP,
    AUTOSCALE,
    BUDGET,
    COMPUTE,
    DEPLOYMENT,
    ENDPOINT,
    EVENT_SUBSCRIPTION,
    FEDERATION,
    FLEET,
    GROUP,
    INPUTS,
    INSIGHTS,
    NETWORK,
    PROVIDERS,
    QUEUE,
    ROLE_DEFINITION,
    SCALE_SET,
    SCHEDULED_ACTION,
    SCOPE,
    SETTINGS,
    SUBNET,
    SYSTEM_TOPIC,
    VAULT,
    WORKSPACE,
    build_on,
    change,
    inside,
)

from tidegate.localclouds.azure.cloud import build_azure_cloud
from tidegate.localclouds.contracts import UNKNOWN, World
from tidegate.localclouds.differences import overlay_inputs
from tidegate.localclouds.refusals import CloudError
from tidegate.localclouds.schema import load_schema


@pytest.fixture
def engine(world: World, make_engine: Any) -> Any:
    made = make_engine(build_azure_cloud(world), world, SETTINGS)
    made.up(GROUP, {"resourceGroupName": "ml"}, "group")
    return made


@pytest.mark.parametrize("token", INPUTS)
def test_second_up_and_refresh_show_no_change(engine: Any, token: str) -> None:
    build_on(engine, token)
    made = engine.up(token, INPUTS[token])
    assert engine.refresh(token, made) == made.inputs
    assert engine.diff(token, made, INPUTS[token]).changes == []
    engine.destroy(token, made)
    assert engine.refresh(token, made) is None


@pytest.mark.parametrize("token", INPUTS)
def test_import_finds_what_no_program_made(engine: Any, world: World, token: str) -> None:
    build_on(engine, token)
    made = engine.up(token, INPUTS[token], "first")
    world.store.delete("azure-native", token, made.id)
    found = engine.adopt(token, made.id, "imported")
    if token == AUTOSCALE:  # the provider tells its settings in `properties` alone
        found = {**found, **found["properties"]}
    if token == ACTION_GROUP:
        found["location"] = "Global"
    assert overlay_inputs(load_schema(token).inputs, INPUTS[token], found) == INPUTS[token]


PATH = [
    (ACTION_GROUP, "actionGroupName", "other"),
    (BUDGET, "budgetName", "other"),
    (BUDGET, "scope", f"{SCOPE}/resourceGroups/ml"),
    (COMPUTE, "computeName", "other"),
    (COMPUTE, "location", "northeurope"),
    (DEPLOYMENT, "deploymentName", "green"),
    (ENDPOINT, "endpointName", "other"),
    (EVENT_SUBSCRIPTION, "eventSubscriptionName", "other"),
    (FEDERATION, "federatedIdentityCredentialResourceName", "other"),
    (FLEET, "location", "northeurope"),
    (INSIGHTS, "resourceName", "other"),
    (NETWORK, "location", "northeurope"),
    (QUEUE, "queueName", "other"),
    (ROLE_DEFINITION, "roleDefinitionId", "6f1b2c3d-0000-4000-8000-000000000002"),
    (SCHEDULED_ACTION, "name", "other"),
    (SUBNET, "subnetName", "other"),
    (SYSTEM_TOPIC, "systemTopicName", "other"),
    (VAULT, "vaultName", "tg-other"),
    (WORKSPACE, "workspaceName", "other"),
]


@pytest.mark.parametrize(("token", "name", "value"), PATH)
def test_another_address_or_region_replaces(engine: Any, token: str, name: str, value: str) -> None:
    build_on(engine, token)
    made = engine.up(token, INPUTS[token])
    assert engine.diff(token, made, change(token, **{name: value})).replaces == {name}


SCALE = {"minNodeCount": 1, "maxNodeCount": 8, "nodeIdleTimeBeforeScaleDown": "PT300S"}
CLUSTER = {**INPUTS[COMPUTE]["properties"]["properties"], "scaleSettings": SCALE}
UPDATES = [
    (ACTION_GROUP, change(ACTION_GROUP, enabled=False)),
    (AUTOSCALE, change(AUTOSCALE, enabled=False)),
    (BUDGET, change(BUDGET, amount=2000)),
    (COMPUTE, inside(COMPUTE, "properties", properties=CLUSTER)),
    (DEPLOYMENT, change(DEPLOYMENT, sku={"name": "Default", "capacity": 3})),
    (DEPLOYMENT, inside(DEPLOYMENT, "properties", instanceType="Standard_NC48ads_A100_v4")),
    (ENDPOINT, inside(ENDPOINT, "properties", description="chat")),
    (EVENT_SUBSCRIPTION, change(EVENT_SUBSCRIPTION, filter={"subjectEndsWith": "x"})),
    (FEDERATION, change(FEDERATION, subject="system:serviceaccount:tidegate:other")),
    (FLEET, inside(FLEET, "spotPriorityProfile", capacity=5)),
    (INSIGHTS, change(INSIGHTS, retentionInDays=90)),
    (QUEUE, change(QUEUE, metadata={"pool": "other"})),
    (ROLE_DEFINITION, change(ROLE_DEFINITION, permissions=[{"actions": ["*/read"]}])),
    (SCALE_SET, change(SCALE_SET, tags={"cost-center": "cc-1"})),
    (SCHEDULED_ACTION, change(SCHEDULED_ACTION, status="Disabled")),
    (SUBNET, change(SUBNET, addressPrefix="10.0.1.0/24")),
    (SYSTEM_TOPIC, change(SYSTEM_TOPIC, tags={"cost-center": "cc-1"})),
    (VAULT, change(VAULT, tags={"cost-center": "cc-1"})),
    (WORKSPACE, change(WORKSPACE, description="training")),
]


@pytest.mark.parametrize(("token", "wanted"), UPDATES)
def test_what_azure_changes_is_changed_in_place(
    engine: Any, token: str, wanted: dict[str, Any]
) -> None:
    build_on(engine, token)
    made = engine.up(token, INPUTS[token])
    assert engine.diff(token, made, wanted).replaces == set()
    changed = engine.change(token, made, wanted)
    assert engine.refresh(token, changed) == changed.inputs
    assert engine.diff(token, changed, wanted).changes == []


BIGGER = {**INPUTS[COMPUTE]["properties"]["properties"], "vmSize": "Standard_NC48ads_A100_v4"}
OTHER_START = {"startDate": "2026-02-01T00:00:00Z", "endDate": "2030-01-01T00:00:00Z"}
NEVER = [
    (BUDGET, change(BUDGET, timePeriod=OTHER_START), "properties.timePeriod.startDate"),
    (COMPUTE, inside(COMPUTE, "properties", properties=BIGGER), "properties.properties.vmSize"),
    (DEPLOYMENT, inside(DEPLOYMENT, "properties", endpointComputeType="Kubernetes"),
     "properties.endpointComputeType"),
    (FLEET, inside(FLEET, "spotPriorityProfile", minCapacity=2), "spotPriorityProfile.minCapacity"),
    (SCALE_SET, inside(SCALE_SET, "virtualMachineProfile", evictionPolicy="Deallocate"),
     "virtualMachineProfile.evictionPolicy"),
    (SYSTEM_TOPIC, change(SYSTEM_TOPIC, topicType="microsoft.resources.subscriptions"),
     "properties.topicType"),
    (WORKSPACE, change(WORKSPACE, keyVault=f"{PROVIDERS}/Microsoft.KeyVault/vaults/tg-other"),
     "properties.keyVault"),
]  # fmt: skip


@pytest.mark.parametrize(("token", "wanted", "words"), NEVER)
def test_what_azure_never_changes_fails_the_update_and_is_no_replacement(
    engine: Any, token: str, wanted: dict[str, Any], words: str
) -> None:
    build_on(engine, token)
    if token == WORKSPACE:
        engine.up(VAULT, change(VAULT, vaultName="tg-other"), "other")
    made = engine.up(token, INPUTS[token])
    assert engine.diff(token, made, wanted).replaces == set()
    with pytest.raises(CloudError, match=words):
        engine.change(token, made, wanted)
    assert engine.refresh(token, made) == made.inputs


ABSENT = [
    (QUEUE, INPUTS[QUEUE], "Parent resource 'tgevents'"),
    (EVENT_SUBSCRIPTION, INPUTS[EVENT_SUBSCRIPTION], "Parent resource 'health'"),
    (SUBNET, INPUTS[SUBNET], "Parent resource 'net'"),
    (COMPUTE, INPUTS[COMPUTE], "Parent resource 'train'"),
    (ENDPOINT, INPUTS[ENDPOINT], "Parent resource 'train'"),
    (DEPLOYMENT, INPUTS[DEPLOYMENT], "Parent resource 'train'"),
    (VAULT, change(VAULT, resourceGroupName="gone"), "Resource group 'gone'"),
    (ACTION_GROUP, change(ACTION_GROUP, resourceGroupName="gone"), "Resource group 'gone'"),
    (BUDGET, change(BUDGET, scope=f"{SCOPE}/resourceGroups/gone"), "Resource group 'gone'"),
    (ROLE_DEFINITION, change(ROLE_DEFINITION, scope=f"{SCOPE}/resourceGroups/gone"),
     "Resource group 'gone'"),
    (SCHEDULED_ACTION, change(SCHEDULED_ACTION, scope=f"{SCOPE}/resourceGroups/gone"),
     "Resource group 'gone'"),
    (INSIGHTS, INPUTS[INSIGHTS], "workspaces/runs referenced by"),
    (SCALE_SET, INPUTS[SCALE_SET], "subnets/nodes referenced by"),
    (FLEET, INPUTS[FLEET], "subnets/nodes referenced by"),
    (AUTOSCALE, INPUTS[AUTOSCALE], "virtualMachineScaleSets/spot referenced by"),
    (SYSTEM_TOPIC, change(SYSTEM_TOPIC, location="westeurope", topicType="microsoft.storage.x",
                          source=f"{PROVIDERS}/Microsoft.Storage/storageAccounts/tggone"),
     "storageAccounts/tggone referenced by"),
    (BUDGET, inside(BUDGET, "notifications", actual={
        "enabled": True, "operator": "GreaterThan", "threshold": 80,
        "contactEmails": [], "contactGroups": [f"{PROVIDERS}/Microsoft.Insights/actionGroups/x"]}),
     "actionGroups/x referenced by"),
]  # fmt: skip


@pytest.mark.parametrize(("token", "inputs", "words"), ABSENT)
def test_references_to_what_does_not_exist_are_refused(
    engine: Any, token: str, inputs: dict[str, Any], words: str
) -> None:
    with pytest.raises(CloudError, match=words) as raised:
        engine.up(token, inputs)
    assert raised.value.status == 404


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("storageAccount", "storageAccounts/tggone"),
        ("keyVault", "vaults/tg-gone"),
        ("applicationInsights", "components/gone"),
    ],
)
def test_machine_learning_workspace_needs_what_it_names(engine: Any, name: str, kind: str) -> None:
    build_on(engine, WORKSPACE)
    stem = INPUTS[WORKSPACE][name].rpartition("/")[0].rpartition("/")[0]
    with pytest.raises(CloudError, match=f"{kind} referenced by"):
        engine.up(WORKSPACE, change(WORKSPACE, **{name: f"{stem}/{kind}"}))


def test_a_reference_to_another_type_is_refused(engine: Any) -> None:
    build_on(engine, WORKSPACE)
    with pytest.raises(CloudError, match=r"it names a Microsoft\.Storage/storageAccounts"):
        engine.up(WORKSPACE, change(WORKSPACE, keyVault=INPUTS[WORKSPACE]["storageAccount"]))


def test_event_subscription_needs_its_queue(engine: Any) -> None:
    build_on(engine, EVENT_SUBSCRIPTION)
    elsewhere = inside(EVENT_SUBSCRIPTION, "destination", queueName="gone")
    with pytest.raises(CloudError, match="queues/gone referenced by"):
        engine.up(EVENT_SUBSCRIPTION, elsewhere)


def test_one_system_topic_a_source(engine: Any) -> None:
    engine.up(SYSTEM_TOPIC, INPUTS[SYSTEM_TOPIC], "first")
    with pytest.raises(CloudError, match="Only one system topic is allowed per source"):
        engine.up(SYSTEM_TOPIC, change(SYSTEM_TOPIC, systemTopicName="second"), "second")


def test_one_autoscale_setting_a_target(engine: Any) -> None:
    build_on(engine, AUTOSCALE)
    engine.up(AUTOSCALE, INPUTS[AUTOSCALE], "first")
    with pytest.raises(CloudError, match="it can have one"):
        engine.up(AUTOSCALE, change(AUTOSCALE, autoscaleSettingName="other"), "second")


def test_traffic_goes_to_deployments_that_exist(engine: Any) -> None:
    build_on(engine, ENDPOINT)
    endpoint = engine.up(ENDPOINT, INPUTS[ENDPOINT], "endpoint")
    wanted = inside(ENDPOINT, "properties", traffic={"blue": 100})
    with pytest.raises(CloudError, match="deployment 'blue': it does not exist"):
        engine.change(ENDPOINT, endpoint, wanted, "endpoint")
    deployment = engine.up(DEPLOYMENT, INPUTS[DEPLOYMENT])
    changed = engine.change(ENDPOINT, endpoint, wanted, "endpoint")
    assert engine.refresh(ENDPOINT, changed, "endpoint") == changed.inputs
    engine.destroy(DEPLOYMENT, deployment)
    assert engine.refresh(ENDPOINT, changed, "endpoint")["properties"]["traffic"] == {}


def test_overlapping_and_outlying_subnets_are_refused(engine: Any) -> None:
    build_on(engine, SUBNET)
    engine.up(SUBNET, INPUTS[SUBNET])
    with pytest.raises(CloudError, match="overlaps"):
        engine.up(SUBNET, change(SUBNET, subnetName="b", addressPrefix="10.0.0.128/25"), "b")
    with pytest.raises(CloudError, match="is not within its address space"):
        engine.up(SUBNET, change(SUBNET, subnetName="b", addressPrefix="10.1.0.0/24"), "b")


def test_vault_names_are_taken_once_and_purge_protection_stays(engine: Any) -> None:
    made = engine.up(VAULT, inside(VAULT, "properties", enablePurgeProtection=True))
    engine.up(GROUP, {"resourceGroupName": "other"}, "other")
    with pytest.raises(CloudError, match="globally unique"):
        engine.up(VAULT, change(VAULT, resourceGroupName="other"), "second")
    with pytest.raises(CloudError, match="irreversible"):
        engine.change(VAULT, made, INPUTS[VAULT])


def test_scheduled_action_of_nobody_but_its_owner_has_no_scope(engine: Any) -> None:
    token = "azure-native:costmanagement:ScheduledAction"
    made = engine.up(token, change(SCHEDULED_ACTION, scope=None))
    assert made.id == "/providers/Microsoft.CostManagement/scheduledActions/anomalies"
    assert engine.refresh(token, made) == made.inputs


def test_preview_with_unknown_values_refuses_nothing(engine: Any) -> None:
    for token, inputs in INPUTS.items():
        own = {name: UNKNOWN for name in inputs if name != "resourceGroupName"}
        assert engine.refusals(token, {**inputs, **own}) == {}
        for name in own:
            assert engine.refusals(token, {**inputs, name: UNKNOWN}) == {}


def test_names_left_out_fit_azures_grammar(engine: Any) -> None:
    for token, name in [(QUEUE, "queueName"), (VAULT, "vaultName"), (COMPUTE, "computeName"),
                        (ENDPOINT, "endpointName"), (BUDGET, "budgetName")]:  # fmt: skip
        logical = "training-a100-spot-interruptions-of-production"
        checked, failures = engine.find(token, logical).check(
            {}, change(token, **{name: None}), b"seed"
        )
        assert failures == []
        assert checked[name].startswith("training-a")


def test_group_takes_all_with_it(engine: Any) -> None:
    build_on(engine, DEPLOYMENT)
    made = engine.up(DEPLOYMENT, INPUTS[DEPLOYMENT])
    group = engine.adopt(GROUP, f"{SCOPE}/resourceGroups/ml", "found")
    assert group["resourceGroupName"] == "ml"
    engine.find(GROUP, "group").delete(f"{SCOPE}/resourceGroups/ml")
    engine.up(GROUP, {"resourceGroupName": "ml"}, "again")
    assert engine.refresh(DEPLOYMENT, made) is None
    engine.up(ACCOUNT, INPUTS[ACCOUNT], "account-again")
