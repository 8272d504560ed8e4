from __future__ import annotations

import json

import pulumi
import pytest
from tidegate_components import SpotGroup
from tidegate_components.spot_group.aws_notices import build_queue_policy
from tidegate_components.spot_group.gcp_notices import build_filter

from tidegate.manifest.model import Fragment

CLOUDS = ["aws", "gcp", "azure"]
SHAPES = {
    "aws": {
        "region": "us-east-1",
        "instance_types": ["m5.4xlarge", "m6i.4xlarge", "m7i.4xlarge"],
        "image": "ami-0123456789abcdef0",
        "aws": {"subnet_ids": ["subnet-1", "subnet-2"]},
    },
    "gcp": {
        "region": "us-central1",
        "zones": ["us-central1-a", "us-central1-b"],
        "instance_types": ["n2-standard-8", "n2d-standard-8", "c3-standard-8"],
        "image": "projects/debian-cloud/global/images/family/debian-12",
        "gcp": {"project": "acme-ml", "subnetwork": "ml"},
    },
    "azure": {
        "region": "eastus",
        "instance_types": ["Standard_D8s_v5", "Standard_D8as_v5"],
        "image": "Canonical:ubuntu-24_04-lts:server:latest",
        "azure": {
            "resource_group_name": "ml",
            "subnet_id": "/subscriptions/s/subnets/ml",
            "ssh_public_key": "ssh-ed25519 AAAA",
            "subscription": "/subscriptions/s",
        },
    },
}
GROUP = {
    "aws": "autoscaling/group:Group",
    "gcp": "regionInstanceGroupManager:RegionInstanceGroupManager",
    "azure": "compute:VirtualMachineScaleSet",
}


@pytest.fixture
def args(labels):
    """Return valid arguments of a group of eight machines, two of them on demand."""

    def build(cloud, **changes):
        own = changes.pop(f"own_{cloud}", {})
        shared = {
            "cloud": cloud,
            "max_nodes": 8,
            "on_demand_base_nodes": 2,
            "labels": labels,
            "scaler": "tidegate",
        }
        shape = {**SHAPES[cloud], cloud: {**SHAPES[cloud][cloud], **own}}
        merged = {**shared, **shape, **changes}
        return {key: value for key, value in merged.items() if value is not None}

    return build


@pytest.fixture
def declare(record, args, catalog):
    def run(cloud, opts=None, **changes):
        given = args(cloud, **changes)
        return record(lambda: SpotGroup("sweep", given, opts, catalog))

    return run


@pytest.mark.parametrize("cloud", CLOUDS)
def test_the_manifest_says_what_is_spot_and_what_is_the_floor(declare, labels, cloud):
    outputs = declare(cloud, on_demand_percent_above_base=25).outputs["sweep"]

    (pool,) = Fragment.model_validate(outputs["capacity"]).pools
    kind = {"aws": "auto-scaling-group", "gcp": "instance-group", "azure": "scale-set"}[cloud]
    strategy = {"aws": "price-capacity-optimized", "gcp": "ANY", "azure": "CapacityOptimized"}
    assert pool.model_dump(
        mode="json", include={"id", "kind", "capacity_type", "min_nodes", "max_nodes", "scaler"}
    ) == {
        "id": "sweep",
        "kind": kind,
        "capacity_type": "spot",
        "min_nodes": 0,
        "max_nodes": 8,
        "scaler": "tidegate",
    }
    assert (pool.on_demand_base_nodes, pool.on_demand_percent_above_base) == (2, 25)
    assert pool.allocation_strategy == strategy[cloud]
    assert pool.instance_types == SHAPES[cloud]["instance_types"]
    assert pool.labels == {**labels, "managed-by": "tidegate", "capacity-pool": "sweep"}


@pytest.mark.parametrize(
    ("cloud", "keys"),
    [
        (
            "aws",
            {
                "autoScalingGroup",
                "launchTemplate",
                "region",
                "interruptionQueue",
                "interruptionQueueArn",
            },
        ),
        (
            "gcp",
            {
                "instanceGroupManager",
                "onDemandInstanceGroupManager",
                "project",
                "region",
                "interruptionSubscription",
            },
        ),
        (
            "azure",
            {
                "scaleSet",
                "id",
                "resourceGroup",
                "region",
                "systemTopic",
                "interruptionStorageAccount",
                "interruptionQueue",
                "interruptionQueueId",
            },
        ),
    ],
)
def test_bindings_name_the_group_and_the_queue_of_its_notices(declare, cloud, keys):
    bound = declare(cloud).outputs["sweep"]["bindings"]["sweep"]

    assert bound.pop("cloud") == cloud
    assert set(bound) == keys


