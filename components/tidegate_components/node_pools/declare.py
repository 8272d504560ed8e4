"""Declares a pool by what it is made of, importing only the SDK that this needs."""

from __future__ import annotations

import importlib
from typing import Any

import pulumi

from tidegate_components.node_pools.kinds import MODULES
from tidegate_components.node_pools.spec import PoolSpec


def declare_pool(
    parent: pulumi.ComponentResource,
    spec: PoolSpec,
    inputs: dict[str, Any],
    opts: pulumi.ResourceOptions | None,
) -> pulumi.Output[dict[str, Any]]:
    """Declare the pool's resources and return its bindings: id → cloud identifiers."""
    module = importlib.import_module(f"tidegate_components.node_pools.{MODULES[spec.kind]}")
    identifiers = module.declare(parent, spec, inputs, opts)
    return pulumi.Output.from_input({spec.id: {"cloud": spec.cloud.value, **identifiers}})
