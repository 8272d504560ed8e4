"""The controller on the local clouds: demand, sizes and back, by the clouds' own SDKs."""

from __future__ import annotations

import base64
from datetime import UTC, datetime

import pytest
from support.azure_types import INPUTS, SCALE_SET, build_on
from support.azure_types import SETTINGS as AZURE_SETTINGS
from support.azure_types import SUBSCRIPTION as COMPUTE_SUBSCRIPTION
from support.controller import (
    FakeClock,
    FakeSource,
    catalog,
    declare,
    declare_pool,
    take_turns,
    wire,
)

from tidegate.clouds.azure.clients import build_queue_client
from tidegate.clouds.bound_pools import BoundPools
from tidegate.localclouds.azure.cloud import build_azure_cloud
from tidegate.localclouds.faults import Fault, FaultKind
from tidegate.localclouds.gcp.cloud import build_gcp_cloud
from tidegate.scaling.job import build_item, parse_job
from tidegate.sources.config import SqsSource, StorageQueueSource
from tidegate.sources.counted import Count, CountedWork
from tidegate.sources.queues import count_sqs, count_storage_queue
from tidegate.vocabulary.records import Outcome
from tidegate.vocabulary.reports import WorkReport

PROJECT = "acme-ml"
POOLS = ("on-aws", "on-gcp", "on-azure")
WORK = {"vcpus": "4"}


@pytest.fixture
def stack(aws, boto, base, world, serve, make_engine, monkeypatch):
    """Return a manifest of one pool on each cloud, and their binding."""
    boto("ec2").create_launch_template(
        LaunchTemplateName="sweep", LaunchTemplateData={"InstanceType": "m5.4xlarge"}
    )
    boto("autoscaling").create_auto_scaling_group(
        AutoScalingGroupName="sweep",
        MinSize=0,
        MaxSize=4,
        VPCZoneIdentifier=base.subnets[0],
        LaunchTemplate={"LaunchTemplateName": "sweep"},
    )
    monkeypatch.setattr(
        "tidegate.clouds.aws.clients.build_client", lambda service, _region: boto(service)
    )
    gcp = build_gcp_cloud(world)
    google = make_engine(gcp, world, {"project": PROJECT, "region": "us-central1"})
    google.up(
        "gcp:container/cluster:Cluster",
        {"name": "main", "location": "us-central1-a", "initialNodeCount": 1},
        "main",
    )
    pool = {
        "name": "train",
        "cluster": "main",
        "location": "us-central1-a",
        "initialNodeCount": 0,
        "nodeConfig": {"machineType": "n2-standard-16"},
    }
    google.up("gcp:container/nodePool:NodePool", pool)
    azure = build_azure_cloud(world)
    microsoft = make_engine(azure, world, AZURE_SETTINGS)
    microsoft.up("azure-native:resources:ResourceGroup", {"resourceGroupName": "ml"}, "group")
    build_on(microsoft, SCALE_SET)
    microsoft.up(SCALE_SET, INPUTS[SCALE_SET])
    plain = {"accelerator": "", "accelerators_per_node": 0, "capacity_type": "spot"}
    manifest = declare(
        declare_pool("on-aws", **plain, instance_types=["m5.4xlarge"]),
        declare_pool(
            "on-gcp", **plain, cloud="gcp", kind="gke-node-pool", region="us-central1",
            instance_types=["n2-standard-16"],
        ),
        declare_pool(
            "on-azure", **plain, cloud="azure", kind="scale-set", region="eastus",
            instance_types=["Standard_D16s_v5"], account=COMPUTE_SUBSCRIPTION,
        ),
    )  # fmt: skip
    place = {"cluster": "main", "location": "us-central1-a", "project": PROJECT}
    bindings = {
        "on-aws": {"autoScalingGroup": "sweep"},
        "on-gcp": {**place, "nodePool": "train"},
        "on-azure": {"scaleSet": "spot", "resourceGroup": "ml"},
    }
    urls = {"gcp": serve(gcp), "azure": serve(azure)}
    yield manifest, BoundPools(manifest.pools, bindings, urls)
    boto("autoscaling").delete_auto_scaling_group(AutoScalingGroupName="sweep", ForceDelete=True)
    boto("ec2").delete_launch_template(LaunchTemplateName="sweep")


def ask_for(pool, count):
    """Return a source of work for one pool."""
    settings = SqsSource(
        kind="sqs", name=pool, region="x", queue_url="x", pool=pool,
        work={"vcpus": "16", "placement": {"pools": [pool]}},
    )  # fmt: skip
    return CountedWork(settings, catalog(), lambda: count)


def turn(wiring, store, clock, turns=1):
    take_turns(wiring, store, clock, turns, seconds=4000)


