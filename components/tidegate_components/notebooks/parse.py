"""From the arguments of a notebook to its specification, with every fault reported at once."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tidegate.catalog.catalog import Catalog
from tidegate.catalog.model import InstanceType
from tidegate.vocabulary.capacity import Cloud
from tidegate.vocabulary.problems import InvalidInput
from tidegate_components.arguments import Arguments
from tidegate_components.hardware import check_offered, find_attached, find_machine
from tidegate_components.names import AZURE_ML_COMPUTE, check_derived_name, check_identifier
from tidegate_components.notebooks import args as shapes
from tidegate_components.notebooks.spec import KINDS, NotebookKind, NotebookSpec

STOPPERS = ("provider", "tidegate")
BACKSTOP = 4
"""The cloud's own idle shutdown comes after so many times the controller's, should that be away."""
SAGEMAKER_TYPE = re.compile(r"ml\.[a-z0-9-]+\.[a-z0-9-]+")
CRON = re.compile(r"\S+( \S+){4}")


@dataclass(frozen=True, slots=True)
class IdleBounds:
    """How short and how long an idle time may be, in steps of so many seconds, and who says so."""

    low: int
    high: int
    step: int
    source: str


IDLE = {
    NotebookKind.NOTEBOOK_INSTANCE: IdleBounds(
        600, 3 * 86400, 1, "the instance looks every 300 s, and a longer one is no shutdown"
    ),
    NotebookKind.STUDIO: IdleBounds(
        3600, 525600 * 60, 60, "SageMaker API reference, IdleSettings: 60 to 525600 minutes"
    ),
    NotebookKind.WORKBENCH: IdleBounds(
        600, 86400, 60, "Vertex AI API reference, NotebookIdleShutdownConfig: 10 to 1440 minutes"
    ),
    NotebookKind.COMPUTE_INSTANCE: IdleBounds(
        900, 3 * 86400, 60, "Azure ML, idleTimeBeforeShutdown: 15 minutes to 3 days"
    ),
}
DISKS = {
    NotebookKind.NOTEBOOK_INSTANCE: (50, 5, 16384, "SageMaker API reference, VolumeSizeInGB"),
    NotebookKind.STUDIO: (50, 5, 16384, "SageMaker API reference, DefaultEbsStorageSettings"),
    NotebookKind.WORKBENCH: (150, 100, 64000, "Notebooks API reference, DataDisk"),
}


def parse_notebook(name: str, raw: Mapping[str, Any], catalog: Catalog) -> NotebookSpec:
    """Return the notebook that the arguments declare; `name` is its id.

    Raises:
        InvalidInput: With one problem for each fault, naming property, value and remedy.
    """
    read = Arguments(f"notebook {name}", raw, shapes.NotebooksArgs)
    check_identifier(read, name)
    cloud = read.choice("cloud", Cloud)
    kind = read.choice("kind", NotebookKind, KINDS[cloud][0])
    if kind not in KINDS[cloud]:
        expected = f"one of {', '.join(each.value for each in KINDS[cloud])}"
        read.refuse("kind", kind.value, f"does not exist on {cloud.value}", expected)
        raise InvalidInput(read.problems)
    region = read.text("region")
    zone = read.text("zone") if cloud is Cloud.GCP else read.text("zone", "")
    machine = _machine(read, cloud, region, zone, catalog)
    gcp = read.nested("gcp", shapes.NotebookGcpArgs)
    read.nested("aws", shapes.NotebookAwsArgs)
    stop_cron, stop_zone = _stop_schedule(read)
    ours = _is_ours(read)
    idle = _idle(read, kind)
    _refuse_other_clouds(read, cloud)
    spec = NotebookSpec(
        id=name,
        cloud=cloud,
        kind=kind,
        region=region,
        account=read.text("account", ""),
        zone=zone,
        instance_type=read.text("instance_type"),
        attached=_attached(read, machine, catalog),
        idle_shutdown_seconds=idle,
        own_idle_seconds=min(idle * BACKSTOP, IDLE[kind].high) if ours else idle,
        stopped_by_tidegate=ours,
        max_age_seconds=_max_age(read, kind, ours=ours),
        disk_gib=_disk(read, kind),
        labels=read.cost_labels(),
        public_ip=gcp.flag("public_ip", False) if gcp else False,
        stop_cron=stop_cron,
        stop_time_zone=stop_zone,
    )
    if cloud is Cloud.AZURE:
        check_derived_name(read, name, AZURE_ML_COMPUTE)
    read.finish()
    return spec


def _machine(
    read: Arguments, cloud: Cloud, region: str, zone: str, catalog: Catalog
) -> InstanceType | None:
    """Return the machine as the catalog knows it; SageMaker's are priced apart, and not in it."""
    name = read.text("instance_type", "")
    if not name:
        return None
    if cloud is Cloud.AWS:
        if not SAGEMAKER_TYPE.fullmatch(name):
            reason = "is no SageMaker instance type"
            read.refuse("instance_type", name, reason, "one such as ml.g5.xlarge")
        return None
    machine = find_machine(read, cloud, catalog)
    if machine is None:
        return None
    if region:
        check_offered(read, "instance_type", machine, (region, (zone,) if zone else ()), catalog)
    return machine


