"""Editing an exported deployment: pure functions over `pulumi stack export`."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tidegate.engine.pending import PendingCreate

Deployment = Mapping[str, Any]

_LABEL_PROPERTIES = ("tags", "labels", "resourceLabels", "userLabels")


@dataclass(frozen=True, slots=True)
class PendingOperation:
    """An operation whose end the state does not know.

    Attributes:
        urn: The resource.
        kind: "creating", "updating", "deleting", "reading", "importing".
    """

    urn: str
    kind: str


def list_pending(deployment: Deployment) -> tuple[PendingOperation, ...]:
    """List the operations that a killed run left behind."""
    return tuple(
        PendingOperation(operation["resource"]["urn"], operation["type"])
        for operation in _operations(deployment)
    )


def list_pending_creates(deployment: Deployment) -> tuple[PendingCreate, ...]:
    """List the creations whose end is unknown; providers exist in the engine alone."""
    providers = {
        f"{resource['urn']}::{resource.get('id', '')}": resource.get("inputs") or {}
        for resource in deployment.get("resources") or ()
        if resource["type"].startswith("pulumi:providers:")
    }
    return tuple(
        PendingCreate(
            urn=operation["resource"]["urn"],
            type=operation["resource"]["type"],
            inputs=operation["resource"].get("inputs") or {},
            provider_inputs=providers.get(operation["resource"].get("provider", ""), {}),
        )
        for operation in _operations(deployment)
        if operation["type"] == "creating"
        and not operation["resource"]["type"].startswith("pulumi:")
    )


def record_creations(deployment: Deployment, identifiers: Mapping[str, str]) -> dict[str, Any]:
    """Record the pending creations in `identifiers` (URN → id) as made; keep the intents.

    What is recorded has its inputs and no outputs, so that the next refresh reads it from the
    cloud, and drops it if it is not there. The intents stay until that refresh is done, so that a
    recovery killed in between is recovered too. A predecessor of the same URN is the one that was
    being replaced: it is marked for deletion, as the engine would have done.
    """
    edited = copy.deepcopy(dict(deployment))
    resources: list[dict[str, Any]] = edited.setdefault("resources", [])
    for operation in _operations(deployment):
        urn = operation["resource"]["urn"]
        if operation["type"] != "creating" or urn not in identifiers:
            continue
        current = [old for old in resources if old["urn"] == urn and not old.get("delete")]
        if any(old.get("id") == identifiers[urn] for old in current):
            continue  # recorded already, by a recovery that was killed
        for predecessor in current:
            predecessor["delete"] = True
        made = copy.deepcopy(operation["resource"])
        resources.append({**made, "id": identifiers[urn], "outputs": {}})
    return edited


def clear_pending(deployment: Deployment) -> dict[str, Any]:
    """Drop every pending operation: each is settled."""
    return {**deployment, "pending_operations": []}


def find_strangers(deployment: Deployment, asked: Sequence[PendingCreate]) -> tuple[str, ...]:
    """Find recorded resources that carry other labels than were asked for.

    A name that was taken already belongs to somebody else: to adopt it would let the next
    `destroy` delete what this stack never made.
    """
    outputs = {
        resource["urn"]: resource.get("outputs") or {}
        for resource in deployment.get("resources") or ()
        if not resource.get("delete")
    }
    return tuple(
        pending.urn
        for pending in asked
        if pending.urn in outputs and _is_stranger(pending.inputs, outputs[pending.urn])
    )


def forget(deployment: Deployment, urns: Sequence[str]) -> dict[str, Any]:
    """Remove resources from the state; what they describe is left alone."""
    edited = copy.deepcopy(dict(deployment))
    edited["resources"] = [
        resource
        for resource in edited.get("resources") or ()
        if resource["urn"] not in urns or resource.get("delete")
    ]
    return edited


def _is_stranger(inputs: Mapping[str, Any], outputs: Mapping[str, Any]) -> bool:
    for name in _LABEL_PROPERTIES:
        asked = inputs.get(name)
        if isinstance(asked, Mapping) and asked:
            carried = outputs.get(name)
            found = carried if isinstance(carried, Mapping) else {}
            return any(found.get(key) != value for key, value in asked.items())
    return False


def _operations(deployment: Deployment) -> Sequence[Mapping[str, Any]]:
    operations: Sequence[Mapping[str, Any]] = deployment.get("pending_operations") or ()
    return operations