@pytest.mark.parametrize("cloud", CLOUDS)
def test_the_size_that_the_controller_chose_is_never_undone(declare, cloud):
    ignored = {"aws": "desiredCapacity", "gcp": "targetSize", "azure": "sku.capacity"}[cloud]

    assert all(ignored in each.ignored for each in declare(cloud).of(GROUP[cloud]))


@pytest.mark.parametrize(
    ("cloud", "fixed"),
    [
        ("gcp", {"baseInstanceName", "description"}),
        ("azure", {"virtualMachineProfile.osProfile.computerNamePrefix"}),
    ],
)
def test_what_a_cloud_fixes_at_creation_does_not_follow_a_new_id(declare, cloud, fixed):
    assert all(fixed <= set(each.ignored) for each in declare(cloud).of(GROUP[cloud]))


def test_aws_buys_spot_where_its_own_default_would_buy_none(declare):
    policy = declare("aws").one(GROUP["aws"]).inputs["mixedInstancesPolicy"]

    assert policy["instancesDistribution"] == {
        "onDemandBaseCapacity": 2,
        "onDemandPercentageAboveBaseCapacity": 0,
        "onDemandAllocationStrategy": "prioritized",
        "spotAllocationStrategy": "price-capacity-optimized",
    }
    assert policy["launchTemplate"] == {
        "launchTemplateSpecification": {"launchTemplateId": "sweep-id", "version": "3"},
        "overrides": [{"instanceType": name} for name in SHAPES["aws"]["instance_types"]],
    }


def test_lowest_price_is_taken_only_when_asked_for(declare):
    policy = declare("aws", allocation_strategy="lowest-price").one(GROUP["aws"]).inputs

    distribution = policy["mixedInstancesPolicy"]["instancesDistribution"]
    assert distribution["spotAllocationStrategy"] == "lowest-price"


def test_aws_machines_at_risk_are_replaced_before_they_are_taken(declare):
    group = declare("aws").one(GROUP["aws"]).inputs

    assert group["capacityRebalance"] is True
    assert (group["minSize"], group["desiredCapacity"], group["maxSize"]) == (0, 0, 8)


def test_nobody_waits_for_spot_machines_that_may_be_long_in_coming(declare):
    assert declare("aws", min_nodes=4).one(GROUP["aws"]).inputs["waitForCapacityTimeout"] == "0"


@pytest.mark.parametrize("device", [None, "/dev/sda1"])
def test_aws_sizes_the_root_disk_of_the_image(declare, device):
    own = {"root_device": device} if device else {}

    template = declare("aws", own_aws=own, disk_gib=50).one("LaunchTemplate").inputs

    (mapping,) = template["blockDeviceMappings"]
    assert mapping["deviceName"] == (device or "/dev/xvda")
    assert mapping["ebs"]["volumeSize"] == 50


@pytest.mark.parametrize(
    ("types", "disk"),
    [
        (["n2-standard-8", "c3-standard-8"], "pd-balanced"),
        (["c4-standard-8"], "hyperdisk-balanced"),
    ],
)
def test_gcp_machines_boot_from_a_disk_that_their_family_takes(declare, types, disk):
    recording = declare("gcp", instance_types=types, zones=None, on_demand_base_nodes=0)

    template = recording.one("regionInstanceTemplate:RegionInstanceTemplate").inputs
    assert template["disks"][0]["diskType"] == disk


def test_aws_labels_reach_group_machines_volumes_and_network_interfaces(declare, labels):
    recording = declare("aws")

    stamped = {**labels, "managed-by": "tidegate", "capacity-pool": "sweep"}
    template = recording.one("launchTemplate:LaunchTemplate").inputs
    specified = {spec["resourceType"]: spec["tags"] for spec in template["tagSpecifications"]}
    assert sorted(specified) == ["instance", "network-interface", "volume"]
    assert all(tags == {**stamped, "Name": "sweep"} for tags in specified.values())
    tags = recording.one(GROUP["aws"]).inputs["tags"]
    assert {tag["key"]: tag["value"] for tag in tags} == stamped
    assert {tag["propagateAtLaunch"] for tag in tags} == {True}
    for kind in ("sqs/queue:Queue", "eventRule:EventRule"):
        assert all(each.inputs["tags"] == stamped for each in recording.of(kind))


