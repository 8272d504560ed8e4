"""From arguments to inference capacity's specification, with every fault reported at once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tidegate.catalog.catalog import Catalog
from tidegate.vocabulary.capacity import Cloud
from tidegate.vocabulary.problems import InvalidInput
from tidegate_components.arguments import Arguments
from tidegate_components.commitments.parse import Owner, read_commitment
from tidegate_components.commitments.spec import CommitmentSpec
from tidegate_components.inference_capacity import args as shapes
from tidegate_components.inference_capacity.spec import (
    EndpointSpec,
    KubernetesTarget,
    SageMakerTarget,
    Target,
    TargetKind,
)
from tidegate_components.inference_capacity.targets import read_target
from tidegate_components.inference_capacity.zero import check_zero
from tidegate_components.names import AZURE_ML_ENDPOINT, check_derived_name, check_identifier

PLAIN_NAMES: dict[TargetKind, tuple[str, ...]] = {
    TargetKind.SAGEMAKER: ("endpoint_name", "inference_component_name"),
    TargetKind.VERTEX: ("endpoint",),
    TargetKind.AZURE_ML: ("workspace_name", "endpoint_name"),
    TargetKind.KUBERNETES: ("namespace",),
}
"""What names a target and may be known beforehand."""
IDLE_ACTIONS = ("shrink", "remove")
SHORTEST_IDLE_SECONDS = 600
"""Metrics of the clouds come some minutes late: less would be decided on nothing."""


def parse_endpoint(name: str, raw: Mapping[str, Any], catalog: Catalog) -> EndpointSpec:
    """Return the inference capacity that the arguments declare; `name` is its id.

    Raises:
        InvalidInput: With one problem for each fault, naming property, value and remedy.
    """
    read = Arguments(f"endpoint {name}", raw, shapes.InferenceCapacityArgs)
    check_identifier(read, name)
    cloud = read.choice("cloud", Cloud)
    region, account = read.text("region"), read.text("account", "")
    labels = read.cost_labels()
    target = read_target(read, cloud, region, catalog)
    owner = Owner(name, cloud, region, account, labels)
    commitment = _commitment(read, owner, catalog)
    fields: dict[str, Any] = {
        "model": read.text("model"),
        "pool": read.text("pool", ""),
        "elastic_pool": read.text("elastic_pool", ""),
        "min_replicas": read.whole("min_replicas", 0),
        "max_replicas": read.whole("max_replicas", minimum=1),
        "service_level": read.text("service_level", ""),
        "boot_seconds": read.whole("boot_seconds", 300),
        "load_seconds": read.optional_whole("load_seconds"),
    }
    fields |= _idle(read, target)
    _check_bounds(read, fields["min_replicas"], fields["max_replicas"])
    _refuse_other_clouds(read, cloud)
    if target is None:
        raise InvalidInput(read.problems)
    spec = EndpointSpec(
        id=name,
        cloud=cloud,
        region=region,
        account=account,
        labels=labels,
        target=target,
        commitment=commitment,
        identifiers=_identifiers(name, raw, target),
        **fields,
    )
    _check_pools(read, spec)
    if spec.target.kind is TargetKind.AZURE_ML:
        check_derived_name(read, name, AZURE_ML_ENDPOINT)
    check_zero(read, spec)
    read.finish()
    return spec


def _idle(read: Arguments, target: Target | None) -> dict[str, Any]:
    """Return what the controller does with an idle endpoint, within what its target can."""
    seconds = read.optional_whole("idle_shutdown_seconds", minimum=SHORTEST_IDLE_SECONDS)
    action = read.text("idle_action", "")
    if action and action not in IDLE_ACTIONS:
        expected = f"one of {', '.join(IDLE_ACTIONS)}"
        read.refuse("idle_action", action, "is nothing that is done when idle", expected)
    if action and seconds is None:
        reason = "says what is done when idle, and nothing says when that is"
        read.refuse("idle_action", action, reason, "`idle_shutdown_seconds` too")
    if seconds is not None and isinstance(target, KubernetesTarget):
        reason = "is KEDA's to decide for a Deployment (`cooldown_seconds`)"
        read.refuse("idle_shutdown_seconds", seconds, reason, "leave it out")
    if action == "remove" and isinstance(target, SageMakerTarget):
        reason = "is not possible on SageMaker, where a variant is no deployment of its own"
        read.refuse("idle_action", action, reason, "shrink, with an inference component for zero")
    return {
        "idle_shutdown_seconds": seconds,
        "idle_action": (action or IDLE_ACTIONS[0]) if seconds is not None else None,
    }


def _commitment(read: Arguments, owner: Owner, catalog: Catalog) -> CommitmentSpec | None:
    nested = read.nested("commitment", shapes.InferenceCommitmentArgs)
    if nested is None:
        return None
    identifier = nested.text("id", owner.id)
    if identifier != owner.id:
        check_identifier(nested, identifier)
    whose = Owner(identifier, owner.cloud, owner.region, owner.account, owner.labels)
    return read_commitment(nested, whose, catalog)


def _identifiers(name: str, raw: Mapping[str, Any], target: Target) -> dict[str, str]:
    given = raw.get(target.kind.value) or {}
    found = {key: given[key] for key in PLAIN_NAMES[target.kind] if isinstance(given.get(key), str)}
    if target.kind is TargetKind.KUBERNETES:
        found = {"namespace": "default", "deployment": name, **found}
        if given.get("namespace") is not None and not isinstance(given["namespace"], str):
            del found["namespace"]
    if target.kind is TargetKind.SAGEMAKER:
        found["variant"] = given.get("variant_name") or "main"
    if target.kind is TargetKind.AZURE_ML:
        found["deployment"] = "main"
    words = {"endpoint_name": "endpoint", "inference_component_name": "inferenceComponent"}
    words["workspace_name"] = "workspace"
    return {words.get(key, key): value for key, value in found.items()}


def _check_bounds(read: Arguments, low: int, high: int) -> None:
    if low > high:
        read.refuse("min_replicas", low, f"is above max_replicas {high}", f"at most {high}")


def _check_pools(read: Arguments, spec: EndpointSpec) -> None:
    """Refuse pools where the endpoint has machines of its own, and machines nobody consumes."""
    if spec.target.kind is TargetKind.KUBERNETES:
        if not spec.pool:
            reason = "is needed: a Deployment has no machines of its own"
            read.refuse("pool", None, reason, "the id of a declared pool")
        if spec.elastic_pool and spec.elastic_pool == spec.pool:
            reason = "is the pool whose excess it should take"
            read.refuse("elastic_pool", spec.elastic_pool, reason, "another pool, or none")
        return
    what = spec.target.kind.value
    for key, pool in (("pool", spec.pool), ("elastic_pool", spec.elastic_pool)):
        if pool:
            reason = f"serves no {what} endpoint, which has machines of its own"
            read.refuse(key, pool, reason, "leave it out, or a Kubernetes Deployment")
    if spec.commitment and spec.commitment.holds_capacity:
        reason = (
            f"holds machines that a {what} endpoint does not consume, which has machines of its own"
        )
        expected = "a commitment of money that covers them, or a Kubernetes Deployment on a pool"
        read.refuse("commitment.kind", spec.commitment.kind.value, reason, expected)


def _refuse_other_clouds(read: Arguments, cloud: Cloud) -> None:
    for key, shape in (
        ("gcp", shapes.InferenceCapacityGcpArgs),
        ("azure", shapes.InferenceCapacityAzureArgs),
    ):
        read.nested(key, shape)
        if key != cloud.value and read.has(key):
            reason = f"concerns {key}, and the endpoint is in {cloud.value}"
            read.refuse(key, None, reason, "leave it out")
