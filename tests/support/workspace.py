"""The whole product: a copy of the example project, local clouds of its own, the real CLI."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from tidegate.cli.local_pulumi import build_local_runner
from tidegate.engine.results import RunResult
from tidegate.engine.stack import Options, StackRunner
from tidegate.engine.toolchain import Toolchain, ToolMissing, find_toolchain, provide_language_host
from tidegate.localclouds.lifecycle import Endpoints, start_local_clouds

REPOSITORY = Path(__file__).resolve().parents[2]
PACK = REPOSITORY / "policies"


@dataclass
class Workspace:
    """A copy of the example project with its own clouds and state."""

    root: Path
    endpoints: Endpoints
    runner: StackRunner

    def configure(self, stack: str, change: Callable[[dict[str, Any]], None]) -> None:
        """Change a stack's configuration file; `change` gets its `config` mapping."""
        path = self.root / "stacks" / f"Pulumi.{stack}.yaml"
        document = yaml.safe_load(path.read_text())
        change(document["config"])
        path.write_text(yaml.safe_dump(document, sort_keys=False))

    def up(self, stack: str, *arguments: str) -> RunResult:
        return self.runner.up(stack, Options(policy_packs=[PACK], arguments=arguments))

    def preview(self, stack: str) -> RunResult:
        return self.runner.preview(stack, Options(policy_packs=[PACK]))

    def restart_clouds(self) -> None:
        """Start killed local clouds again, on new ports, and point the runner at them."""
        self.endpoints = start_local_clouds(self.root / ".tidegate" / "local")
        self.runner = build_runner(self.root, self.endpoints)

    def custom_resources(self, stack: str) -> list[dict[str, Any]]:
        """Resources of the stack's state that stand in a cloud."""
        return [
            resource
            for resource in self.runner.export(stack)["deployment"].get("resources") or []
            if resource.get("custom") and not resource["type"].startswith("pulumi:")
        ]


def find_programs() -> Toolchain:
    """The programs of this checkout; a test that needs them is skipped where they are absent."""
    try:
        toolchain = find_toolchain(REPOSITORY)
    except ToolMissing as error:
        pytest.skip(f"run ./scripts/setup first: {error}")
    provide_language_host(REPOSITORY, os.environ)
    return toolchain


def build_runner(root: Path, endpoints: Endpoints) -> StackRunner:
    return build_local_runner(root, root / ".tidegate", endpoints, find_programs())


def open_workspace(root: Path) -> Workspace:
    """Copy the example project to `root` and start clouds of its own there."""
    settings = yaml.safe_load((REPOSITORY / "Pulumi.yaml").read_text())
    settings["runtime"] = {"name": "python", "options": {"virtualenv": str(REPOSITORY / ".venv")}}
    (root / "Pulumi.yaml").write_text(yaml.safe_dump(settings))
    shutil.copytree(
        REPOSITORY / "stacks", root / "stacks", ignore=shutil.ignore_patterns("__pycache__")
    )
    endpoints = start_local_clouds(root / ".tidegate" / "local")
    return Workspace(root, endpoints, build_runner(root, endpoints))