def test_pools_of_three_clouds_open_with_the_work_and_close_after_it(stack, store):
    manifest, pools = stack
    clock = FakeClock(datetime.now(UTC))
    busy = [ask_for(pool, Count(2, 0)) for pool in POOLS]
    turn(wire(manifest, pools, *busy), store, clock)
    opened = {pool: pools.fetch_state(pool).target_nodes for pool in POOLS}

    idle = [ask_for(pool, Count(0, 0)) for pool in POOLS]
    turn(wire(manifest, pools, *idle), store, clock, turns=3)

    assert opened == dict.fromkeys(POOLS, 2)
    for pool in POOLS:
        state = pools.fetch_state(pool)
        assert (state.target_nodes, state.machines) == (0, ())
        assert [
            (each.action, each.from_nodes, each.to_nodes, each.outcome)
            for each in store.read_decisions(pool, 9)
        ] == [("shrink", 2, 0, Outcome.APPLIED), ("grow", 0, 2, Outcome.APPLIED)]


@pytest.mark.parametrize("kind", [FaultKind.STOCK_OUT, FaultKind.QUOTA])
def test_what_one_cloud_has_not_another_gives(stack, store, world, kind):
    manifest, pools = stack
    document = {"id": "job", "vcpus": "16", "placement": {"pools": ["on-gcp", "on-azure"]}}
    item = build_item(parse_job("job", document), catalog(), FakeClock().now())
    wiring = wire(manifest, pools, FakeSource(answer=WorkReport((item,))))
    for cloud in ("gcp", "azure-native"):
        world.faults.add(Fault(kind, cloud, "*"))

    turn(wiring, store, FakeClock())
    refused = [each.pool for each in store.read_decisions(None, 9) if each.action == "grow"]
    world.faults.clear()
    turn(wiring, store, FakeClock())

    (first,) = refused
    (second,) = {"on-gcp", "on-azure"} - {first}
    assert pools.fetch_state(first).target_nodes == 0
    assert pools.fetch_state(second).target_nodes == 1


def test_clouds_that_throttle_are_asked_again_and_nothing_is_ordered_twice(stack, store, world):
    manifest, pools = stack
    wanted = [ask_for(pool, Count(2, 0)) for pool in POOLS]
    wiring = wire(manifest, pools, *wanted)
    clock = FakeClock(datetime.now(UTC))
    for cloud in ("gcp", "azure-native"):
        world.faults.add(Fault(FaultKind.THROTTLING, cloud, "*", count=None))

    turn(wiring, store, clock)
    before = {pool: store.read_decisions(pool, 9) for pool in POOLS}
    world.faults.clear()
    turn(wiring, store, clock)
    turn(wiring, store, clock)

    assert [each.outcome for each in before["on-aws"]] == [Outcome.APPLIED]
    for pool in ("on-gcp", "on-azure"):
        assert all(each.outcome is not Outcome.APPLIED for each in before[pool])
        assert any("throttled" in f"{each.reason} {each.detail}" for each in before[pool])
    assert {pool: pools.fetch_state(pool).target_nodes for pool in POOLS} == dict.fromkeys(POOLS, 2)


def test_an_sqs_queue_is_counted(boto):
    url = boto("sqs").create_queue(QueueName="sweep-jobs")["QueueUrl"]
    for number in range(3):
        boto("sqs").send_message(QueueUrl=url, MessageBody=str(number))
    boto("sqs").receive_message(QueueUrl=url, MaxNumberOfMessages=1)
    settings = SqsSource(
        kind="sqs", name="jobs", region="us-east-1", queue_url=url, pool="on-aws", work=WORK
    )

    report = CountedWork(settings, catalog(), count_sqs(settings, boto("sqs"))).fetch()

    assert len(report.items) == 3
    assert report.in_progress == {"on-aws": 1}


def test_a_storage_queue_is_counted(world, serve, make_engine):
    azure = build_azure_cloud(world)
    engine = make_engine(azure, world, AZURE_SETTINGS)
    engine.up("azure-native:resources:ResourceGroup", {"resourceGroupName": "ml"}, "group")
    account = {
        "resourceGroupName": "ml",
        "accountName": "sweepjobs",
        "kind": "StorageV2",
        "sku": {"name": "Standard_LRS"},
    }
    engine.up("azure-native:storage:StorageAccount", account, "account")
    queue = {"resourceGroupName": "ml", "accountName": "sweepjobs", "queueName": "jobs"}
    engine.up("azure-native:storage:Queue", queue, "queue")
    client = build_queue_client("sweepjobs", "jobs", serve(azure))
    for number in range(2):
        client.send_message(base64.b64encode(str(number).encode()).decode())
    settings = StorageQueueSource(
        kind="storage-queue", name="jobs", account="sweepjobs", queue="jobs", work=WORK
    )

    report = CountedWork(settings, catalog(), count_storage_queue(settings, client)).fetch()

    assert len(report.items) == 2
