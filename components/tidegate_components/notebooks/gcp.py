"""A notebook on Vertex Workbench."""

from __future__ import annotations

from typing import Any

import pulumi

from tidegate.sdks.imports import narrow_imports
from tidegate_components.children import child_options
from tidegate_components.names import WORKBENCH_INSTANCE, derive_name
from tidegate_components.notebooks.spec import NotebookSpec

with narrow_imports("pulumi_gcp.workbench"):
    from pulumi_gcp.workbench.instance import Instance


def declare(
    parent: pulumi.ComponentResource,
    spec: NotebookSpec,
    inputs: dict[str, Any],
    opts: pulumi.ResourceOptions | None,
) -> dict[str, pulumi.Input[str]]:
    """Declare the instance and return its cloud identifiers."""
    owner = inputs["owner"]
    instance = Instance(
        derive_name(spec.id, WORKBENCH_INSTANCE),
        project=inputs["project"],
        location=spec.zone,
        gce_setup=_build_setup(spec, inputs),
        instance_owners=None if owner is None else [owner],
        labels=spec.cost_labels,
        # A machine that stopped for idleness is not started again by the next `up`.
        opts=child_options(
            parent, opts, Instance, ignore=["desiredState"], named=WORKBENCH_INSTANCE
        ),
    )
    return {"instance": instance.name, "id": instance.id, "zone": spec.zone}


def _build_setup(spec: NotebookSpec, inputs: dict[str, Any]) -> Any:
    setup: dict[str, Any] = {
        "machine_type": spec.instance_type,
        "disable_public_ip": not spec.public_ip,
        "data_disks": {"disk_size_gb": str(spec.disk_gib), "disk_type": "PD_BALANCED"},
        "metadata": {"idle-timeout-seconds": str(spec.own_idle_seconds)},
    }
    if spec.attached:
        kind, count = spec.attached
        setup["accelerator_configs"] = [
            {"type": kind.upper().replace("-", "_"), "core_count": str(count)}
        ]
    if inputs["network"] is not None or inputs["subnetwork"] is not None:
        setup["network_interfaces"] = [
            {"network": inputs["network"], "subnet": inputs["subnetwork"]}
        ]
    if inputs["service_account"] is not None:
        setup["service_accounts"] = [{"email": inputs["service_account"]}]
    return setup
