"""Auto Scaling groups: their mix, what they refer to, and what they launch into."""

from __future__ import annotations

import time
from collections import Counter
from types import SimpleNamespace

import pytest
from botocore.exceptions import ClientError

from tidegate.localclouds.aws import moto_front
from tidegate.localclouds.refusals import CloudError

GROUP = "aws:autoscaling/group:Group"
TEMPLATE = "aws:ec2/launchTemplate:LaunchTemplate"
RESERVATION = "aws:ec2/capacityReservation:CapacityReservation"
IMAGE = "ami-12c6146b"
RESOLVED = "resolve:ssm:/aws/service/eks/optimized-ami/1.34/amazon-linux-2023/x86_64/nvidia/id"


@pytest.fixture(scope="module")
def template(aws):
    return aws.up(TEMPLATE, {"instanceType": "g5.xlarge", "imageId": IMAGE}, "groups").id


@pytest.fixture
def mixed(base, template):
    """Return the inputs of a group of mixed instances, with changes to its parts."""

    def build(overrides=None, distribution=None, launched=None, **changes):
        types = ("g5.xlarge", "g6.xlarge")
        return {
            "minSize": 0,
            "maxSize": 20,
            "desiredCapacity": 0,
            "vpcZoneIdentifiers": base.subnets,
            "mixedInstancesPolicy": {
                "launchTemplate": {
                    "launchTemplateSpecification": {
                        "launchTemplateId": launched or template,
                        "version": "1",
                    },
                    "overrides": overrides or [{"instanceType": name} for name in types],
                },
                "instancesDistribution": distribution or {},
            },
            **changes,
        }

    return build


def look(boto, made):
    found = boto("autoscaling").describe_auto_scaling_groups(AutoScalingGroupNames=[made.id])
    return found["AutoScalingGroups"][0]


def instances_of(boto, made):
    ids = [part["InstanceId"] for part in look(boto, made)["Instances"]]
    found = boto("ec2").describe_instances(InstanceIds=ids)["Reservations"] if ids else []
    return [instance for part in found for instance in part["Instances"]]


def markets_of(boto, made):
    return Counter(part.get("InstanceLifecycle", "on-demand") for part in instances_of(boto, made))


def test_a_group_of_spot_keeps_its_on_demand_floor_when_it_grows(aws, boto, mixed):
    distribution = {
        "onDemandBaseCapacity": 2,
        "onDemandPercentageAboveBaseCapacity": 25,
        "spotAllocationStrategy": "price-capacity-optimized",
    }
    inputs = mixed(distribution=distribution, capacityRebalance=True, desiredCapacity=6)
    made = aws.up(GROUP, inputs, "floor")

    assert markets_of(boto, made) == {"on-demand": 3, "spot": 3}
    assert look(boto, made)["CapacityRebalance"] is True
    grown = aws.change(GROUP, made, {**inputs, "desiredCapacity": 10}, "floor")
    assert markets_of(boto, grown) == {"on-demand": 4, "spot": 6}
    assert aws.refresh(GROUP, grown, "floor") == grown.inputs


def test_weights_count_capacity_and_not_instances(aws, boto, mixed):
    overrides = [
        {"instanceType": "g5.12xlarge", "weightedCapacity": "4"},
        {"instanceType": "g5.xlarge", "weightedCapacity": "1"},
    ]
    distribution = {"onDemandPercentageAboveBaseCapacity": 0}
    inputs = mixed(overrides, distribution, desiredCapacity=7)

    made = aws.up(GROUP, inputs, "weights")

    assert markets_of(boto, made) == {"spot": 2}
    assert aws.refresh(GROUP, made, "weights") == made.inputs


