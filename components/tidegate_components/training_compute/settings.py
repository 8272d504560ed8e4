"""What a job is submitted with, in the words of each cloud's own SDK."""

from __future__ import annotations

from typing import Any

from tidegate.vocabulary.capacity import Cloud
from tidegate_components.training_compute.spec import TrainingSpec


def build_settings(spec: TrainingSpec) -> dict[str, Any]:
    """Return the plain settings of every job on this pool, labels included."""
    build = {Cloud.AWS: _build_aws, Cloud.GCP: _build_gcp, Cloud.AZURE: _build_azure}
    return build[spec.cloud](spec)


def _build_aws(spec: TrainingSpec) -> dict[str, Any]:
    """Return keyword arguments of the SageMaker Python SDK's Estimator."""
    settings: dict[str, Any] = {
        "instance_type": spec.instance_type,
        "use_spot_instances": spec.is_spot,
        "max_run": spec.max_run_seconds,
        "tags": [{"Key": key, "Value": value} for key, value in spec.cost_labels.items()],
    }
    if spec.max_wait_seconds is not None:
        settings["max_wait"] = spec.max_wait_seconds
    if spec.checkpoint_uri:
        settings["checkpoint_s3_uri"] = spec.checkpoint_uri
    return settings


def _build_gcp(spec: TrainingSpec) -> dict[str, Any]:
    """Return fields of Vertex's CustomJob, as its REST interface spells them."""
    machine: dict[str, Any] = {"machineType": spec.instance_type}
    if spec.chip:
        machine["acceleratorType"] = spec.chip
        machine["acceleratorCount"] = spec.accelerators_per_node
    strategy = "FLEX_START" if spec.flex_start else "SPOT" if spec.is_spot else "STANDARD"
    scheduling = {"strategy": strategy, "timeout": f"{spec.max_run_seconds}s"}
    if spec.max_wait_seconds is not None:
        scheduling["maxWaitDuration"] = f"{spec.max_wait_seconds}s"
    settings: dict[str, Any] = {
        "machineSpec": machine,
        "scheduling": scheduling,
        "labels": spec.cost_labels,
    }
    if spec.checkpoint_uri:
        settings["baseOutputDirectory"] = {"outputUriPrefix": spec.checkpoint_uri}
    return settings


def _build_azure(spec: TrainingSpec) -> dict[str, Any]:
    """Return fields of an Azure Machine Learning job; its compute stands in the bindings."""
    settings: dict[str, Any] = {
        "limits": {"timeout": f"PT{spec.max_run_seconds}S"},
        "tags": spec.cost_labels,
    }
    if spec.checkpoint_uri:
        settings["outputs"] = {"checkpoints": {"uri": spec.checkpoint_uri}}
    return settings
