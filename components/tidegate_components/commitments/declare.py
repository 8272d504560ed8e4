"""Declares a commitment with the SDK of its own cloud, or records what was bought elsewhere."""

from __future__ import annotations

import importlib
from typing import Any

import pulumi

from tidegate_components.commitments.spec import CommitmentSpec


def declare_commitment(
    parent: pulumi.ComponentResource,
    spec: CommitmentSpec,
    inputs: dict[str, Any],
    opts: pulumi.ResourceOptions | None,
) -> tuple[pulumi.Output[str], dict[str, pulumi.Input[str]]]:
    """Declare what is bought; return what a pool consumes, and the cloud identifiers.

    Where no resource type buys the kind, nothing is declared: the manifest alone knows it.
    """
    if not spec.is_bought:
        return pulumi.Output.from_input(""), {"region": spec.region}
    cloud = importlib.import_module(f"tidegate_components.commitments.{spec.cloud.value}")
    target, identifiers = cloud.declare(parent, spec, inputs, opts)
    return (target if spec.holds_capacity else pulumi.Output.from_input("")), identifiers
