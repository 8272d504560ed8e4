from __future__ import annotations

import pulumi
import pytest
from tidegate_components import GpuNodePool

from tidegate.manifest.model import Fragment

CLOUDS = ["aws", "gcp", "azure"]
RESOURCE = {
    "aws": "nodeGroup:NodeGroup",
    "gcp": "nodePool:NodePool",
    "azure": "AgentPool",
}
COST = {
    "environment": "prod",
    "owner": "ml-platform",
    "business-unit": "research",
    "platform-project": "vision",
    "workload-class": "training",
    "cost-center": "cc-1001",
    "managed-by": "tidegate",
    "capacity-pool": "train-h100",
}


@pytest.fixture
def declare(record, pool_args, catalog):
    """Declare one pool and return what was registered."""

    def run(cloud, name="train-h100", opts=None, **changes):
        args = pool_args(cloud, **changes)
        return record(lambda: GpuNodePool(name, args, opts, catalog))

    return run


@pytest.mark.parametrize("cloud", CLOUDS)
def test_registers_its_fragment_and_bindings_as_outputs(declare, cloud):
    outputs = declare(cloud).outputs["train-h100"]

    fragment = Fragment.model_validate(outputs["capacity"])
    (pool,) = fragment.pools
    assert (pool.id, pool.cloud.value, pool.min_nodes, pool.max_nodes) == (
        "train-h100",
        cloud,
        0,
        4,
    )
    assert pool.accelerators_per_node == 8
    assert pool.interruption_tolerance.value == "tolerant"
    assert pool.labels == COST
    assert pool.cluster == "train"
    assert outputs["bindings"]["train-h100"]["cloud"] == cloud
    assert outputs["bindings"]["train-h100"]["cluster"] == "train"


@pytest.mark.parametrize(
    ("cloud", "place"),
    [("aws", ["tags"]), ("gcp", ["nodeConfig", "resourceLabels"]), ("azure", ["tags"])],
)
def test_cost_labels_are_stamped_on_the_pool(declare, cloud, place):
    value = declare(cloud).one(RESOURCE[cloud]).inputs
    for key in place:
        value = value[key]

    assert value == COST


@pytest.mark.parametrize("cloud", CLOUDS)
def test_a_change_of_owner_touches_no_kubernetes_label(declare, cloud, labels):
    one = declare(cloud).one(RESOURCE[cloud]).inputs
    other = declare(cloud, labels={**labels, "owner": "someone-else"}).one(RESOURCE[cloud]).inputs

    key = {"aws": "labels", "gcp": "nodeConfig", "azure": "nodeLabels"}[cloud]
    nodes = [each[key]["labels"] if cloud == "gcp" else each[key] for each in (one, other)]
    assert nodes[0] == nodes[1]
    assert nodes[0]["capacity-pool"] == "train-h100"


def test_eks_tags_reach_instances_volumes_and_network_interfaces(declare):
    template = declare("aws").one("launchTemplate:LaunchTemplate").inputs

    stamped = {spec["resourceType"]: spec["tags"] for spec in template["tagSpecifications"]}
    tags = {**COST, "Name": "train-h100"}
    assert stamped == {"instance": tags, "volume": tags, "network-interface": tags}


def test_eks_tags_the_auto_scaling_group_so_that_an_empty_pool_is_known(declare):
    recording = declare("aws", taints=[{"key": "team", "value": "a", "effect": "NoExecute"}])

    tags = [each.inputs for each in recording.of("autoscaling/tag:Tag")]
    assert {each["autoscalingGroupName"] for each in tags} == {"asg-1"}
    found = {each["tag"]["key"]: each["tag"]["value"] for each in tags}
    template = "k8s.io/cluster-autoscaler/node-template"
    assert found == {
        **COST,
        f"{template}/label/capacity-pool": "train-h100",
        f"{template}/label/k8s.amazonaws.com/accelerator": "h100-80gb",
        f"{template}/taint/nvidia.com/gpu": "present:NoSchedule",
        f"{template}/taint/team": "a:NoExecute",
        f"{template}/resources/nvidia.com/gpu": "8",
        f"{template}/resources/ephemeral-storage": "200Gi",
    }


