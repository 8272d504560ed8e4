"""1,000 resources by one `pulumi up`: the local clouds against a provider that does nothing.

Usage: local_clouds.py [REPEATS]. Prints one JSON line a figure. Both sides run the same program
with the same engine settings, in turns. Needs `.tools/bin/pulumi`.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from figures import print_figure

from tidegate.localclouds.lifecycle import (
    local_environment,
    reset_local_clouds,
    start_local_clouds,
)

RESOURCES = 1000
GOAL_RATIO = 1.5
GOAL_MEGABYTES = 600
ROOT = Path(__file__).parent.parent
# A fifth each: what moto backs, Google's and Azure's stores, and types that are only kept.
PROGRAM = """
import json
import pulumi_aws as aws
import pulumi_azure_native as azure
import pulumi_gcp as gcp

TRUST = json.dumps({"Version": "2012-10-17", "Statement": []})
for number in range(%d // 5):
    aws.s3.Bucket(f"bucket-{number}", tags={"team": "ml", "number": str(number)})
    aws.cloudwatch.LogGroup(f"group-{number}", retention_in_days=30, tags={"team": "ml"})
    aws.iam.Role(f"role-{number}", assume_role_policy=TRUST)
    gcp.storage.Bucket(f"bucket-{number}", name=f"tidegate-bench-{number}", location="US",
                       project="bench")
    azure.resources.ResourceGroup(f"rg-{number}", resource_group_name=f"rg-{number}",
                                  location="eastus")
"""


def main(repeats: int) -> None:
    with tempfile.TemporaryDirectory(prefix="tidegate-bench-") as folder:
        ours, floor, peaks = [], [], []
        for turn in range(repeats):
            with run_noop() as environment:
                floor.append(bring_up(Path(folder) / f"noop-{turn}", environment))
            state = Path(folder) / f"state-{turn}"
            try:
                endpoints = start_local_clouds(state)
                wait_until_idle(endpoints.pid)
                environment = local_environment(endpoints, os.environ)
                ours.append(bring_up(Path(folder) / f"ours-{turn}", environment))
                peaks.append(read_peak_megabytes(endpoints.pid))
            finally:
                reset_local_clouds(state)
    print_figure(f"localclouds.up.{RESOURCES}", ours, "s", baseline=floor, goal=GOAL_RATIO)
    print_figure(f"noop.up.{RESOURCES}", floor, "s")
    print_figure("localclouds.peak_memory", peaks, "MB", goal=GOAL_MEGABYTES)


@contextmanager
def run_noop() -> Iterator[dict[str, str]]:
    command = [sys.executable, str(Path(__file__).with_name("noop_provider.py"))]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        port = process.stdout.readline().strip()
        names = ("aws", "gcp", "azure-native")
        providers = ",".join(f"{name}:{port}" for name in names)
        try:
            yield {**os.environ, "PULUMI_DEBUG_PROVIDERS": providers}
        finally:
            process.terminate()


def bring_up(
    folder: Path, environment: dict[str, str], program: str = PROGRAM % RESOURCES
) -> float:
    """Return the seconds of `pulumi up` without a preview, in a fresh stack."""
    project = folder / "project"
    project.mkdir(parents=True)
    (folder / "state").mkdir()
    (project / "__main__.py").write_text(program)
    virtualenv = Path(sys.executable).parent.parent
    options = {"virtualenv": str(virtualenv)}
    runtime = {"name": "python", "options": options}
    (project / "Pulumi.yaml").write_text(json.dumps({"name": "bench", "runtime": runtime}))
    programs = os.pathsep.join(
        [str(build_language_host(folder)), str(ROOT / ".tools/bin"), str(virtualenv / "bin")]
    )
    settings = {
        **environment,
        "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
        "PULUMI_HOME": str(folder / "home"),
        "PULUMI_BACKEND_URL": f"file://{folder / 'state'}",
        "PULUMI_CONFIG_PASSPHRASE": "bench",
        "PULUMI_SKIP_UPDATE_CHECK": "true",
        "PULUMI_SKIP_CHECKPOINTS": "true",
        "PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION": "true",
    }
    run_pulumi(["stack", "init", "bench"], project, settings)
    run_pulumi(["config", "set", "aws:region", "us-east-1"], project, settings)
    start = time.perf_counter()
    run_pulumi(["up", "--yes", "--skip-preview", "--non-interactive"], project, settings)
    return time.perf_counter() - start


def build_language_host(folder: Path) -> Path:
    """Return a folder with the language host, where Pulumi's own is not installed."""
    programs = folder / "bin"
    programs.mkdir(exist_ok=True)
    host = programs / "pulumi-language-python"
    host.write_text(f'#!/bin/sh\nexec {sys.executable} -m tidegate.engine.language_host "$@"\n')
    host.chmod(0o755)
    return programs


def run_pulumi(arguments: list[str], project: Path, settings: dict[str, str]) -> None:
    result = subprocess.run(
        ["pulumi", *arguments], cwd=project, env=settings, capture_output=True, text=True
    )
    if result.returncode:
        sys.exit(f"pulumi {arguments[0]}: {result.stdout[-2000:]}{result.stderr[-2000:]}")


def wait_until_idle(pid: int) -> None:
    """Wait until the server has warmed up; the other side has nothing to load either."""
    before = read_ticks(pid)
    for _ in range(120):
        time.sleep(0.5)
        now = read_ticks(pid)
        if now - before <= 2:
            return
        before = now


def read_ticks(pid: int) -> int:
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return int(fields[11]) + int(fields[12])  # user and system time, in hundredths of a second


def read_peak_megabytes(pid: int) -> float:
    status = Path(f"/proc/{pid}/status").read_text()
    line = next(line for line in status.splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1]) / 1024


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 3)
