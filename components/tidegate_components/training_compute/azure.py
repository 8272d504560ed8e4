"""A compute cluster of Azure Machine Learning: the one managed training with a resource."""

from __future__ import annotations

from typing import Any

import pulumi

from tidegate.sdks.imports import narrow_imports
from tidegate_components.children import child_options
from tidegate_components.names import AZURE_ML_COMPUTE, derive_name
from tidegate_components.training_compute.spec import TrainingSpec

with narrow_imports("pulumi_azure_native.machinelearningservices"):
    from pulumi_azure_native.machinelearningservices.compute import Compute

FIXED_AT_CREATION = (
    "location",
    "properties.properties.subnet",
    "properties.properties.vmPriority",
    "properties.properties.vmSize",
)
"""Azure Machine Learning changes a cluster's scale settings, and nothing else of its nodes."""


def declare(
    parent: pulumi.ComponentResource,
    spec: TrainingSpec,
    inputs: dict[str, Any],
    opts: pulumi.ResourceOptions | None,
) -> dict[str, pulumi.Input[str]]:
    """Declare the cluster and return its cloud identifiers."""
    compute = Compute(
        spec.id,
        compute_name=derive_name(spec.id, AZURE_ML_COMPUTE),
        resource_group_name=inputs["resource_group_name"],
        workspace_name=inputs["workspace_name"],
        location=spec.region,
        identity={"type": "SystemAssigned"},
        properties={
            "compute_type": "AmlCompute",
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


def _build_properties(spec: TrainingSpec, inputs: dict[str, Any]) -> Any:
    properties: dict[str, Any] = {
        "vm_size": spec.instance_type,
        "vm_priority": "LowPriority" if spec.is_spot else "Dedicated",
        "os_type": "Linux",
        "remote_login_port_public_access": "Disabled",
        "scale_settings": {
            "min_node_count": 0,
            "max_node_count": spec.max_nodes,
            "node_idle_time_before_scale_down": f"PT{spec.idle_seconds}S",
        },
    }
    if inputs["subnet_id"] is not None:
        properties |= {"subnet": {"id": inputs["subnet_id"]}, "enable_node_public_ip": False}
    return properties
