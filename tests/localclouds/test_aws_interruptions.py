"""EC2 takes Spot Instances back on command: who is warned, what ends, what replaces it."""

from __future__ import annotations

import json
from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidegate.localclouds.aws.corrections.event_delivery import fill_template, is_allowed
from tidegate.localclouds.faults import Fault, FaultKind

GROUP = "aws:autoscaling/group:Group"
RULE = "aws:cloudwatch/eventRule:EventRule"
TARGET = "aws:cloudwatch/eventTarget:EventTarget"
QUEUE = "aws:sqs/queue:Queue"
QUEUE_POLICY = "aws:sqs/queuePolicy:QueuePolicy"
WARNING = "EC2 Spot Instance Interruption Warning"
REBALANCE = "EC2 Instance Rebalance Recommendation"
NUMBERS = count()


@pytest.fixture
def make_group(aws, base):
    """Make a group of one on-demand instance and spot beyond it."""
    image = {"instanceType": "g5.xlarge", "imageId": "ami-12c6146b"}
    template = aws.up("aws:ec2/launchTemplate:LaunchTemplate", image, f"spot-{next(NUMBERS)}").id

    def build(name, desired=3):
        source = {"launchTemplateId": template, "version": "1"}
        inputs = {
            "name": name,
            "minSize": 0,
            "maxSize": 9,
            "desiredCapacity": desired,
            "vpcZoneIdentifiers": base.subnets,
            "mixedInstancesPolicy": {
                "launchTemplate": {
                    "launchTemplateSpecification": source,
                    "overrides": [{"instanceType": "g5.xlarge"}],
                },
                "instancesDistribution": {
                    "onDemandBaseCapacity": 1,
                    "onDemandPercentageAboveBaseCapacity": 0,
                },
            },
        }
        made.append(aws.up(GROUP, inputs, name))
        return made[-1]

    made = []
    yield build
    for group in made:
        aws.destroy(GROUP, group)


@pytest.fixture
def listen(aws, boto):
    """Route events of some kinds to a queue and return what reads them from it."""

    def build(name, kinds=(WARNING,), state="ENABLED", *, allowed=True, **target):
        queue = aws.up(QUEUE, {"name": name}, name)
        pattern = {"source": ["aws.ec2"], "detail-type": list(kinds)}
        rule = aws.up(RULE, {"eventPattern": json.dumps(pattern), "state": state}, name)
        made.append((RULE, rule, name))
        arn = queue.outputs["arn"]
        target_made = aws.up(TARGET, {"rule": rule.id, "arn": arn, **target}, name)
        made.append((TARGET, target_made, name))
        if allowed:
            policy = allow(arn, rule.outputs["arn"])
            aws.up(QUEUE_POLICY, {"queueUrl": queue.id, "policy": policy}, name)

        def receive():
            url = boto("sqs").get_queue_url(QueueName=name)["QueueUrl"]
            found = boto("sqs").receive_message(QueueUrl=url, MaxNumberOfMessages=10)
            return [json.loads(message["Body"]) for message in found.get("Messages", [])]

        return receive

    made = []
    yield build
    for token, resource, name in reversed(made):
        aws.destroy(token, resource, name)


def allow(queue, rule, **changes):
    statement = {
        "Effect": "Allow",
        "Principal": {"Service": "events.amazonaws.com"},
        "Action": "sqs:SendMessage",
        "Resource": queue,
        "Condition": {"ArnEquals": {"aws:SourceArn": rule}},
        **changes,
    }
    return json.dumps({"Version": "2012-10-17", "Statement": [statement]})


@pytest.fixture
def interrupt(aws, boto):
    """Interrupt instances of a group: the fault happens before the next call is answered."""

    def run(group, number=1):
        target = f"ec2:SendSpotInstanceInterruption/{group}/*"
        aws.world.faults.add(Fault(FaultKind.INTERRUPTION, "aws", target, count=number))
        boto("ec2").describe_vpcs()

    yield run
    aws.world.faults.clear()


def instances_of(boto, name):
    found = boto("autoscaling").describe_auto_scaling_groups(AutoScalingGroupNames=[name])
    ids = [part["InstanceId"] for part in found["AutoScalingGroups"][0]["Instances"]]
    parts = boto("ec2").describe_instances(InstanceIds=ids)["Reservations"]
    return {i["InstanceId"]: i for part in parts for i in part["Instances"]}


