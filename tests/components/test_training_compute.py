from __future__ import annotations

import pulumi
import pytest
from tidegate_components import TrainingCompute
from tidegate_components.training_compute.parse import parse_training

from tidegate.manifest.build import build_manifest
from tidegate.manifest.check import check_manifest
from tidegate.vocabulary.problems import InvalidInput

CHECKPOINT = {"interval_seconds": 900, "write_seconds": 60, "restart_seconds": 300}
PLACES = {
    "aws": {
        "region": "us-east-1",
        "instance_type": "ml.p4d.24xlarge",
        "max_wait_seconds": 172800,
        "checkpoint_uri": "s3://acme/vision",
        "aws": {"role_arn": "arn:aws:iam::123456789012:role/train"},
    },
    "gcp": {
        "region": "us-central1",
        "instance_type": "a2-highgpu-1g",
        "checkpoint_uri": "gs://acme/vision",
        "gcp": {"project": "acme-ml"},
    },
    "azure": {
        "region": "eastus",
        "instance_type": "Standard_NC24ads_A100_v4",
        "checkpoint_uri": "azureml://datastores/work/paths/vision",
        "azure": {"resource_group_name": "ml", "workspace_name": "lab"},
    },
}


@pytest.fixture
def args(labels):
    def build(cloud, **changes):
        shared = {
            "cloud": cloud,
            "capacity_type": "spot",
            "max_nodes": 4,
            "max_run_seconds": 86400,
            "checkpoint": CHECKPOINT,
            "labels": labels,
        }
        merged = {**shared, **PLACES[cloud], **changes}
        return {key: value for key, value in merged.items() if value is not None}

    return build


@pytest.fixture
def declare(record, args, catalog):
    def run(cloud, opts=None, **changes):
        return record(lambda: TrainingCompute("train", args(cloud, **changes), opts, catalog))

    return run


@pytest.fixture
def stamped(labels):
    return {**labels, "managed-by": "tidegate", "capacity-pool": "train"}


@pytest.mark.parametrize("cloud", ["aws", "gcp", "azure"])
def test_it_is_a_pool_without_a_node_at_rest(declare, stamped, cloud):
    capacity = declare(cloud).outputs["train"]["capacity"]
    (pool,) = capacity["pools"]

    assert (pool["kind"], pool["minNodes"], pool["maxNodes"]) == ("managed-training", 0, 4)
    assert (pool["scaler"], pool["capacityType"]) == ("provider", "spot")
    assert pool["labels"] == stamped
    assert pool["accelerator"].startswith("a100")
    manifest = build_manifest(
        [capacity],
        project="tidegate",
        stack="test",
        catalog_digest="0",
        hourly_ceiling={"amount": "1"},
    )
    assert check_manifest(manifest) == []


def test_sagemaker_jobs_are_managed_spot_with_labels(declare, stamped):
    recording = declare("aws")

    assert [each.type for each in recording.all] == ["tidegate:index:TrainingCompute"]
    assert recording.outputs["train"]["settings"] == {
        "instance_type": "ml.p4d.24xlarge",
        "use_spot_instances": True,
        "max_run": 86400,
        "max_wait": 172800,
        "checkpoint_s3_uri": "s3://acme/vision",
        "tags": [{"Key": key, "Value": value} for key, value in stamped.items()],
    }
    assert recording.outputs["train"]["bindings"]["train"] == {
        "cloud": "aws",
        "region": "us-east-1",
        "role": "arn:aws:iam::123456789012:role/train",
    }


def test_vertex_jobs_are_spot_with_labels(declare, stamped):
    recording = declare("gcp")

    assert [each.type for each in recording.all] == ["tidegate:index:TrainingCompute"]
    assert recording.outputs["train"]["settings"] == {
        "machineSpec": {
            "machineType": "a2-highgpu-1g",
            "acceleratorType": "NVIDIA_TESLA_A100",
            "acceleratorCount": 1,
        },
        "scheduling": {"strategy": "SPOT", "timeout": "86400s"},
        "labels": stamped,
        "baseOutputDirectory": {"outputUriPrefix": "gs://acme/vision"},
    }


def test_flex_start_waits_in_the_queue(declare):
    recording = declare(
        "gcp", capacity_type="on-demand", max_wait_seconds=3600, gcp={"flex_start": True}
    )

    assert recording.outputs["train"]["settings"]["scheduling"] == {
        "strategy": "FLEX_START",
        "timeout": "86400s",
        "maxWaitDuration": "3600s",
    }


