"""The stack program and its two configurations, run whole under the recording monitor."""

from __future__ import annotations

import gc
import json
import runpy
import sys
from datetime import date
from pathlib import Path
from typing import Any

import pulumi
import pytest
import tidegate_components
import yaml
from pulumi.runtime.config import set_all_config

from tidegate.catalog.load import load_catalog
from tidegate.manifest.bindings import read_bound_pools
from tidegate.manifest.check import FindingLevel, check_manifest
from tidegate.manifest.read import read_manifest
from tidegate.review.commitments import ReviewInputs, build_commitment_review
from tidegate.review.sample import build_sample_usage
from tidegate.review.settings import ReviewSettings

STACKS = Path(__file__).resolve().parents[2] / "stacks"
MODULES = tuple(path.stem for path in STACKS.glob("*.py") if path.stem != "__main__")


POOLS = ("pools", "cpuPools", "spotGroups", "existingPools", "trainingCompute")


def read_config(stack: str) -> dict[str, Any]:
    document = yaml.safe_load((STACKS / f"Pulumi.{stack}.yaml").read_text(encoding="utf-8"))
    config: dict[str, Any] = document["config"]
    return config


@pytest.fixture
def run_stack(record, monkeypatch):
    """Run `stacks/__main__.py` with a configuration and return what it registered."""
    monkeypatch.syspath_prepend(str(STACKS))

    def run(config: dict[str, Any]):
        def program():
            encoded = {
                key: value if isinstance(value, str) else json.dumps(value)
                for key, value in config.items()
            }
            set_all_config(encoded)
            runpy.run_path(str(STACKS / "__main__.py"), run_name="__main__")

        return record(program)

    yield run
    gc.enable()  # the program is short-lived and switches it off
    set_all_config({})
    for name in MODULES:
        sys.modules.pop(name, None)


@pytest.fixture
def refused(run_stack):
    """Run a changed `dev` and return the refusal; nothing may have been registered."""

    def run(change):
        config = read_config("dev")
        change(config)
        with pytest.raises(pulumi.RunError) as caught:
            run_stack(config)
        head, *lines = str(caught.value).splitlines()
        assert head.endswith("in the configuration; nothing was declared:")
        return [line.removeprefix("  - ") for line in lines]

    return run


@pytest.mark.parametrize("stack", ["dev", "prod"])
def test_each_stack_exports_a_sound_manifest(run_stack, stack, outputs_of):
    recording = run_stack(read_config(stack))

    outputs = outputs_of(recording)
    manifest = read_manifest(stack, outputs["capacity"])
    findings = check_manifest(manifest)
    assert [str(f.problem) for f in findings if f.level is FindingLevel.ERROR] == []
    assert {pool.cloud.value for pool in manifest.pools} == {"aws", "gcp", "azure"}
    bound = {name for section in POOLS for name in outputs["bindings"][section]}
    assert bound == {pool.id for pool in manifest.pools}


def test_dev_is_small_and_from_zero(run_stack, outputs_of):
    manifest = read_manifest("dev", outputs_of(run_stack(read_config("dev")))["capacity"])

    assert all(pool.min_nodes == 0 for pool in manifest.pools)
    assert max(pool.max_nodes for pool in manifest.pools) <= 2
    assert [bucket.storage_class.value for bucket in manifest.buckets] == ["scratch"]
    assert manifest.commitments == []


@pytest.mark.parametrize("stack", ["dev", "prod"])
def test_each_stack_uses_every_component(run_stack, stack):
    recording = run_stack(read_config(stack))

    used = {each.type.rpartition(":")[2] for each in recording.all if "tidegate:" in each.type}
    unused = {"CommittedCapacity"} if stack == "dev" else set()  # dev commits to nothing
    unused |= {"Controller"}  # its image and its token are a user's own
    assert used == set(tidegate_components.__all__) - unused


CONTROLLER = {
    "cloud": "aws",
    "workloadClass": "platform",
    "image": "registry.example/tidegate:0.1.0",
    "token": {"name": "controller", "key": "token"},
}


def read_config_of_one_cloud():
    """Return `dev` with what is on AWS alone, and a controller in its cluster."""
    config = read_config("dev")
    for key, entries in config.items():
        if isinstance(entries, dict) and key not in ("tidegate:labels", "tidegate:hourlyCeiling"):
            config[key] = {k: v for k, v in entries.items() if v.get("cloud") == "aws"}
    config["tidegate:clusters"] = {"aws": read_config("dev")["tidegate:clusters"]["aws"]}
    return config