def test_settings_that_moto_forgets_read_back_whole_and_change(aws, boto, mixed):
    reservation = aws.up(
        RESERVATION,
        {
            "availabilityZone": "us-east-1a",
            "instanceCount": 1,
            "instancePlatform": "Linux/UNIX",
            "instanceType": "g5.xlarge",
            "instanceMatchCriteria": "targeted",
        },
        "settings",
    )
    settings = {
        "availabilityZoneDistribution": {"capacityDistributionStrategy": "balanced-best-effort"},
        "capacityReservationSpecification": {
            "capacityReservationPreference": "capacity-reservations-only",
            "capacityReservationTarget": {"capacityReservationIds": [reservation.id]},
        },
        "context": "training",
        "defaultInstanceWarmup": 120,
        "desiredCapacityType": "units",
        "instanceMaintenancePolicy": {"minHealthyPercentage": 90, "maxHealthyPercentage": 120},
        "maxInstanceLifetime": 604800,
    }
    made = aws.up(GROUP, mixed(**settings), "settings")

    live = look(boto, made)

    assert live["CapacityReservationSpecification"] == {
        "CapacityReservationPreference": "capacity-reservations-only",
        "CapacityReservationTarget": {"CapacityReservationIds": [reservation.id]},
    }
    assert live["InstanceMaintenancePolicy"] == {
        "MinHealthyPercentage": 90,
        "MaxHealthyPercentage": 120,
    }
    assert live["AvailabilityZoneDistribution"] == {
        "CapacityDistributionStrategy": "balanced-best-effort"
    }
    assert (live["DesiredCapacityType"], live["Context"]) == ("units", "training")
    assert (live["DefaultInstanceWarmup"], live["MaxInstanceLifetime"]) == (120, 604800)
    assert aws.refresh(GROUP, made, "settings") == made.inputs
    newer = mixed(**{**settings, "maxInstanceLifetime": 86400, "capacityRebalance": True})
    changed = aws.change(GROUP, made, newer, "settings")
    assert look(boto, changed)["MaxInstanceLifetime"] == 86400
    assert look(boto, changed)["CapacityRebalance"] is True
    assert aws.refresh(GROUP, changed, "settings") == changed.inputs


@pytest.mark.parametrize(
    ("distribution", "place", "words"),
    [
        (
            {"spotAllocationStrategy": "cheapest"},
            "spotAllocationStrategy",
            "price-capacity-optimized",
        ),
        ({"onDemandAllocationStrategy": "random"}, "onDemandAllocationStrategy", "prioritized"),
        (
            {"onDemandPercentageAboveBaseCapacity": 101},
            "onDemandPercentageAboveBaseCapacity",
            "100",
        ),
        ({"onDemandBaseCapacity": -1}, "onDemandBaseCapacity", "at least 0"),
    ],
)
def test_refuses_a_mix_that_there_is_not(aws, mixed, distribution, place, words):
    refusals = aws.refusals(GROUP, mixed(distribution=distribution))

    assert words in refusals[f"mixedInstancesPolicy.instancesDistribution.{place}"]


@pytest.mark.parametrize(
    ("changes", "place", "words"),
    [
        ({"desiredCapacityType": "gpus"}, "desiredCapacityType", "vcpu"),
        (
            {
                "instanceMaintenancePolicy": {
                    "minHealthyPercentage": 50,
                    "maxHealthyPercentage": 200,
                }
            },
            "instanceMaintenancePolicy.maxHealthyPercentage",
            "200 is more than 100 above the minimum 50",
        ),
        (
            {"overrides": [{"instanceType": "g5.xlarge", "weightedCapacity": "0"}]},
            "mixedInstancesPolicy.launchTemplate.overrides[0].weightedCapacity",
            "from 1 to 999",
        ),
        (
            {"overrides": [{"instanceRequirements": {"memoryMib": {}, "vcpuCount": {}}}]},
            "mixedInstancesPolicy.launchTemplate.overrides[0].instanceRequirements",
            "do not emulate",
        ),
        ({"warmPool": {}}, "warmPool", "do not emulate"),
    ],
)
def test_refuses_settings_out_of_range(aws, mixed, changes, place, words):
    assert words in aws.refusals(GROUP, mixed(**changes))[place]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"launched": "lt-0"}, "with template ID lt-0, does not exist"),
        ({"vpcZoneIdentifiers": ["subnet-0"]}, "The subnet ID 'subnet-0' does not exist"),
        ({"placementGroup": "nowhere"}, "The Placement Group 'nowhere' is unknown"),
        ({"overrides": [{"instanceType": "h100.large"}]}, "Invalid value 'h100.large'"),
        (
            {
                "overrides": [
                    {"instanceType": "g5.xlarge", "weightedCapacity": "2"},
                    {"instanceType": "g6.xlarge"},
                ]
            },
            "for all instance types or for none",
        ),
    ],
)
def test_refuses_a_group_that_refers_to_nothing(aws, mixed, changes, words):
    with pytest.raises(CloudError, match=words) as refused:
        aws.up(GROUP, mixed(**changes), "refers")

    assert refused.value.code == "ValidationError"


