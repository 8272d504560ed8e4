"""The main job from end to end: the real engine, three local clouds, the policy pack.

The tests of this module share one stack and build on each other in the order of the file.
"""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any

import pytest
from support.workspace import PACK, REPOSITORY, Workspace, find_programs

from tidegate.cli.local_pulumi import build_local_runner
from tidegate.engine.results import Outcome
from tidegate.engine.stack import Options
from tidegate.manifest.read import read_manifest

pytestmark = pytest.mark.slow

STACK = "dev"
RESERVED = {
    "cloud": "aws",
    "zone": "us-east-1b",
    "instanceType": "g6.12xlarge",
    "units": 1,
    "acknowledge": {"hourlyAmount": "6", "currency": "USD", "endDate": "2027-06-30"},
    "workloadClass": "inference",
}


def reserve(config: dict[str, Any]) -> None:
    config["tidegate:commitments"] = {"kept-aws-l4": RESERVED}


def names(resources: list[dict[str, Any]]) -> set[tuple[str, str]]:
    return {(resource["type"], resource["urn"].rsplit("::", 1)[-1]) for resource in resources}


def test_bad_input_is_said_at_once_before_anything_is_created(workspace: Workspace) -> None:
    good = (workspace.root / "stacks" / f"Pulumi.{STACK}.yaml").read_text()

    def break_all(config: dict[str, Any]) -> None:
        config["tidegate:pools"]["dev-aws-l4"]["accelerator"] = "h1000"
        config["tidegate:pools"]["dev-gcp-l4"]["minNodes"] = 9
        config["tidegate:telemetry"]["dev-run-logs"]["retentionDays"] = 13

    workspace.configure(STACK, break_all)
    result = workspace.up(STACK)
    (workspace.root / "stacks" / f"Pulumi.{STACK}.yaml").write_text(good)
    assert result.outcome is Outcome.PROGRAM_FAILED
    said = result.explain()
    assert "pool dev-aws-l4: accelerator = 'h1000'" in said
    assert "pool dev-gcp-l4: minNodes = 9: is above maxNodes 2" in said
    assert "dev-run-logs: retentionDays = 13" in said
    assert "Traceback" not in said
    assert workspace.custom_resources(STACK) == []


def test_up_creates_everything_and_exports_a_manifest(workspace: Workspace) -> None:
    workspace.configure(STACK, reserve)
    result = workspace.up(STACK)
    assert result.succeeded, result.explain()
    assert set(result.changes) == {"create"}
    outputs = workspace.runner.outputs(STACK)
    manifest = read_manifest("stack", outputs)
    sections = ("pools", "cpuPools", "spotGroups", "existingPools", "trainingCompute")
    bound = {name for section in sections for name in outputs["bindings"][section]}
    assert {pool.id for pool in manifest.pools} == bound
    assert {pool.cloud for pool in manifest.pools} == {"aws", "gcp", "azure"}
    assert [commitment.id for commitment in manifest.commitments] == ["kept-aws-l4"]


def test_a_second_up_changes_nothing(workspace: Workspace) -> None:
    result = workspace.up(STACK)
    assert result.succeeded, result.explain()
    assert set(result.changes) == {"same"}


@pytest.mark.parametrize(
    ("rule", "section", "entry", "bad"),
    [
        ("TG-SCL-001", "pools", "dev-aws-l4", {"minNodes": 1, "declaredNodes": 1}),
        ("TG-TEL-001", "telemetry", "dev-run-logs", {"retentionDays": 3653}),
    ],
)
def test_a_violating_change_is_refused_and_changes_nothing(
    workspace: Workspace, rule: str, section: str, entry: str, bad: dict[str, object]
) -> None:
    before = workspace.custom_resources(STACK)
    good: dict[str, object] = {}

    def break_rule(config: dict[str, Any]) -> None:
        good.update(config[f"tidegate:{section}"][entry])
        config[f"tidegate:{section}"][entry].update(bad)

    def mend(config: dict[str, Any]) -> None:
        config[f"tidegate:{section}"][entry] = good

    workspace.configure(STACK, break_rule)
    result = workspace.up(STACK)
    workspace.configure(STACK, mend)
    assert result.outcome is Outcome.POLICY_VIOLATION, result.explain()
    assert {found.policy for found in result.violations if found.level == "mandatory"} == {rule}
    assert entry in result.explain()
    assert workspace.custom_resources(STACK) == before