def test_eks_nodes_inherit_cost_tags_of_the_group_and_no_autoscaler_tags(declare):
    tags = [each.inputs["tag"] for each in declare("aws").of("autoscaling/tag:Tag")]

    inherited = {tag["key"] for tag in tags if tag["propagateAtLaunch"]}
    assert inherited == set(COST)


def test_eks_spells_taint_effects_its_own_way_and_kubernetes_way_on_the_group(declare):
    recording = declare("aws")

    assert recording.one("nodeGroup:NodeGroup").inputs["taints"] == [
        {"key": "nvidia.com/gpu", "value": "present", "effect": "NO_SCHEDULE"}
    ]


def test_eks_uses_a_fixed_template_version_and_no_disk_size_of_its_own(declare):
    group = declare("aws").one("nodeGroup:NodeGroup").inputs

    assert group["launchTemplate"] == {"id": "train-h100-id", "version": "3"}
    assert "diskSize" not in group


def test_eks_groups_are_named_by_pulumi_so_that_a_new_type_meets_no_old_name(declare):
    group = declare("aws").one("nodeGroup:NodeGroup")

    assert "nodeGroupName" not in group.inputs
    assert not group.request.deleteBeforeReplace


@pytest.mark.parametrize(
    ("cloud", "key"), [("aws", "nodeGroupName"), ("gcp", "name"), ("azure", "agentPoolName")]
)
def test_a_pool_named_by_hand_is_deleted_before_it_is_replaced(declare, cloud, key):
    pool = declare(cloud, cloud_name="mypool").one(RESOURCE[cloud])

    assert pool.inputs[key] == "mypool"
    assert pool.request.deleteBeforeReplace


@pytest.mark.parametrize(
    ("changes", "ami"),
    [
        ({}, "AL2023_x86_64_NVIDIA"),
        (
            {"accelerator": "trainium1", "instance_types": ["trn1.32xlarge"]},
            "AL2023_x86_64_NEURON",
        ),
        ({"accelerator": "t4g", "instance_types": ["g5g.xlarge"]}, "AL2023_ARM_64_NVIDIA"),
    ],
)
def test_eks_nodes_boot_the_image_that_carries_their_driver(declare, changes, ami):
    region = {"region": "us-east-1", "zones": None} if changes else {}

    assert declare("aws", **changes, **region).one(RESOURCE["aws"]).inputs["amiType"] == ami


@pytest.mark.parametrize("scaler", ["tidegate", "cluster-autoscaler"])
@pytest.mark.parametrize(
    ("cloud", "ignored"),
    [
        ("aws", ["scalingConfig.desiredSize"]),
        ("gcp", ["initialNodeCount", "nodeCount"]),
        ("azure", ["count"]),
    ],
)
def test_the_size_that_a_scaler_chose_is_never_undone(declare, cloud, ignored, scaler):
    pool = declare(cloud, scaler=scaler).one(RESOURCE[cloud])

    assert pool.ignored == ignored


def test_the_cloud_scales_only_where_it_is_the_scaler_on_gke(declare):
    ours = declare("gcp").one(RESOURCE["gcp"]).inputs
    theirs = declare("gcp", scaler="provider", min_nodes=1).one(RESOURCE["gcp"]).inputs

    assert "autoscaling" not in ours
    assert ours["initialNodeCount"] == 0
    assert ours["ignoreNodeCountChanges"] is True
    assert theirs["autoscaling"] == {
        "totalMinNodeCount": 1,
        "totalMaxNodeCount": 4,
        "locationPolicy": "ANY",
    }


def test_the_cloud_scales_only_where_it_is_the_scaler_on_aks(declare):
    ours = declare("azure").one(RESOURCE["azure"]).inputs
    theirs = declare("azure", scaler="provider").one(RESOURCE["azure"]).inputs

    assert (ours["enableAutoScaling"], ours["count"]) == (False, 0)
    assert "maxCount" not in ours
    sizing = {key: theirs[key] for key in ("enableAutoScaling", "minCount", "maxCount", "count")}
    assert sizing == {"enableAutoScaling": True, "minCount": 0, "maxCount": 4, "count": 0}


def test_gke_counts_a_zone_so_the_first_count_is_divided(declare):
    zones = ["us-central1-a", "us-central1-b"]

    pool = declare("gcp", zones=zones, min_nodes=4).one(RESOURCE["gcp"]).inputs

    assert (pool["initialNodeCount"], pool["nodeLocations"]) == (2, zones)


