"""What `pulumi up` of the prod stack created, read back by the clouds' own SDKs."""

from __future__ import annotations

from typing import Any

import pytest
from azure.mgmt.containerservice import ContainerServiceClient
from google.cloud import container_v1
from google.protobuf.json_format import MessageToDict
from support.declared import find_missing
from support.workspace import Workspace

pytestmark = pytest.mark.slow

GROUP = CLUSTER = "tidegate-prod"


@pytest.fixture(scope="module")
def resources(workspace: Workspace) -> dict[str, list[dict[str, Any]]]:
    """Type → the states that the engine recorded for it, after one `up`."""
    result = workspace.up("prod")
    assert result.succeeded, result.explain()
    found: dict[str, list[dict[str, Any]]] = {}
    for state in workspace.custom_resources("prod"):
        found.setdefault(state["type"], []).append(state)
    return found


def test_boto3_reads_every_declared_field_of_node_groups(aws: Any, resources: Any) -> None:
    client = aws("eks")
    missing = []
    for state in resources["aws:eks/nodeGroup:NodeGroup"]:
        declared = dict(state["inputs"])
        for absent in ("region", "tagsAll"):
            declared.pop(absent, None)
        declared["nodegroupName"] = declared.pop("nodeGroupName")
        declared["nodeRole"] = declared.pop("nodeRoleArn")
        declared["subnets"] = declared.pop("subnetIds")
        read = client.describe_nodegroup(
            clusterName=CLUSTER, nodegroupName=declared["nodegroupName"]
        )["nodegroup"]
        missing += find_missing(declared, read, declared["nodegroupName"])
    assert missing == []


def test_boto3_reads_the_tags_that_the_autoscaler_needs_from_zero(aws: Any, resources: Any) -> None:
    client = aws("autoscaling")
    declared: dict[str, dict[str, tuple[str, bool]]] = {}
    for state in resources["aws:autoscaling/tag:Tag"]:
        tag = state["inputs"]["tag"]
        group = declared.setdefault(state["inputs"]["autoscalingGroupName"], {})
        group[tag["key"]] = (tag["value"], tag["propagateAtLaunch"])
    read = {
        group["AutoScalingGroupName"]: {
            tag["Key"]: (tag["Value"], tag["PropagateAtLaunch"]) for tag in group["Tags"]
        }
        for group in client.describe_auto_scaling_groups()["AutoScalingGroups"]
    }
    assert declared
    assert find_missing(declared, read) == []


def test_boto3_reads_the_labels_that_launched_nodes_and_volumes_get(
    aws: Any, resources: Any
) -> None:
    client = aws("ec2")
    for state in resources["aws:ec2/launchTemplate:LaunchTemplate"]:
        (version,) = client.describe_launch_template_versions(
            LaunchTemplateId=state["id"], Versions=["$Latest"]
        )["LaunchTemplateVersions"]
        data = version["LaunchTemplateData"]
        read = {
            entry["ResourceType"]: {tag["Key"]: tag["Value"] for tag in entry["Tags"]}
            for entry in data["TagSpecifications"]
        }
        declared = {
            entry["resourceType"]: entry["tags"] for entry in state["inputs"]["tagSpecifications"]
        }
        assert find_missing(declared, read) == []
        (mapping,) = data["BlockDeviceMappings"]
        (disk,) = state["inputs"]["blockDeviceMappings"]
        assert mapping["DeviceName"] == disk["deviceName"]
        assert mapping["Ebs"]["VolumeSize"] == disk["ebs"]["volumeSize"]
        assert mapping["Ebs"]["VolumeType"] == disk["ebs"]["volumeType"]
        options = state["inputs"]["metadataOptions"]
        assert data["MetadataOptions"]["HttpTokens"] == options["httpTokens"]


def test_boto3_reads_buckets_log_groups_and_reservations(aws: Any, resources: Any) -> None:
    s3, logs, ec2 = aws("s3"), aws("logs"), aws("ec2")
    for state in resources["aws:s3/bucket:Bucket"]:
        tags = s3.get_bucket_tagging(Bucket=state["id"])["TagSet"]
        assert {tag["Key"]: tag["Value"] for tag in tags} == state["inputs"]["tags"]
    for state in resources["aws:s3/bucketLifecycleConfiguration:BucketLifecycleConfiguration"]:
        rules = s3.get_bucket_lifecycle_configuration(Bucket=state["inputs"]["bucket"])["Rules"]
        assert {rule["ID"] for rule in rules} == {rule["id"] for rule in state["inputs"]["rules"]}
        days = {rule["ID"]: rule.get("Expiration", {}).get("Days") for rule in rules}
        assert days == {
            rule["id"]: rule.get("expiration", {}).get("days") for rule in state["inputs"]["rules"]
        }
    for state in resources["aws:s3/bucketVersioning:BucketVersioning"]:
        read = s3.get_bucket_versioning(Bucket=state["inputs"]["bucket"])
        assert read["Status"] == state["inputs"]["versioningConfiguration"]["status"]
    for state in resources["aws:cloudwatch/logGroup:LogGroup"]:
        (group,) = logs.describe_log_groups(logGroupNamePrefix=state["id"])["logGroups"]
        assert group["retentionInDays"] == state["inputs"]["retentionInDays"]
    for state in resources["aws:ec2/capacityReservation:CapacityReservation"]:
        (read,) = ec2.describe_capacity_reservations(CapacityReservationIds=[state["id"]])[
            "CapacityReservations"
        ]
        declared = state["inputs"]
        assert read["InstanceType"] == declared["instanceType"]
        assert read["TotalInstanceCount"] == declared["instanceCount"]
        assert read["AvailabilityZone"] == declared["availabilityZone"]
        assert read["EndDateType"] == declared["endDateType"]
        assert read["InstanceMatchCriteria"] == declared["instanceMatchCriteria"]
        assert {tag["Key"]: tag["Value"] for tag in read["Tags"]} == declared["tags"]