@pytest.mark.parametrize(
    ("capacity_type", "priority"), [("spot", "LowPriority"), ("on-demand", "Dedicated")]
)
def test_an_azure_cluster_goes_to_zero(declare, stamped, capacity_type, priority):
    compute = declare("azure", capacity_type=capacity_type).one("machinelearningservices:Compute")
    properties = compute.inputs["properties"]

    assert properties["computeType"] == "AmlCompute"
    assert properties["properties"]["vmPriority"] == priority
    assert properties["properties"]["scaleSettings"] == {
        "minNodeCount": 0,
        "maxNodeCount": 4,
        "nodeIdleTimeBeforeScaleDown": "PT120S",
    }
    assert compute.inputs["tags"] == stamped


def test_only_what_azure_cannot_change_makes_another_cluster(declare):
    compute = declare("azure").one("machinelearningservices:Compute").request

    assert list(compute.replaceOnChanges) == [
        "location",
        "properties.properties.subnet",
        "properties.properties.vmPriority",
        "properties.properties.vmSize",
    ]
    assert compute.deleteBeforeReplace


def test_the_callers_options_reach_the_cluster(declare):
    opts = pulumi.ResourceOptions(ignore_changes=["tags", "scalingConfig"])

    assert declare("azure", opts).one("machinelearningservices:Compute").ignored == [
        "computeName",
        "tags",
    ]


@pytest.mark.parametrize(
    ("cloud", "changes", "start"),
    [
        (
            "aws",
            {"max_wait_seconds": 3600},
            (
                "pool train: max_wait_seconds = 3600: is less than max_run_seconds, 86400: it "
                "holds waiting and running together (SageMaker API reference, StoppingCondition); "
                "expected at least 86400"
            ),
        ),
        (
            "aws",
            {"max_wait_seconds": None},
            "pool train: max_wait_seconds: is needed by managed spot training",
        ),
        (
            "aws",
            {"capacity_type": "on-demand"},
            "pool train: max_wait_seconds = 172800: concerns managed spot training only",
        ),
        (
            "aws",
            {"max_run_seconds": 2_500_000, "max_wait_seconds": 2_500_000},
            (
                "pool train: max_run_seconds = 2500000: is longer than SageMaker trains (API "
                "reference, StoppingCondition: 28 days); expected at most 2419200"
            ),
        ),
        (
            "aws",
            {"checkpoint_uri": None},
            (
                "pool train: checkpoint_uri: is needed by spot: an interruption loses what no "
                "checkpoint kept; expected a place such as s3://"
            ),
        ),
        (
            "aws",
            {"checkpoint_uri": "gs://acme/vision"},
            "pool train: checkpoint_uri = 'gs://acme/vision': is no place that jobs on aws write",
        ),
        (
            "aws",
            {"instance_type": "p4d.24xlarge"},
            "pool train: instance_type = 'p4d.24xlarge': is no SageMaker instance type",
        ),
        (
            "aws",
            {"capacity_type": "reserved", "max_wait_seconds": None},
            "pool train: capacity_type = 'reserved': is consumed by no managed training",
        ),
        (
            "aws",
            {"declared_nodes": 5},
            "pool train: declared_nodes = 5: is above max_nodes 4; expected at most 4",
        ),
        (
            "gcp",
            {"gcp": {"flex_start": True}},
            "pool train: gcp.flex_start = True: excludes capacity_type spot",
        ),
        (
            "gcp",
            {"max_wait_seconds": 60},
            "pool train: max_wait_seconds = 60: concerns flex-start only",
        ),
        (
            "gcp",
            {
                "capacity_type": "on-demand",
                "gcp": {"flex_start": True},
                "max_run_seconds": 700_000,
            },
            "pool train: max_run_seconds = 700000: is longer than flex-start nodes run",
        ),
        (
            "gcp",
            {"accelerator": "l4"},
            (
                "pool train: accelerator = 'l4': is not what a a2-highgpu-1g has, which has "
                "a100-40gb; expected a100-40gb"
            ),
        ),
        (
            "gcp",
            {"instance_type": "ct5lp-hightpu-1t"},
            "pool train: instance_type = 'ct5lp-hightpu-1t': is a TPU machine, of which",
        ),
        (
            "azure",
            {"max_wait_seconds": 60},
            "pool train: max_wait_seconds = 60: is unknown to Azure Machine Learning",
        ),
        (
            "azure",
            {"gcp": {"project": "acme-ml"}},
            "pool train: gcp: concerns gcp, and the training is in azure",
        ),
    ],
)
def test_what_a_cloud_does_not_do_is_refused(args, catalog, cloud, changes, start):
    with pytest.raises(InvalidInput) as caught:
        parse_training("train", args(cloud, **changes), catalog)

    (line,) = str(caught.value).splitlines()
    assert line.startswith(start)


def test_an_id_that_is_too_short_for_its_cloud_is_refused(args, catalog):
    with pytest.raises(InvalidInput) as caught:
        parse_training("ml", args("azure"), catalog)

    assert str(caught.value) == (
        "pool ml = 'ml': is not a valid Azure ML compute name; expected at most 24 characters: at "
        "least 3 letters, digits and '-', starting with a letter"
    )
