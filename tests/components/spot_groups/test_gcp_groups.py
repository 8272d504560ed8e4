from __future__ import annotations

import pytest
from support.spot_groups import GROUP, SHAPES
from tidegate_components.spot_group.gcp_notices import build_filter


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