def test_aws_notices_of_four_kinds_reach_one_queue(declare):
    recording = declare("aws")

    rules = [json.loads(each.inputs["eventPattern"]) for each in recording.of("EventRule")]
    assert [rule["detail-type"] for rule in rules] == [
        ["EC2 Spot Instance Interruption Warning"],
        ["EC2 Instance Rebalance Recommendation"],
        ["EC2 Instance State-change Notification"],
        ["AWS Health Event"],
    ]
    assert len(recording.of("eventTarget:EventTarget")) == 4
    assert recording.one("sqs/queue:Queue").inputs["messageRetentionSeconds"] == 300


def test_only_the_groups_own_rules_may_write_to_its_queue():
    allow, deny = json.loads(build_queue_policy("arn:q", ["arn:r1", "arn:r2"]))["Statement"]

    assert (allow["Effect"], allow["Principal"]) == ("Allow", {"Service": "events.amazonaws.com"})
    assert (allow["Action"], allow["Resource"]) == ("sqs:SendMessage", "arn:q")
    assert allow["Condition"] == {"ArnEquals": {"aws:SourceArn": ["arn:r1", "arn:r2"]}}
    assert (deny["Effect"], deny["Condition"]) == (
        "Deny",
        {"Bool": {"aws:SecureTransport": "false"}},
    )


def test_gcp_keeps_the_floor_in_a_group_of_its_own(declare):
    recording = declare("gcp", min_nodes=5, on_demand_percent_above_base=50)

    groups = {each.name: each.inputs for each in recording.of(GROUP["gcp"])}
    assert {name: group["targetSize"] for name, group in groups.items()} == {
        "sweep": 1,
        "sweep-on-demand": 4,
    }
    models = {
        each.name: each.inputs["scheduling"]
        for each in recording.of("regionInstanceTemplate:RegionInstanceTemplate")
    }
    assert models == {
        "sweep": {
            "provisioningModel": "SPOT",
            "preemptible": True,
            "automaticRestart": False,
            "onHostMaintenance": "TERMINATE",
            "instanceTerminationAction": "DELETE",
        },
        "sweep-on-demand": {
            "provisioningModel": "STANDARD",
            "automaticRestart": True,
            "onHostMaintenance": "MIGRATE",
        },
    }


def test_gcp_machines_with_accelerators_are_not_moved_while_they_run(declare):
    recording = declare(
        "gcp", instance_types=["a3-highgpu-8g"], zones=["us-central1-a"], on_demand_base_nodes=1
    )

    templates = recording.of("regionInstanceTemplate:RegionInstanceTemplate")
    assert {each.inputs["scheduling"]["onHostMaintenance"] for each in templates} == {"TERMINATE"}


def test_gcp_takes_any_of_the_types_and_moves_nothing_for_balance(declare):
    group = declare("gcp", on_demand_base_nodes=0).one(GROUP["gcp"]).inputs

    assert group["instanceFlexibilityPolicy"] == {
        "instanceSelections": [
            {
                "name": "any-of-one-shape",
                "rank": 1,
                "machineTypes": SHAPES["gcp"]["instance_types"],
            }
        ]
    }
    assert group["distributionPolicyTargetShape"] == "ANY"
    assert group["updatePolicy"] == {
        "type": "OPPORTUNISTIC",
        "minimalAction": "REPLACE",
        "instanceRedistributionType": "NONE",
    }


def test_a_change_of_owner_leaves_the_gcp_group_as_it_is(declare, labels):
    one, other = (
        declare("gcp", on_demand_base_nodes=0, labels={**labels, "owner": owner})
        .one(GROUP["gcp"])
        .inputs
        for owner in ("a", "b")
    )

    assert one == other
    assert one["description"] == "capacity-pool=sweep"


def test_gcp_labels_reach_machines_and_disks_and_the_sink_says_them(declare, labels):
    recording = declare("gcp", on_demand_base_nodes=0)

    stamped = {**labels, "managed-by": "tidegate", "capacity-pool": "sweep"}
    template = recording.one("regionInstanceTemplate:RegionInstanceTemplate").inputs
    assert template["labels"] == template["disks"][0]["labels"] == stamped
    for kind in ("pubsub/topic:Topic", "pubsub/subscription:Subscription"):
        assert recording.one(kind).inputs["labels"] == stamped
    said = recording.one("projectSink:ProjectSink").inputs["description"]
    assert said.startswith("business-unit=research capacity-pool=sweep cost-center=cc-1001")


