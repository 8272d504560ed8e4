"""A stack that an earlier version made is not made anew by this one.

`data/prod-d856912.json` is the state of `prod` as the version of commit d856912 brought it up on
the local clouds (recorded 2026-11-30, Pulumi 3.274.1, without source positions), one resource a
line; the configuration of that commit stands beside it.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from support.workspace import Workspace

pytestmark = pytest.mark.slow

DATA = Path(__file__).parent / "data"
STACK = "prod"


@pytest.fixture(scope="module")
def earlier(workspace: Workspace) -> Workspace:
    """Take over the recorded state; nothing of it needs to stand in the clouds for a preview."""
    shutil.copy(
        DATA / "Pulumi.prod-d856912.yaml", workspace.root / "stacks" / f"Pulumi.{STACK}.yaml"
    )
    workspace.runner.ensure_stack(STACK)
    workspace.runner.import_state(STACK, DATA / "prod-d856912.json")
    return workspace


def test_a_stack_of_an_earlier_version_previews_without_replacement(earlier: Workspace) -> None:
    result = earlier.preview(STACK)
    assert result.succeeded, result.explain()
    assert [step.urn for step in result.replaced] == []
    assert [step.urn for step in result.deleted] == []
    # Settings of what stays where it is.
    assert {step.type for step in result.updated} <= {
        "aws:eks/cluster:Cluster",
        "aws:s3/bucketLifecycleConfiguration:BucketLifecycleConfiguration",
        "azure-native:operationalinsights:Table",
        "azure-native:storage:BlobServiceProperties",
        "azure-native:storage:ManagementPolicy",
    }
