"""The presets against Polyaxon's own client, which lives in an environment of its own."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from tidegate_components.queues.parse import parse_queues
from tidegate_components.queues.polyaxon import build_polyaxon

PYTHON = Path(__file__).resolve().parents[3] / ".tools" / "polyaxon" / "bin" / "python"
READ = """
import json, sys
from polyaxon._sdk.schemas.v1_queue import V1Queue
from polyaxon.polyaxonfile import OperationSpecification, check_polyaxonfile

given = json.load(sys.stdin)
for queue in given["queues"]:
    assert set(queue) <= set(V1Queue.model_fields), queue
presets, runs = [], []
for number, preset in enumerate(given["presets"]):
    path = f"{sys.argv[1]}/{number}.json"
    json.dump(preset, open(path, "w"))
    presets.append(json.loads(OperationSpecification.read(preset).to_json()))
    run = check_polyaxonfile(polyaxonfile=[sys.argv[2], path], is_cli=False, verbose=False)
    runs.append(json.loads(run.to_json()))
json.dump({"presets": presets, "runs": runs}, sys.stdout)
"""
RUN = {
    "version": 1.1,
    "kind": "component",
    "name": "train",
    "run": {"kind": "job", "container": {"image": "train:1", "command": ["train"]}},
}


@pytest.fixture
def polyaxon(queue_args, catalog):
    """Return the definitions of valid queues with changes to the first of them."""

    def build(agent="", **changes):
        args = queue_args()
        args["queues"][0].update(changes)
        if agent:
            args["polyaxon"] = {"agent": agent}
        return build_polyaxon(parse_queues("gpus", args, catalog))

    return build


@pytest.fixture
def read(tmp_path):
    """Return what Polyaxon's client makes of definitions: each preset, and a run that uses it."""
    if not PYTHON.exists():
        pytest.skip("needs .tools/polyaxon; ./scripts/setup --dev makes it")
    run = tmp_path / "train.json"
    run.write_text(json.dumps(RUN), encoding="utf-8")

    def ask(definitions):
        done = subprocess.run(
            [PYTHON, "-W", "ignore", "-c", READ, str(tmp_path), str(run)],
            input=json.dumps(definitions),
            env={"HOME": str(tmp_path), "POLYAXON_CONTEXT_ROOT": str(tmp_path)},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    return ask


def test_a_preset_holds_all_that_a_run_needs(polyaxon):
    preset = polyaxon(agent="ml", accelerators_per_run=8, timeout_seconds=3600)["presets"][0]

    assert preset == {
        "version": 1.1,
        "kind": "operation",
        "isPreset": True,
        "name": "a100-interruptible",
        "description": "a100-40gb, may be interrupted, from paid, cheap, ordered",
        "tags": ["a100-40gb", "tolerant", "normal"],
        "queue": "ml/a100-interruptible",
        "termination": {"maxRetries": 3, "timeout": 3600},
        "runPatch": {
            "environment": {
                "labels": {
                    "kueue.x-k8s.io/queue-name": "a100-interruptible",
                    "kueue.x-k8s.io/priority-class": "gpus-normal",
                },
                "priorityClassName": "gpus-normal",
                "nodeSelector": {"k8s.amazonaws.com/accelerator": "a100-40gb"},
                "tolerations": [
                    {
                        "key": "nvidia.com/gpu",
                        "operator": "Equal",
                        "value": "present",
                        "effect": "NoSchedule",
                    }
                ],
            },
            "container": {
                "resources": {
                    "requests": {"nvidia.com/gpu": 8},
                    "limits": {"nvidia.com/gpu": 8},
                }
            },
        },
    }


def test_a_queue_of_one_pool_selects_its_nodes(polyaxon):
    preset = polyaxon(pools=["cheap"])["presets"][0]

    selector = preset["runPatch"]["environment"]["nodeSelector"]
    assert selector == {"capacity-pool": "cheap"}


def test_polyaxons_own_parser_takes_the_presets_and_loses_nothing(polyaxon, read):
    definitions = polyaxon(agent="ml", timeout_seconds=3600)

    assert read(definitions)["presets"] == definitions["presets"]


def test_a_run_that_names_the_preset_and_nothing_else_gets_queue_nodes_and_accelerators(
    polyaxon, read
):
    definitions = polyaxon(agent="ml", accelerators_per_run=4)

    run = read(definitions)["runs"][0]

    preset = definitions["presets"][0]
    assert run["queue"] == "ml/a100-interruptible"
    assert run["termination"] == {"maxRetries": 3}
    assert run["runPatch"] == preset["runPatch"]
    assert run["component"]["run"]["container"]["image"] == "train:1"


def test_polyaxons_parser_refuses_a_word_that_it_does_not_know(polyaxon, read):
    definitions = polyaxon()
    definitions["presets"][0]["termination"]["maxRetry"] = 1

    with pytest.raises(AssertionError, match="maxRetry"):
        read(definitions)
