"""Machines taken by the local clouds, heard of by the controller through the clouds' own SDKs."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from itertools import count

import pytest
from support import azure_types as microsoft
from support import gcp_inputs as google
from support.controller import FakeClock, FakeSource, declare, declare_pool, take_turns, wire

from tidegate.cli.controller_notices import build_notices
from tidegate.clouds.azure.clients import build_queue_client
from tidegate.clouds.bound_pools import BoundPools
from tidegate.localclouds.azure.cloud import build_azure_cloud
from tidegate.localclouds.faults import Fault, FaultKind
from tidegate.localclouds.gcp.cloud import build_gcp_cloud
from tidegate.sources.notice_config import SqsNoticeQueue
from tidegate.vocabulary.notices import NoticeKind
from tidegate.vocabulary.problems import InvalidInput

NUMBERS = count()
WARNINGS = {
    "source": ["aws.ec2"],
    "detail-type": [
        "EC2 Spot Instance Interruption Warning",
        "EC2 Instance Rebalance Recommendation",
        "EC2 Instance State-change Notification",
    ],
}
SPOT = {"accelerator": "", "accelerators_per_node": 0, "capacity_type": "spot"}


@pytest.fixture
def on_aws(aws, boto, base, monkeypatch):
    """Return a spot pool of two instances whose events go to a queue, as its component does it."""
    name = f"notices-{next(NUMBERS)}"
    image = {"instanceType": "g5.xlarge", "imageId": "ami-12c6146b"}
    template = aws.up("aws:ec2/launchTemplate:LaunchTemplate", image, name).id
    group = aws.up(
        "aws:autoscaling/group:Group",
        {
            "name": name,
            "minSize": 0,
            "maxSize": 9,
            "desiredCapacity": 2,
            "vpcZoneIdentifiers": base.subnets,
            "mixedInstancesPolicy": {
                "launchTemplate": {
                    "launchTemplateSpecification": {"launchTemplateId": template, "version": "1"},
                    "overrides": [{"instanceType": "g5.xlarge"}],
                },
                "instancesDistribution": {
                    "onDemandBaseCapacity": 0,
                    "onDemandPercentageAboveBaseCapacity": 0,
                },
            },
        },
        name,
    )
    queue = aws.up("aws:sqs/queue:Queue", {"name": name}, name)
    rule_type, target_type = (
        "aws:cloudwatch/eventRule:EventRule",
        "aws:cloudwatch/eventTarget:EventTarget",
    )
    rule = aws.up(rule_type, {"eventPattern": json.dumps(WARNINGS), "state": "ENABLED"}, name)
    target = aws.up(target_type, {"rule": rule.id, "arn": queue.outputs["arn"]}, name)
    allowed = {
        "Effect": "Allow",
        "Principal": {"Service": "events.amazonaws.com"},
        "Action": "sqs:SendMessage",
        "Resource": queue.outputs["arn"],
        "Condition": {"ArnEquals": {"aws:SourceArn": rule.outputs["arn"]}},
    }
    policy = json.dumps({"Version": "2012-10-17", "Statement": [allowed]})
    aws.up("aws:sqs/queuePolicy:QueuePolicy", {"queueUrl": queue.id, "policy": policy}, name)
    monkeypatch.setattr(
        "tidegate.clouds.aws.clients.build_client", lambda service, _region: boto(service)
    )
    pool = declare_pool("on-aws", **SPOT, instance_types=["g5.xlarge"], max_nodes=9)
    url = boto("sqs").get_queue_url(QueueName=name)["QueueUrl"]
    binding = {"autoScalingGroup": name, "region": "us-east-1", "interruptionQueue": url}

    def interrupt(number):
        glob = f"ec2:SendSpotInstanceInterruption/{name}/*"
        aws.world.faults.add(Fault(FaultKind.INTERRUPTION, "aws", glob, count=number))
        boto("ec2").describe_vpcs()

    yield pool, binding, {}, interrupt
    aws.world.faults.clear()
    aws.destroy(target_type, target, name)
    aws.destroy(rule_type, rule, name)
    aws.destroy("aws:autoscaling/group:Group", group)


@pytest.fixture
def on_gcp(world, serve, make_engine):
    """Return a spot pool of two instances whose preemptions a sink tells a subscription."""
    cloud = build_gcp_cloud(world)
    url = serve(cloud)
    engine = make_engine(cloud, world, google.SETTINGS)
    google.declare_base(engine)
    engine.up(google.GROUP, {**google.FLEXIBLE_GROUP, "targetSize": 2}, "group")
    engine.up(google.SUBSCRIPTION, {"name": "preempted", "topic": "preempted"}, "subscription")
    sink = engine.up(*google.EVERY_KIND["sink"], "sink")
    member = {
        "topic": google.TOPIC_NAME,
        "role": "roles/pubsub.publisher",
        "member": sink.outputs["writerIdentity"],
    }
    engine.up(google.TOPIC_MEMBER, member, "writer")
    pool = declare_pool(
        "on-gcp", **SPOT, cloud="gcp", kind="instance-group", region="us-central1",
        instance_types=["g2-standard-8"], max_nodes=9,
    )  # fmt: skip
    binding = {
        "instanceGroupManager": "spot",
        "project": google.PROJECT,
        "region": "us-central1",
        "interruptionSubscription": f"projects/{google.PROJECT}/subscriptions/preempted",
    }

    def interrupt(number):
        glob = "compute:Instances.Preempt/*"
        world.faults.add(Fault(FaultKind.INTERRUPTION, "gcp", glob, count=number))

    return pool, binding, {"gcp": url}, interrupt


@pytest.fixture
def on_azure(world, serve, make_engine):
    """Return a spot pool of two machines whose health events go to a storage queue."""
    cloud = build_azure_cloud(world)
    url = serve(cloud)
    engine = make_engine(cloud, world, microsoft.SETTINGS)
    engine.up(microsoft.GROUP, {"resourceGroupName": "ml"}, "group")
    microsoft.build_on(engine, microsoft.SCALE_SET)
    microsoft.build_on(engine, microsoft.EVENT_SUBSCRIPTION)
    sku = {"name": microsoft.GPU_SIZE, "capacity": 2}
    mix = {"baseRegularPriorityCount": 0, "regularPriorityPercentageAboveBase": 0}
    engine.up(
        microsoft.SCALE_SET, microsoft.change(microsoft.SCALE_SET, sku=sku, priorityMixPolicy=mix)
    )
    engine.up(
        microsoft.EVENT_SUBSCRIPTION, microsoft.INPUTS[microsoft.EVENT_SUBSCRIPTION], "subscription"
    )
    pool = declare_pool(
        "on-azure", **SPOT, cloud="azure", kind="scale-set", region="eastus",
        instance_types=[microsoft.GPU_SIZE], account=microsoft.SUBSCRIPTION, max_nodes=9,
    )  # fmt: skip
    binding = {
        "scaleSet": "spot",
        "resourceGroup": "ml",
        "interruptionStorageAccount": "tgevents",
        "interruptionQueue": "interruptions",
    }

    def interrupt(number):
        glob = f"Microsoft.Compute/simulateEviction{microsoft.SCALE_SET_ID}/*"
        world.faults.add(Fault(FaultKind.INTERRUPTION, "azure-native", glob, number))

    return pool, binding, {"azure": url}, interrupt


@pytest.fixture(params=["on_aws", "on_gcp", "on_azure"])
def spot(request):
    return request.getfixturevalue(request.param)


def turn(wiring, store, clock, turns=1):
    take_turns(wiring, store, clock, turns, seconds=15)


def test_a_machine_that_is_taken_is_known_by_its_pool_and_counted(spot, store):
    pool, binding, urls, interrupt = spot
    manifest, bindings = declare(pool), {pool.id: binding}
    clock = FakeClock(datetime.now(UTC))
    (queue,) = notices = build_notices(manifest, bindings, [], urls)
    wiring = wire(
        manifest, BoundPools(manifest.pools, bindings, urls), FakeSource(), notices=notices
    )
    turn(wiring, store, clock)
    before = {node.id for node in store.read_nodes()}

    interrupt(1)
    # The first look has the fault befall the machine; the second hears of it at the latest.
    turn(wiring, store, clock, turns=2)

    told = [
        each
        for each in store.read_notices(clock.now().replace(year=2020))
        if each.notice.kind is NoticeKind.INTERRUPTION
    ]
    assert [(each.pool, each.node in before, each.source) for each in told] == [
        (pool.id, True, f"{pool.id}/interruptions")
    ]
    assert [(risk.offering, risk.interruptions) for risk in store.read_risks()] == [
        (f"{pool.id}/{pool.instance_types[0]}", 1)
    ]
    # What is remembered was deleted from the queue.
    assert queue.fetch().notices == ()


def test_half_a_fleet_of_each_cloud_is_told_machine_by_machine(spot, store):
    pool, binding, urls, interrupt = spot
    (queue,) = build_notices(declare(pool), {pool.id: binding}, [], urls)
    pools = BoundPools([pool], {pool.id: binding}, urls)
    there = {machine.id.rpartition("/")[2] for machine in pools.fetch_state(pool.id).machines}

    interrupt(2)
    pools.fetch_state(pool.id)
    report = queue.fetch()

    taken = [each for each in report.notices if each.kind is NoticeKind.INTERRUPTION]
    assert {each.machine.rpartition("/")[2].lower() for each in taken} == {m.lower() for m in there}
    assert report.refused == ()


def test_what_is_not_settled_stays_hidden_and_what_is_settled_twice_is_done(spot):
    pool, binding, urls, interrupt = spot
    (queue,) = build_notices(declare(pool), {pool.id: binding}, [], urls)
    interrupt(1)
    BoundPools([pool], {pool.id: binding}, urls).fetch_state(pool.id)

    report = queue.fetch()
    queue.settle(report.receipts)
    queue.settle(report.receipts)

    assert report.receipts
    assert queue.fetch().receipts == ()


def test_a_message_of_nonsense_is_told_and_can_be_put_away(on_aws, boto):
    pool, binding, urls, _ = on_aws
    boto("sqs").send_message(QueueUrl=binding["interruptionQueue"], MessageBody="nonsense")
    (queue,) = build_notices(declare(pool), {pool.id: binding}, [], urls)

    report = queue.fetch()
    queue.settle(report.receipts)

    assert [text.endswith(": nonsense") for text in report.refused] == [True]
    assert queue.fetch().receipts == ()


def test_azures_nonsense_is_told_too(on_azure):
    pool, binding, urls, _ = on_azure
    build_queue_client("tgevents", "interruptions", urls["azure"]).send_message("nonsense!")
    (queue,) = build_notices(declare(pool), {pool.id: binding}, [], urls)

    assert [text.endswith(": nonsense!") for text in queue.fetch().refused] == [True]


def test_only_pools_that_tidegate_scales_have_their_queue_read(on_aws):
    pool, binding, urls, _ = on_aws
    other = pool.model_copy(update={"scaler": "karpenter"})

    assert build_notices(declare(other), {pool.id: binding}, [], urls) == []


def test_a_queue_of_the_file_is_read_once_and_has_a_name_of_its_own(on_aws):
    pool, binding, urls, _ = on_aws
    manifest, bindings = declare(pool), {pool.id: binding}
    same = SqsNoticeQueue(
        kind="sqs", name="all", region="us-east-1", queue_url=binding["interruptionQueue"]
    )

    assert [each.name for each in build_notices(manifest, bindings, [same], urls)] == [
        "on-aws/interruptions"
    ]
    taken = same.model_copy(update={"name": "on-aws/interruptions"})
    with pytest.raises(InvalidInput, match="declared queue's"):
        build_notices(manifest, bindings, [taken], urls)
