"""A notebook on an Azure Machine Learning compute instance."""

from __future__ import annotations

from typing import Any

import pulumi

from tidegate.sdks.imports import narrow_imports
from tidegate_components.children import child_options
from tidegate_components.names import AZURE_ML_COMPUTE, derive_name
from tidegate_components.notebooks.spec import NotebookSpec

with narrow_imports("pulumi_azure_native.machinelearningservices"):
    from pulumi_azure_native.machinelearningservices.compute import Compute

FIXED_AT_CREATION = ("properties", "location", "identity")
"""A compute instance is made once: Azure Machine Learning changes nothing of it but its tags. The
work is in the workspace's file share and outlives it."""


def declare(
    parent: pulumi.ComponentResource,
    spec: NotebookSpec,
    inputs: dict[str, Any],
    opts: pulumi.ResourceOptions | None,
) -> dict[str, pulumi.Input[str]]:
    """Declare the compute instance and return its cloud identifiers."""
    compute = Compute(
        spec.id,
        compute_name=derive_name(spec.id, AZURE_ML_COMPUTE),
        resource_group_name=inputs["resource_group_name"],
        workspace_name=inputs["workspace_name"],
        location=spec.region,
        identity={"type": "SystemAssigned"},
        properties={
            "compute_type": "ComputeInstance",
            "compute_location": spec.region,
            "disable_local_auth": True,
            "properties": _build_properties(spec, inputs),
        },
        tags=spec.cost_labels,
        opts=child_options(
            parent,
            opts,
            Compute,
            ignore=["computeName"],  # another id is no reason to make it again
            replace=FIXED_AT_CREATION,
            delete_before_replace=True,
        ),
    )
    return {
        "workspace": inputs["workspace_name"],
        "compute": compute.name,
        "id": compute.id,
        "region": spec.region,
    }


def _build_properties(spec: NotebookSpec, inputs: dict[str, Any]) -> Any:
    properties: dict[str, Any] = {
        "vm_size": spec.instance_type,
        "application_sharing_policy": "Personal",
        "idle_time_before_shutdown": f"PT{spec.idle_minutes}M",
        "ssh_settings": {"ssh_public_access": "Disabled"},
    }
    if inputs["subnet_id"] is not None:
        properties |= {"subnet": {"id": inputs["subnet_id"]}, "enable_node_public_ip": False}
    if spec.stop_cron:
        stop = {
            "action": "Stop",
            "trigger_type": "Cron",
            "status": "Enabled",
            "cron": {"expression": spec.stop_cron, "time_zone": spec.stop_time_zone},
        }
        properties["schedules"] = {"compute_start_stop": [stop]}
    return properties
