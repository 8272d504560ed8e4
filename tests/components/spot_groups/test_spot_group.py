from __future__ import annotations

import pulumi
import pytest
from support.spot_groups import CLOUDS, GROUP, SHAPES
from tidegate_components import SpotGroup

from tidegate.manifest.model import Fragment


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
