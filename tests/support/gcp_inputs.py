"""Inputs of Google types that several test modules declare, each with what it refers to."""

from __future__ import annotations

from typing import Any

PROJECT = "tidegate-tests"
SETTINGS = {"project": PROJECT, "region": "us-central1", "zone": "us-central1-a"}

ACCOUNT = "gcp:serviceaccount/account:Account"
BUCKET = "gcp:storage/bucket:Bucket"
BUCKET_MEMBER = "gcp:storage/bucketIAMMember:BucketIAMMember"
BUDGET = "gcp:billing/budget:Budget"
CHANNEL = "gcp:monitoring/notificationChannel:NotificationChannel"
CLUSTER = "gcp:container/cluster:Cluster"
COMMITMENT = "gcp:compute/regionCommitment:RegionCommitment"
ENDPOINT = "gcp:vertex/aiEndpoint:AiEndpoint"
FUTURE = "gcp:compute/futureReservation:FutureReservation"
GROUP = "gcp:compute/regionInstanceGroupManager:RegionInstanceGroupManager"
METRIC = "gcp:logging/metric:Metric"
NODE_POOL = "gcp:container/nodePool:NodePool"
NOTEBOOK = "gcp:workbench/instance:Instance"
POLICY = "gcp:compute/resourcePolicy:ResourcePolicy"
PROJECT_MEMBER = "gcp:projects/iAMMember:IAMMember"
RESERVATION = "gcp:compute/reservation:Reservation"
RESOURCE_POOL = "gcp:vertex/aiDeploymentResourcePool:AiDeploymentResourcePool"
ROLE = "gcp:projects/iAMCustomRole:IAMCustomRole"
SINK = "gcp:logging/projectSink:ProjectSink"
ACCOUNT_MEMBER = "gcp:serviceaccount/iAMMember:IAMMember"
SUBSCRIPTION = "gcp:pubsub/subscription:Subscription"
TEMPLATE = "gcp:compute/regionInstanceTemplate:RegionInstanceTemplate"
GLOBAL_TEMPLATE = "gcp:compute/instanceTemplate:InstanceTemplate"
TOPIC = "gcp:pubsub/topic:Topic"
TOPIC_MEMBER = "gcp:pubsub/topicIAMMember:TopicIAMMember"
ZONE_GROUP = "gcp:compute/instanceGroupManager:InstanceGroupManager"

LABELS = {"cost-center": "cc-42", "capacity-pool": "spot"}
EMAIL = f"nodes-of-pool@{PROJECT}.iam.gserviceaccount.com"
CONTROLLER = f"serviceAccount:{EMAIL}"
TOPIC_NAME = f"projects/{PROJECT}/topics/preempted"
TEMPLATE_NAME = f"projects/{PROJECT}/regions/us-central1/instanceTemplates/spot"
PREEMPTED = 'protoPayload.methodName="compute.instances.preempted" AND resource.type="gce_instance"'

SPOT_TEMPLATE: dict[str, Any] = {
    "name": "spot",
    "region": "us-central1",
    "machineType": "g2-standard-8",
    "labels": LABELS,
    "disks": [
        {
            "boot": True,
            "autoDelete": True,
            "sourceImage": "projects/debian-cloud/global/images/family/debian-12",
            "diskSizeGb": 100,
            "diskType": "pd-balanced",
            "labels": LABELS,
            "guestOsFeatures": ["GVNIC"],
        }
    ],
    "guestAccelerators": [{"type": "nvidia-l4", "count": 1}],
    "metadata": {"owner": "ml"},
    "metadataStartupScript": "#! /bin/sh",
    "networkInterfaces": [{"network": "default", "accessConfigs": [{"networkTier": "PREMIUM"}]}],
    "scheduling": {
        "automaticRestart": False,
        "instanceTerminationAction": "DELETE",
        "onHostMaintenance": "TERMINATE",
        "preemptible": True,
        "provisioningModel": "SPOT",
    },
    "serviceAccount": {"email": EMAIL, "scopes": ["cloud-platform"]},
    "tags": ["spot"],
}
FLEXIBLE_GROUP: dict[str, Any] = {
    "name": "spot",
    "region": "us-central1",
    "baseInstanceName": "spot",
    "versions": [{"instanceTemplate": TEMPLATE_NAME}],
    "targetSize": 0,
    "distributionPolicyTargetShape": "ANY",
    "distributionPolicyZones": ["us-central1-a", "us-central1-b"],
    "instanceFlexibilityPolicy": {
        "instanceSelections": [
            {"name": "best", "rank": 1, "machineTypes": ["g2-standard-8"]},
            {"name": "next", "rank": 2, "machineTypes": ["g2-standard-12", "g2-standard-16"]},
        ]
    },
    "updatePolicy": {
        "type": "OPPORTUNISTIC",
        "minimalAction": "REPLACE",
        "instanceRedistributionType": "NONE",
        "maxSurgeFixed": 0,
        "maxUnavailableFixed": 2,
    },
    "allInstancesConfig": {"labels": LABELS},
    "instanceLifecyclePolicy": {"defaultActionOnFailure": "REPAIR"},
}
RESERVED: dict[str, Any] = {
    "name": "held",
    "zone": "us-central1-a",
    "specificReservation": {
        "count": 2,
        "instanceProperties": {
            "machineType": "a2-highgpu-1g",
            "guestAccelerators": [{"acceleratorType": "nvidia-tesla-a100", "acceleratorCount": 1}],
        },
    },
}

