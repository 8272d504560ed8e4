"""Reads what scales: one of four targets, each with its cloud's own limits."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from tidegate.catalog.catalog import Catalog
from tidegate.catalog.model import InstanceType
from tidegate.vocabulary.capacity import Cloud
from tidegate.vocabulary.problems import InvalidInput
from tidegate_components.arguments import Arguments
from tidegate_components.hardware import check_offered
from tidegate_components.inference_capacity import args as shapes
from tidegate_components.inference_capacity.deployment import find_accelerator, read_kubernetes
from tidegate_components.inference_capacity.spec import (
    AzureMlTarget,
    SageMakerTarget,
    Target,
    TargetKind,
    VertexTarget,
)
from tidegate_components.vertex import find_vertex_type

SHAPES: dict[TargetKind, type[Any]] = {
    TargetKind.SAGEMAKER: shapes.SageMakerTargetArgs,
    TargetKind.VERTEX: shapes.VertexTargetArgs,
    TargetKind.AZURE_ML: shapes.AzureMlTargetArgs,
    TargetKind.KUBERNETES: shapes.KubernetesTargetArgs,
}
CLOUDS = {
    TargetKind.SAGEMAKER: Cloud.AWS,
    TargetKind.VERTEX: Cloud.GCP,
    TargetKind.AZURE_ML: Cloud.AZURE,
}
AUTH_MODES = ("AADToken", "AMLToken", "Key")
_SAGEMAKER_TYPE = re.compile(r"ml\.[a-z0-9-]+\.[a-z0-9-]+")


def read_target(read: Arguments, cloud: Cloud, region: str, catalog: Catalog) -> Target | None:
    """Return the one target that the arguments declare; None when it is refused."""
    before = len(read.problems)
    given = [kind for kind in TargetKind if read.has(kind.value)]
    names = ", ".join(kind.value for kind in TargetKind)
    if len(given) != 1:
        what = f"{', '.join(given)} are given" if given else "nothing says"
        read.refuse("", None, f"{what} what scales", f"exactly one of {names}")
        return None
    (kind,) = given
    wanted = CLOUDS.get(kind, cloud)
    if wanted is not cloud:
        reason = f"is a target of {wanted.value}, and the endpoint is in {cloud.value}"
        read.refuse(kind.value, None, reason, f"cloud {wanted.value}, or another target")
    nested = read.nested(kind.value, SHAPES[kind])
    if nested is None:
        return None
    reader: Callable[[Arguments, str, Catalog], Target | None] = {
        TargetKind.SAGEMAKER: _read_sagemaker,
        TargetKind.VERTEX: _read_vertex,
        TargetKind.AZURE_ML: _read_azure_ml,
        TargetKind.KUBERNETES: read_kubernetes,
    }[kind]
    target = reader(nested, region, catalog)
    return target if len(read.problems) == before else None


def _read_sagemaker(read: Arguments, _region: str, _catalog: Catalog) -> SageMakerTarget:
    makes = not read.has("endpoint_name")
    component = read.has("inference_component_name")
    is_async = read.has("async_output_s3_uri")
    hosts = makes and not read.has("model_name")
    instance_type = read.text("instance_type") if makes else read.text("instance_type", "")
    if instance_type and not _SAGEMAKER_TYPE.fullmatch(instance_type):
        reason = "is no SageMaker instance type"
        read.refuse("instance_type", instance_type, reason, "one such as ml.g5.xlarge")
    if component and read.has("model_name"):
        reason = "excludes `model_name`: SageMaker gives the model to the component"
        read.refuse("inference_component_name", None, reason, "one of the two")
    if hosts and is_async:
        reason = "needs `model_name`: asynchronous inference takes no inference components"
        read.refuse("async_output_s3_uri", None, reason, "a model, or no asynchronous answers")
    if not makes:
        for key in ("model_name", "execution_role_arn", "async_output_s3_uri"):
            if read.has(key):
                reason = "is settled by the endpoint that exists"
                read.refuse(key, None, reason, "leave it out, or leave `endpoint_name` out")
    return SageMakerTarget(
        variant_name=read.text("variant_name", "main"),
        instance_type=instance_type,
        makes_endpoint=makes,
        hosts_components=hosts,
        names_component=component,
        is_async=is_async,
        invocations_per_minute=_invocations(read, scales=component or not hosts),
    )


def _invocations(read: Arguments, *, scales: bool) -> float | None:
    amount = read.decimal("invocations_per_minute")
    if scales and not amount:
        reason = "is needed: nothing says when another replica is due"
        read.refuse("invocations_per_minute", amount, reason, "a number above 0")
    return float(amount) if amount else None


def _read_vertex(read: Arguments, region: str, catalog: Catalog) -> VertexTarget | None:
    named = bool(read.text("machine_type"))
    machine = _find_type(read, "machine_type", (Cloud.GCP, region), catalog) if named else None
    if machine is None:
        return None
    return VertexTarget(
        instance_type=machine.name,
        chips=_vertex_chips(read, machine, catalog),
        makes_endpoint=not read.has("endpoint"),
        utilization_percent=_percent(read, 60, 1),
    )


def _vertex_chips(
    read: Arguments, machine: InstanceType, catalog: Catalog
) -> tuple[str, int] | None:
    """Return the accelerator of a replica: Vertex wants it said even where the type carries it."""
    name = read.text("accelerator", "") or machine.accelerator
    if not name:
        return None
    accelerator = find_accelerator(read, name, catalog)
    given = read.optional_whole("accelerators_per_replica", minimum=1)
    if accelerator is None:
        return None
    attachable = machine.attachable.get(accelerator.name, ())
    own = machine.accelerators_per_node if machine.accelerator == accelerator.name else None
    allowed = attachable or ((own,) if own else ())
    count = given or own
    if count is None or count not in allowed:
        reason = f"is not what a {machine.name} has of {accelerator.name}"
        expected = f"one of {', '.join(map(str, allowed))}" if allowed else "another machine type"
        read.refuse("accelerators_per_replica", given, reason, expected)
        return None
    return find_vertex_type(read, "machine_type", machine, accelerator), count


def _read_azure_ml(read: Arguments, region: str, catalog: Catalog) -> AzureMlTarget | None:
    named = bool(read.text("instance_type"))
    machine = _find_type(read, "instance_type", (Cloud.AZURE, region), catalog) if named else None
    mode = read.text("auth_mode", "AADToken")
    if mode not in AUTH_MODES:
        reason = "is no authentication of an online endpoint"
        read.refuse("auth_mode", mode, reason, f"one of {', '.join(AUTH_MODES)}")
    if machine is None:
        return None
    return AzureMlTarget(
        instance_type=machine.name,
        has_accelerators=bool(machine.accelerator),
        makes_endpoint=not read.has("endpoint_name"),
        auth_mode=mode,
        public_network_access=read.flag("public_network_access", False),
        utilization_percent=_percent(read, 70, 10),
    )


def _percent(read: Arguments, default: int, minimum: int) -> int:
    value = read.whole("utilization_percent", default)
    if not minimum <= value <= 100:
        expected = f"{minimum} to 100"
        read.refuse("utilization_percent", value, "is no share that scaling can aim at", expected)
    return value


def _find_type(
    read: Arguments, key: str, place: tuple[Cloud, str], catalog: Catalog
) -> InstanceType | None:
    """Return the machine of an argument; note one that the region does not sell."""
    cloud, region = place
    try:
        machine = catalog.instance_type(cloud, read.text(key))
    except InvalidInput as error:
        read.adopt(error, key)
        return None
    if region:
        check_offered(read, key, machine, (region, ()), catalog)
    return machine
