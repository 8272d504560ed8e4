"""MIG, time-sharing and MPS: what each cloud does itself, and what an operator is told."""

from __future__ import annotations

import pytest
from tidegate_components import GpuNodePool
from tidegate_components.gpu_node_pool.parse import parse_pool
from tidegate_components.gpu_node_pool.partitions import (
    PARTITIONS,
    find_aks_partition,
    find_aks_profile,
)

from tidegate.vocabulary.problems import InvalidInput

MIG = {"strategy": "mig", "partition": "1g.10gb"}


@pytest.fixture
def declare(record, pool_args, catalog):
    def run(cloud, **changes):
        args = pool_args(cloud, **changes)
        return record(lambda: GpuNodePool("train-h100", args, None, catalog))

    return run


def shared(recording):
    (pool,) = recording.outputs["train-h100"]["capacity"]["pools"]
    return pool.get("sharing")


@pytest.mark.parametrize(
    ("sharing", "accelerator", "clients"),
    [
        (MIG, {"gpuPartitionSize": "1g.10gb"}, 7),
        (
            {"strategy": "time-sharing", "clients_per_accelerator": 4},
            {
                "gpuSharingConfig": {
                    "gpuSharingStrategy": "TIME_SHARING",
                    "maxSharedClientsPerGpu": 4,
                }
            },
            4,
        ),
        (
            {"strategy": "mps", "partition": "3g.40gb", "clients_per_accelerator": 3},
            {
                "gpuPartitionSize": "3g.40gb",
                "gpuSharingConfig": {"gpuSharingStrategy": "MPS", "maxSharedClientsPerGpu": 3},
            },
            6,
        ),
    ],
)
def test_gke_shares_by_itself(declare, sharing, accelerator, clients):
    recording = declare("gcp", sharing=sharing)

    config = recording.one("nodePool:NodePool").inputs["nodeConfig"]
    (found,) = config["guestAccelerators"]
    assert accelerator.items() <= found.items()
    assert found["count"] == 8
    assert not [key for key in config["labels"] if key.startswith("nvidia.com/")]
    assert shared(recording) == {
        "strategy": sharing["strategy"],
        "partition": sharing.get("partition", ""),
        "clientsPerAccelerator": clients,
    }


@pytest.mark.parametrize(
    ("sharing", "labels", "resources"),
    [
        (MIG, {"nvidia.com/mig.config": "all-1g.10gb"}, "56"),
        (
            {
                "strategy": "time-sharing",
                "clients_per_accelerator": 4,
                "device_plugin_config": "by-4",
            },
            {"nvidia.com/device-plugin.config": "by-4"},
            "32",
        ),
        (
            {
                "strategy": "time-sharing",
                "partition": "7g.80gb",
                "clients_per_accelerator": 2,
                "device_plugin_config": "by-2",
            },
            {
                "nvidia.com/mig.config": "all-7g.80gb",
                "nvidia.com/device-plugin.config": "by-2",
            },
            "16",
        ),
    ],
)
def test_on_eks_labels_tell_nvidias_operator_and_an_empty_pool_counts_the_shares(
    declare, sharing, labels, resources
):
    recording = declare("aws", sharing=sharing)

    found = recording.one("nodeGroup:NodeGroup").inputs["labels"]
    assert {key: found[key] for key in found if key.startswith("nvidia.com/")} == labels
    tags = {each.inputs["tag"]["key"]: each.inputs["tag"]["value"] for each in recording.of(":Tag")}
    template = "k8s.io/cluster-autoscaler/node-template"
    assert tags[f"{template}/resources/nvidia.com/gpu"] == resources
    assert {f"{template}/label/{key}": labels[key] for key in labels}.items() <= tags.items()


def test_karpenters_limit_counts_accelerators_and_not_their_shares(declare):
    own = {
        "node_role_arn": "arn:aws:iam::1:role/node",
        "subnet_ids": ["subnet-1"],
        "security_group_ids": ["sg-1"],
    }
    recording = declare("aws", scaler="karpenter", sharing=MIG, aws=own)

    assert recording.one(":NodePool").inputs["spec"]["limits"]["nvidia.com/gpu"] == "32"


@pytest.mark.parametrize(
    "given",
    [
        {"sharing": MIG},
        {"azure": {"resource_group_name": "ml", "gpu_instance_profile": "MIG1g"}},
        {"sharing": MIG, "azure": {"resource_group_name": "ml", "gpu_instance_profile": "MIG1g"}},
    ],
)
def test_aks_makes_partitions_under_its_own_name(declare, given):
    recording = declare("azure", **given)

    pool = recording.one("AgentPool").inputs
    assert pool["gpuInstanceProfile"] == "MIG1g"
    assert "nvidia.com/mig.config" not in pool["nodeLabels"]
    assert shared(recording) == {
        "strategy": "mig",
        "partition": "1g.10gb",
        "clientsPerAccelerator": 7,
    }