def test_an_interruption_warns_the_queue_ends_the_instance_and_is_replaced(
    aws, boto, make_group, listen, interrupt
):
    make_group("warned")
    receive = listen("warned")
    before = instances_of(boto, "warned")

    interrupt("warned")

    after = instances_of(boto, "warned")
    gone = set(before) - set(after)
    (event,) = receive()
    (instance,) = gone
    zone = before[instance]["Placement"]["AvailabilityZone"]
    assert event == {
        "version": "0",
        "id": event["id"],
        "detail-type": WARNING,
        "source": "aws.ec2",
        "account": "123456789012",
        "time": event["time"],
        "region": "us-east-1",
        "resources": [f"arn:aws:ec2:{zone}:instance/{instance}"],
        "detail": {"instance-id": instance, "instance-action": "terminate"},
    }
    ended = boto("ec2").describe_instances(InstanceIds=[instance])["Reservations"][0]
    assert ended["Instances"][0]["State"]["Name"] == "terminated"
    assert "Server.SpotInstanceTermination" in ended["Instances"][0]["StateTransitionReason"]
    assert len(after) == 3
    lifecycles = [part.get("InstanceLifecycle") for part in after.values()]
    assert sorted(map(str, lifecycles)) == ["None", "spot", "spot"]
    assert aws.world.faults.list() == []


def test_an_interruption_never_takes_the_on_demand_floor(boto, make_group, interrupt):
    make_group("floor-kept", desired=2)
    floor = [k for k, i in instances_of(boto, "floor-kept").items() if "InstanceLifecycle" not in i]

    interrupt("floor-kept", number=5)

    assert set(floor) <= set(instances_of(boto, "floor-kept"))


def test_an_interruption_takes_only_the_group_that_it_names(boto, make_group, interrupt):
    make_group("spared")
    make_group("taken")
    before = instances_of(boto, "spared")

    interrupt("taken", number=2)

    assert instances_of(boto, "spared").keys() == before.keys()


def test_a_rebalance_recommendation_comes_before_the_warning(make_group, listen, interrupt):
    make_group("rebalanced")
    receive = listen("rebalanced", kinds=(REBALANCE, WARNING))

    interrupt("rebalanced")

    assert sorted(event["detail-type"] for event in receive()) == [REBALANCE, WARNING]


@pytest.mark.parametrize(
    "options",
    [{"state": "DISABLED"}, {"allowed": False}, {"kinds": ("EC2 Spot Fleet Error",)}],
    ids=["the rule is disabled", "the queue allows nobody", "the rule is about something else"],
)
def test_no_warning_arrives_where_the_way_is_not_open(
    request, make_group, listen, interrupt, options
):
    name = f"silent-{len(request.node.name)}"
    make_group(name)
    receive = listen(name, **options)

    interrupt(name)

    assert receive() == []


def test_a_target_gets_what_its_template_makes_of_the_event(make_group, listen, interrupt):
    make_group("shaped")
    transformer = {
        "inputPaths": {"id": "$.detail.instance-id", "zone": "$.region"},
        "inputTemplate": '{"instance": "<id>", "region": "<zone>"}',
    }
    receive = listen("shaped", inputTransformer=transformer)

    interrupt("shaped")

    (event,) = receive()
    assert event["instance"].startswith("i-")
    assert event["region"] == "us-east-1"


@pytest.mark.parametrize(
    ("template", "filled"),
    [
        ('{"a": <s>, "b": <n>}', '{"a": "x", "b": 3}'),
        ('"gone: <s> of <n>"', '"gone: x of 3"'),
        ('{"a": "<s>", "b": <o>}', '{"a": "x", "b": {"k": "v"}}'),
        ("<unknown>", "<unknown>"),
    ],
)
def test_a_template_is_filled_as_json_but_within_quotes_as_text(template, filled):
    assert fill_template(template, {"s": "x", "n": 3, "o": {"k": "v"}}) == filled