def test_gke_sets_its_own_accelerator_taint_so_it_is_not_declared_twice(declare):
    recording = declare(
        "gcp", taints=[{"key": "nvidia.com/gpu", "value": "present", "effect": "NoSchedule"}]
    )

    assert "taints" not in recording.one(RESOURCE["gcp"]).inputs["nodeConfig"]
    (pool,) = recording.outputs["train-h100"]["capacity"]["pools"]
    assert pool["taints"] == [{"key": "nvidia.com/gpu", "value": "present", "effect": "NoSchedule"}]


def test_gke_driver_installation_is_always_stated(declare):
    config = declare("gcp").one(RESOURCE["gcp"]).inputs["nodeConfig"]

    assert config["guestAccelerators"] == [
        {
            "type": "nvidia-h100-80gb",
            "count": 8,
            "gpuDriverInstallationConfig": {"gpuDriverVersion": "DEFAULT"},
        }
    ]


def test_gke_takes_the_machines_own_accelerator_variant(declare):
    config = (
        declare("gcp", instance_types=["a3-megagpu-8g"]).one(RESOURCE["gcp"]).inputs["nodeConfig"]
    )

    assert config["guestAccelerators"][0]["type"] == "nvidia-h100-mega-80gb"


def test_gke_upgrades_never_wait_for_a_surge_node(declare):
    settings = declare("gcp").one(RESOURCE["gcp"]).inputs["upgradeSettings"]

    assert settings == {"maxSurge": 0, "maxUnavailable": 1}


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"capacity_type": "on-demand", "scaler": "provider", "gcp": {"queued_provisioning": True}},
        {"capacity_type": "on-demand", "scaler": "provider", "gcp": {"flex_start": True}},
    ],
)
def test_gke_spot_queued_and_flex_nodes_never_take_a_reservation(declare, changes):
    config = declare("gcp", **changes).one(RESOURCE["gcp"]).inputs["nodeConfig"]

    assert config["reservationAffinity"] == {"consumeReservationType": "NO_RESERVATION"}


def test_gke_flex_start_is_not_repaired_and_has_no_static_count(declare):
    gcp = {"flex_start": True, "max_run_duration_seconds": 86_400}
    pool = declare("gcp", capacity_type="on-demand", scaler="provider", gcp=gcp).one(
        RESOURCE["gcp"]
    )

    assert pool.inputs["management"]["autoRepair"] is False
    assert pool.inputs["nodeConfig"]["flexStart"] is True
    assert pool.inputs["nodeConfig"]["maxRunDuration"] == "86400s"
    assert "initialNodeCount" not in pool.inputs


def test_aks_pools_are_user_pools_with_a_short_fixed_name(declare):
    pool = declare("azure").one(RESOURCE["azure"])

    assert pool.inputs["mode"] == "User"
    assert len(pool.inputs["agentPoolName"]) <= 12
    assert pool.inputs["agentPoolName"].isalnum()
    assert pool.request.deleteBeforeReplace
    assert list(pool.request.replaceOnChanges) == [
        "availabilityZones",
        "capacityReservationGroupID",
        "gpuProfile",
        "osDiskSizeGB",
        "scaleSetEvictionPolicy",
        "scaleSetPriority",
        "vnetSubnetID",
    ]


def test_aks_spot_pools_declare_the_systems_label_and_taint_and_no_surge(declare):
    pool = declare("azure").one(RESOURCE["azure"]).inputs

    assert pool["nodeLabels"]["kubernetes.azure.com/scalesetpriority"] == "spot"
    assert "kubernetes.azure.com/scalesetpriority=spot:NoSchedule" in pool["nodeTaints"]
    assert "upgradeSettings" not in pool
    assert (pool["scaleSetPriority"], pool["scaleSetEvictionPolicy"]) == ("Spot", "Delete")
    assert (pool["spotMaxPrice"], pool["scaleDownMode"]) == (-1, "Delete")


def test_aks_on_demand_pools_upgrade_in_place(declare):
    pool = declare("azure", capacity_type="on-demand").one(RESOURCE["azure"]).inputs

    assert pool["upgradeSettings"] == {"maxSurge": "0", "maxUnavailable": "1"}
    assert pool["nodeTaints"] == ["nvidia.com/gpu=present:NoSchedule"]


