"""The controller resizes spot groups by the clouds' own SDKs; no `up` undoes it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import yaml
from azure.mgmt.compute import ComputeManagementClient
from google.auth.credentials import AnonymousCredentials
from google.cloud import compute_v1
from support.workspace import REPOSITORY, Workspace

pytestmark = pytest.mark.slow

STACK = "dev"
SIZES = {
    "aws:autoscaling/group:Group": ("desiredCapacity",),
    "gcp:compute/regionInstanceGroupManager:RegionInstanceGroupManager": ("targetSize",),
    "azure-native:compute:VirtualMachineScaleSet": ("sku",),
}


@pytest.fixture(scope="module")
def groups(workspace: Workspace) -> dict[str, dict[str, Any]]:
    """The spot groups of `prod`, up in `dev`; their bindings by id."""
    prod = yaml.safe_load((REPOSITORY / "stacks" / "Pulumi.prod.yaml").read_text())["config"]

    def add(config: dict[str, Any]) -> None:
        config["tidegate:spotGroups"] = {
            name: {**group, "maxNodes": 8}  # TG-SCL-003 allows 10 in dev
            for name, group in prod["tidegate:spotGroups"].items()
        }

    workspace.configure(STACK, add)
    result = workspace.up(STACK)
    assert result.succeeded, result.explain()
    found: dict[str, dict[str, Any]] = workspace.runner.outputs(STACK)["bindings"]["spotGroups"]
    assert {group["cloud"] for group in found.values()} == {"aws", "gcp", "azure"}
    return found


@pytest.fixture(scope="module")
def scale_sets(workspace: Workspace, azure_options: dict[str, Any]) -> Iterator[Any]:
    with ComputeManagementClient(**azure_options) as client:
        yield client.virtual_machine_scale_sets


def resize(
    workspace: Workspace, groups: dict[str, dict[str, Any]], aws: Any, scale_sets: Any
) -> None:
    """Set every group to two machines, as its cloud's SDK does it."""
    for group in groups.values():
        if group["cloud"] == "aws":
            aws("autoscaling").set_desired_capacity(
                AutoScalingGroupName=group["autoScalingGroup"], DesiredCapacity=2
            )
        elif group["cloud"] == "gcp":
            with compute_v1.RegionInstanceGroupManagersClient(
                credentials=AnonymousCredentials(),
                client_options={"api_endpoint": workspace.endpoints.gcp_url},
            ) as client:
                client.resize_unary(
                    project=group["project"],
                    region=group["region"],
                    instance_group_manager=group["instanceGroupManager"],
                    size=2,
                )
        else:
            names = (group["resourceGroup"], group["scaleSet"])
            scale_set = scale_sets.get(*names)
            scale_set.sku.capacity = 2
            scale_sets.begin_create_or_update(*names, scale_set).result()


def test_an_up_after_a_resize_changes_nothing(
    workspace: Workspace, groups: dict[str, dict[str, Any]], aws: Any, scale_sets: Any
) -> None:
    resize(workspace, groups, aws, scale_sets)

    shown = workspace.runner.refresh(STACK)
    again = workspace.up(STACK)

    assert shown.succeeded, shown.explain()
    assert {step.type: step.changed for step in shown.updated} == SIZES
    assert again.succeeded, again.explain()
    assert set(again.changes) == {"same"}


def test_the_machines_are_still_there(
    groups: dict[str, dict[str, Any]], aws: Any, scale_sets: Any
) -> None:
    own = {group["cloud"]: group for group in groups.values()}

    (found,) = aws("autoscaling").describe_auto_scaling_groups(
        AutoScalingGroupNames=[own["aws"]["autoScalingGroup"]]
    )["AutoScalingGroups"]
    scale_set = scale_sets.get(own["azure"]["resourceGroup"], own["azure"]["scaleSet"])

    assert (found["DesiredCapacity"], len(found["Instances"])) == (2, 2)
    assert scale_set.sku.capacity == 2
