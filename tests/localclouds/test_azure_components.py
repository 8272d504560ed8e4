"""What our components declare on Azure, against the local Azure: made, whole, and without drift.

The program runs in this process; each registration is made by the local Azure itself.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from typing import Any

import pulumi
import pytest
from google.protobuf import json_format, struct_pb2
from pulumi.runtime import mocks
from pulumi.runtime.proto import resource_pb2
from pulumi.runtime.stack import run_pulumi_func
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
from tidegate.localclouds.rest_shape import plain

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


class NoCalls(mocks.Mocks):
    def call(self, args: mocks.MockCallArgs) -> Any:
        raise AssertionError(f"a component called {args.token}")

    def new_resource(self, args: mocks.MockResourceArgs) -> Any:
        raise AssertionError("registrations are answered by the monitor")


class LocalAzure(mocks.MockMonitor):
    """Answers a program's registrations with what the local Azure made of them."""

    def __init__(self, engine: Any) -> None:
        super().__init__(NoCalls())
        self.engine = engine
        self.made: dict[str, list[Any]] = {}

    def RegisterResource(self, request: Any) -> Any:  # noqa: N802 - the protocol's name
        urn = f"urn:pulumi:test::tidegate::{request.type}::{request.name}"
        inputs = plain(json_format.MessageToDict(request.object))
        state = struct_pb2.Struct()
        if not request.type.startswith("azure-native:"):
            state.update(inputs)
            return resource_pb2.RegisterResourceResponse(urn=urn, object=state)
        made = self.engine.up(request.type, inputs, request.name)
        self.made.setdefault(request.type, []).append((request.name, made))
        state.update(made.outputs)
        return resource_pb2.RegisterResourceResponse(urn=urn, id=made.id, object=state)


@pytest.fixture
def engine(world: World, make_engine: Any) -> Any:
    made = make_engine(build_azure_cloud(world), world, SETTINGS)
    made.up(GROUP, {"resourceGroupName": "ml"}, "group")
    return made


@pytest.fixture
def declare(engine: Any) -> Iterator[Callable[[Callable[[], Any]], dict[str, list[Any]]]]:
    """Return a function that runs a program and gives back what was made, by type."""
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)

    def run(program: Callable[[], Any]) -> dict[str, list[Any]]:
        azure = LocalAzure(engine)
        pulumi.runtime.set_mocks(
            NoCalls(), project="tidegate", stack="test", preview=False, monitor=azure
        )
        loop.run_until_complete(run_pulumi_func(program))
        for token, resources in azure.made.items():
            for name, made in resources:
                assert engine.refresh(token, made, name) == made.inputs
        return azure.made

    yield run
    loop.close()
    asyncio.set_event_loop(None)


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
