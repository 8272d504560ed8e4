"""What others made enters the manifest, and neither Pulumi nor Tidegate touches it."""

from __future__ import annotations

from typing import Any

import pytest
from support.workspace import Workspace
from typer.testing import CliRunner

from tidegate.cli.adopt import app

pytestmark = pytest.mark.slow

STACK = "dev"
CLUSTER = "tidegate-dev"
REGION = "us-east-1"


@pytest.fixture(scope="module")
def by_hand(workspace: Workspace, aws: Any) -> dict[str, Any]:
    """Bring the stack up, and make a node group beside it as somebody else would."""
    result = workspace.up(STACK)
    assert result.succeeded, result.explain()
    (declared,) = aws("eks").list_nodegroups(clusterName=CLUSTER)["nodegroups"]
    model = aws("eks").describe_nodegroup(clusterName=CLUSTER, nodegroupName=declared)["nodegroup"]
    made: dict[str, Any] = aws("eks").create_nodegroup(
        clusterName=CLUSTER,
        nodegroupName="by-hand",
        nodeRole=model["nodeRole"],
        subnets=model["subnets"],
        instanceTypes=["g5.xlarge"],
        scalingConfig={"minSize": 0, "maxSize": 3, "desiredSize": 1},
        tags={"Owner": "vision-team", "workload-class": "training"},
    )["nodegroup"]
    return made


def test_a_pool_made_by_hand_is_adopted_without_a_change_to_it(
    workspace: Workspace, by_hand: dict[str, Any], aws: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL", workspace.endpoints.aws_url)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "local")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "local")
    config = workspace.root / "stacks" / f"Pulumi.{STACK}.yaml"
    asked = ["eks", "--cluster", CLUSTER, "--region", REGION, "--scaler", "tidegate"]
    adopted = CliRunner().invoke(app, [*asked, "--write", str(config)])
    assert adopted.exit_code == 0, adopted.output

    result = workspace.up(STACK)

    assert result.succeeded, result.explain()
    assert [step.name for step in result.created] == [f"{CLUSTER}-by-hand"]
    assert (result.updated, result.replaced, result.deleted) == ((), (), ())
    outputs = workspace.runner.outputs(STACK)
    pools = {pool["id"]: pool for pool in outputs["capacity"]["pools"] if pool.get("adopted")}
    pool = pools[f"{CLUSTER}-by-hand"]
    assert (pool["accelerator"], pool["maxNodes"]) == ("a10g", 3)
    assert pool["labels"]["owner"] == "vision-team"
    binding = outputs["bindings"]["existingPools"][f"{CLUSTER}-by-hand"]
    assert (binding["nodeGroup"], binding["cluster"]) == ("by-hand", CLUSTER)
    seen = aws("eks").describe_nodegroup(clusterName=CLUSTER, nodegroupName="by-hand")["nodegroup"]
    assert seen == by_hand


def test_another_up_changes_nothing(workspace: Workspace, by_hand: dict[str, Any]) -> None:
    result = workspace.up(STACK)

    assert result.succeeded, result.explain()
    assert set(result.changes) == {"same"}