def test_gcp_groups_carry_the_tags_by_which_a_condition_knows_them(declare):
    tags = {"tagKeys/1": "tagValues/2"}

    groups = declare("gcp", own_gcp={"resource_manager_tags": tags}).of(GROUP["gcp"])

    assert [each.inputs["params"] for each in groups] == [{"resourceManagerTags": tags}] * 2
    assert "params" not in declare("gcp").of(GROUP["gcp"])[0].inputs


def test_gcp_notices_are_the_preemptions_of_this_groups_machines():
    assert build_filter("sweep") == (
        'resource.type="gce_instance" AND '
        '(protoPayload.methodName="compute.instances.preempted" OR '
        'protoPayload.methodName="compute.instances.hostError") AND '
        'protoPayload.resourceName=~"/instances/sweep-[a-z0-9]{4}$"'
    )


def test_gcp_sinks_own_identity_may_publish_and_the_subscription_never_expires(declare):
    recording = declare("gcp")

    sink = recording.one("projectSink:ProjectSink").inputs
    assert sink["destination"] == "pubsub.googleapis.com/sweep-interruptions-id"
    assert sink["uniqueWriterIdentity"] is True
    member = recording.one("topicIAMMember:TopicIAMMember").inputs
    assert (member["role"], member["member"]) == (
        "roles/pubsub.publisher",
        "serviceAccount:sink-writer",
    )
    assert recording.one("pubsub/subscription:Subscription").inputs["expirationPolicy"] == {
        "ttl": ""
    }


def test_azure_mixes_priorities_in_a_flexible_scale_set(declare, labels):
    scale_set = declare("azure", on_demand_percent_above_base=20).one(GROUP["azure"]).inputs

    assert scale_set["orchestrationMode"] == "Flexible"
    assert scale_set["priorityMixPolicy"] == {
        "baseRegularPriorityCount": 2,
        "regularPriorityPercentageAboveBase": 20,
    }
    machine = scale_set["virtualMachineProfile"]
    assert (machine["priority"], machine["evictionPolicy"]) == ("Spot", "Delete")
    assert machine["billingProfile"] == {"maxPrice": -1}
    assert scale_set["tags"] == {**labels, "managed-by": "tidegate", "capacity-pool": "sweep"}


def test_azure_mixes_sizes_by_capacity_where_its_own_default_is_the_price(declare):
    scale_set = declare("azure").one(GROUP["azure"]).inputs

    assert scale_set["sku"] == {"name": "Mix", "capacity": 0}
    assert scale_set["skuProfile"] == {
        "vmSizes": [{"name": "Standard_D8s_v5"}, {"name": "Standard_D8as_v5"}],
        "allocationStrategy": "CapacityOptimized",
    }


def test_azure_ranks_sizes_only_where_they_are_taken_in_order(declare):
    scale_set = declare("azure", allocation_strategy="Prioritized").one(GROUP["azure"]).inputs

    assert [size["rank"] for size in scale_set["skuProfile"]["vmSizes"]] == [0, 1]


def test_an_azure_scale_set_of_one_size_has_no_mix(declare):
    scale_set = declare("azure", instance_types=["Standard_D8s_v5"]).one(GROUP["azure"]).inputs

    assert scale_set["sku"] == {"name": "Standard_D8s_v5", "tier": "Standard", "capacity": 0}
    assert "skuProfile" not in scale_set


def test_a_fleet_counts_spot_and_regular_apart_and_states_no_minimum_that_cannot_change(declare):
    recording = declare("azure", own_azure={"fleet": True}, min_nodes=3)

    fleet = recording.one("azurefleet:Fleet")
    assert fleet.inputs["spotPriorityProfile"] == {
        "capacity": 1,
        "allocationStrategy": "PriceCapacityOptimized",
        "evictionPolicy": "Delete",
        "maxPricePerVM": -1,
        "maintain": True,
    }
    assert fleet.inputs["regularPriorityProfile"] == {
        "capacity": 2,
        "allocationStrategy": "LowestPrice",
    }
    assert fleet.ignored == [
        "spotPriorityProfile.capacity",
        "regularPriorityProfile.capacity",
        "computeProfile.baseVirtualMachineProfile.osProfile.computerNamePrefix",
    ]
    assert recording.of(GROUP["azure"]) == []
    assert "fleet" in recording.outputs["sweep"]["bindings"]["sweep"]


