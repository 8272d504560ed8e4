"""Record what `pulumi preview --json`, event logs and exports say of three programs.

    python tests/policies/recorder/record_ways.py tests/policies/data

Runs the real CLI on the local clouds in a throw-away project: a preview of the empty stack (as
JSON, as an event log, and as a policy pack sees it), an `up` with its event log, the export, and
the previews that follow. Of `declared_program.py` the same is recorded of a change, and of
`examples/bad/change` the preview that lies beside it.
"""

from __future__ import annotations

import importlib.metadata
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tidegate.engine.toolchain import find_toolchain, provide_language_host
from tidegate.localclouds.lifecycle import (
    local_environment,
    start_local_clouds,
    stop_local_clouds,
)

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
CHANGE = ROOT / "examples" / "bad" / "change"
CONFIG = "config:\n  aws:region: us-east-1\n  gcp:project: p\n  recorded:environment: prod\n"
PACKAGES = ("pulumi", "pulumi-aws", "pulumi-gcp", "pulumi-azure-native")
PREVIEW = ("preview", "--json", "--non-interactive")
SHOWN = (*PREVIEW, "--show-sames")
Run = Callable[..., str]


def main() -> None:
    data = Path(sys.argv[1])
    record(HERE / "ways_program.py", data / "ways", record_ways)
    say_origin("ways_program.py", data / "ways")
    record(HERE / "declared_program.py", data / "declared", record_declared)
    say_origin("declared_program.py", data / "declared")
    record_change()


def record_change(target: Path = CHANGE) -> None:
    """Record the preview of a change that replaces a commitment."""
    config = (CHANGE / "Pulumi.prod.yaml").read_text()
    record(CHANGE / "__main__.py", target, record_replacement, "change", "prod", config)


def record(
    program: Path,
    target: Path,
    play: Callable[[Run, Path, Path], None],
    name: str = "recorded",
    stack: str = "dev",
    config: str = CONFIG,
) -> None:
    """Run a program's recording in a throw-away project on clouds of its own."""
    target.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="record-ways-") as place:
        folder = Path(place)
        project = folder / "project"
        project.mkdir()
        (project / "Pulumi.yaml").write_text(f"name: {name}\nruntime: python\n")
        (project / f"Pulumi.{stack}.yaml").write_text(config)
        shutil.copy(program, project / "__main__.py")
        provide_language_host(ROOT, os.environ)
        toolchain = find_toolchain(ROOT)
        (folder / "state").mkdir()
        clouds = local_environment(start_local_clouds(folder / "clouds"), os.environ)
        environment = {
            **toolchain.environment(folder / "home", f"file://{folder / 'state'}", clouds, ""),
            "PULUMI_DEBUG_COMMANDS": "true",
            "TIDEGATE_RECORDING": str(folder / "pack.jsonl"),
        }

        def run(*arguments: str) -> str:
            ended = subprocess.run(
                [toolchain.pulumi.path, *arguments],
                cwd=project,
                env=environment,
                capture_output=True,
                text=True,
                check=False,
            )
            if ended.returncode:
                raise SystemExit(f"{arguments}: {ended.stdout}{ended.stderr}")
            return ended.stdout

        try:
            run("stack", "init", stack)
            play(run, folder, target)
        finally:
            stop_local_clouds(folder / "clouds")


def record_ways(run: Run, folder: Path, target: Path) -> None:
    log, seen = folder / "events.jsonl", folder / "pack.jsonl"
    keep(run(*SHOWN, "--stack=dev"), target / "preview_new.json")
    run("preview", "--stack=dev", f"--event-log={log}")
    keep_log(log, target / "events_preview_new.jsonl")
    run("preview", "--stack=dev", f"--policy-pack={HERE}")
    keep_log(seen, target / "pack_preview_new.jsonl")
    run("up", "--yes", "--skip-preview", "--stack=dev", f"--event-log={log}")
    keep_log(log, target / "events_up.jsonl")
    keep(run("stack", "export", "--stack=dev"), target / "export.json")
    keep(run(*PREVIEW, "--stack=dev"), target / "preview_changes_only.json")
    keep(run(*SHOWN, "--stack=dev"), target / "preview_same.json")
    run("preview", "--stack=dev", f"--event-log={log}")
    keep_log(log, target / "events_preview_same.jsonl")
    seen.unlink()
    run("preview", "--stack=dev", f"--policy-pack={HERE}")
    keep_log(seen, target / "pack_preview_same.jsonl")


def record_declared(run: Run, folder: Path, target: Path) -> None:
    log = folder / "events.jsonl"
    run("config", "set", "most", "2", "--stack=dev")
    run("up", "--yes", "--skip-preview", "--stack=dev")
    run("config", "set", "most", "3", "--stack=dev")
    keep(run(*SHOWN, "--stack=dev"), target / "preview.json")
    run("preview", "--stack=dev", f"--event-log={log}")
    keep_log(log, target / "events_preview.jsonl")
    run("preview", "--stack=dev", f"--policy-pack={HERE}")
    keep_log(folder / "pack.jsonl", target / "pack_preview.jsonl")
    run("up", "--yes", "--skip-preview", "--stack=dev", f"--event-log={log}")
    keep_log(log, target / "events_up.jsonl")
    keep(run("stack", "export", "--stack=dev"), target / "export.json")


def record_replacement(run: Run, folder: Path, target: Path) -> None:
    del folder  # nothing but what the CLI prints is kept
    declared = run("config", "get", "instanceType", "--stack=prod").strip()
    run("config", "set", "instanceType", "p4d.24xlarge", "--stack=prod")
    run("up", "--yes", "--skip-preview", "--stack=prod")
    run("config", "set", "instanceType", declared, "--stack=prod")
    keep(run(*SHOWN, "--stack=prod"), target / "preview.json")


def say_origin(program: str, target: Path) -> None:
    pulumi = find_toolchain(ROOT).pulumi.path
    origin = {
        "what": f"{program} on the local clouds, tests/policies/recorder",
        "date": datetime.now(UTC).date().isoformat(),
        "pulumi CLI": subprocess.run(
            [pulumi, "version"], capture_output=True, text=True, check=True
        ).stdout.strip(),
        **{name: importlib.metadata.version(name) for name in PACKAGES},
    }
    (target / "origin.json").write_text(json.dumps(origin, indent=1) + "\n")


def keep(text: str, target: Path) -> None:
    """Keep a document without this machine's places."""
    document = strip_places(json.loads(text))
    target.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")


def keep_log(log: Path, target: Path) -> None:
    """Keep an event log without the engine's debug messages and this machine's places."""
    events = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
    kept = [each for each in events if each.get("diagnosticEvent", {}).get("severity") != "debug"]
    lines = [json.dumps(strip_places(each)) for each in kept]
    target.write_text("\n".join(lines) + "\n", encoding="utf-8")


def strip_places(value: Any) -> Any:
    """Return a document in which frames outside the project name no file."""
    if isinstance(value, dict):
        return {
            key: strip_places(item)
            for key, item in value.items()
            if not (key == "sourcePosition" and str(item).startswith("project:///.."))
        }
    return [strip_places(item) for item in value] if isinstance(value, list) else value


if __name__ == "__main__":
    main()
