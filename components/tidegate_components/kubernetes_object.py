"""Kubernetes objects without the SDK's classes, whose modules take long to import.

For the sake of a Namespace, `pulumi_kubernetes.core.v1` loads every form of the core: a third of a
second, longer than all else that declares queues. What the engine sees is the same: type token,
inputs and state.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import version
from typing import Any

import pulumi

CORE = "core/"
"""How the core's API is written here; its objects state the bare version."""


class KubernetesObject(pulumi.CustomResource):
    """An object of a kind that has a `spec`, other fields, or nothing beside its metadata."""

    def __init__(
        self,
        resource_name: str,
        *,
        api_version: str,
        kind: str,
        metadata: dict[str, Any],
        spec: dict[str, Any] | None = None,
        fields: Mapping[str, Any] | None = None,
        opts: pulumi.ResourceOptions,
    ) -> None:
        """Declare it.

        Args:
            resource_name: Its name in the program.
            api_version: Group and version ("apps/v1"; "core/v1" for the core's).
            kind: Its kind.
            metadata: Name, namespace and labels.
            spec: What it is to be.
            fields: What stands beside metadata and spec ("data", "rules"), as Kubernetes spells it.
            opts: Pulumi's options.
        """
        own = {**({} if spec is None else {"spec": spec}), **(fields or {})}
        _register(self, resource_name, api_version, kind, {"metadata": metadata, **own}, opts)


class PriorityObject(pulumi.CustomResource):
    """A class of priority: Kubernetes' own, or Kueue's for workloads."""

    def __init__(
        self,
        resource_name: str,
        *,
        api_version: str,
        kind: str,
        metadata: dict[str, Any],
        value: int,
        description: str,
        preemption_policy: str = "",
        opts: pulumi.ResourceOptions,
    ) -> None:
        """Declare it.

        Args:
            resource_name: Its name in the program.
            api_version: Group and version.
            kind: Its kind.
            metadata: Name and labels.
            value: Higher goes first.
            description: When to use it.
            preemption_policy: Whether it throws out what is lower; Kubernetes' own class has it.
            opts: Pulumi's options.
        """
        own: dict[str, Any] = {"metadata": metadata, "value": value, "description": description}
        if preemption_policy:
            own["preemptionPolicy"] = preemption_policy
        _register(self, resource_name, api_version, kind, own, opts)


def _register(
    resource: pulumi.CustomResource,
    name: str,
    api_version: str,
    kind: str,
    own: dict[str, Any],
    opts: pulumi.ResourceOptions,
) -> None:
    stated = {"apiVersion": api_version.removeprefix(CORE), "kind": kind, **own}
    opts.version = version("pulumi_kubernetes")
    token = f"kubernetes:{api_version}:{kind}"
    pulumi.CustomResource.__init__(resource, token, name, stated, opts)
