"""Local clouds in this process: the engine's own way in, and the faces on loopback ports."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from support.aws_operations import CLUSTER, TOPIC
from support.aws_sagemaker import CONFIGURATION, ENDPOINT, IMAGE, MODEL, variant
from support.loopback import azure_options

from tidegate.localclouds.contracts import Call, Cloud, World
from tidegate.localclouds.lifecycle import (
    local_environment,
    reset_local_clouds,
    start_local_clouds,
)
from tidegate.localclouds.resources import Difference, Resource, ResourceTypes
from tidegate.localclouds.server import build_world, open_face
from tidegate.localclouds.wire import Properties

Values = dict[str, Any]


@dataclass
class Made:
    """A resource that `up` made: its id, its inputs after the check, and its outputs."""

    id: str
    inputs: Values
    outputs: Values


@dataclass
class Engine:
    """What the Pulumi engine asks of a provider, without the protocol around it."""

    cloud: Cloud
    world: World
    settings: Mapping[str, Any] = field(default_factory=dict)

    def find(self, token: str, name: str) -> Resource:
        urn = f"urn:pulumi:dev::tests::{token}::{name}"
        call = Call(self.cloud.package, token, urn, name, self.settings, self.world)
        return ResourceTypes(self.cloud, self.world).find(call)

    def refusals(self, token: str, inputs: Values, name: str = "r") -> dict[str, str]:
        """Return what Check refuses, by property."""
        _, failures = self.find(token, name).check({}, inputs, b"seed")
        return {failure.property: failure.reason for failure in failures}

    def up(self, token: str, inputs: Values, name: str = "r") -> Made:
        """Check and create."""
        resource = self.find(token, name)
        checked, failures = resource.check({}, inputs, b"seed")
        assert failures == []
        key, (outputs, _) = resource.create(Properties(checked))
        return Made(key, checked, outputs)

    def diff(self, token: str, made: Made, inputs: Values, name: str = "r") -> Difference:
        """Check new inputs and say what they change."""
        resource = self.find(token, name)
        checked, failures = resource.check(made.inputs, inputs, b"seed")
        assert failures == []
        return resource.diff(made.id, made.inputs, checked)

    def change(self, token: str, made: Made, inputs: Values, name: str = "r") -> Made:
        """Check and update in place."""
        resource = self.find(token, name)
        checked, failures = resource.check(made.inputs, inputs, b"seed")
        assert failures == []
        outputs, _ = resource.update(made.id, made.inputs, Properties(checked))
        return Made(made.id, checked, outputs)

    def refresh(self, token: str, made: Made, name: str = "r") -> Values | None:
        """Return the inputs as they read live, None when it is gone."""
        found = self.find(token, name).read(made.id, Properties(made.inputs))
        return None if found is None else found[0][0]

    def adopt(self, token: str, key: str, name: str = "r") -> Values | None:
        """Return the inputs that `pulumi import` of an id finds."""
        found = self.find(token, name).read(key, Properties({}))
        return None if found is None else found[0][0]

    def destroy(self, token: str, made: Made, name: str = "r") -> None:
        self.find(token, name).delete(made.id)


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    made = build_world(tmp_path / "state")
    yield made
    made.store.close()


@pytest.fixture
def make_engine() -> type[Engine]:
    return Engine


@pytest.fixture
def serve() -> Iterator[Callable[[Cloud], str]]:
    """Open a cloud's face and return its URL."""
    faces = []

    def open_one(cloud: Cloud) -> str:
        face = open_face(cloud.face)
        faces.append(face)
        return face.url

    yield open_one
    for face in faces:
        face.close()