def test_a_controller_works_on_the_stack_that_declares_it(run_stack, outputs_of):
    sources = {"sources": [{"kind": "sqs", "name": "jobs", "queueUrl": "https://q"}]}
    config = read_config_of_one_cloud()
    config["tidegate:controllers"] = {"controller": {**CONTROLLER, "sources": sources}}

    recording = run_stack(config)

    exported = outputs_of(recording)
    data = recording.one(":ConfigMap").inputs["data"]
    told = json.loads(data["outputs.json"], parse_float=str)
    assert read_manifest("told", told) == read_manifest("exported", exported)
    assert read_bound_pools(told) == read_bound_pools(exported)
    around, queue = json.loads(data["sources.yaml"])["sources"]
    assert (around["cluster"], queue) == ("tidegate-test", sources["sources"][0])
    role = recording.one("PodIdentityAssociation").inputs
    account = recording.one(":ServiceAccount").inputs["metadata"]
    assert (role["namespace"], role["serviceAccount"]) == (account["namespace"], account["name"])
    assert exported["bindings"]["controllers"]["controller"]["deployment"] == "controller"


def test_a_controller_that_could_not_see_all_its_clusters_is_refused(refused):
    def change(config):
        config["tidegate:controllers"] = {"controller": CONTROLLER}
        del config["tidegate:controllerAccess"]["dev-controller-azure"]

    kubeconfig, azure = refused(change)
    assert "kubeconfig: is missing: it resizes pools of azure/tidegate-test" in kubeconfig
    assert "azure: is missing: nobody could resize dev-azure-t4" in azure


@pytest.mark.parametrize("stack", ["dev", "prod"])
def test_every_cloud_whose_pools_tidegate_resizes_gives_its_controller_access(stack):
    config = read_config(stack)
    sections = ("pools", "cpuPools", "spotGroups", "existingPools")
    resized = {
        pool["cloud"]
        for section in sections
        for pool in config.get(f"tidegate:{section}", {}).values()
        if pool["scaler"] == "tidegate"
    }

    given = {access["cloud"] for access in config["tidegate:controllerAccess"].values()}
    assert resized <= given


def test_prod_trains_on_spot_in_three_clouds_and_serves_from_committed_capacity(
    run_stack, outputs_of
):
    config = read_config("prod")
    manifest = read_manifest("prod", outputs_of(run_stack(config))["capacity"])

    spot = {
        (pool.cloud.value, pool.accelerator.split("-")[0])
        for pool in manifest.pools
        if pool.capacity_type.value == "spot" and pool.id in config["tidegate:pools"]
    }
    clouds = ["aws", "gcp", "azure"]
    assert spot == {(cloud, chip) for cloud in clouds for chip in ("a100", "h100")}
    reserved = {pool.reservation for pool in manifest.pools if pool.reservation}
    assert reserved == {commitment.id for commitment in manifest.commitments}
    held = {(bucket.cloud.value, bucket.storage_class.value) for bucket in manifest.buckets}
    classes = ["dataset", "checkpoint", "artifact", "log"]
    assert held == {(cloud, kind) for cloud in clouds for kind in classes}
    assert {stream.cloud.value for stream in manifest.telemetry} == set(clouds)


def test_prod_protects_commitments_and_nothing_else(run_stack):
    recording = run_stack(read_config("prod"))

    protected = {each.type for each in recording.all if each.request.protect}
    assert protected == {
        "aws:ec2/capacityReservation:CapacityReservation",
        "gcp:compute/reservation:Reservation",
        "azure-native:compute:CapacityReservationGroup",
        "azure-native:compute:CapacityReservation",
    }


def test_pools_come_after_their_cluster(run_stack):
    recording = run_stack(read_config("dev"))

    group = recording.one("nodeGroup:NodeGroup")
    assert any("eks/cluster:Cluster" in urn for urn in group.request.dependencies)


def test_eks_nodes_have_a_way_out_before_the_cluster_is_there(run_stack):
    recording = run_stack(read_config("dev"))

    subnets = recording.of("subnet:Subnet")
    assert len(subnets) == 2
    assert all(subnet.inputs["mapPublicIpOnLaunch"] for subnet in subnets)
    (route,) = recording.one("routeTable:RouteTable").inputs["routes"]
    assert route["cidrBlock"] == "0.0.0.0/0"
    uses = recording.of("routeTableAssociation:RouteTableAssociation")
    assert len(uses) == len(subnets)
    assert {each.inputs["routeTableId"] for each in uses} == {"tidegate-test-id"}
    before = " ".join(recording.one("eks/cluster:Cluster").request.dependencies)
    assert before.count("RouteTableAssociation") == len(subnets)