@pytest.mark.parametrize(
    ("cloud", "read"),
    [
        (
            "aws",
            lambda r: r.one("launchTemplate:LaunchTemplate").inputs[
                "capacityReservationSpecification"
            ]["capacityReservationTarget"]["capacityReservationId"],
        ),
        (
            "gcp",
            lambda r: r.one("nodePool:NodePool").inputs["nodeConfig"]["reservationAffinity"][
                "values"
            ][0],
        ),
        ("azure", lambda r: r.one("AgentPool").inputs["capacityReservationGroupID"]),
    ],
)
def test_a_reserved_pool_consumes_its_declared_reservation(declare, cloud, read):
    recording = declare(
        cloud, capacity_type="reserved", reservation="serve-h100", reservation_target="target-1"
    )

    assert read(recording) == "target-1"
    (pool,) = recording.outputs["train-h100"]["capacity"]["pools"]
    assert (pool["reservation"], pool["interruptionTolerance"]) == ("serve-h100", "intolerant")
    assert pool["nodeLabels"]["commitment"] == "serve-h100"


@pytest.mark.parametrize("cloud", CLOUDS)
def test_the_callers_options_reach_the_pool(declare, cloud):
    provider_key = {"aws": "tags", "gcp": "nodeConfig.labels", "azure": "tags"}[cloud]
    opts = pulumi.ResourceOptions(
        protect=True, ignore_changes=[provider_key, "nonsense"], retain_on_delete=True
    )

    recording = declare(cloud, opts=opts)

    pool = recording.one(RESOURCE[cloud])
    assert pool.request.protect
    assert pool.request.retainOnDelete
    assert provider_key in pool.ignored
    assert "nonsense" not in pool.ignored
    component = recording.one("index:GpuNodePool")
    assert pool.request.parent.endswith(f"::{component.type}::train-h100")


def test_the_callers_provider_reaches_every_child(record, pool_args, catalog):
    def program():
        import pulumi_aws as aws

        provider = aws.Provider("elsewhere", region="us-east-2")
        opts = pulumi.ResourceOptions(provider=provider)
        GpuNodePool("train-h100", pool_args("aws"), opts, catalog)

    recording = record(program)

    children = [each for each in recording.all if each.type.startswith("aws:")]
    assert children
    assert all("elsewhere" in each.request.provider for each in children)


def test_the_cluster_may_be_known_only_after_creation(declare):
    recording = declare("gcp", cluster=pulumi.Output.from_input("late"))

    assert recording.one(RESOURCE["gcp"]).inputs["cluster"] == "late"
    (pool,) = recording.outputs["train-h100"]["capacity"]["pools"]
    assert pool["cluster"] == ""
    assert recording.outputs["train-h100"]["bindings"]["train-h100"]["cluster"] == "late"


def test_a_renamed_component_says_its_old_name_to_the_engine(declare):
    # The engine carries a parent's alias on to its children.
    opts = pulumi.ResourceOptions(aliases=[pulumi.Alias(name="old-name")])

    component = declare("gcp", opts=opts).one("index:GpuNodePool")

    assert "old-name" in str(component.request.aliases) + str(component.request.aliasURNs)


def test_a_pool_inside_another_component_is_its_child(record, pool_args, catalog):
    def program():
        platform = pulumi.ComponentResource("acme:index:Platform", "platform")
        opts = pulumi.ResourceOptions(parent=platform)
        GpuNodePool("train-h100", pool_args("gcp"), opts, catalog)

    recording = record(program)

    assert recording.one("index:GpuNodePool").request.parent.endswith("Platform::platform")


def test_what_a_component_waits_for_its_children_wait_for(record, pool_args, catalog):
    def program():
        import pulumi_gcp as gcp

        cluster = gcp.container.Cluster("ml", location="us-central1")
        opts = pulumi.ResourceOptions(depends_on=[cluster])
        GpuNodePool("train-h100", pool_args("gcp"), opts, catalog)

    pool = record(program).one(RESOURCE["gcp"])

    assert any("container/cluster:Cluster::ml" in urn for urn in pool.request.dependencies)