def _attached(
    read: Arguments, machine: InstanceType | None, catalog: Catalog
) -> tuple[str, int] | None:
    """Return what is attached to a plain machine, in Compute Engine's words."""
    found = find_attached(read, machine, catalog) if machine else None
    return (found[0].gke_type, found[1]) if found else None


def _idle(read: Arguments, kind: NotebookKind) -> int:
    bounds = IDLE[kind]
    if not read.has("idle_shutdown_seconds"):
        reason = "is required: a notebook that nobody stops is paid for all night"
        read.refuse("idle_shutdown_seconds", None, reason, _describe(bounds))
        return bounds.low
    value = read.whole("idle_shutdown_seconds", minimum=1)
    if not bounds.low <= value <= bounds.high or value % bounds.step:
        reason = f"is no idle time of a {kind.value} ({bounds.source})"
        read.refuse("idle_shutdown_seconds", value, reason, _describe(bounds))
    return value


def _describe(bounds: IdleBounds) -> str:
    steps = " in whole minutes" if bounds.step == 60 else ""
    return f"{bounds.low} to {bounds.high} seconds{steps}"


def _is_ours(read: Arguments) -> bool:
    value = read.text("stopped_by", STOPPERS[0])
    if value not in STOPPERS:
        read.refuse("stopped_by", value, "stops no notebook", f"one of {', '.join(STOPPERS)}")
    return value == STOPPERS[1]


def _max_age(read: Arguments, kind: NotebookKind, *, ours: bool) -> int | None:
    value = read.optional_whole("max_age_seconds", minimum=3600)
    if value is not None and kind is not NotebookKind.NOTEBOOK_INSTANCE and not ours:
        reason = f"cannot be kept by a {kind.value}, which stops for idleness alone"
        read.refuse("max_age_seconds", value, reason, "leave it out, or `stopped_by` tidegate")
    return value


def _disk(read: Arguments, kind: NotebookKind) -> int:
    if kind not in DISKS:
        if read.has("disk_gib"):
            reason = f"cannot be chosen: a {kind.value} has a disk of its own"
            read.refuse("disk_gib", None, reason, "leave it out")
        return 0
    default, low, high, source = DISKS[kind]
    value = read.whole("disk_gib", default, minimum=1)
    if not low <= value <= high:
        reason = f"is no disk of a {kind.value} ({source})"
        read.refuse("disk_gib", value, reason, f"{low} to {high}")
    return value


def _stop_schedule(read: Arguments) -> tuple[str, str]:
    azure = read.nested("azure", shapes.NotebookAzureArgs)
    if azure is None:
        return "", "UTC"
    cron, zone = azure.text("stop_cron", ""), azure.text("stop_time_zone", "UTC")
    if cron and not CRON.fullmatch(cron):
        azure.refuse("stop_cron", cron, "is no cron line", "five fields, such as 0 19 * * *")
    if "/" in zone:
        reason = "is an IANA zone, and Azure Machine Learning takes Windows' names"
        azure.refuse("stop_time_zone", zone, reason, "one such as W. Europe Standard Time")
    return cron, zone


def _refuse_other_clouds(read: Arguments, cloud: Cloud) -> None:
    for other in Cloud:
        if other is not cloud and read.has(other.value):
            reason = f"concerns {other.value}, and the notebook is in {cloud.value}"
            read.refuse(other.value, None, reason, "leave it out")
    if cloud is Cloud.AWS:
        for key in ("zone", "accelerator", "accelerators_per_node"):
            if read.has(key):
                reason = "is settled by SageMaker and the machine"
                read.refuse(key, None, reason, "leave it out")