def test_aks_may_use_reservations_before_its_pools_consume_them(run_stack):
    recording = run_stack(read_config("prod"))

    (identity,) = (
        each
        for each in recording.of("managedidentity:UserAssignedIdentity")
        if not each.name.endswith("-controller")
    )
    assert identity.inputs["tags"]["workload-class"] == "platform"
    cluster = recording.one("containerservice:ManagedCluster")
    assert cluster.inputs["identity"]["type"] == "UserAssigned"
    (role,) = (
        each
        for each in recording.of("authorization:RoleAssignment")
        if each.name.endswith("-reservations")
    )
    assert role.inputs["principalId"] == "principal-1"
    assert role.inputs["principalType"] == "ServicePrincipal"
    assert any("authorization:RoleAssignment" in urn for urn in cluster.request.dependencies)


def test_aks_gets_no_right_that_no_pool_needs(run_stack):
    recording = run_stack(read_config("dev"))

    assert not [each for each in recording.all if each.name.endswith("-reservations")]


def test_an_unused_cloud_declares_nothing(run_stack):
    recording = run_stack(read_config_of_one_cloud())

    assert {each.type.split(":")[0] for each in recording.all} == {"aws", "tidegate"}


def set_pool(name, **changes):
    def change(config):
        config["tidegate:pools"][name].update(changes)

    return change


def test_an_unknown_configuration_key_names_the_nearest_one(refused):
    def change(config):
        config["tidegate:poools"] = {}

    (line,) = refused(change)
    assert line.startswith(
        "configuration: tidegate:poools: is not a configuration key "
        "(did you mean 'tidegate:pools'?); expected one of environment, labels"
    )


def test_an_unknown_key_of_a_pool_names_the_nearest_one(refused):
    (line,) = refused(set_pool("dev-aws-l4", maxnodes=3))

    assert line.startswith(
        "pool dev-aws-l4: maxnodes: is not an argument (did you mean 'maxNodes'?); expected one of"
    )


def test_a_wrong_label_value_names_key_value_and_rule(refused):
    (line,) = refused(set_pool("dev-aws-l4", labels={"owner": "ML Platform"}))

    assert line == (
        "pool dev-aws-l4: labels.owner = 'ML Platform': is not a valid cost label value; expected "
        "1 to 63 lowercase letters, digits, '-' or '_', starting and ending with a letter or digit "
        "(what AWS, Google Cloud, Azure and Kubernetes all accept)"
    )


def test_a_wrong_shared_label_is_said_once_where_it_is_configured(refused):
    def change(config):
        config["tidegate:labels"]["owner"] = "ML Platform"

    (line,) = refused(change)

    assert line.startswith(
        "configuration: tidegate:labels.owner = 'ML Platform': is not a valid cost label value; "
    )


def test_an_unknown_accelerator_names_the_nearest_one(refused):
    (line,) = refused(set_pool("dev-aws-l4", accelerator="h1000-80gb"))

    assert line.startswith("pool dev-aws-l4: accelerator = 'h1000-80gb': is not an accelerator")
    assert "h100-80gb" in line


def test_an_accelerator_not_sold_in_the_region_names_where_it_is(refused):
    changes = {"region": "eu-west-1", "zones": [], "instanceTypes": ["p5.48xlarge"]}

    (line,) = refused(set_pool("dev-aws-l4", accelerator="h100-80gb", **changes))

    assert line.startswith(
        "pool dev-aws-l4: instanceTypes[0] = 'p5.48xlarge': is not sold in eu-west-1"
    )
    assert "a region that sells it: eu-north-1, eu-west-2, " in line


def test_min_above_max_names_both(refused):
    (line,) = refused(set_pool("dev-aws-l4", minNodes=5))

    assert line == "pool dev-aws-l4: minNodes = 5: is above maxNodes 2; expected at most 2"


def test_a_gke_name_too_long_is_refused_and_never_cut(refused):
    name = "a" * 41

    (line,) = refused(set_pool("dev-gcp-l4", cloudName=name))

    assert line == (
        f"pool dev-gcp-l4: cloudName = '{name}': has 41 characters, and a GKE node pool name may "
        "have 40; expected at most 40 characters: lowercase letters, digits and '-', starting with "
        "a letter, ending with no '-'"
    )


def test_an_aks_name_with_a_hyphen_is_refused(refused):
    (line,) = refused(set_pool("dev-azure-t4", cloudName="gpu-pool"))

    assert line == (
        "pool dev-azure-t4: cloudName = 'gpu-pool': is not a valid AKS agent pool name; expected "
        "at most 12 characters: lowercase letters and digits, starting with a letter"
    )


