"""Runs declarations under a mock monitor that keeps each request whole, options included."""

from __future__ import annotations

import asyncio
import os
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pulumi
import pytest
from google.protobuf import json_format, struct_pb2
from pulumi.runtime import mocks
from pulumi.runtime.proto import resource_pb2
from pulumi.runtime.settings import get_root_resource
from pulumi.runtime.stack import Stack, run_pulumi_func

from tidegate.catalog.catalog import Catalog
from tidegate.catalog.load import load_catalog
from tidegate.engine.toolchain import ToolMissing, find_toolchain, provide_language_host


def pytest_configure(config: pytest.Config) -> None:
    # The SDKs warn of their own deprecated classes when the module that holds them is imported.
    for package in ("pulumi_aws", "pulumi_gcp", "pulumi_azure_native"):
        rule = f"ignore:.* has been deprecated in favor of:DeprecationWarning:{package}"
        config.addinivalue_line("filterwarnings", rule)


@dataclass(frozen=True)
class Registered:
    """One registration as the engine would receive it."""

    type: str
    name: str
    inputs: dict[str, Any]
    request: Any

    @property
    def ignored(self) -> list[str]:
        return list(self.request.ignoreChanges)


@dataclass
class Recording:
    """Everything that a program registered, in order."""

    all: list[Registered] = field(default_factory=list)
    outputs: dict[str, dict[str, Any]] = field(default_factory=dict)

    def of(self, suffix: str) -> list[Registered]:
        return [each for each in self.all if each.type.endswith(suffix)]

    def one(self, suffix: str) -> Registered:
        found = self.of(suffix)
        assert len(found) == 1, [each.type for each in self.all]
        return found[0]


OUTPUTS = {
    "aws:eks/nodeGroup:NodeGroup": {"resources": [{"autoscalingGroups": [{"name": "asg-1"}]}]},
    "aws:ec2/launchTemplate:LaunchTemplate": {"latestVersion": 3},
    "gcp:logging/projectSink:ProjectSink": {"writerIdentity": "serviceAccount:sink-writer"},
    "gcp:serviceaccount/account:Account": {"email": "controller@acme"},
    "aws:iam/role:Role": {"arn": "arn:role"},
    "aws:iam/policy:Policy": {"arn": "arn:policy"},
    "aws:sns/topic:Topic": {"arn": "arn:topic"},
    "aws:eks/cluster:Cluster": {
        "endpoint": "https://eks.example",
        "certificateAuthority": {"data": "Y2E="},
    },
    "gcp:container/cluster:Cluster": {
        "endpoint": "10.0.0.2",
        "masterAuth": {"clusterCaCertificate": "Y2E="},
    },
    "azure-native:managedidentity:UserAssignedIdentity": {"principalId": "principal-1"},
    # A list of ids in the inputs.
    "azure-native:containerservice:ManagedCluster": {
        "identity": {"type": "UserAssigned", "userAssignedIdentities": {"identity-1": {}}}
    },
}
"""What clouds answer beside the inputs or in another form, where a program reads it."""


ANSWERS = {
    # How a program reaches the API of an AKS cluster, in base64: {}.
    "azure-native:containerservice:listManagedClusterUserCredentials": {
        "kubeconfigs": [{"name": "clusterUser", "value": "e30="}]
    },
}
"""The one look-up of the example stack; components make none."""


class RecordingMonitor(mocks.MockMonitor):
    """Keeps the raw requests; the stock monitor hides options (pulumi/pulumi#14421)."""

    def __init__(self) -> None:
        super().__init__(NoCalls())
        self.recording = Recording()

    def RegisterResource(self, request: Any) -> Any:  # noqa: N802 - the protocol's name
        urn = f"urn:pulumi:test::tidegate::{request.type}::{request.name}"
        inputs = json_format.MessageToDict(request.object)
        if request.type != "pulumi:pulumi:Stack":
            each = Registered(request.type, request.name, inputs, request)
            self.recording.all.append(each)
        state = struct_pb2.Struct()
        state.CopyFrom(request.object)
        state.update({"name": request.name, **inputs, **OUTPUTS.get(request.type, {})})
        identifier = f"{request.name}-id" if request.custom else ""
        return resource_pb2.RegisterResourceResponse(urn=urn, id=identifier, object=state)

    def Invoke(self, request: Any) -> Any:  # noqa: N802 - the protocol's name
        if request.tok not in ANSWERS:
            raise AssertionError(f"a component called {request.tok}, which needs a cloud")
        # The stock monitor leaves an event loop open in every thread that calls.
        answer = struct_pb2.Struct()
        answer.update(ANSWERS[request.tok])
        return resource_pb2.ResourceInvokeResponse(**{"return": answer})

    def RegisterResourceOutputs(self, request: Any) -> Any:  # noqa: N802 - the protocol's name
        name = request.urn.rsplit("::", 1)[-1]
        self.recording.outputs[name] = json_format.MessageToDict(request.outputs)
        return super().RegisterResourceOutputs(request)


