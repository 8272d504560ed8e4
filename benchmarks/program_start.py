"""How long the program of `prod` takes from its first import to its last declaration.

The engine is left out: a monitor in the same process answers each registration with its inputs.
How long it takes until the last one is answered is shown beside.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from figures import print_figure

ROOT = Path(__file__).resolve().parents[1]
REPEATS = 7
GOAL_SECONDS = 1.5

CHILD = """
import time
began = time.perf_counter()
import asyncio, json, runpy, sys
from pathlib import Path
import pulumi
from pulumi.runtime import mocks
from pulumi.runtime.config import set_all_config
from pulumi.runtime.stack import run_pulumi_func

stacks = Path(sys.argv[1])
sys.path[:0] = [str(stacks), str(stacks.parent / "components")]
set_all_config(json.loads(sys.argv[2]))
CALLS = {"kubeconfigs": [{"name": "clusterUser", "value": "e30="}]}
OUTPUTS = {
    "aws:eks/nodeGroup:NodeGroup": {"resources": [{"autoscalingGroups": [{"name": "group"}]}]},
    "aws:eks/cluster:Cluster": {"certificateAuthority": {"data": "Y2E="}},
    "gcp:container/cluster:Cluster": {"masterAuth": {"clusterCaCertificate": "Y2E="}},
    "azure-native:containerservice:ManagedCluster": {
        "identity": {"type": "UserAssigned", "userAssignedIdentities": {"identity": {}}}
    },
}

class Answers(mocks.Mocks):
    made = 0

    def new_resource(self, args):
        Answers.made += 1
        return f"{args.name}-id", {**args.inputs, **OUTPUTS.get(args.typ, {})}

    def call(self, args):
        return CALLS

loop = asyncio.new_event_loop()
asyncio.set_event_loop(loop)
pulumi.runtime.set_mocks(Answers(), project="tidegate", stack="prod", preview=False)
declared = []

def program():
    runpy.run_path(str(stacks / "__main__.py"), run_name="__main__")
    declared.append(time.perf_counter() - began)

loop.run_until_complete(run_pulumi_func(program))
found = {"declared": declared[0], "answered": time.perf_counter() - began}
found["resources"] = Answers.made
print(json.dumps({**found, "modules": len(sys.modules)}))
"""


def main() -> None:
    import yaml

    stack = ROOT / "stacks" / "Pulumi.prod.yaml"
    config = yaml.safe_load(stack.read_text(encoding="utf-8"))["config"]
    encoded = json.dumps(
        {
            key: value if isinstance(value, str) else json.dumps(value)
            for key, value in config.items()
        }
    )
    command = [sys.executable, "-c", CHILD, str(ROOT / "stacks"), encoded]
    runs = [_run(command) for _ in range(REPEATS)]
    resources = int(runs[0]["resources"])
    name = f"program.start.prod_{resources}_resources"
    print_figure(f"{name}.declared", [run["declared"] for run in runs], "s", goal=GOAL_SECONDS)
    print_figure(f"{name}.answered", [run["answered"] for run in runs], "s")
    print_figure("program.start.modules", [run["modules"] for run in runs], "modules")


def _run(command: list[str]) -> dict[str, float]:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(done.stderr[-2000:])
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


if __name__ == "__main__":
    main()
