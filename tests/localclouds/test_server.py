"""The server process: started, found, killed, started again with nothing lost."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import boto3
import httpx
import pytest

from tidegate.localclouds import lifecycle
from tidegate.localclouds.endpoints import FILE, read_endpoints, require_loopback
from tidegate.localclouds.environment import drop_credentials, local_environment
from tidegate.localclouds.lifecycle import (
    reset_local_clouds,
    start_local_clouds,
    stop_local_clouds,
)
from tidegate.localclouds.server import EXIT_LOCKED
from tidegate.vocabulary.problems import InvalidInput


@pytest.fixture(scope="module")
def state_dir(tmp_path_factory):
    folder = tmp_path_factory.mktemp("server")
    yield folder
    reset_local_clouds(folder)


@pytest.fixture
def endpoints(state_dir):
    return start_local_clouds(state_dir)


def client(endpoints, service):
    return boto3.client(
        service,
        region_name="us-east-1",
        endpoint_url=endpoints.aws_url,
        aws_access_key_id="tests",
        aws_secret_access_key="tests",
    )


def look(endpoints):
    """Return what boto3 sees, without what differs by request."""

    def plain(value):
        if isinstance(value, dict):
            return {key: plain(part) for key, part in value.items() if key != "ResponseMetadata"}
        return [plain(part) for part in value] if isinstance(value, list) else str(value)

    ec2, eks = client(endpoints, "ec2"), client(endpoints, "eks")
    clusters = eks.list_clusters()["clusters"]
    answers = [
        ec2.describe_vpcs(),
        ec2.describe_subnets(),
        ec2.describe_security_groups(),
        ec2.describe_instances(),
        ec2.describe_launch_templates(),
        ec2.describe_capacity_reservations(),
        ec2.describe_tags(),
        client(endpoints, "autoscaling").describe_auto_scaling_groups(),
        client(endpoints, "autoscaling").describe_scaling_activities(),
        client(endpoints, "iam").list_roles(),
        client(endpoints, "logs").describe_log_groups(),
        client(endpoints, "s3").list_buckets(),
        *(eks.describe_cluster(name=name) for name in clusters),
        *(
            eks.describe_nodegroup(clusterName=name, nodegroupName=group)
            for name in clusters
            for group in eks.list_nodegroups(clusterName=name)["nodegroups"]
        ),
    ]
    return plain(answers)


def make_something(endpoints):
    """Make a cluster with nodes, then change it in ways that a replay has to follow in order."""
    ec2, eks = client(endpoints, "ec2"), client(endpoints, "eks")
    vpc = ec2.create_vpc(CidrBlock="10.0.0.0/16")["Vpc"]["VpcId"]
    subnets = [
        ec2.create_subnet(
            VpcId=vpc, CidrBlock=f"10.0.{number}.0/24", AvailabilityZone=f"us-east-1{zone}"
        )["Subnet"]["SubnetId"]
        for number, zone in enumerate("ab")
    ]
    role = client(endpoints, "iam").create_role(RoleName="r", AssumeRolePolicyDocument="{}")
    arn = role["Role"]["Arn"]
    eks.create_cluster(name="c", roleArn=arn, resourcesVpcConfig={"subnetIds": subnets})
    eks.create_nodegroup(
        clusterName="c",
        nodegroupName="n",
        nodeRole=arn,
        subnets=subnets,
        instanceTypes=["g5.xlarge"],
        scalingConfig={"minSize": 0, "maxSize": 5, "desiredSize": 4},
    )
    scaling = client(endpoints, "autoscaling")
    group = scaling.describe_auto_scaling_groups()["AutoScalingGroups"][0]
    name = group["AutoScalingGroupName"]
    scaling.set_desired_capacity(AutoScalingGroupName=name, DesiredCapacity=2)
    victim = scaling.describe_auto_scaling_groups()["AutoScalingGroups"][0]["Instances"][0]
    scaling.terminate_instance_in_auto_scaling_group(
        InstanceId=victim["InstanceId"], ShouldDecrementDesiredCapacity=False
    )
    scaling.set_desired_capacity(AutoScalingGroupName=name, DesiredCapacity=3)
    ec2.create_capacity_reservation(
        InstanceType="p5.48xlarge",
        InstancePlatform="Linux/UNIX",
        AvailabilityZone="us-east-1a",
        InstanceCount=1,
    )
    s3 = client(endpoints, "s3")
    s3.create_bucket(Bucket="kept")
    s3.put_object(Bucket="kept", Key="k", Body=b"still here")


def kill(endpoints):
    os.kill(endpoints.pid, signal.SIGKILL)
    deadline = time.monotonic() + 10
    while read_endpoints_of(endpoints) is not None and time.monotonic() < deadline:
        time.sleep(0.02)


def read_endpoints_of(endpoints):
    return read_endpoints(Path(endpoints.state_dir))


def test_a_killed_server_comes_back_with_the_same_ids_and_times(state_dir, endpoints):
    make_something(endpoints)
    before = look(endpoints)

    kill(endpoints)
    assert (state_dir / FILE).exists()
    assert read_endpoints(state_dir) is None
    again = start_local_clouds(state_dir)

    assert again.pid != endpoints.pid
    assert look(again) == before
    body = client(again, "s3").get_object(Bucket="kept", Key="k")["Body"].read()
    assert body == b"still here"


def test_a_second_start_finds_the_first(state_dir, endpoints):
    assert start_local_clouds(state_dir) == endpoints


def test_two_servers_never_share_a_state(state_dir, endpoints):
    command = [sys.executable, "-m", "tidegate.localclouds.server", "--state-dir", str(state_dir)]

    second = subprocess.run(command, capture_output=True, text=True, timeout=60)

    assert second.returncode == EXIT_LOCKED
    assert "another server holds" in second.stderr
    assert read_endpoints(state_dir) == endpoints


def test_a_start_waits_for_the_lock_of_one_that_is_still_dying(tmp_path, monkeypatch):
    """A killed server holds its lock until the kernel is done with it."""
    asked = []

    def is_locked_at_first(state_dir):
        asked.append(state_dir)
        return len(asked) == 1

    monkeypatch.setattr(lifecycle, "is_locked", is_locked_at_first)
    try:
        started = start_local_clouds(tmp_path)
        assert httpx.get(f"{started.control_url}/health", trust_env=False).json() == {
            "status": "ok"
        }
    finally:
        monkeypatch.undo()
        reset_local_clouds(tmp_path)


def test_a_stop_is_clean_and_its_state_stays(state_dir, endpoints):
    client(endpoints, "logs").create_log_group(logGroupName="stays")

    assert stop_local_clouds(state_dir) is True
    assert not (state_dir / FILE).exists()
    assert stop_local_clouds(state_dir) is False
    again = start_local_clouds(state_dir)
    groups = client(again, "logs").describe_log_groups(logGroupNamePrefix="stays")
    assert len(groups["logGroups"]) == 1


def test_listens_on_loopback_alone_and_holds_no_credentials(endpoints):
    environ = Path(f"/proc/{endpoints.pid}/environ").read_text().split("\0")
    names = {line.split("=")[0] for line in environ if line}

    assert not {name for name in names if name.startswith(("AWS_SECRET", "ARM_CLIENT", "GOOGLE_"))}
    for url in (
        endpoints.aws_url,
        endpoints.gcp_url,
        endpoints.azure_url,
        endpoints.kubernetes_url,
        endpoints.control_url,
    ):
        assert url.startswith("http://127.0.0.1:")


def test_control_tells_health_types_and_faults(endpoints):
    def ask(method, path, **arguments):
        return httpx.request(method, f"{endpoints.control_url}{path}", trust_env=False, **arguments)

    fault = {"kind": "quota", "cloud": "gcp", "target": "*", "count": 3}

    assert ask("GET", "/health").json() == {"status": "ok"}
    types = {item["type"]: item["backing"] for item in ask("GET", "/types").json()}
    assert types["aws:eks/nodeGroup:NodeGroup"] == "api"
    assert ask("POST", "/faults", json=fault).json()["count"] == 3
    assert [item["kind"] for item in ask("GET", "/faults").json()] == ["quota"]
    refused = ask("POST", "/faults", json={**fault, "cloud": "oci"})
    assert refused.status_code == 400
    assert "oci" in refused.json()["error"]
    assert ask("DELETE", "/faults").json() == {"cleared": 1}
    assert ask("GET", "/nowhere").status_code == 404


def test_a_broken_endpoints_file_counts_as_none(tmp_path):
    (tmp_path / FILE).write_text("{")

    assert read_endpoints(tmp_path) is None


@pytest.mark.parametrize(
    "url", ["http://10.0.0.1:80", "https://ec2.amazonaws.com", "http://0.0.0.0:1", "nonsense"]
)
def test_refuses_addresses_that_are_not_on_this_machine(url):
    with pytest.raises(InvalidInput, match="not on this machine"):
        require_loopback(url)


@pytest.mark.parametrize("url", ["http://127.0.0.1:80", "http://localhost:1", "http://[::1]:2"])
def test_takes_loopback_addresses(url):
    assert require_loopback(url) == url


def test_an_environment_without_real_credentials_and_with_fakes(endpoints):
    base = {
        "PATH": "/bin",
        "AWS_PROFILE": "prod",
        "AWS_SESSION_TOKEN": "real",
        "AWS_REGION": "eu-west-1",
        "GOOGLE_APPLICATION_CREDENTIALS": "/real.json",
        "ARM_CLIENT_SECRET": "real",
        "AZURE_CLIENT_SECRET": "real",
        "KUBECONFIG": "/real.yaml",
        "KUBERNETES_SERVICE_HOST": "real",
    }

    made = local_environment(endpoints, base)

    assert drop_credentials(base) == {"PATH": "/bin", "AWS_REGION": "eu-west-1"}
    assert "real" not in json.dumps(made)
    assert "AWS_PROFILE" not in made
    assert made["AWS_REGION"] == "eu-west-1"
    assert made["AWS_ENDPOINT_URL"] == endpoints.aws_url
    ports = endpoints.provider_ports
    assert made["PULUMI_DEBUG_PROVIDERS"] == (
        f"aws:{ports['aws']},gcp:{ports['gcp']},azure-native:{ports['azure-native']},"
        f"kubernetes:{ports['kubernetes']}"
    )
    assert made["KUBECONFIG"] == f"{endpoints.state_dir}/kubeconfig"
    assert made["TIDEGATE_LOCAL"] == "1"