def test_azure_health_events_of_machines_reach_a_storage_queue(declare):
    recording = declare("azure")

    topic = recording.one("eventgrid:SystemTopic").inputs
    assert (topic["source"], topic["location"], topic["topicType"]) == (
        "/subscriptions/s",
        "global",
        "Microsoft.ResourceNotifications.HealthResources",
    )
    subscription = recording.one("eventgrid:SystemTopicEventSubscription").inputs
    assert subscription["destination"] == {
        "endpointType": "StorageQueue",
        "resourceId": "sweep-id",
        "queueName": "sweep-interruptions",
        "queueMessageTimeToLiveInSeconds": 600,
    }


def test_a_second_group_listens_at_the_one_topic_that_a_subscription_may_have(declare):
    own = {
        "system_topic_name": "health",
        "system_topic_resource_group": "platform",
        "subscription": None,
    }

    recording = declare("azure", own_azure=own)

    assert recording.of("eventgrid:SystemTopic") == []
    subscription = recording.one("eventgrid:SystemTopicEventSubscription").inputs
    assert (subscription["systemTopicName"], subscription["resourceGroupName"]) == (
        "health",
        "platform",
    )


@pytest.mark.parametrize(
    ("image", "reference"),
    [
        ("/subscriptions/s/images/ml", {"id": "/subscriptions/s/images/ml"}),
        (
            "Canonical:ubuntu-24_04-lts:server:latest",
            {
                "publisher": "Canonical",
                "offer": "ubuntu-24_04-lts",
                "sku": "server",
                "version": "latest",
            },
        ),
    ],
)
def test_azure_images_are_named_by_id_or_by_publisher(declare, image, reference):
    machine = declare("azure", image=image).one(GROUP["azure"]).inputs["virtualMachineProfile"]

    assert machine["storageProfile"]["imageReference"] == reference


@pytest.mark.parametrize(
    ("cloud", "place"),
    [
        ("aws", ("launchTemplate:LaunchTemplate", ["userData"])),
        ("azure", (GROUP["azure"], ["virtualMachineProfile", "osProfile", "customData"])),
        ("gcp", ("RegionInstanceTemplate", ["metadataStartupScript"])),
    ],
)
def test_a_startup_script_runs_on_every_cloud(declare, cloud, place):
    kind, keys = place
    recording = declare(cloud, startup_script="#!/bin/sh\ntrue\n", on_demand_base_nodes=0)

    value = recording.one(kind).inputs
    for key in keys:
        value = value[key]
    assert value == ("#!/bin/sh\ntrue\n" if cloud == "gcp" else "IyEvYmluL3NoCnRydWUK")


@pytest.mark.parametrize("cloud", CLOUDS)
def test_the_callers_options_reach_the_children_that_they_concern(declare, cloud):
    opts = pulumi.ResourceOptions(ignore_changes=["tags", "labels"], protect=True)

    recording = declare(cloud, opts=opts)

    children = [each for each in recording.all if not each.type.startswith("tidegate:")]
    assert all(each.request.protect for each in children)
    path = "labels" if cloud == "gcp" else "tags"
    holder = {
        "aws": GROUP["aws"],
        "gcp": "pubsub/topic:Topic",
        "azure": GROUP["azure"],
    }[cloud]
    assert path in recording.one(holder).ignored
    untagged = {
        "aws": "queuePolicy:QueuePolicy",
        "gcp": "projectSink:ProjectSink",
        "azure": "storage:Queue",
    }[cloud]
    assert recording.one(untagged).ignored == []


@pytest.mark.parametrize("cloud", CLOUDS)
def test_the_callers_provider_and_aliases_reach_the_children(record, args, catalog, cloud):
    import pulumi_aws
    import pulumi_azure_native
    import pulumi_gcp

    packages = {"aws": pulumi_aws, "gcp": pulumi_gcp, "azure": pulumi_azure_native}

    def program():
        provider = packages[cloud].Provider("elsewhere")
        aliases = [pulumi.Alias(name="old-name")]
        opts = pulumi.ResourceOptions(provider=provider, aliases=aliases)
        SpotGroup("sweep", args(cloud), opts, catalog)

    recording = record(program)

    component = recording.one("tidegate:index:SpotGroup")
    # The engine carries a parent's alias on to its children.
    assert "old-name" in str(component.request.aliases) + str(component.request.aliasURNs)
    own = [each for each in recording.all if not each.type.startswith(("tidegate:", "pulumi:"))]
    assert own
    assert all("elsewhere" in each.request.provider for each in own)
    assert all("::tidegate:index:SpotGroup" in each.request.parent for each in own)