@pytest.fixture(scope="session")
def aws(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    """AWS, one a test process: moto's state is the process's, so tests take names of their own."""
    from tidegate.localclouds.aws.cloud import build_aws_cloud

    world = build_world(tmp_path_factory.mktemp("aws"))
    settings = {"region": "us-east-1"}
    yield Engine(build_aws_cloud(world), world, settings)
    world.store.close()


@pytest.fixture(scope="session")
def boto(aws: Engine) -> Iterator[Callable[[str], Any]]:
    """Return boto3 clients over a loopback port, as a user of the local clouds has them."""
    import boto3
    from botocore.config import Config

    face = open_face(aws.cloud.face)

    @cache
    def build(service: str) -> Any:
        return boto3.client(
            service,
            region_name="us-east-1",
            endpoint_url=face.url,
            aws_access_key_id="tests",
            aws_secret_access_key="tests",
            config=Config(retries={"total_max_attempts": 1}),
        )

    yield build
    face.close()


TRUST = json.dumps(
    {
        "Version": "2012-10-17",
        "Statement": [
            {
                "Effect": "Allow",
                "Principal": {"Service": "eks.amazonaws.com"},
                "Action": "sts:AssumeRole",
            }
        ],
    }
)


@dataclass(frozen=True)
class Base:
    """What a node group stands on, made once."""

    vpc: str
    subnets: list[str]
    role: str
    cluster: str


@pytest.fixture(scope="session")
def base(aws: Engine) -> Base:
    vpc = aws.up("aws:ec2/vpc:Vpc", {"cidrBlock": "10.0.0.0/16"}, "base")
    subnets = [
        aws.up(
            "aws:ec2/subnet:Subnet",
            {
                "vpcId": vpc.id,
                "cidrBlock": f"10.0.{number}.0/24",
                "availabilityZone": f"us-east-1{zone}",
            },
            f"base-{zone}",
        ).id
        for number, zone in enumerate("abcd")
    ]
    role = aws.up("aws:iam/role:Role", {"assumeRolePolicy": TRUST}, "base").outputs["arn"]
    cluster = aws.up(
        "aws:eks/cluster:Cluster", {"roleArn": role, "vpcConfig": {"subnetIds": subnets}}, "base"
    )
    return Base(vpc.id, subnets, role, cluster.id)


@pytest.fixture(scope="session")
def node_group(base: Base) -> Callable[..., Values]:
    """Return the inputs of a node group, with changes."""

    def build(**changes: Any) -> Values:
        inputs = {
            "clusterName": base.cluster,
            "nodeRoleArn": base.role,
            "subnetIds": base.subnets,
            "scalingConfig": {"minSize": 0, "maxSize": 4, "desiredSize": 0},
            "instanceTypes": ["g5.xlarge"],
        }
        return {key: value for key, value in {**inputs, **changes}.items() if value is not None}

    return build


@pytest.fixture
def build_azure_options() -> Callable[[str, str], dict[str, Any]]:
    """Return what an azure-mgmt client needs to reach a face: (url, subscription) → arguments."""
    return azure_options


ROOT = Path(__file__).parents[2]
PULUMI = ROOT / ".tools/bin/pulumi"


class PulumiProject:
    """A program in a folder, run by the real CLI against local clouds of its own."""

    def __init__(self, folder: Path, program: str) -> None:
        self.state = folder / "clouds"
        self.project = folder / "project"
        self.project.mkdir()
        (folder / "backend").mkdir()
        (self.project / "__main__.py").write_text(program)
        virtualenv = str(Path(sys.executable).parent.parent)
        runtime = {"name": "python", "options": {"virtualenv": virtualenv}}
        (self.project / "Pulumi.yaml").write_text(json.dumps({"name": "p", "runtime": runtime}))
        self.base = {
            "PATH": f"{self._build_host(folder)}:{PULUMI.parent}:{virtualenv}/bin:/usr/bin:/bin",
            "HOME": str(folder),
            "PULUMI_HOME": str(folder / "home"),
            "PULUMI_BACKEND_URL": f"file://{folder / 'backend'}",
            "PULUMI_CONFIG_PASSPHRASE": "tests",
            "PULUMI_SKIP_UPDATE_CHECK": "true",
            "PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION": "true",
        }
        self.endpoints = start_local_clouds(self.state)

    def _build_host(self, folder: Path) -> Path:
        programs = folder / "bin"
        programs.mkdir()
        host = programs / "pulumi-language-python"
        command = f'exec {sys.executable} -m tidegate.engine.language_host "$@"'
        host.write_text(f"#!/bin/sh\n{command}\n")
        host.chmod(0o755)
        return programs

    def restart(self) -> None:
        os.kill(self.endpoints.pid, signal.SIGKILL)
        self.endpoints = start_local_clouds(self.state)

    def run(self, *arguments: str, expect: int = 0) -> str:
        result = subprocess.run(
            [PULUMI, *arguments, "--non-interactive"],
            cwd=self.project,
            env=local_environment(self.endpoints, self.base),
            capture_output=True,
            text=True,
            timeout=300,
        )
        assert result.returncode == expect, result.stdout + result.stderr
        return result.stdout


@pytest.fixture
def pulumi_project(tmp_path: Path) -> Iterator[Callable[[str], PulumiProject]]:
    """Return a function that makes a project of a program's text; its local clouds end with it."""
    if not PULUMI.exists():
        pytest.skip("needs .tools/bin/pulumi; ./scripts/setup builds it")
    made: list[PulumiProject] = []

    def build(program: str) -> PulumiProject:
        made.append(PulumiProject(tmp_path, program))
        return made[-1]

    yield build
    for project in made:
        reset_local_clouds(project.state)
    shutil.rmtree(tmp_path, ignore_errors=True)


@pytest.fixture(scope="module")
def entered(aws, base):
    """A cluster whose access is governed by entries."""
    inputs = {
        "roleArn": base.role,
        "vpcConfig": {"subnetIds": base.subnets},
        "accessConfig": {"authenticationMode": "API"},
    }
    return aws.up(CLUSTER, inputs, "entered").id


@pytest.fixture(scope="module")
def topic(aws):
    return aws.up(TOPIC, {}, "alarms")


@pytest.fixture(scope="module")
def sagemaker(boto):
    return boto("sagemaker")


@pytest.fixture(scope="module")
def model(aws, base):
    inputs = {"executionRoleArn": base.role, "primaryContainer": {"image": IMAGE}}
    return aws.up(MODEL, inputs, "served")


@pytest.fixture
def serve_model(aws, model):
    """Put an endpoint in service and return it."""

    def build(name, **changes):
        variants = {"productionVariants": [variant(model, **changes)]}
        configuration = aws.up(CONFIGURATION, variants, name)
        return aws.up(ENDPOINT, {"endpointConfigName": configuration.id, "name": name}, name)

    return build
