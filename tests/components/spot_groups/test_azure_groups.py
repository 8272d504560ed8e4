from __future__ import annotations

import pytest
from support.spot_groups import GROUP


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


def test_the_account_of_an_azure_queue_keeps_no_blobs(declare):
    policy = declare("azure").one("storage:ManagementPolicy").inputs
    (rule,) = policy["policy"]["rules"]

    assert policy["managementPolicyName"] == "default"
    assert rule["definition"] == {
        "actions": {"baseBlob": {"delete": {"daysAfterModificationGreaterThan": 30}}},
        "filters": {"blobTypes": ["blockBlob"]},
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