def as_stack(program: Callable[[], Any]) -> None:
    """Run a program and register what it exported as the outputs of its stack."""
    root = get_root_resource()
    assert isinstance(root, Stack)
    program()
    root.register_outputs(root.outputs)


class NoCalls(mocks.Mocks):
    def call(self, args: mocks.MockCallArgs) -> Any:
        raise AssertionError(f"a component called {args.token}, which needs a cloud")

    def new_resource(self, args: mocks.MockResourceArgs) -> Any:
        raise AssertionError("registrations are answered by the monitor")


@pytest.fixture
def record() -> Iterator[Callable[[Callable[[], Any]], Recording]]:
    """Return a function that runs a program and gives back what it registered."""
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)

    def run(program: Callable[[], Any]) -> Recording:
        monitor = RecordingMonitor()
        pulumi.runtime.set_mocks(
            NoCalls(), project="tidegate", stack="test", preview=False, monitor=monitor
        )
        loop.run_until_complete(run_pulumi_func(lambda: as_stack(program)))
        return monitor.recording

    yield run
    loop.close()
    asyncio.set_event_loop(None)


@pytest.fixture
def outputs_of() -> Callable[[Recording], dict[str, Any]]:
    """Return a function that gives the outputs which the stack itself exported."""
    return lambda recording: recording.outputs["tidegate-test"]


@pytest.fixture(scope="session")
def catalog() -> Catalog:
    return load_catalog()


ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def pulumi_cli(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Any]:
    """Return a function that runs the real CLI with a home and a backend of its own."""
    try:
        program = find_toolchain(ROOT).pulumi.path
        host = provide_language_host(ROOT, os.environ)
    except ToolMissing as error:
        pytest.skip(str(error))
    home = tmp_path_factory.mktemp("pulumi")
    first = [str(host.parent), str(ROOT / ".venv" / "bin"), str(program.parent)]
    environment = {
        "PATH": os.pathsep.join([*first, os.environ["PATH"]]),
        "HOME": str(home),
        "PULUMI_HOME": str(home),
        "PULUMI_BACKEND_URL": home.as_uri(),
        "PULUMI_CONFIG_PASSPHRASE": "throw-away",
        "PULUMI_SKIP_UPDATE_CHECK": "1",
        # A provider that is said to run already is not downloaded; none of these tests needs one.
        "PULUMI_DEBUG_PROVIDERS": "aws:1,gcp:1,azure-native:1,kubernetes:1",
    }

    def run(*arguments: str, directory: Path = ROOT) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [str(program), *arguments],
            cwd=directory,
            env=environment,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    return run


LABELS = {
    "environment": "prod",
    "owner": "ml-platform",
    "business-unit": "research",
    "platform-project": "vision",
    "workload-class": "training",
    "cost-center": "cc-1001",
}

POOLS: dict[str, dict[str, Any]] = {
    "aws": {
        "cloud": "aws",
        "region": "us-east-2",
        "zones": ["us-east-2a", "us-east-2b"],
        "cluster": "train",
        "accelerator": "h100-80gb",
        "instance_types": ["p5.48xlarge"],
        "aws": {"node_role_arn": "arn:aws:iam::1:role/node", "subnet_ids": ["subnet-1"]},
    },
    "gcp": {
        "cloud": "gcp",
        "region": "us-central1",
        "zones": ["us-central1-a"],
        "cluster": "train",
        "accelerator": "h100-80gb",
        "instance_types": ["a3-highgpu-8g"],
        "gcp": {"project": "acme-ml"},
    },
    "azure": {
        "cloud": "azure",
        "region": "eastus",
        "zones": ["1"],
        "cluster": "train",
        "accelerator": "h100-80gb",
        "instance_types": ["Standard_ND96isr_H100_v5"],
        "azure": {"resource_group_name": "ml"},
    },
}


@pytest.fixture
def pool_args() -> Callable[..., dict[str, Any]]:
    """Return valid arguments of a spot training pool; keywords replace, None removes."""

    def build(cloud: str, **changes: Any) -> dict[str, Any]:
        shared = {
            "capacity_type": "spot",
            "max_nodes": 4,
            "labels": LABELS,
            "scaler": "tidegate",
        }
        merged = {**shared, **POOLS[cloud], **changes}
        return {key: value for key, value in merged.items() if value is not None}

    return build


@pytest.fixture
def labels() -> dict[str, str]:
    return dict(LABELS)