def test_spot_with_a_reservation_is_refused(refused):
    (line,) = refused(set_pool("dev-aws-l4", reservation="serve"))

    assert line == (
        "pool dev-aws-l4: reservation = 'serve': cannot be consumed by capacityType spot; "
        "expected capacityType reserved, or none"
    )


def test_retention_outside_cloudwatchs_steps_names_the_next_step(refused):
    def change(config):
        config["tidegate:telemetry"]["dev-run-logs"]["retentionDays"] = 45

    (line,) = refused(change)

    assert line.startswith(
        "telemetry dev-run-logs: retentionDays = 45: is no retention of a CloudWatch log group "
        "(60 is the next that keeps data as long); expected one of 1, 3, 5, 7, 14, 30, 60"
    )


def test_a_delete_rule_without_an_age_is_refused(refused):
    def change(config):
        config["tidegate:buckets"]["dev-scratch"]["rules"] = [{"action": "delete"}]

    (line,) = refused(change)

    assert line == (
        "bucket dev-scratch: rules[0].ageDays: is no age: a delete rule without one deletes every "
        "object at once; expected at least 1 day"
    )


def test_all_problems_are_reported_at_once(refused):
    def change(config):
        config["tidegate:pools"]["dev-aws-l4"]["minNodes"] = 5
        config["tidegate:pools"]["dev-azure-t4"]["cloudName"] = "gpu-pool"
        config["tidegate:telemetry"]["dev-run-logs"]["retentionDays"] = 45

    assert len(refused(change)) == 3


@pytest.mark.parametrize(
    ("change", "start"),
    [
        (
            lambda c: c.pop("tidegate:environment"),
            "configuration: tidegate:environment: is required and is missing",
        ),
        (
            lambda c: c["tidegate:clusters"]["aws"].update(region=7),
            "configuration: tidegate:clusters.aws.region = 7: should be a valid string",
        ),
        (
            lambda c: c["tidegate:clusters"].pop("gcp"),
            "configuration: tidegate:pools.dev-gcp-l4.cloud = 'gcp': has no cluster",
        ),
        (
            lambda c: c.update({"tidegate:hourlyCeiling": {"amount": "-1"}}),
            "configuration: tidegate:hourlyCeiling.amount = '-1': should be greater than",
        ),
        (
            lambda c: c.update({"tidegate:catalogOverlay": "nowhere.yaml"}),
            "configuration: tidegate:catalogOverlay = 'nowhere.yaml': is no file",
        ),
        (
            lambda c: c.update({"tidegate:pools": "[broken"}),
            "configuration: tidegate:pools = '[broken': is not readable",
        ),
    ],
)
def test_a_wrong_value_names_its_key(refused, change, start):
    assert refused(change)[0].startswith(start)


def test_a_cluster_that_is_refused_is_said_once_and_not_by_each_pool(refused):
    (line,) = refused(lambda config: config["tidegate:clusters"]["gcp"].update(zones=[]))

    assert line.startswith("configuration: tidegate:clusters.gcp.zones = []: ")


def test_an_empty_cluster_is_refused_rather_than_its_pools_forgotten(refused):
    lines = refused(lambda config: config["tidegate:clusters"].update(gcp=None))

    assert [line.split(": ")[1] for line in lines] == [
        "tidegate:clusters.gcp.region",
        "tidegate:clusters.gcp.zones",
        "tidegate:clusters.gcp.project",
    ]


def test_a_reservation_that_nobody_declared_is_refused(refused):
    changes = {"capacityType": "reserved", "reservation": "serve", "checkpoint": None}

    (line,) = refused(set_pool("dev-aws-l4", **changes))

    assert line.startswith("pool dev-aws-l4: reservation = 'serve': is no declared commitment")


def test_a_review_of_prod_finds_growth_weeks_idle_ending_and_undeclared(run_stack, outputs_of):
    manifest = read_manifest("prod", outputs_of(run_stack(read_config("prod")))["capacity"])
    today = date(2026, 11, 30)
    used = build_sample_usage(manifest, today, 8)
    inputs = ReviewInputs("sample", used, [manifest])
    found = build_commitment_review(inputs, load_catalog(), ReviewSettings(today=today))
    assert {each.id for each in found.inventory.findings} >= {
        "idle:serve-aws-l4-reserved",
        "ending:serve-azure-a100-reserved",
        "undeclared-use:undeclared-lab",
    }
    assert found.outlook is not None
    grown = found.outlook.forecast.rows["legacy-aws-a10g/g5.12xlarge"]
    assert 0.01 < grown.growth_a_week < 0.03
    assert grown.weekend_share == pytest.approx(0.6, abs=0.01)
    assert found.is_assumed
