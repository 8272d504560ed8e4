"""From the arguments of managed training to its specification, with every fault at once."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from tidegate.catalog.catalog import Catalog
from tidegate.catalog.model import InstanceType
from tidegate.manifest.model import Checkpoint
from tidegate.vocabulary.accelerators import Accelerator
from tidegate.vocabulary.capacity import CapacityType, Cloud
from tidegate.vocabulary.problems import InvalidInput
from tidegate_components.arguments import Arguments
from tidegate_components.hardware import check_offered, find_machine
from tidegate_components.names import AZURE_ML_COMPUTE, check_derived_name, check_identifier
from tidegate_components.training_compute import args as shapes
from tidegate_components.training_compute.limits import check_limits
from tidegate_components.training_compute.spec import TrainingSpec
from tidegate_components.vertex import find_vertex_type

SAGEMAKER_TYPE = re.compile(r"ml\.[a-z0-9-]+\.[a-z0-9-]+")


def parse_training(name: str, raw: Mapping[str, Any], catalog: Catalog) -> TrainingSpec:
    """Return the managed training that the arguments declare; `name` is its pool's id.

    Raises:
        InvalidInput: With one problem for each fault, naming property, value and remedy.
    """
    read = Arguments(f"pool {name}", raw, shapes.TrainingComputeArgs)
    check_identifier(read, name)
    cloud = read.choice("cloud", Cloud)
    region = read.text("region")
    machine = _machine(read, cloud, region, catalog)
    accelerator = _accelerator(read, machine, catalog)
    count = _count(read, machine, accelerator)
    read.nested("aws", shapes.TrainingAwsArgs)
    gcp = read.nested("gcp", shapes.TrainingGcpArgs)
    azure = read.nested("azure", shapes.TrainingAzureArgs)
    _refuse_other_clouds(read, cloud)
    spec = TrainingSpec(
        id=name,
        cloud=cloud,
        region=region,
        account=read.text("account", ""),
        workspace=_plain_workspace(raw),
        instance_type=read.text("instance_type"),
        accelerator=accelerator.name if accelerator else "",
        accelerators_per_node=count,
        chip=_chip(read, machine, accelerator),
        capacity_type=read.choice("capacity_type", CapacityType),
        flex_start=gcp.flag("flex_start", False) if gcp else False,
        max_nodes=read.whole("max_nodes", minimum=1),
        declared_nodes=read.decimal("declared_nodes"),
        boot_seconds=read.whole("boot_seconds", 300),
        max_run_seconds=read.whole("max_run_seconds", minimum=1),
        max_wait_seconds=read.optional_whole("max_wait_seconds", minimum=1),
        checkpoint_uri=read.text("checkpoint_uri", ""),
        checkpoint=_checkpoint(read),
        idle_seconds=azure.whole("idle_seconds", 120, minimum=1) if azure else 120,
        priority=read.whole("priority", 0),
        labels=read.cost_labels(),
    )
    check_limits(read, spec)
    if cloud is Cloud.AZURE:
        check_derived_name(read, name, AZURE_ML_COMPUTE)
    read.finish()
    return spec


def _machine(read: Arguments, cloud: Cloud, region: str, catalog: Catalog) -> InstanceType | None:
    """Return the machine; of SageMaker's the EC2 type inside, where the catalog knows it."""
    name = read.text("instance_type", "")
    if not name:
        return None
    if cloud is Cloud.AWS:
        if not SAGEMAKER_TYPE.fullmatch(name):
            reason = "is no SageMaker instance type"
            read.refuse("instance_type", name, reason, "one such as ml.p4d.24xlarge")
            return None
        return catalog.types.get((Cloud.AWS, name.removeprefix("ml.")))
    machine = find_machine(read, cloud, catalog)
    if machine and region:
        check_offered(read, "instance_type", machine, (region, ()), catalog)
    return machine


def _accelerator(
    read: Arguments, machine: InstanceType | None, catalog: Catalog
) -> Accelerator | None:
    """Return the accelerator of a node, as given or as the machine carries it."""
    name = read.text("accelerator", "") or (machine.accelerator if machine else "")
    if not name:
        return None
    try:
        accelerator = catalog.accelerator(name)
    except InvalidInput as error:
        read.adopt(error, "accelerator")
        return None
    if machine and accelerator.name not in (machine.accelerator, *machine.attachable):
        has = f"has {machine.accelerator}" if machine.accelerator else "has no accelerator"
        reason = f"is not what a {machine.name} has, which {has}"
        read.refuse("accelerator", name, reason, machine.accelerator or "another machine")
    return accelerator


def _count(read: Arguments, machine: InstanceType | None, accelerator: Accelerator | None) -> int:
    given = read.optional_whole("accelerators_per_node", minimum=1)
    if accelerator is None:
        if given is not None:
            reason = "says how many of an accelerator that is not named"
            read.refuse("accelerators_per_node", given, reason, "`accelerator` too")
        return 0
    own = machine.accelerators_per_node if machine and machine.accelerator else None
    allowed = machine.attachable.get(accelerator.name, ()) if machine else ()
    count = given or own
    if count is None:
        reason = f"is needed: the catalog does not know how many {accelerator.name} a node has"
        read.refuse("accelerators_per_node", None, reason, "the number that a node offers")
        return 0
    wanted = allowed or ((own,) if own else ())
    if machine and wanted and count not in wanted:
        reason = f"is not what a {machine.name} has"
        read.refuse("accelerators_per_node", count, reason, " or ".join(map(str, wanted)))
    return count


def _chip(read: Arguments, machine: InstanceType | None, accelerator: Accelerator | None) -> str:
    if machine is None or accelerator is None or machine.cloud is not Cloud.GCP:
        return ""
    return find_vertex_type(read, "instance_type", machine, accelerator)


def _checkpoint(read: Arguments) -> Checkpoint | None:
    nested = read.nested("checkpoint", shapes.TrainingCheckpointArgs)
    if nested is None:
        return None
    return Checkpoint(
        interval_seconds=nested.whole("interval_seconds", minimum=1),
        write_seconds=nested.whole("write_seconds"),
        restart_seconds=nested.whole("restart_seconds"),
    )


def _plain_workspace(raw: Mapping[str, Any]) -> str:
    """Return the workspace for the manifest; empty when it is known only after creation."""
    given = raw.get("azure")
    name = given.get("workspace_name") if isinstance(given, Mapping) else None
    return name if isinstance(name, str) else ""


def _refuse_other_clouds(read: Arguments, cloud: Cloud) -> None:
    for other in Cloud:
        if other is not cloud and read.has(other.value):
            reason = f"concerns {other.value}, and the training is in {cloud.value}"
            read.refuse(other.value, None, reason, "leave it out")