def test_a_fixed_change_is_applied_in_place(workspace: Workspace) -> None:
    def grow(config: dict[str, Any]) -> None:
        config["tidegate:pools"]["dev-aws-l4"]["maxNodes"] = 3
        config["tidegate:pools"]["dev-gcp-l4"]["maxNodes"] = 3
        config["tidegate:pools"]["dev-azure-t4"]["maxNodes"] = 2

    workspace.configure(STACK, grow)
    result = workspace.up(STACK)
    assert result.succeeded, result.explain()
    # The Azure pool is scaled by Tidegate: its bound stands in the manifest, not in the cloud.
    assert {step.name for step in result.updated if "tidegate:" not in step.type} >= {"dev-aws-l4"}
    assert result.replaced == ()
    assert result.created == ()
    manifest = read_manifest("stack", workspace.runner.outputs(STACK))
    bounds = {pool.id: pool.max_nodes for pool in manifest.pools}
    assert {name: bounds[name] for name in ("dev-aws-l4", "dev-gcp-l4", "dev-azure-t4")} == {
        "dev-aws-l4": 3,
        "dev-gcp-l4": 3,
        "dev-azure-t4": 2,
    }


def test_what_aks_never_changes_on_a_pool_makes_a_new_one(workspace: Workspace) -> None:
    def enlarge(config: dict[str, Any]) -> None:
        config["tidegate:pools"]["dev-azure-t4"]["diskGib"] = 256

    workspace.configure(STACK, enlarge)
    result = workspace.up(STACK)
    assert result.succeeded, result.explain()
    # The controller's right to resize it is on the pool itself, and so is made anew with it.
    assert sorted(step.type for step in result.replaced) == [
        "azure-native:authorization:RoleAssignment",
        "azure-native:containerservice:AgentPool",
    ]


def test_a_preview_then_shows_no_changes(workspace: Workspace) -> None:
    result = workspace.preview(STACK)
    assert result.succeeded, result.explain()
    assert not result.has_changes


def test_killed_local_clouds_lose_nothing(workspace: Workspace) -> None:
    before = workspace.custom_resources(STACK)
    os.kill(workspace.endpoints.pid, signal.SIGKILL)
    workspace.restart_clouds()
    refreshed = workspace.runner.refresh(STACK)
    assert refreshed.succeeded, refreshed.explain()
    assert names(workspace.custom_resources(STACK)) == names(before)
    assert not workspace.preview(STACK).has_changes


def test_destroy_leaves_the_protected_commitment_and_what_it_stands_on(
    workspace: Workspace,
) -> None:
    result = workspace.runner.destroy(STACK, Options(exclude_protected=True))
    assert result.succeeded, result.explain()
    left = workspace.custom_resources(STACK)
    assert {resource["type"] for resource in left if resource.get("protect")} == {
        "aws:ec2/capacityReservation:CapacityReservation"
    }
    assert [resource for resource in left if not resource.get("protect")] == []


def test_the_projects_own_file_previews_with_the_pack(workspace: Workspace, tmp_path: Path) -> None:
    runner = build_local_runner(REPOSITORY, tmp_path, workspace.endpoints, find_programs())
    result = runner.preview("prod", Options(policy_packs=[PACK]))
    assert result.succeeded, result.explain()
    assert set(result.changes) == {"create"}
    assert [found for found in result.violations if found.level == "mandatory"] == []