def test_aks_leaves_turns_to_nvidias_operator(declare):
    sharing = {"strategy": "mps", "clients_per_accelerator": 3, "device_plugin_config": "by-3"}

    pool = declare("azure", sharing=sharing).one("AgentPool").inputs

    assert pool["nodeLabels"]["nvidia.com/device-plugin.config"] == "by-3"
    assert "gpuInstanceProfile" not in pool


def test_an_unshared_pool_says_nothing_of_sharing(declare):
    assert shared(declare("gcp")) is None


TURNS = {"strategy": "time-sharing", "clients_per_accelerator": 4}


@pytest.mark.parametrize(
    ("cloud", "changes", "start"),
    [
        (
            "gcp",
            {"sharing": {"strategy": "mig"}},
            "sharing.partition: is needed by strategy mig and is missing",
        ),
        (
            "gcp",
            {"sharing": {"strategy": "mig", "partition": "1g.5gb"}},
            (
                "sharing.partition = '1g.5gb': is no part into which h100-80gb can be cut; "
                "expected one of 1g.10gb, 1g.20gb, 2g.20gb, 3g.40gb, 4g.40gb, 7g.80gb"
            ),
        ),
        (
            "gcp",
            {"sharing": {"strategy": "mig", "partition": "4g.40gb"}},
            "sharing.partition = '4g.40gb': is no part into which GKE cuts h100-80gb; expected one",
        ),
        (
            "gcp",
            {"sharing": {**MIG, "clients_per_accelerator": 7}},
            "sharing.clients_per_accelerator: is decided by the partition",
        ),
        (
            "gcp",
            {"sharing": {"strategy": "mps"}},
            "sharing.clients_per_accelerator: is required and is missing",
        ),
        (
            "gcp",
            {"sharing": {"strategy": "mps", "clients_per_accelerator": 1}},
            "sharing.clients_per_accelerator = 1: is out of range; expected a whole number of at",
        ),
        (
            "gcp",
            {"sharing": {"strategy": "mps", "clients_per_accelerator": 49}},
            "sharing.clients_per_accelerator = 49: is more than may share one accelerator",
        ),
        (
            "gcp",
            {"sharing": {**TURNS, "device_plugin_config": "x"}},
            "sharing.device_plugin_config = 'x': is GKE's own affair",
        ),
        (
            "aws",
            {"sharing": TURNS},
            "sharing.device_plugin_config: is needed: EKS leaves sharing by turns to NVIDIA's",
        ),
        (
            "azure",
            {
                "sharing": {
                    **TURNS,
                    "strategy": "mps",
                    "partition": "1g.10gb",
                    "device_plugin_config": "x",
                }
            },
            "sharing.partition = '1g.10gb': cannot be shared by NVIDIA's device plugin with mps",
        ),
        (
            "azure",
            {"sharing": {"strategy": "mig", "partition": "1g.20gb"}},
            "sharing.partition = '1g.20gb': is no partition that AKS makes",
        ),
        (
            "azure",
            {
                "sharing": MIG,
                "azure": {"resource_group_name": "ml", "gpu_instance_profile": "MIG2g"},
            },
            "azure.gpu_instance_profile = 'MIG2g': is not what sharing.partition '1g.10gb' means",
        ),
        (
            "aws",
            {"sharing": MIG, "node_labels": {"nvidia.com/mig.config": "all-disabled"}},
            "node_labels.nvidia.com/mig.config = 'all-disabled': is set by `sharing`",
        ),
        (
            "aws",
            {
                "accelerator": "trainium1",
                "instance_types": ["trn1.32xlarge"],
                "region": "us-east-1",
                "zones": None,
                "sharing": {**TURNS, "device_plugin_config": "x"},
            },
            "sharing.strategy = 'time-sharing': is not for trainium1: only NVIDIA's",
        ),
    ],
)
def test_what_cannot_be_shared_is_refused_with_what_would_be_right(
    pool_args, catalog, cloud, changes, start
):
    with pytest.raises(InvalidInput) as caught:
        parse_pool("train-h100", pool_args(cloud, **changes), catalog)

    lines = [line.removeprefix("pool train-h100: ") for line in str(caught.value).splitlines()]
    assert [line for line in lines if line.startswith(start)], lines
    assert len(lines) == 1


@pytest.mark.parametrize("accelerator", sorted(PARTITIONS))
def test_partitions_are_of_accelerators_that_the_catalog_knows(catalog, accelerator):
    assert catalog.accelerator(accelerator).vendor == "nvidia"


@pytest.mark.parametrize("accelerator", sorted(PARTITIONS))
def test_each_profile_of_aks_is_the_partition_with_the_most_parts(accelerator):
    for profile in {f"MIG{name.partition('.')[0]}" for name in PARTITIONS[accelerator]}:
        partition = find_aks_partition(accelerator, profile)
        assert find_aks_profile(accelerator, partition) == profile
        rivals = [name for name in PARTITIONS[accelerator] if f"MIG{name[:2]}" == profile]
        assert PARTITIONS[accelerator][partition] == max(
            PARTITIONS[accelerator][name] for name in rivals
        )
