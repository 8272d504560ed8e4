"""The main job: local clouds, recovery, a gated `pulumi up`, verdicts, cost, manifest."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tidegate.catalog.load import load_catalog
from tidegate.cli.local_lookup import find_local
from tidegate.cli.local_pulumi import build_local_runner
from tidegate.cli.up_progress import Progress
from tidegate.cli.up_review import write_sample_review
from tidegate.cli.verdicts import StackVerdicts, judge_export
from tidegate.engine.config import Project, read_stack_config
from tidegate.engine.recovery import Recovery
from tidegate.engine.results import RunResult
from tidegate.engine.stack import Options, StackRunner
from tidegate.engine.toolchain import find_toolchain
from tidegate.localclouds.endpoints import Endpoints
from tidegate.localclouds.lifecycle import start_local_clouds
from tidegate.manifest.build import dump_manifest
from tidegate.manifest.model import Manifest
from tidegate.manifest.read import read_manifest
from tidegate.opa.pack import find_pack
from tidegate.pricing.plan import PlanCost, build_plan_cost


@dataclass(frozen=True, slots=True)
class StackState:
    """What is known of a stack that is up.

    Attributes:
        manifest: What it declares.
        manifest_path: Where the manifest was written.
        export: The engine's own record of its resources.
        verdicts: What the rules say of them.
        cost: What it costs a month.
        review: Its commitment review on sample use; None where there is none.
    """

    manifest: Manifest
    manifest_path: Path
    export: Mapping[str, Any]
    verdicts: StackVerdicts
    cost: PlanCost
    review: Path | None = None


@dataclass(frozen=True, slots=True)
class MainJob:
    """One run of the main job. `state` is None when the run did not succeed."""

    stack: str
    endpoints: Endpoints
    recovery: Recovery
    result: RunResult
    state: StackState | None


def run_main_job(root: Path, state_dir: Path, stack: str, progress: Progress) -> MainJob:
    """Bring a stack up on the local clouds, gated by the policy pack.

    Args:
        root: The folder with Pulumi.yaml.
        state_dir: Where local clouds, Pulumi's state and manifests live.
        stack: The stack's name.
        progress: Told what is done.

    Raises:
        InvalidInput: The project, its configuration or its manifest is wrong.
        ToolMissing, LocalCloudsFault, RecoveryFailed, PulumiFailed, RuleEngineError: A program
            could not do its part; each says what to do.
    """
    toolchain = find_toolchain(root)
    progress.stage("local clouds")
    endpoints = start_local_clouds(state_dir / "local")
    runner = build_local_runner(root, state_dir, endpoints, toolchain)
    recovery = runner.recover(stack, find_local(endpoints, runner, stack), report=progress.stage)
    progress.stage(f"pulumi up of {stack}, gated by policy")
    result = runner.up(stack, Options(policy_packs=[find_pack()]), progress.event)
    state = None
    if result.succeeded:
        progress.stage("verdicts, cost and commitment review")
        state = read_stack_state(runner, stack, state_dir / "manifests" / f"{stack}.json")
    return MainJob(stack, endpoints, recovery, result, state)


def read_stack_state(runner: StackRunner, stack: str, manifest_path: Path) -> StackState:
    """Read what a stack is now; write its manifest and review where the next command finds them."""
    where = f"stack {stack}"
    export = runner.export(stack)
    manifest = read_manifest(where, read_outputs(export))
    manifest_path.parent.mkdir(parents=True, exist_ok=True)
    draft = manifest_path.with_suffix(".draft")
    draft.write_text(json.dumps(dump_manifest(manifest), indent=2) + "\n", encoding="utf-8")
    draft.replace(manifest_path)
    environment = next((pool.labels.get("environment", "") for pool in manifest.pools), "")
    catalog = load_catalog(find_overlay(runner.project, stack))
    verdicts = judge_export(where, export, environment, catalog)
    cost = build_plan_cost(manifest, catalog)
    folder = manifest_path.parent.parent / "reviews"
    review = write_sample_review(manifest, catalog, folder, datetime.now(UTC).date())
    return StackState(manifest, manifest_path, export, verdicts, cost, review)


def find_overlay(project: Project, stack: str) -> Path | None:
    """Return the file of negotiated prices that the stack's configuration names; None without."""
    name = read_stack_config(project, stack).get(f"{project.name}:catalogOverlay")
    return project.directory / str(name) if name else None


def read_outputs(export: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the stack's outputs from its export, which spares a run of the CLI."""
    resources = export["deployment"].get("resources") or []
    stacks = [found for found in resources if found["type"] == "pulumi:pulumi:Stack"]
    outputs: Mapping[str, Any] = stacks[0].get("outputs", {}) if stacks else {}
    return outputs
