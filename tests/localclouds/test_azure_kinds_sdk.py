"""Azure's types that data describes, read back whole and changed by Azure's own SDKs.

azure-mgmt-machinelearningservices 1.0.1 has workspaces and computes alone, and Cost Management has
no SDK here: online endpoints, deployments and scheduled actions are read by plain REST.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import httpx
import pytest
from azure.core.exceptions import HttpResponseError, ResourceNotFoundError
from azure.mgmt.applicationinsights import ApplicationInsightsManagementClient
from azure.mgmt.authorization import AuthorizationManagementClient
from azure.mgmt.consumption import ConsumptionManagementClient
from azure.mgmt.eventgrid import EventGridManagementClient
from azure.mgmt.keyvault import KeyVaultManagementClient
from azure.mgmt.machinelearningservices import MachineLearningServicesMgmtClient
from azure.mgmt.machinelearningservices.models import ClusterUpdateParameters, ScaleSettings
from azure.mgmt.monitor import MonitorManagementClient
from azure.mgmt.storage import StorageManagementClient
from support.azure_types import (
    ACTION_GROUP,
    ANNOTATED,
    AUTOSCALE,
    BUDGET,
    COMPUTE,
    DEPLOYMENT,
    EVENT_SUBSCRIPTION,
    GPU_SIZE,
    GROUP,
    IDENTITY,
    INPUTS,
    INSIGHTS,
    PROVIDERS,
    QUEUE,
    READ_VMS,
    ROLE_ASSIGNMENT,
    ROLE_DEFINITION,
    ROLE_GUID,
    SCALE_SET_ID,
    SCHEDULED_ACTION,
    SCOPE,
    SETTINGS,
    SUBSCRIPTION,
    TAGS,
    VAULT,
    WORKSPACE,
    build_on,
    change,
)

from tidegate.localclouds.azure.cloud import build_azure_cloud
from tidegate.localclouds.contracts import Cloud, World
from tidegate.localclouds.refusals import CloudError


@pytest.fixture
def cloud(world: World) -> Cloud:
    return build_azure_cloud(world)


@pytest.fixture
def url(cloud: Cloud, serve: Callable[[Cloud], str]) -> str:
    return serve(cloud)


@pytest.fixture
def options(url: str, build_azure_options: Callable[..., dict[str, Any]]) -> dict[str, Any]:
    return build_azure_options(url, SUBSCRIPTION)


@pytest.fixture
def engine(cloud: Cloud, world: World, make_engine: Any) -> Any:
    made = make_engine(cloud, world, SETTINGS)
    made.up(GROUP, {"resourceGroupName": "ml"}, "group")
    return made


def make(engine: Any, token: str) -> Any:
    """Make a type and what it stands on."""
    build_on(engine, token)
    return engine.up(token, INPUTS[token])


def rest(url: str, path: str) -> Any:
    """Read a resource as an SDK would that there is none of."""
    return httpx.get(f"{url}{path}", params={"api-version": "2024-10-01"}).raise_for_status().json()


def post(path: str, body: Any = None) -> None:
    httpx.post(path, params={"api-version": "2024-10-01"}, json=body).raise_for_status()


def test_queues(options: dict[str, Any], engine: Any) -> None:
    made = make(engine, QUEUE)
    queues = StorageManagementClient(**options).queue
    read = queues.get("ml", "tgevents", "interruptions")
    assert (read.id, dict(read.metadata), read.approximate_message_count) == (
        made.id,
        {"pool": "spot"},
        0,
    )
    assert [each.name for each in queues.list("ml", "tgevents")] == ["interruptions"]
    queues.update("ml", "tgevents", "interruptions", {"properties": {"metadata": {"pool": "b"}}})
    assert engine.refresh(QUEUE, made)["metadata"] == {"pool": "b"}
    with pytest.raises(ResourceNotFoundError):
        queues.get("ml", "tgevents", "gone")
    queues.delete("ml", "tgevents", "interruptions")
    assert engine.refresh(QUEUE, made) is None


def test_event_grid(options: dict[str, Any], engine: Any) -> None:
    made = make(engine, EVENT_SUBSCRIPTION)
    grid = EventGridManagementClient(**options)
    topic = grid.system_topics.get("ml", "health")
    assert (topic.location, topic.source, topic.tags) == ("global", SCOPE, TAGS)
    assert topic.topic_type == INPUTS_TOPIC_TYPE
    assert topic.provisioning_state == "Succeeded"
    assert [each.name for each in grid.system_topics.list_by_resource_group("ml")] == ["health"]
    subscriptions = grid.system_topic_event_subscriptions
    read = subscriptions.get("ml", "health", "spot")
    assert (read.destination.endpoint_type, read.destination.queue_name) == (
        "StorageQueue",
        "interruptions",
    )
    assert read.destination.resource_id == f"{PROVIDERS}/Microsoft.Storage/storageAccounts/tgevents"
    assert read.filter.included_event_types == [ANNOTATED]
    assert read.filter.advanced_filters[0].values == ["VirtualMachinePreempted"]
    assert read.retry_policy.max_delivery_attempts == 30
    assert [each.name for each in subscriptions.list_by_system_topic("ml", "health")] == ["spot"]
    subscriptions.begin_delete("ml", "health", "spot").result()
    assert engine.refresh(EVENT_SUBSCRIPTION, made) is None


INPUTS_TOPIC_TYPE = "microsoft.resourcenotifications.healthresources"


def test_machine_learning(options: dict[str, Any], engine: Any) -> None:
    made = make(engine, COMPUTE)
    learning = MachineLearningServicesMgmtClient(**options)
    workspace = learning.workspaces.get("ml", "train")
    assert workspace.key_vault == INPUTS[WORKSPACE]["keyVault"]
    assert workspace.storage_account == INPUTS[WORKSPACE]["storageAccount"]
    assert workspace.identity.principal_id
    assert (workspace.tags, workspace.sku.name) == (TAGS, "Basic")
    compute = learning.machine_learning_compute
    read = compute.get("ml", "train", "a100")
    cluster = read.properties
    assert (read.tags, cluster.compute_type, cluster.provisioning_state) == (
        TAGS,
        "AmlCompute",
        "Succeeded",
    )
    inner = cluster.properties
    assert (inner.vm_size, inner.vm_priority, inner.current_node_count) == (
        GPU_SIZE,
        "LowPriority",
        0,
    )
    assert (inner.scale_settings.min_node_count, inner.scale_settings.max_node_count) == (0, 4)
    assert inner.scale_settings.node_idle_time_before_scale_down.total_seconds() == 120
    scale = ScaleSettings(min_node_count=2, max_node_count=6)
    compute.begin_update(
        "ml", "train", "a100", ClusterUpdateParameters(scale_settings=scale)
    ).result()
    live = compute.get("ml", "train", "a100").properties.properties
    assert (live.scale_settings.max_node_count, live.current_node_count) == (6, 2)
    assert len(list(compute.list_nodes("ml", "train", "a100"))) == 2
    drifted = engine.refresh(COMPUTE, made)["properties"]["properties"]["scaleSettings"]
    assert (drifted["minNodeCount"], drifted["maxNodeCount"]) == (2, 6)
    compute.begin_delete("ml", "train", "a100", "Delete").result()
    assert engine.refresh(COMPUTE, made) is None


def test_compute_instances_stop_when_idle(options: dict[str, Any], url: str, engine: Any) -> None:
    build_on(engine, COMPUTE)
    properties = {"computeType": "ComputeInstance", "properties": {
        "vmSize": "Standard_D4s_v5", "idleTimeBeforeShutdown": "PT30M",
        "schedules": {"computeStartStop": [{
            "action": "Stop", "triggerType": "Cron", "status": "Enabled",
            "cron": {"expression": "0 19 * * *", "timeZone": "UTC"}}]}}}  # fmt: skip
    made = engine.up(COMPUTE, change(COMPUTE, computeName="desk", properties=properties))
    assert engine.refresh(COMPUTE, made) == made.inputs
    compute = MachineLearningServicesMgmtClient(**options).machine_learning_compute
    assert compute.get("ml", "train", "desk").properties.properties.state == "Running"
    # The API answers 202 since it has operations to poll; this SDK's takes 200 alone.
    post(f"{url}{made.id}/stop")
    assert compute.get("ml", "train", "desk").properties.properties.state == "Stopped"
    other = {**properties["properties"], "idleTimeBeforeShutdown": "PT60M"}
    wanted = change(COMPUTE, computeName="desk", properties={**properties, "properties": other})
    with pytest.raises(CloudError, match=r"properties\.properties\.idleTimeBeforeShutdown"):
        engine.change(COMPUTE, made, wanted)
    asked = {"idleTimeBeforeShutdown": "PT60M"}
    post(f"{url}{made.id}/updateIdleShutdownSetting", asked)
    live = rest(url, made.id)["properties"]["properties"]
    assert live["idleTimeBeforeShutdown"] == "PT60M"
    assert live["schedules"] == properties["properties"]["schedules"]


def test_online_endpoints_and_deployments(url: str, engine: Any) -> None:
    made = make(engine, DEPLOYMENT)
    endpoint = rest(url, made.id.partition("/deployments/")[0])
    assert endpoint["properties"]["authMode"] == "AADToken"
    assert endpoint["properties"]["scoringUri"].startswith("https://chat.westeurope.")
    live = rest(url, made.id)
    assert (live["sku"], live["tags"]) == ({"name": "Default", "capacity": 2}, TAGS)
    assert live["properties"]["instanceType"] == GPU_SIZE
    assert live["properties"]["scaleSettings"] == {"scaleType": "Default"}
    patch = {"sku": {"name": "Default", "capacity": 5}}
    httpx.patch(f"{url}{made.id}", params={"api-version": "2024-10-01"}, json=patch)
    assert engine.refresh(DEPLOYMENT, made)["sku"]["capacity"] == 5
    assert [each["name"] for each in rest(url, made.id.rpartition("/")[0])["value"]] == ["blue"]


def test_monitor(options: dict[str, Any], engine: Any) -> None:
    made = make(engine, AUTOSCALE)
    engine.up(ACTION_GROUP, INPUTS[ACTION_GROUP], "owners")
    monitor = MonitorManagementClient(**options)
    read = monitor.autoscale_settings.get("ml", "spot")
    assert (read.target_resource_uri, read.enabled, read.tags) == (SCALE_SET_ID, True, TAGS)
    capacity = read.profiles[0].capacity
    assert (capacity.minimum, capacity.maximum, capacity.default) == ("0", "4", "1")
    rule = read.profiles[0].rules[0]
    assert rule.metric_trigger.threshold == 70
    assert (rule.scale_action.direction, rule.scale_action.value) == ("Increase", "1")
    assert rule.scale_action.cooldown.total_seconds() == 300
    group = monitor.action_groups.get("ml", "owners")
    assert (group.group_short_name, group.location) == ("owners", "global")
    assert group.email_receivers[0].email_address == "ml@example.com"
    monitor.autoscale_settings.delete("ml", "spot")
    assert engine.refresh(AUTOSCALE, made) is None


def test_budgets(options: dict[str, Any], engine: Any) -> None:
    made = make(engine, BUDGET)
    budgets = ConsumptionManagementClient(**options).budgets
    read = budgets.get(SCOPE, "training")
    assert (read.amount, read.category, read.time_grain) == (1000, "Cost", "Monthly")
    assert read.time_period.start_date.isoformat() == "2026-01-01T00:00:00+00:00"
    assert read.filter.tags.values_property == ["cc-42"]
    alert = read.notifications["actual-80"]
    assert (alert.threshold, alert.contact_emails) == (80, ["ml@example.com"])
    assert read.current_spend.amount == 0
    assert [each.name for each in budgets.list(SCOPE)] == ["training"]
    read.amount = 1500
    budgets.create_or_update(SCOPE, "training", read)
    assert engine.refresh(BUDGET, made)["amount"] == 1500
    budgets.delete(SCOPE, "training")
    assert engine.refresh(BUDGET, made) is None


def test_scheduled_actions(url: str, engine: Any) -> None:
    made = make(engine, SCHEDULED_ACTION)
    live = rest(url, made.id)
    assert live["kind"] == "InsightAlert"
    assert live["properties"]["schedule"]["frequency"] == "Daily"
    assert live["properties"]["notification"]["to"] == ["ml@example.com"]


def test_custom_roles(options: dict[str, Any], engine: Any) -> None:
    made = make(engine, ROLE_DEFINITION)
    authorization = AuthorizationManagementClient(**options)
    read = authorization.role_definitions.get(SCOPE, ROLE_GUID)
    assert (read.role_name, read.role_type) == ("tidegate controller", "CustomRole")
    assert read.permissions[0].actions == [READ_VMS]
    assert read.assignable_scopes == [f"{SCOPE}/resourceGroups/ml"]
    twin = change(ROLE_DEFINITION, roleDefinitionId=ROLE_GUID.replace("1", "2"))
    with pytest.raises(CloudError, match="same name already exists"):
        engine.up(ROLE_DEFINITION, twin, "twin")
    principal = engine.up(IDENTITY, INPUTS[IDENTITY], "identity").outputs["principalId"]
    condition = f"((!(ActionMatches{{'{READ_VMS}'}})))"
    assigned = {"scope": f"{SCOPE}/resourceGroups/ml", "roleDefinitionId": made.id,
                "principalId": principal, "principalType": "ServicePrincipal",
                "condition": condition, "conditionVersion": "2.0"}  # fmt: skip
    with pytest.raises(CloudError, match="is not assignable at scope"):
        engine.up(ROLE_ASSIGNMENT, {**assigned, "scope": SCOPE}, "wide")
    assignment = engine.up(ROLE_ASSIGNMENT, assigned, "assignment")
    assert engine.refresh(ROLE_ASSIGNMENT, assignment, "assignment") == assignment.inputs
    live = authorization.role_assignments.get_by_id(assignment.id)
    assert (live.condition, live.condition_version) == (condition, "2.0")
    with pytest.raises(HttpResponseError, match="existing role assignments"):
        authorization.role_definitions.delete(SCOPE, ROLE_GUID)
    authorization.role_assignments.delete_by_id(assignment.id)
    authorization.role_definitions.delete(SCOPE, ROLE_GUID)
    assert engine.refresh(ROLE_DEFINITION, made) is None


def test_vaults_and_insights(options: dict[str, Any], engine: Any) -> None:
    make(engine, VAULT)
    vault = KeyVaultManagementClient(**options).vaults.get("ml", "tg-train")
    assert (vault.properties.sku.name, vault.properties.enable_rbac_authorization) == (
        "standard",
        True,
    )
    assert vault.properties.vault_uri == "https://tg-train.vault.azure.net/"
    assert vault.properties.soft_delete_retention_in_days == 90
    made = make(engine, INSIGHTS)
    read = ApplicationInsightsManagementClient(**options).components.get("ml", "train")
    assert (read.kind, read.application_type, read.retention_in_days) == ("web", "web", 30)
    assert read.sampling_percentage == 50
    assert read.workspace_resource_id == INPUTS[INSIGHTS]["workspaceResourceId"]
    assert read.instrumentation_key == made.outputs["instrumentationKey"]
