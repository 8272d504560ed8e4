"""What our components declare on Azure, against the local Azure: made, whole, and without drift.

The program runs in this process; each registration is made by the local Azure itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from support.azure_types import (
    COMPUTE,
    GROUP,
    IDENTITY,
    INPUTS,
    PROVIDERS,
    SCOPE,
    SETTINGS,
    SUBNET,
    SUBNET_ID,
    WORKSPACE,
    build_on,
)
from support.local_monitor import Made, open_program
from tidegate_components import (
    ControllerAccess,
    CostBudget,
    InferenceCapacity,
    Notebooks,
    SpotGroup,
    TrainingCompute,
)

from tidegate.localclouds.azure.cloud import build_azure_cloud
from tidegate.localclouds.contracts import World

AZURE = {"cloud": "azure", "region": "westeurope"}
LABELS = {
    "environment": "prod",
    "owner": "ml-platform",
    "business-unit": "research",
    "platform-project": "vision",
    "workload-class": "training",
    "cost-center": "cc-1001",
}
LAB = {"resource_group_name": "ml", "workspace_name": "train"}
SIZE = "Standard_NC24ads_A100_v4"


@pytest.fixture
def engine(world: World, make_engine: Any) -> Any:
    made = make_engine(build_azure_cloud(world), world, SETTINGS)
    made.up(GROUP, {"resourceGroupName": "ml"}, "group")
    return made


@pytest.fixture
def declare(engine: Any) -> Iterator[Callable[[Callable[[], Any]], Made]]:
    """Return a function that runs a program and gives back what was made, by type."""
    with open_program(engine, "azure-native") as run:
        yield run


def spot_group(**own: Any) -> None:
    SpotGroup(
        "sweep",
        {
            **AZURE,
            "instance_types": ["Standard_D8s_v5", "Standard_D8as_v5"],
            "image": "Canonical:ubuntu-24_04-lts:server:latest",
            "max_nodes": 8,
            "min_nodes": 2,
            "on_demand_base_nodes": 1,
            "scaler": "tidegate",
            "labels": LABELS,
            "azure": {
                "resource_group_name": "ml",
                "subnet_id": SUBNET_ID,
                "ssh_public_key": "ssh-ed25519 AAAA",
                "subscription": SCOPE,
                **own,
            },
        },
    )


@pytest.mark.parametrize(
    ("own", "group"),
    [
        ({}, "azure-native:compute:VirtualMachineScaleSet"),
        ({"fleet": True}, "azure-native:azurefleet:Fleet"),
    ],
)
def test_spot_group(engine: Any, declare: Any, own: dict[str, Any], group: str) -> None:
    build_on(engine, SUBNET)
    engine.up(SUBNET, INPUTS[SUBNET], "nodes")
    made = declare(lambda: spot_group(**own))
    assert made.keys() == {
        group,
        "azure-native:storage:StorageAccount",
        "azure-native:storage:ManagementPolicy",
        "azure-native:storage:Queue",
        "azure-native:eventgrid:SystemTopic",
        "azure-native:eventgrid:SystemTopicEventSubscription",
    }


def test_cost_budget(declare: Any) -> None:
    made = declare(
        lambda: CostBudget(
            "vision",
            {
                "cloud": "azure",
                "amount": 40000,
                "currency": "EUR",
                "start": "2026-12-01",
                "emails": ["ml@example.com"],
                "anomaly": {"until": "2027-11-30"},
                "labels": LABELS,
                "azure": {"scope": SCOPE},
            },
        )
    )
    assert made.keys() == {
        "azure-native:consumption:Budget",
        "azure-native:costmanagement:ScheduledActionByScope",
    }


@pytest.fixture
def lab(engine: Any) -> None:
    build_on(engine, WORKSPACE)
    engine.up(WORKSPACE, INPUTS[WORKSPACE], "lab")


@pytest.mark.usefixtures("lab")
def test_inference_capacity(declare: Any) -> None:
    made = declare(
        lambda: InferenceCapacity(
            "chat",
            {
                **AZURE,
                "model": "llama",
                "min_replicas": 1,
                "max_replicas": 2,
                "labels": {**LABELS, "workload-class": "inference"},
                "azure": {"resource_group_name": "ml"},
                "azure_ml": {
                    "workspace_name": "train",
                    "model_id": "azureml://registries/acme/models/llama/versions/1",
                    "instance_type": SIZE,
                },
            },
        )
    )
    assert made.keys() == {
        "azure-native:machinelearningservices:OnlineEndpoint",
        "azure-native:machinelearningservices:OnlineDeployment",
        "azure-native:monitor:AutoscaleSetting",
    }


@pytest.mark.usefixtures("lab")
def test_notebooks_and_training(declare: Any) -> None:
    def program() -> None:
        Notebooks(
            "desk",
            {
                **AZURE,
                "instance_type": SIZE,
                "idle_shutdown_seconds": 3600,
                "labels": {**LABELS, "workload-class": "notebook"},
                "azure": LAB,
            },
        )
        TrainingCompute(
            "cluster",
            {
                **AZURE,
                "instance_type": SIZE,
                "capacity_type": "spot",
                "max_nodes": 4,
                "max_run_seconds": 86400,
                "checkpoint_uri": "azureml://datastores/work/paths/vision",
                "checkpoint": {
                    "interval_seconds": 900,
                    "write_seconds": 60,
                    "restart_seconds": 300,
                },
                "labels": LABELS,
                "azure": LAB,
            },
        )

    made = declare(program)
    kinds = [each.inputs["properties"]["computeType"] for _, each in made[COMPUTE]]
    assert sorted(kinds) == ["AmlCompute", "ComputeInstance"]


@pytest.mark.usefixtures("lab")
def test_controller_access(engine: Any, declare: Any) -> None:
    principal = engine.up(IDENTITY, INPUTS[IDENTITY], "identity").outputs["principalId"]
    made = declare(
        lambda: ControllerAccess(
            "controller",
            {
                "cloud": "azure",
                "labels": {**LABELS, "workload-class": "platform"},
                "azure": {
                    "principal_id": principal,
                    "subscription": SCOPE,
                    "pool_scopes": [f"{SCOPE}/resourceGroups/ml"],
                    "queue_scopes": [f"{PROVIDERS}/Microsoft.Storage/storageAccounts/tgevents"],
                    "workspace_scopes": [
                        f"{PROVIDERS}/Microsoft.MachineLearningServices/workspaces/train"
                    ],
                },
            },
        )
    )
    assert {token: len(each) for token, each in made.items()} == {
        "azure-native:authorization:RoleDefinition": 4,
        "azure-native:authorization:RoleAssignment": 4,
    }