def test_google_reads_every_declared_field_of_node_pools(
    gke: container_v1.ClusterManagerClient, resources: Any
) -> None:
    missing = []
    for state in accelerated(resources):
        read = MessageToDict(gke.get_node_pool(name=state["id"])._pb)
        missing += find_missing(as_google_writes(state["inputs"]), read, state["id"])
    assert missing == []


def accelerated(resources: dict[str, list[dict[str, Any]]]) -> list[dict[str, Any]]:
    """The node pools with accelerators; the cluster's own pool and CPU pools stand beside them."""
    pools = resources["gcp:container/nodePool:NodePool"]
    found = [pool for pool in pools if "guestAccelerators" in pool["inputs"]["nodeConfig"]]
    plain = {pool["urn"] for pool in pools if "CpuNodePool" in pool["urn"]}
    assert len(found) == len(pools) - len(plain) - 1
    return found


def as_google_writes(inputs: dict[str, Any]) -> dict[str, Any]:
    """Return a node pool's inputs as the REST API spells them; zeros and false are left out."""
    declared = {key: value for key, value in inputs.items() if key not in PROVIDERS_OWN}
    config = dict(declared.pop("nodeConfig"))
    config["accelerators"] = [
        {
            "acceleratorType": entry["type"],
            "acceleratorCount": str(entry["count"]),
            "gpuDriverInstallationConfig": entry["gpuDriverInstallationConfig"],
        }
        for entry in config.pop("guestAccelerators")
    ]
    declared |= {"config": config, "locations": declared.pop("nodeLocations")}
    if "autoscaling" in declared:
        scaling = declared["autoscaling"]
        declared["autoscaling"] = {
            "enabled": True,
            "totalMaxNodeCount": scaling["totalMaxNodeCount"],
            "locationPolicy": scaling["locationPolicy"],
        }
    declared["upgradeSettings"] = {
        key: value for key, value in declared["upgradeSettings"].items() if value
    }
    return declared


# Of the Pulumi provider, not of the API; a count of zero is absent in REST.
PROVIDERS_OWN = ("cluster", "location", "project", "ignoreNodeCountChanges", "initialNodeCount")


def test_google_reads_the_taint_that_keeps_other_work_off_gpus(
    gke: container_v1.ClusterManagerClient, resources: Any
) -> None:
    for state in accelerated(resources):
        taints = [
            (taint.key, taint.value, container_v1.NodeTaint.Effect(taint.effect).name)
            for taint in gke.get_node_pool(name=state["id"]).config.taints
        ]
        assert taints.count(("nvidia.com/gpu", "present", "NO_SCHEDULE")) == 1


def test_azure_reads_every_declared_field_of_agent_pools(
    aks: ContainerServiceClient, resources: Any
) -> None:
    missing = []
    for state in resources["azure-native:containerservice:AgentPool"]:
        inputs = dict(state["inputs"])
        name = inputs.pop("agentPoolName")
        group, cluster = inputs.pop("resourceGroupName"), inputs.pop("resourceName")
        read = aks.agent_pools.get(group, cluster, name).as_dict()
        flat = {**read, **read.get("properties", {})}
        missing += find_missing(inputs, flat, name)
    assert missing == []


def test_azure_reads_every_declared_field_of_the_cluster(
    aks: ContainerServiceClient, resources: Any
) -> None:
    (state,) = resources["azure-native:containerservice:ManagedCluster"]
    inputs = dict(state["inputs"])
    group, cluster = inputs.pop("resourceGroupName"), inputs.pop("resourceName")
    # The cluster's own list of pools also names those that were added to it one by one.
    (system,) = inputs.pop("agentPoolProfiles")
    # Pulumi takes a list of ids where REST has a map by id.
    identity = inputs["identity"]
    named = {key: {} for key in identity["userAssignedIdentities"]}
    inputs["identity"] = {**identity, "userAssignedIdentities": named}
    read = aks.managed_clusters.get(group, cluster).as_dict()
    flat = {**read, **read.get("properties", {})}
    assert find_missing(inputs, flat) == []
    assert (
        find_missing(system, {pool["name"]: pool for pool in flat["agentPoolProfiles"]}["system"])
        == []
    )
