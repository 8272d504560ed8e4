"""What each cloud's managed training allows, with the origin of each limit."""

from __future__ import annotations

from tidegate.vocabulary.capacity import CapacityType, Cloud
from tidegate_components.arguments import Arguments
from tidegate_components.training_compute.spec import TrainingSpec

DAY = 86400
SAGEMAKER_LONGEST = 28 * DAY
"""SageMaker API reference, StoppingCondition."""
FLEX_LONGEST = 7 * DAY
"""Dynamic Workload Scheduler, flex-start."""
SCHEMES = {
    Cloud.AWS: ("s3://",),
    Cloud.GCP: ("gs://",),
    Cloud.AZURE: ("azureml://", "abfss://", "wasbs://", "https://"),
}


def check_limits(read: Arguments, spec: TrainingSpec) -> None:
    """Note what the training's cloud does not allow."""
    if spec.capacity_type is CapacityType.RESERVED:
        reason = "is consumed by no managed training: its cloud chooses the machines"
        read.refuse("capacity_type", "reserved", reason, "on-demand or spot")
    _check_checkpoint(read, spec)
    declared = spec.declared_nodes
    if declared is not None and declared > spec.max_nodes:
        reason = f"is above max_nodes {spec.max_nodes}"
        read.refuse("declared_nodes", declared, reason, f"at most {spec.max_nodes}")
    checks = {Cloud.AWS: _check_aws, Cloud.GCP: _check_gcp, Cloud.AZURE: _check_azure}
    checks[spec.cloud](read, spec)


def _check_checkpoint(read: Arguments, spec: TrainingSpec) -> None:
    schemes = SCHEMES[spec.cloud]
    expected = f"a place such as {schemes[0]}…"
    if spec.is_spot and not spec.checkpoint_uri:
        reason = "is needed by spot: an interruption loses what no checkpoint kept"
        read.refuse("checkpoint_uri", None, reason, expected)
    elif spec.checkpoint_uri and not spec.checkpoint_uri.startswith(schemes):
        reason = f"is no place that jobs on {spec.cloud.value} write to"
        read.refuse("checkpoint_uri", spec.checkpoint_uri, reason, expected)


def _check_aws(read: Arguments, spec: TrainingSpec) -> None:
    wait, run = spec.max_wait_seconds, spec.max_run_seconds
    if run > SAGEMAKER_LONGEST:
        reason = "is longer than SageMaker trains (API reference, StoppingCondition: 28 days)"
        read.refuse("max_run_seconds", run, reason, f"at most {SAGEMAKER_LONGEST}")
    if spec.is_spot and wait is None:
        reason = "is needed by managed spot training, which waits for machines"
        read.refuse("max_wait_seconds", None, reason, f"at least max_run_seconds, {run}")
    elif spec.is_spot and wait is not None and wait < run:
        reason = (
            f"is less than max_run_seconds, {run}: it holds waiting and running together "
            "(SageMaker API reference, StoppingCondition)"
        )
        read.refuse("max_wait_seconds", wait, reason, f"at least {run}")
    elif not spec.is_spot and wait is not None:
        reason = "concerns managed spot training only"
        read.refuse("max_wait_seconds", wait, reason, "capacity_type spot, or leave it out")


def _check_gcp(read: Arguments, spec: TrainingSpec) -> None:
    if spec.flex_start and spec.is_spot:
        reason = "excludes capacity_type spot: a job has one scheduling strategy"
        read.refuse("gcp.flex_start", True, reason, "capacity_type on-demand")
    if spec.flex_start and spec.max_run_seconds > FLEX_LONGEST:
        reason = "is longer than flex-start nodes run (Dynamic Workload Scheduler: 7 days)"
        read.refuse("max_run_seconds", spec.max_run_seconds, reason, f"at most {FLEX_LONGEST}")
    if spec.max_wait_seconds is not None and not spec.flex_start:
        reason = "concerns flex-start only: other jobs start at once or fail"
        read.refuse("max_wait_seconds", spec.max_wait_seconds, reason, "gcp.flex_start, or none")


def _check_azure(read: Arguments, spec: TrainingSpec) -> None:
    if spec.max_wait_seconds is not None:
        reason = "is unknown to Azure Machine Learning, where jobs wait for a node for ever"
        read.refuse("max_wait_seconds", spec.max_wait_seconds, reason, "leave it out")