def test_a_change_to_a_version_that_does_not_exist_is_refused(aws, boto, mixed):
    made = aws.up(GROUP, mixed(), "version")
    newer = mixed()
    policy = newer["mixedInstancesPolicy"]["launchTemplate"]
    policy["launchTemplateSpecification"]["version"] = "7"

    with pytest.raises(CloudError, match="Could not find the specified version 7"):
        aws.change(GROUP, made, newer, "version")

    live = look(boto, made)["MixedInstancesPolicy"]["LaunchTemplate"]
    assert live["LaunchTemplateSpecification"]["Version"] == "1"


def test_a_mix_refuses_a_template_that_says_a_market_itself(aws, mixed):
    spot = {"instanceType": "g5.xlarge", "instanceMarketOptions": {"marketType": "spot"}}
    launched = aws.up(TEMPLATE, spot, "market").id

    with pytest.raises(CloudError, match="InstanceMarketOptions cannot be combined"):
        aws.up(GROUP, mixed(launched=launched), "market")


def test_a_launch_template_for_a_fabric_reads_back_whole(aws, base, boto):
    group = aws.up("aws:ec2/securityGroup:SecurityGroup", {"vpcId": base.vpc}, "fabric").id
    inputs = {
        "imageId": RESOLVED,
        "instanceType": "p5.48xlarge",
        "userData": "IyEvYmluL3No",
        "instanceMarketOptions": {"marketType": "capacity-block"},
        "capacityReservationSpecification": {
            "capacityReservationTarget": {"capacityReservationId": "cr-0123456789abcdef0"}
        },
        "networkInterfaces": [
            {
                "deviceIndex": 0 if card == 0 else 1,
                "networkCardIndex": card,
                "interfaceType": "efa" if card == 0 else "efa-only",
                "securityGroups": [group],
                "deleteOnTermination": "true",
            }
            for card in range(3)
        ],
        "placement": {"groupName": "fabric"},
    }
    made = aws.up(TEMPLATE, inputs, "fabric")

    found = boto("ec2").describe_launch_template_versions(LaunchTemplateId=made.id)
    live = found["LaunchTemplateVersions"][0]["LaunchTemplateData"]

    assert live["ImageId"] == RESOLVED
    assert live["UserData"] == "IyEvYmluL3No"
    assert live["InstanceMarketOptions"] == {"MarketType": "capacity-block"}
    assert live["CapacityReservationSpecification"] == {
        "CapacityReservationTarget": {"CapacityReservationId": "cr-0123456789abcdef0"}
    }
    assert live["NetworkInterfaces"] == [
        {
            "DeviceIndex": 0 if card == 0 else 1,
            "NetworkCardIndex": card,
            "InterfaceType": "efa" if card == 0 else "efa-only",
            "Groups": [group],
            "DeleteOnTermination": True,
        }
        for card in range(3)
    ]
    assert aws.refresh(TEMPLATE, made, "fabric") == made.inputs


def grouped(base, template, **changes):
    return {
        "minSize": 0,
        "maxSize": 4,
        "desiredCapacity": 1,
        "vpcZoneIdentifiers": base.subnets[:1],
        "launchTemplate": {"id": template, "version": "1"},
        **changes,
    }


def test_an_image_that_ssm_names_is_resolved_at_launch(aws, base, boto):
    boto("ssm").put_parameter(Name="/ml/image", Value=IMAGE, Type="String")
    named = {"instanceType": "g5.xlarge", "imageId": "resolve:ssm:/ml/image"}
    mine = aws.up(TEMPLATE, named, "mine").id
    published = aws.up(TEMPLATE, {**named, "imageId": RESOLVED}, "published").id
    missing = aws.up(TEMPLATE, {**named, "imageId": "resolve:ssm:/ml/none"}, "missing").id

    one = aws.up(GROUP, grouped(base, mine), "mine")
    other = aws.up(GROUP, grouped(base, published), "published")
    with pytest.raises(CloudError, match="The SSM parameter '/ml/none' does not exist"):
        aws.up(GROUP, grouped(base, missing), "missing")

    assert [part["ImageId"] for part in instances_of(boto, one)] == [IMAGE]
    assert instances_of(boto, other)[0]["ImageId"].startswith("ami-")


