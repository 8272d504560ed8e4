"""Interruption notices on Azure: health events of the subscription's machines into a queue.

The notice that comes before an eviction, a Scheduled Event of 30 seconds, is told to the machine
alone; what is told outside is that the machine was taken.
"""

from __future__ import annotations

from typing import Any

import pulumi

from tidegate.sdks.imports import narrow_imports
from tidegate_components.children import child_options
from tidegate_components.names import STORAGE_ACCOUNT, derive_name
from tidegate_components.spot_group.naming import EVENT_SUBSCRIPTION, SYSTEM_TOPIC
from tidegate_components.spot_group.spec import SpotSpec

with narrow_imports("pulumi_azure_native.eventgrid", "pulumi_azure_native.storage"):
    from pulumi_azure_native.eventgrid.system_topic import SystemTopic
    from pulumi_azure_native.eventgrid.system_topic_event_subscription import (
        SystemTopicEventSubscription,
    )
    from pulumi_azure_native.storage.management_policy import ManagementPolicy
    from pulumi_azure_native.storage.queue import Queue
    from pulumi_azure_native.storage.storage_account import StorageAccount

QUEUE_NAME = "interruptions"
TOPIC_TYPE = "Microsoft.ResourceNotifications.HealthResources"
EVENT_TYPES = (
    "Microsoft.ResourceNotifications.HealthResources.AvailabilityStatusChanged",
    "Microsoft.ResourceNotifications.HealthResources.ResourceAnnotated",
)
TIME_TO_LIVE_SECONDS = 600.0
STRAY_BLOB_DAYS = 30.0


def declare_notices(
    parent: pulumi.ComponentResource,
    spec: SpotSpec,
    inputs: dict[str, Any],
    opts: pulumi.ResourceOptions | None,
) -> dict[str, pulumi.Input[str]]:
    """Declare the queue and what fills it; return the queue's identity."""
    account = StorageAccount(
        derive_name(spec.id, STORAGE_ACCOUNT),
        resource_group_name=inputs["resource_group_name"],
        location=spec.region,
        kind="StorageV2",
        sku={"name": "Standard_LRS"},
        allow_blob_public_access=False,
        enable_https_traffic_only=True,
        minimum_tls_version="TLS1_2",
        tags=spec.cost_labels,
        opts=child_options(parent, opts, StorageAccount, named=STORAGE_ACCOUNT),
    )
    _end_stray_blobs(parent, spec, inputs, account, opts)
    queue = Queue(
        f"{spec.id}-{QUEUE_NAME}",
        account_name=account.name,
        resource_group_name=inputs["resource_group_name"],
        queue_name=QUEUE_NAME,
        opts=child_options(parent, opts, Queue),
    )
    topic = _find_topic(parent, spec, inputs, opts)
    group = inputs["resource_group_name"]
    SystemTopicEventSubscription(
        derive_name(spec.id, EVENT_SUBSCRIPTION),
        resource_group_name=inputs["system_topic_resource_group"] or group,
        system_topic_name=topic,
        destination={
            "endpoint_type": "StorageQueue",
            "resource_id": account.id,
            "queue_name": queue.name,
            "queue_message_time_to_live_in_seconds": TIME_TO_LIVE_SECONDS,
        },
        filter={"included_event_types": list(EVENT_TYPES)},
        opts=child_options(parent, opts, SystemTopicEventSubscription, named=EVENT_SUBSCRIPTION),
    )
    return {
        "interruptionStorageAccount": account.name,
        "interruptionQueue": queue.name,
        "interruptionQueueId": queue.id,
        "systemTopic": topic,
    }


def _end_stray_blobs(
    parent: pulumi.ComponentResource,
    spec: SpotSpec,
    inputs: dict[str, Any],
    account: StorageAccount,
    opts: pulumi.ResourceOptions | None,
) -> None:
    """Give the account a lifecycle: it is for messages, and no blob in it is meant to stay."""
    ageing = {"delete": {"days_after_modification_greater_than": STRAY_BLOB_DAYS}}
    rule: Any = {
        "name": "strays",
        "enabled": True,
        "type": "Lifecycle",
        "definition": {
            "actions": {"base_blob": ageing},
            "filters": {"blob_types": ["blockBlob"]},
        },
    }
    ManagementPolicy(
        f"{spec.id}-{QUEUE_NAME}",
        management_policy_name="default",  # an account has one, and it is called so
        account_name=account.name,
        resource_group_name=inputs["resource_group_name"],
        policy={"rules": [rule]},
        opts=child_options(parent, opts, ManagementPolicy),
    )


def _find_topic(
    parent: pulumi.ComponentResource,
    spec: SpotSpec,
    inputs: dict[str, Any],
    opts: pulumi.ResourceOptions | None,
) -> pulumi.Input[str]:
    """Return the name of the topic that was given, or of one made here."""
    if inputs["system_topic_name"] is not None:
        given: pulumi.Input[str] = inputs["system_topic_name"]
        return given
    topic = SystemTopic(
        f"{derive_name(spec.id, SYSTEM_TOPIC)}-health",
        resource_group_name=inputs["resource_group_name"],
        location="global",  # as all topics of this type
        source=inputs["subscription"],
        topic_type=TOPIC_TYPE,
        tags=spec.cost_labels,
        opts=child_options(parent, opts, SystemTopic, named=SYSTEM_TOPIC, suffix="-health"),
    )
    return topic.name
