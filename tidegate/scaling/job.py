"""One job as a user writes it: a strict document, read once at the boundary."""

# ruff: noqa: RUF012 - pydantic copies the default of a field for each document

from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from typing import Annotated

from pydantic import Field, ValidationError
from pydantic.alias_generators import to_camel
from pydantic_core import ErrorDetails

from tidegate.catalog.catalog import Catalog
from tidegate.manifest.document import Amount, Document
from tidegate.scaling.offerings import TransferLane
from tidegate.vocabulary.capacity import Cloud, InterruptionTolerance, WorkloadClass
from tidegate.vocabulary.demand import (
    AcceleratorNeed,
    CheckpointHabit,
    DataNeed,
    PlacementNeed,
    WorkItem,
    WorkShape,
)
from tidegate.vocabulary.problems import InvalidInput, Problem, suggest

Seconds = Annotated[int, Field(ge=0)]
Positive = Annotated[Decimal, Field(gt=0, allow_inf_nan=False)]


class JobAccelerator(Document):
    """One accelerator that would do."""

    accelerator: str
    per_worker: int = Field(gt=0)


class JobCheckpoint(Document):
    """How the job saves itself."""

    interval_seconds: int = Field(gt=0)
    write_seconds: Seconds
    restart_seconds: Seconds


class JobData(Document):
    """What the job reads and writes, and where that lies."""

    cloud: Cloud
    region: str
    read_gb: int = Field(default=0, ge=0)
    write_gb: int = Field(default=0, ge=0)


class JobTransfer(Document):
    """What moving data between two places costs; a place is "cloud/region"."""

    source: str
    target: str
    per_gb: Amount
    gb_per_second: Positive


class JobPlacement(Document):
    """Where the job may run; what is left out asks for nothing."""

    residency: list[str] = []
    pools: list[str] = []
    node_labels: dict[str, str] = {}
    tolerations: list[str] = []
    isolation: str = ""
    service_level: str = ""
    near_region: str = ""
    max_latency_ms: int | None = Field(default=None, ge=0)


class Job(Document):
    """A job to be placed."""

    id: str = Field(min_length=1)
    accelerators: list[JobAccelerator] = []
    workers: int = Field(default=1, gt=0)
    vcpus: Annotated[Decimal, Field(ge=0, allow_inf_nan=False)] = Decimal(0)
    memory_gib: Annotated[Decimal, Field(ge=0, allow_inf_nan=False)] = Decimal(0)
    workload_class: WorkloadClass = WorkloadClass.TRAINING
    priority: int = 0
    interruption_tolerance: InterruptionTolerance | None = None
    checkpoint: JobCheckpoint | None = None
    duration_seconds: int | None = Field(default=None, gt=0)
    wait_target_seconds: Seconds | None = None
    deadline: datetime | None = None
    placement: JobPlacement = JobPlacement()
    data: list[JobData] = []
    transfers: list[JobTransfer] = []


def parse_job(where: str, document: object) -> Job:
    """Read a job from a parsed document.

    Raises:
        InvalidInput: With one problem for each fault.
    """
    try:
        return Job.model_validate(document)
    except ValidationError as error:
        raise InvalidInput(_describe(where, fault) for fault in error.errors()) from error


def _describe(where: str, fault: ErrorDetails) -> Problem:
    path = ".".join(str(part) for part in fault["loc"])
    if fault["type"] == "extra_forbidden":
        hint = suggest(str(fault["loc"][-1]), [to_camel(name) for name in _known_keys()])
        return Problem(where, path, "", f"is not a key of a job{hint}", "only known keys")
    if fault["type"] == "missing":
        return Problem(where, path, "", "is required and is missing", "a value")
    reason = fault["msg"].removeprefix("Input ").removeprefix("Value error, ")
    return Problem(where, path, repr(fault["input"]), reason, "")


def _known_keys() -> set[str]:
    parts: tuple[type[Document], ...] = (
        Job,
        JobAccelerator,
        JobCheckpoint,
        JobData,
        JobPlacement,
        JobTransfer,
    )
    return {name for part in parts for name in part.model_fields}


def build_item(job: Job, catalog: Catalog, now: datetime) -> WorkItem:
    """Return a job as a waiting item; accelerators may be spelt as the catalog knows them.

    Raises:
        InvalidInput: When an accelerator is unknown or ambiguous.
    """
    saved = job.checkpoint
    place = job.placement
    shape = WorkShape(
        accelerators=tuple(
            AcceleratorNeed(catalog.accelerator(need.accelerator).name, need.per_worker)
            for need in job.accelerators
        ),
        vcpus_milli=int(job.vcpus * 1000),
        memory_mib=int(job.memory_gib * 1024),
        workers=job.workers,
        workload_class=job.workload_class,
        priority=job.priority,
        interruption_tolerance=job.interruption_tolerance,
        checkpoint=None
        if saved is None
        else CheckpointHabit(saved.interval_seconds, saved.write_seconds, saved.restart_seconds),
        duration_seconds=job.duration_seconds,
        wait_target_seconds=job.wait_target_seconds,
        placement=PlacementNeed(
            residency=tuple(place.residency),
            pools=tuple(place.pools),
            software=tuple(sorted(place.node_labels.items())),
            tolerations=tuple(place.tolerations),
            isolation=place.isolation,
            service_level=place.service_level,
            near_region=place.near_region,
            max_latency_ms=place.max_latency_ms,
        ),
        data=tuple(
            DataNeed(entry.cloud.value, entry.region, entry.read_gb, entry.write_gb)
            for entry in job.data
        ),
    )
    return WorkItem(job.id, shape, now, job.deadline, job.duration_seconds)


def build_lanes(job: Job) -> dict[tuple[str, str], TransferLane]:
    """Return what the job states of moving data."""
    return {
        (entry.source, entry.target): TransferLane(entry.per_gb, entry.gb_per_second)
        for entry in job.transfers
    }
