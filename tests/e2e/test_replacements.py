"""Which changes of a declaration make a resource anew, and which do not: never a commitment.

The tests of this module share one stack, which is up once; each shows a change to a preview.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from support.workspace import Workspace

from tidegate.engine.results import RunResult

pytestmark = pytest.mark.slow

STACK = "prod"
POOLS = ("pools", "cpuPools", "spotGroups", "trainingCompute")
SECTIONS = (
    *POOLS,
    "existingPools",
    "commitments",
    "endpoints",
    "notebooks",
    "buckets",
    "telemetry",
)
Config = dict[str, Any]
Preview = Callable[[Callable[[Config], None]], RunResult]


@pytest.fixture(scope="module")
def standing(workspace: Workspace) -> Workspace:
    result = workspace.up(STACK)
    assert result.succeeded, result.explain()
    return workspace


@pytest.fixture
def preview(standing: Workspace) -> Iterator[Preview]:
    """Preview a changed configuration; it is put back afterwards."""
    path = standing.root / "stacks" / f"Pulumi.{STACK}.yaml"
    good = path.read_text()

    def run(change: Callable[[Config], None]) -> RunResult:
        standing.configure(STACK, change)
        result = standing.preview(STACK)
        assert result.succeeded, result.explain()
        return result

    yield run
    path.write_text(good)


def list_replaced(result: RunResult) -> set[str]:
    """Return the types of what would be made anew."""
    return {step.type for step in result.replaced}


def test_other_labels_replace_no_capacity_and_no_data(preview: Preview) -> None:
    def relabel(config: Config) -> None:
        config["tidegate:labels"] |= {"team": "vision", "cost-center": "cc-2002"}

    result = preview(relabel)

    assert list_replaced(result) == {
        # New machines boot from another template; those that run stay.
        "gcp:compute/regionInstanceTemplate:RegionInstanceTemplate",
        # A monitor watches one cost centre.
        "aws:costexplorer/anomalyMonitor:AnomalyMonitor",
    }
    assert "aws:eks/nodeGroup:NodeGroup" in {step.type for step in result.updated}


def test_other_sizes_replace_no_pool(preview: Preview) -> None:
    def grow(config: Config) -> None:
        for section in POOLS:
            for entry in config[f"tidegate:{section}"].values():
                entry["maxNodes"] += 1
        for entry in config["tidegate:endpoints"].values():
            entry["maxReplicas"] += 1

    assert list_replaced(preview(grow)) == {
        # Neither cloud changes these; a SageMaker endpoint takes the new one in place.
        "aws:sagemaker/endpointConfiguration:EndpointConfiguration",
        "gcp:vertex/aiDeploymentResourcePool:AiDeploymentResourcePool",
    }


def test_other_machines_replace_the_pools_that_have_one_kind(preview: Preview) -> None:
    def exchange(config: Config) -> None:
        pools, groups = config["tidegate:pools"], config["tidegate:spotGroups"]
        pools["train-gcp-a100"]["instanceTypes"] = ["a2-ultragpu-4g"]
        pools["train-azure-a100"]["instanceTypes"] = ["Standard_NC96ads_A100_v4"]
        pools["train-aws-h100"]["instanceTypes"] = ["p5.4xlarge"]
        groups["sweep-aws"]["instanceTypes"] = ["m5.4xlarge", "m6i.4xlarge"]
        groups["sweep-gcp"]["instanceTypes"] = ["g2-standard-12"]
        groups["sweep-azure"]["instanceTypes"] = ["Standard_D8s_v5"]
        config["tidegate:notebooks"]["explore-aws"]["instanceType"] = "ml.g5.2xlarge"
        config["tidegate:notebooks"]["explore-gcp"]["instanceType"] = "g2-standard-12"

    result = preview(exchange)

    assert list_replaced(result) == {
        "aws:eks/nodeGroup:NodeGroup",
        "gcp:container/nodePool:NodePool",
        "azure-native:containerservice:AgentPool",
        # They name what is made anew.
        "aws:autoscaling/tag:Tag",
        "azure-native:authorization:RoleAssignment",
        "gcp:compute/regionInstanceTemplate:RegionInstanceTemplate",
    }
    changed = {step.name for step in result.updated}
    assert {"sweep-aws", "sweep-azure", "explore-aws", "explore-gcp"} <= changed


def test_a_renamed_component_keeps_what_it_holds(preview: Preview) -> None:
    def rename(config: Config) -> None:
        for section in SECTIONS:
            key = f"tidegate:{section}"
            config[key] = {
                f"{name}-2": {**entry, "renamedFrom": name} for name, entry in config[key].items()
            }
        for pool in config["tidegate:pools"].values():
            if "reservation" in pool:
                pool["reservation"] += "-2"

    result = preview(rename)

    assert list_replaced(result) == {
        # Named by their id, and the old ones are kept with their logs.
        "azure-native:operationalinsights:Table",
        "gcp:logging/projectBucketConfig:ProjectBucketConfig",
        # AKS names a pool for good: `cloudName` keeps the old name.
        "azure-native:containerservice:AgentPool",
        "azure-native:authorization:RoleAssignment",
        "gcp:compute/regionInstanceTemplate:RegionInstanceTemplate",
    }
    assert {step.type for step in result.deleted if "::tidegate:" not in step.urn} <= {
        *list_replaced(result),
        "kubernetes:kueue.x-k8s.io/v1beta2:ResourceFlavor",
    }
