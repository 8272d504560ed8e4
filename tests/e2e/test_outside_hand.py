"""What another hand changed in the clouds: shown by a refresh, put back unless it is a size.

The tests of this module share one stack and build on each other in the order of the file.
"""

from __future__ import annotations

from typing import Any

import pytest
from azure.mgmt.containerservice import ContainerServiceClient
from google.cloud import container_v1
from support.workspace import Workspace

pytestmark = pytest.mark.slow

STACK = "dev"
# On each cloud a pool that Tidegate scales; where the cloud itself scales pools, one of those too.
SIZES = {
    "dev-aws-l4": "scalingConfig",
    "dev-gcp-l4": "initialNodeCount",
    "own-gcp-l4": "initialNodeCount",
    "dev-azure-t4": "count",
    "auto-azure-t4": "count",
}
NOT_SIZES = {
    ("aws:cloudwatch/logGroup:LogGroup", "dev-run-logs", ("retentionInDays",)),
    ("aws:ec2/vpc:Vpc", "tidegate-dev", ("tags", "tagsAll")),
}


@pytest.fixture(scope="module")
def pools(workspace: Workspace) -> dict[str, dict[str, Any]]:
    """The stack with pools of both scalers, up; the bindings of its pools by id."""

    def add(config: dict[str, Any]) -> None:
        declared = config["tidegate:pools"]
        declared["own-gcp-l4"] = {**declared["dev-gcp-l4"], "scaler": "tidegate"}
        declared["auto-azure-t4"] = {**declared["dev-azure-t4"], "scaler": "provider"}

    workspace.configure(STACK, add)
    result = workspace.up(STACK)
    assert result.succeeded, result.explain()
    found: dict[str, dict[str, Any]] = workspace.runner.outputs(STACK)["bindings"]["pools"]
    assert set(found) == set(SIZES)
    return found


@pytest.fixture
def resize(
    pools: dict[str, dict[str, Any]],
    aws: Any,
    gke: container_v1.ClusterManagerClient,
    aks: ContainerServiceClient,
) -> Any:
    """Set the size of every pool by the SDK of its cloud."""

    def resize_all(nodes: int) -> None:
        for pool in pools.values():
            if pool["cloud"] == "aws":
                aws("eks").update_nodegroup_config(
                    clusterName=pool["cluster"],
                    nodegroupName=pool["nodeGroup"],
                    scalingConfig={"desiredSize": nodes},
                )
            elif pool["cloud"] == "gcp":
                place = f"projects/{pool['project']}/locations/{pool['location']}"
                name = f"{place}/clusters/{pool['cluster']}/nodePools/{pool['nodePool']}"
                gke.set_node_pool_size(request={"name": name, "node_count": nodes})
            else:
                names = (pool["resourceGroup"], pool["cluster"], pool["agentPool"])
                live = aks.agent_pools.get(*names)
                live.properties.count = nodes
                aks.agent_pools.begin_create_or_update(*names, live).result()

    return resize_all


def test_a_refresh_shows_exactly_what_was_changed(
    workspace: Workspace, pools: dict[str, dict[str, Any]], resize: Any, aws: Any
) -> None:
    resize(1)
    group = workspace.runner.outputs(STACK)["bindings"]["telemetry"]["dev-run-logs"]["logGroup"]
    aws("logs").put_retention_policy(logGroupName=group, retentionInDays=30)
    (vpc,) = (
        resource["id"]
        for resource in workspace.custom_resources(STACK)
        if resource["type"] == "aws:ec2/vpc:Vpc"
    )
    aws("ec2").create_tags(Resources=[vpc], Tags=[{"Key": "owner", "Value": "someone"}])

    result = workspace.runner.refresh(STACK)

    assert result.succeeded, result.explain()
    shown = {(step.type, step.name, step.changed) for step in result.updated}
    sized = {(name, changed) for _, name, changed in shown - NOT_SIZES}
    assert shown >= NOT_SIZES
    assert sized == {(name, (size,)) for name, size in SIZES.items()}
    assert result.replaced == ()


def test_a_preview_puts_back_all_but_the_sizes(workspace: Workspace) -> None:
    result = workspace.preview(STACK)

    assert result.succeeded, result.explain()
    assert {(step.type, step.name, step.changed) for step in result.updated} == NOT_SIZES
    assert (result.replaced, result.created, result.deleted) == ((), (), ())


def test_an_up_leaves_the_nodes_and_another_hand_may_end_them(
    workspace: Workspace, resize: Any, aws: Any, pools: dict[str, dict[str, Any]]
) -> None:
    result = workspace.up(STACK)
    assert result.succeeded, result.explain()
    assert {step.type for step in result.updated} == {kind for kind, _, _ in NOT_SIZES}
    pool = pools["dev-aws-l4"]
    (group,) = aws("autoscaling").describe_auto_scaling_groups(
        AutoScalingGroupNames=[pool["autoScalingGroup"]]
    )["AutoScalingGroups"]
    assert len(group["Instances"]) == 1

    resize(0)
    refreshed = workspace.runner.refresh(STACK)
    assert {step.name: step.changed for step in refreshed.updated} == {
        name: (size,) for name, size in SIZES.items()
    }
    assert not workspace.preview(STACK).has_changes