def test_a_target_gets_the_part_of_the_event_that_it_asks_for(make_group, listen, interrupt):
    make_group("part")
    receive = listen("part", inputPath="$.detail")

    interrupt("part")

    (event,) = receive()
    assert event.keys() == {"instance-id", "instance-action"}


def test_a_restart_brings_back_who_was_interrupted(tmp_path):
    """Replayed in a process of its own, for moto's state is the process's."""
    import subprocess
    import sys

    look = (
        "import sys, json; from pathlib import Path;"
        "from tidegate.localclouds.server import build_world;"
        "from tidegate.localclouds.aws.cloud import build_aws_cloud;"
        "from tidegate.localclouds.aws.clients import Clients;"
        "world = build_world(Path(sys.argv[1])); cloud = build_aws_cloud(world);"
        "ec2 = Clients(cloud.face).of_region('ec2', 'us-east-1');"
        "setup = sys.argv[2] == 'first';"
        "made = setup and ec2.run_instances(ImageId='ami-12c6146b', InstanceType='g5.xlarge',"
        " MinCount=2, MaxCount=2, InstanceMarketOptions={'MarketType': 'spot'});"
        "from tidegate.localclouds.faults import Fault, FaultKind;"
        "setup and world.faults.add(Fault(FaultKind.INTERRUPTION, 'aws', 'ec2:Send*', count=1));"
        "from tidegate.localclouds.aws.interruptions import find_interruptions;"
        "[cloud.face.handle(entry) for entry in find_interruptions(world.faults)];"
        "parts = ec2.describe_instances()['Reservations'];"
        "print(json.dumps(sorted((i['InstanceId'], i['State']['Name'])"
        " for part in parts for i in part['Instances'])))"
    )
    seen = [
        json.loads(
            subprocess.run(
                [sys.executable, "-c", look, str(tmp_path), turn],
                capture_output=True,
                text=True,
                check=True,
            ).stdout.splitlines()[-1]
        )
        for turn in ("first", "again")
    ]

    assert seen[0] == seen[1]
    assert sorted(state for _, state in seen[0]) == ["running", "terminated"]


QUEUE_ARN = "arn:aws:sqs:us-east-1:123456789012:q"
RULE_ARN = "arn:aws:events:us-east-1:123456789012:rule/r"


@pytest.mark.parametrize(
    ("changes", "allowed"),
    [
        ({}, True),
        ({"Principal": "*"}, True),
        ({"Principal": {"Service": ["sns.amazonaws.com", "events.amazonaws.com"]}}, True),
        ({"Principal": {"Service": "sns.amazonaws.com"}}, False),
        ({"Action": ["SQS:*"]}, True),
        ({"Action": "sqs:ReceiveMessage"}, False),
        ({"Resource": f"{QUEUE_ARN}2"}, False),
        ({"Condition": {}}, True),
        ({"Condition": {"ArnLike": {"aws:SourceArn": [f"{RULE_ARN[:-1]}*"]}}}, True),
        ({"Condition": {"ArnEquals": {"aws:SourceArn": f"{RULE_ARN}2"}}}, False),
        ({"Condition": {"Bool": {"aws:SecureTransport": "true"}}}, False),
        ({"Effect": "Deny"}, False),
    ],
)
def test_a_queues_policy_says_which_rule_may_send(changes, allowed):
    policy = allow(QUEUE_ARN, RULE_ARN, **changes)

    assert is_allowed(policy, "sqs:SendMessage", QUEUE_ARN, RULE_ARN) is allowed


def test_no_policy_lets_nobody_send_and_a_denial_outweighs_what_is_allowed():
    yes, no = (json.loads(allow(QUEUE_ARN, RULE_ARN, Effect=e)) for e in ("Allow", "Deny"))
    both = {"Statement": yes["Statement"] + no["Statement"]}

    assert not is_allowed(None, "sqs:SendMessage", QUEUE_ARN, RULE_ARN)
    assert not is_allowed(both, "sqs:SendMessage", QUEUE_ARN, RULE_ARN)


@given(name=st.text("abcz-", min_size=1, max_size=8))
def test_a_policy_for_one_queue_is_for_no_other(name):
    other = f"{QUEUE_ARN}-{name}"

    assert not is_allowed(allow(QUEUE_ARN, RULE_ARN), "sqs:SendMessage", other, RULE_ARN)
