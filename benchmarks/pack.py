"""What the policy pack costs a resource of `pulumi preview`, beside a plain CrossGuard pack.

Usage: pack.py [REPEATS]. A program of 100 and one of 1,000 resources are previewed without a
pack, with Tidegate's and with `plain_pack` (the same kinds of checks, one Python function a
policy), in turns, against a provider that does nothing. The figure is the slope between the two
sizes over the slope without a pack, so that starting anything is no part of it.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from figures import print_figure
from local_clouds import ROOT, build_language_host, run_noop, run_pulumi

SMALL, LARGE = 100, 1000
GOAL_MS = 5.0
PACKS = {"none": None, "ours": ROOT / "policies", "plain": Path(__file__).with_name("plain_pack")}
PROGRAM = """
import pulumi_aws as aws
LABELS = {
    "environment": "prod", "owner": "ml-platform", "business-unit": "research",
    "platform-project": "vision", "workload-class": "training", "cost-center": "cc-100",
}
for number in range(%d // 2):
    aws.s3.Bucket(f"bucket-{number}", tags=LABELS, lifecycle_rules=[{
        "enabled": True, "abort_incomplete_multipart_upload_days": 7, "expiration": {"days": 30},
    }])
    aws.cloudwatch.LogGroup(f"group-{number}", retention_in_days=30, tags=LABELS)
"""


def main(repeats: int) -> None:
    slopes: dict[str, list[float]] = {name: [] for name in PACKS}
    with tempfile.TemporaryDirectory(prefix="tidegate-bench-") as folder, run_noop() as clouds:
        projects = {
            count: prepare(Path(folder) / str(count), count, clouds) for count in (SMALL, LARGE)
        }
        for _ in range(repeats):
            for name, pack in PACKS.items():
                small = preview(*projects[SMALL], pack)
                large = preview(*projects[LARGE], pack)
                slopes[name].append((large - small) * 1000 / (LARGE - SMALL))
    bare = statistics.median(slopes["none"])
    print_figure("pack.preview.none", slopes["none"], "ms")
    for name, goal in (("ours", GOAL_MS), ("plain", None)):
        over = [slope - bare for slope in slopes[name]]
        print_figure(f"pack.{name}.per_resource", over, "ms", goal=goal)


def prepare(folder: Path, count: int, clouds: dict[str, str]) -> tuple[Path, dict[str, str]]:
    """Return a project with an empty stack and the environment to run Pulumi in."""
    project = folder / "project"
    project.mkdir(parents=True)
    (folder / "state").mkdir()
    (project / "__main__.py").write_text(PROGRAM % count)
    virtualenv = Path(sys.executable).parent.parent
    runtime = {"name": "python", "options": {"virtualenv": str(virtualenv)}}
    (project / "Pulumi.yaml").write_text(json.dumps({"name": "bench", "runtime": runtime}))
    programs = (str(build_language_host(folder)), str(ROOT / ".tools/bin"), str(virtualenv / "bin"))
    environment = {
        **clouds,
        "PATH": os.pathsep.join((*programs, os.environ["PATH"])),
        "PULUMI_HOME": str(folder / "home"),
        "PULUMI_BACKEND_URL": f"file://{folder / 'state'}",
        "PULUMI_CONFIG_PASSPHRASE": "bench",
        "PULUMI_SKIP_UPDATE_CHECK": "true",
        "PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION": "true",
    }
    run_pulumi(["stack", "init", "bench"], project, environment)
    run_pulumi(["config", "set", "aws:region", "us-east-1"], project, environment)
    run_pulumi(["config", "set", "bench:environment", "prod"], project, environment)
    return project, environment


def preview(project: Path, environment: dict[str, str], pack: Path | None) -> float:
    """Return the seconds of one preview."""
    command = ["pulumi", "preview", "--non-interactive", "--stack", "bench"]
    if pack is not None:
        # What the pack finds is advice here: a violation would end the preview early.
        levels = project / "levels.json"
        levels.write_text(json.dumps({"all": "advisory"}))
        command += ["--policy-pack", str(pack), "--policy-pack-config", str(levels)]
    began = time.perf_counter()
    done = subprocess.run(
        command, cwd=project, env=environment, capture_output=True, text=True, check=False
    )
    elapsed = time.perf_counter() - began
    if done.returncode:
        sys.exit(f"the preview failed: {done.stdout[-2000:]}{done.stderr[-2000:]}")
    return elapsed


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 3)