BASE: list[tuple[str, dict[str, Any]]] = [
    (TOPIC, {"name": "preempted", "labels": LABELS, "messageRetentionDuration": "86400s"}),
    (ACCOUNT, {"accountId": "nodes-of-pool"}),
    (BUCKET, {"name": "tg-runs", "location": "EU"}),
    (RESERVATION, RESERVED),
    (TEMPLATE, SPOT_TEMPLATE),
]
"""What the inputs below refer to."""

EVERY_KIND: dict[str, tuple[str, dict[str, Any]]] = {
    "topic": (TOPIC, {"name": "alerts", "labels": LABELS}),
    "subscription": (
        SUBSCRIPTION,
        {
            "name": "preempted",
            "topic": "preempted",
            "ackDeadlineSeconds": 60,
            "expirationPolicy": {"ttl": ""},
            "retryPolicy": {"minimumBackoff": "10s", "maximumBackoff": "600s"},
            "deadLetterPolicy": {"deadLetterTopic": TOPIC_NAME, "maxDeliveryAttempts": 5},
            "labels": LABELS,
        },
    ),
    "sink": (
        SINK,
        {
            "name": "preempted",
            "destination": f"pubsub.googleapis.com/{TOPIC_NAME}",
            "filter": PREEMPTED,
            "uniqueWriterIdentity": True,
            "exclusions": [{"name": "tests", "filter": 'resource.labels.zone="us-east1-b"'}],
        },
    ),
    "metric": (
        METRIC,
        {
            "name": "preemptions",
            "filter": PREEMPTED,
            "metricDescriptor": {
                "metricKind": "DELTA",
                "valueType": "DISTRIBUTION",
                "labels": [{"key": "zone", "valueType": "STRING"}],
            },
            "labelExtractors": {"zone": "EXTRACT(resource.labels.zone)"},
            "valueExtractor": "EXTRACT(jsonPayload.seconds)",
            "bucketOptions": {"linearBuckets": {"numFiniteBuckets": 3, "width": 1, "offset": 1}},
        },
    ),
    "role": (
        ROLE,
        {
            "roleId": "tidegateController",
            "title": "Tidegate controller",
            "permissions": ["container.clusters.get", "compute.instanceGroupManagers.update"],
            "stage": "GA",
        },
    ),
    "project-member": (
        PROJECT_MEMBER,
        {
            "project": PROJECT,
            "role": "roles/container.viewer",
            "member": CONTROLLER,
            "condition": {
                "title": "pools-of-tidegate",
                "expression": 'resource.name.startsWith("projects/x")',
            },
        },
    ),
    "topic-member": (
        TOPIC_MEMBER,
        {"topic": TOPIC_NAME, "role": "roles/pubsub.publisher", "member": CONTROLLER},
    ),
    "account-member": (
        ACCOUNT_MEMBER,
        {
            "serviceAccountId": f"projects/{PROJECT}/serviceAccounts/{EMAIL}",
            "role": "roles/iam.serviceAccountUser",
            "member": "user:ops@example.com",
        },
    ),
    "bucket-member": (
        BUCKET_MEMBER,
        {"bucket": "tg-runs", "role": "roles/storage.objectViewer", "member": CONTROLLER},
    ),
    "budget": (
        BUDGET,
        {
            "billingAccount": "012345-6789AB-CDEF01",
            "displayName": "ml",
            "amount": {"specifiedAmount": {"currencyCode": "EUR", "units": "5000"}},
            "budgetFilter": {
                "projects": ["projects/123456789012"],
                "labels": {"cost-center": "cc-42"},
                "calendarPeriod": "MONTH",
            },
            "thresholdRules": [
                {"thresholdPercent": 0.5},
                {"thresholdPercent": 1.0, "spendBasis": "FORECASTED_SPEND"},
            ],
            "allUpdatesRule": {"pubsubTopic": TOPIC_NAME},
        },
    ),
    "channel": (
        CHANNEL,
        {"type": "email", "displayName": "FinOps", "labels": {"email_address": "f@example.com"}},
    ),
    "endpoint": (
        ENDPOINT,
        {
            "name": "chat",
            "location": "us-central1",
            "displayName": "chat",
            "labels": LABELS,
            "trafficSplit": "{}",
        },
    ),
    "resource-pool": (
        RESOURCE_POOL,
        {
            "name": "l4",
            "region": "us-central1",
            "dedicatedResources": {
                "minReplicaCount": 1,
                "maxReplicaCount": 4,
                "machineSpec": {
                    "machineType": "g2-standard-8",
                    "acceleratorType": "NVIDIA_L4",
                    "acceleratorCount": 1,
                },
                "autoscalingMetricSpecs": [
                    {
                        "metricName": "aiplatform.googleapis.com/prediction/online/accelerator"
                        "/duty_cycle",
                        "target": 70,
                    }
                ],
            },
        },
    ),
    "notebook": (
        NOTEBOOK,
        {
            "name": "research",
            "location": "us-central1-a",
            "labels": LABELS,
            "desiredState": "ACTIVE",
            "gceSetup": {
                "machineType": "g2-standard-8",
                "acceleratorConfigs": [{"type": "NVIDIA_L4", "coreCount": "1"}],
                "bootDisk": {"diskSizeGb": "150", "diskType": "PD_BALANCED"},
                "dataDisks": {"diskSizeGb": "200", "diskType": "PD_SSD"},
                "metadata": {"idle-timeout-seconds": "3600"},
                "serviceAccounts": [{"email": EMAIL}],
                "disablePublicIp": True,
            },
        },
    ),
    "template": (TEMPLATE, {**SPOT_TEMPLATE, "name": "spot-2"}),
    "global-template": (
        GLOBAL_TEMPLATE,
        {
            "name": "plain",
            "machineType": "n2-standard-8",
            "disks": [{"boot": True, "sourceImage": "debian-cloud/debian-12"}],
            "networkInterfaces": [{"network": "default"}],
            "reservationAffinity": {
                "type": "SPECIFIC_RESERVATION",
                "specificReservation": {
                    "key": "compute.googleapis.com/reservation-name",
                    "values": ["held"],
                },
            },
            "labels": LABELS,
        },
    ),
    "group": (GROUP, FLEXIBLE_GROUP),
    "zone-group": (
        ZONE_GROUP,
        {
            "name": "pair",
            "zone": "us-central1-a",
            "baseInstanceName": "pair",
            "versions": [{"name": "v1", "instanceTemplate": TEMPLATE_NAME}],
            "targetSize": 2,
            "namedPorts": [{"name": "http", "port": 80}],
            "statefulDisks": [{"deviceName": "data", "deleteRule": "NEVER"}],
        },
    ),
    "policy": (
        POLICY,
        {
            "name": "tight",
            "region": "us-central1",
            "groupPlacementPolicy": {"collocation": "COLLOCATED", "vmCount": 4},
        },
    ),
    "snapshots": (
        POLICY,
        {
            "name": "nightly",
            "region": "us-central1",
            "snapshotSchedulePolicy": {
                "schedule": {"dailySchedule": {"daysInCycle": 1, "startTime": "04:00"}},
                "retentionPolicy": {"maxRetentionDays": 7},
                "snapshotProperties": {"labels": LABELS, "storageLocations": "eu"},
            },
        },
    ),
    "future": (
        FUTURE,
        {
            "name": "summer",
            "zone": "us-central1-a",
            "planningStatus": "DRAFT",
            "timeWindow": {
                "startTime": "2027-06-01T00:00:00Z",
                "endTime": "2027-07-01T00:00:00Z",
            },
            "specificSkuProperties": {
                "totalCount": "8",
                "instanceProperties": {"machineType": "a2-highgpu-1g"},
            },
            "shareSettings": {
                "shareType": "SPECIFIC_PROJECTS",
                "projectMaps": [{"id": "other", "projectId": "other"}],
            },
        },
    ),
}

COMMITTED: dict[str, Any] = {
    "name": "base",
    "region": "us-central1",
    "plan": "TWELVE_MONTH",
    "type": "ACCELERATOR_OPTIMIZED",
    "resources": [
        {"type": "VCPU", "amount": "24"},
        {"type": "MEMORY", "amount": "174080"},
        {"type": "ACCELERATOR", "amount": "2", "acceleratorType": "nvidia-tesla-a100"},
    ],
    "existingReservations": f"projects/{PROJECT}/zones/us-central1-a/reservations/held",
}


def declare_base(engine: Any) -> None:
    """Make what the inputs of this module refer to."""
    for number, (token, inputs) in enumerate(BASE):
        engine.up(token, inputs, f"base-{number}")