def test_a_group_in_a_reservation_does_not_outgrow_it(aws, base, boto):
    reservation = aws.up(
        RESERVATION,
        {
            "availabilityZone": "us-east-1a",
            "instanceCount": 2,
            "instancePlatform": "Linux/UNIX",
            "instanceType": "g6.12xlarge",
            "instanceMatchCriteria": "targeted",
        },
        "outgrow",
    )
    aimed = {"capacityReservationTarget": {"capacityReservationId": reservation.id}}
    inputs = {
        "instanceType": "g6.12xlarge",
        "imageId": IMAGE,
        "capacityReservationSpecification": aimed,
    }
    template = aws.up(TEMPLATE, inputs, "outgrow").id
    made = aws.up(GROUP, grouped(base, template, desiredCapacity=2), "outgrow")

    def available():
        found = boto("ec2").describe_capacity_reservations(CapacityReservationIds=[reservation.id])
        return found["CapacityReservations"][0]["AvailableInstanceCount"]

    assert available() == 0
    targets = {part["CapacityReservationId"] for part in instances_of(boto, made)}
    assert targets == {reservation.id}
    boto("autoscaling").set_desired_capacity(AutoScalingGroupName=made.id, DesiredCapacity=3)
    activities = boto("autoscaling").describe_scaling_activities(AutoScalingGroupName=made.id)
    last = activities["Activities"][0]
    assert len(instances_of(boto, made)) == 2
    assert last["StatusCode"] == "Failed"
    assert "has no room for 1" in last["StatusMessage"]
    boto("autoscaling").set_desired_capacity(AutoScalingGroupName=made.id, DesiredCapacity=0)
    assert available() == 2


def test_a_group_that_aims_at_no_reservation_fails_and_says_so(aws, base):
    aimed = {"capacityReservationTarget": {"capacityReservationId": "cr-none"}}
    inputs = {"instanceType": "g5.xlarge", "imageId": IMAGE}
    inputs["capacityReservationSpecification"] = aimed
    template = aws.up(TEMPLATE, inputs, "aimless").id

    with pytest.raises(CloudError, match="The capacity reservation 'cr-none' does not exist"):
        aws.up(GROUP, grouped(base, template), "aimless")


@pytest.fixture
def block(aws, base, boto):
    """Buy a capacity block of one machine; return it and a group that waits for it."""

    def build(name):
        offered = boto("ec2").describe_capacity_block_offerings(
            InstanceType="p5.48xlarge", InstanceCount=1, CapacityDurationHours=24
        )["CapacityBlockOfferings"]
        zone = "us-east-1a"
        offering = next(part for part in offered if part["AvailabilityZone"] == zone)
        bought = boto("ec2").purchase_capacity_block(
            CapacityBlockOfferingId=offering["CapacityBlockOfferingId"],
            InstancePlatform="Linux/UNIX",
        )["CapacityReservation"]
        aimed = {"capacityReservationId": bought["CapacityReservationId"]}
        inputs = {
            "instanceType": "p5.48xlarge",
            "imageId": IMAGE,
            "instanceMarketOptions": {"marketType": "capacity-block"},
            "capacityReservationSpecification": {"capacityReservationTarget": aimed},
        }
        template = aws.up(TEMPLATE, inputs, name).id
        waiting = grouped(base, template, waitForCapacityTimeout="0")
        return bought, aws.up(GROUP, waiting, name)

    return build


def test_a_capacity_block_that_has_not_begun_launches_nothing(boto, block):
    _, made = block("waiting")

    found = boto("autoscaling").describe_scaling_activities(AutoScalingGroupName=made.id)
    assert "(scheduled) has no room for 1" in found["Activities"][0]["StatusMessage"]
    assert instances_of(boto, made) == []


def test_a_capacity_block_that_runs_holds_what_was_bought_and_no_more(boto, block, monkeypatch):
    bought, made = block("running")
    begun = bought["StartDate"].timestamp() + 60
    clock = SimpleNamespace(time=lambda: begun, time_ns=time.time_ns, sleep=time.sleep)
    monkeypatch.setattr(moto_front, "time", clock)

    boto("autoscaling").set_desired_capacity(AutoScalingGroupName=made.id, DesiredCapacity=2)

    (instance,) = instances_of(boto, made)
    assert instance["InstanceLifecycle"] == "capacity-block"
    assert instance["CapacityReservationId"] == bought["CapacityReservationId"]


def test_boto3_is_refused_a_strategy_that_there_is_not(boto, base, template):
    specification = {"LaunchTemplateId": template, "Version": "1"}
    policy = {
        "LaunchTemplate": {"LaunchTemplateSpecification": specification, "Overrides": []},
        "InstancesDistribution": {"SpotAllocationStrategy": "cheapest"},
    }
    with pytest.raises(ClientError, match="Spot allocation strategy cheapest is not one of"):
        boto("autoscaling").create_auto_scaling_group(
            AutoScalingGroupName="strategy",
            MinSize=0,
            MaxSize=1,
            VPCZoneIdentifier=base.subnets[0],
            MixedInstancesPolicy=policy,
        )
