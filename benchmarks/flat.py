"""The prod stack with components and policy pack, against the same resources declared flat.

Usage: flat.py [REPEATS]. Both sides run `pulumi up` of the same resources on fresh local clouds
with the same engine settings, in turns; only ours has components, a manifest and the pack. The
goal is held against the program that a person would write, with the providers' SDK classes; raw
registrations without any SDK are shown beside it. Both leave out what stands inside the clusters
(queues and their like): its providers need the addresses of clusters that a recording cannot know.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
import time
from pathlib import Path

import yaml
from figures import print_figure
from flat_resources import build_flat_resources

from tidegate.cli.local_pulumi import build_local_runner
from tidegate.engine.stack import Options, StackRunner
from tidegate.engine.toolchain import find_toolchain
from tidegate.localclouds.lifecycle import start_local_clouds, stop_local_clouds

ROOT = Path(__file__).resolve().parent.parent
STACK = "prod"
GOAL_RATIO = 1.5


def main(repeats: int) -> None:
    with tempfile.TemporaryDirectory(prefix="tidegate-bench-") as folder:
        ours, flat, bare = [], [], []
        for turn in range(repeats):
            work = Path(folder) / str(turn)
            export = measure_ours(work / "ours", ours)
            measure_flat(work / "flat", "sdk", export, flat)
            measure_flat(work / "bare", "bare", export, bare)
    print_figure("up.prod.components_and_pack", ours, "s", baseline=flat, goal=GOAL_RATIO)
    print_figure("up.prod.flat", flat, "s")
    print_figure("up.prod.components_and_pack.over_bare", ours, "s", baseline=bare)


def measure_ours(work: Path, seconds: list[float]) -> dict[str, object]:
    """Add the time of our `up`; return the stack's export."""
    project = work / "project"
    shutil.copytree(ROOT / "stacks", project / "stacks")
    settings = yaml.safe_load((ROOT / "Pulumi.yaml").read_text(encoding="utf-8"))
    settings["runtime"]["options"] = {"virtualenv": str(ROOT / ".venv")}
    (project / "Pulumi.yaml").write_text(json.dumps(settings))
    stack = project / "stacks" / f"Pulumi.{STACK}.yaml"
    config = yaml.safe_load(stack.read_text(encoding="utf-8"))["config"]
    del config["tidegate:queues"]
    stack.write_text(json.dumps({"config": config}))
    runner = open_runner(project, work)
    try:
        seconds.append(bring_up(runner, Options(policy_packs=[ROOT / "policies"])))
        return runner.export(STACK)
    finally:
        stop_local_clouds(work / "local")


def measure_flat(work: Path, style: str, export: dict[str, object], seconds: list[float]) -> None:
    """Add the time of a flat program's `up` of the exported resources."""
    project = work / "project"
    shutil.copytree(ROOT / "benchmarks" / "flat_program", project)
    settings = {
        "name": "flat",
        "runtime": {"name": "python", "options": {"virtualenv": str(ROOT / ".venv")}},
    }
    (project / "Pulumi.yaml").write_text(json.dumps(settings))
    shutil.copy(ROOT / "stacks" / f"Pulumi.{STACK}.yaml", project)
    resources = project / "resources.json"
    resources.write_text(json.dumps(build_flat_resources(export)))
    os.environ |= {"FLAT_RESOURCES": str(resources), "FLAT_STYLE": style}
    runner = open_runner(project, work)
    try:
        seconds.append(bring_up(runner, Options()))
    finally:
        stop_local_clouds(work / "local")


def open_runner(project: Path, work: Path) -> StackRunner:
    endpoints = start_local_clouds(work / "local")
    return build_local_runner(project, work, endpoints, find_toolchain(ROOT))


def bring_up(runner: StackRunner, options: Options) -> float:
    runner.ensure_stack(STACK)
    started = time.perf_counter()
    result = runner.up(STACK, options)
    elapsed = time.perf_counter() - started
    if not result.succeeded:
        sys.exit(result.explain())
    return elapsed


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 3)
