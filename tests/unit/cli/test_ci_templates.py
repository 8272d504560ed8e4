"""What the action and the GitLab template run, run here with a stand-in of their forge."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from support import changes
from support.forge import SOMEBODY, TOKEN, StandIn, serve_forge

ROOT = Path(__file__).resolve().parents[3]
PROGRAM = """
import json
import pulumi
import pulumi_aws as aws

aws.s3.Bucket("bare" if {bare} else "data", tags={{}} if {bare} else json.loads({labels!r}))
pulumi.export("capacity", json.loads({capacity!r}))
"""


@pytest.fixture
def forge():
    with serve_forge(StandIn()) as stand_in:
        yield stand_in


@pytest.fixture
def workspace(tmp_path):
    """Return a checkout with a program in `infra gpu`, whose bucket lacks its labels or not."""
    folder = tmp_path / "infra gpu"
    folder.mkdir()
    (folder / "Pulumi.yaml").write_text("name: vision\nruntime: python\n")
    (folder / "Pulumi.prod.yaml").write_text("config: {}\n")
    (tmp_path / "before.json").write_text(changes.export(changes.manifest()))
    (tmp_path / "event.json").write_text(json.dumps({"pull_request": {"number": 7}}))

    def write(*, bare):
        texts = {
            "labels": json.dumps(changes.LABELS),
            "capacity": json.dumps(changes.manifest(maxNodes=8)),
        }
        (folder / "__main__.py").write_text(PROGRAM.format(bare=bare, **texts))

    write(bare=True)
    return tmp_path, write


def run_script(script, workspace, **variables):
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        ["bash", "-c", script],
        cwd=workspace,
        env={"PATH": path, "HOME": str(workspace), **variables},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def read_action():
    return yaml.safe_load((ROOT / "action.yml").read_text())


def variables_of(step, inputs):
    """Return a step's variables as the runner fills them in."""
    values = {name: str(each.get("default", "")) for name, each in read_action()["inputs"].items()}
    values |= {name.replace("_", "-"): value for name, value in inputs.items()}
    found = re.compile(r"\$\{\{ inputs\.([a-z-]+) \}\}")
    return {
        name: found.sub(lambda match: values[match[1]], text) for name, text in step["env"].items()
    }


def test_the_action_pastes_no_input_into_a_script():
    scripts = [step["run"] for step in read_action()["runs"]["steps"] if "run" in step]
    assert scripts
    assert not [script for script in scripts if "${{" in script]


def test_every_input_of_the_action_is_used_and_its_opa_is_ours():
    action = read_action()
    steps = yaml.safe_dump(action["runs"]["steps"])
    used = set(re.findall(r"inputs\.([a-z-]+)", steps))
    assert used == set(action["inputs"])
    pinned = re.search(r"open-policy-agent/opa v(\S+)", (ROOT / "tools/opa/go.mod").read_text())
    assert f"version: {pinned[1]}" in steps
    assert f"default: {pinned[1]}" in (ROOT / "templates/check.yml").read_text()


def test_the_action_keeps_one_comment_with_the_cost_and_marks_lines(workspace, forge):
    folder, write = workspace
    (step,) = [each for each in read_action()["runs"]["steps"] if each.get("name") == "Check"]
    variables = variables_of(
        step,
        {
            "program": "infra gpu",
            "before": "before.json\n",
            "token": TOKEN,
            "arguments": "--severity\nlow",
            "sarif": "out.sarif",
        },
    )
    surroundings = {
        "GITHUB_WORKSPACE": str(folder),
        "GITHUB_REPOSITORY": "acme/vision",
        "GITHUB_EVENT_PATH": str(folder / "event.json"),
        "GITHUB_API_URL": forge.url,
    }
    bad = run_script(step["run"], folder, **surroundings, **variables)
    assert (bad.returncode, "comment created" in bad.stderr) == (1, True)
    assert "::error file=infra gpu/__main__.py,line=6,title=TG-LBL-001" in bad.stdout
    write(bare=False)
    good = run_script(step["run"], folder, **surroundings, **variables)
    assert (good.returncode, "comment updated" in good.stderr) == (0, True)
    (comment,) = forge.comments
    assert "## Tidegate check passes: vision/prod" in comment["body"]
    assert "| gcp pool train (on-demand) |" in comment["body"]
    assert json.loads((folder / "out.sarif").read_text())["version"] == "2.1.0"
    assert TOKEN not in bad.stdout + bad.stderr + good.stdout + good.stderr


def test_the_gitlab_template_keeps_one_note_and_writes_its_reports(workspace, forge):
    folder, write = workspace
    write(bare=False)
    forge.user = {**SOMEBODY, "id": 99}
    spec, jobs = yaml.safe_load_all((ROOT / "templates/check.yml").read_text())
    inputs = {name: each["default"] for name, each in spec["spec"]["inputs"].items()}
    inputs |= {"program": "infra gpu", "arguments": "--before\nbefore.json"}
    job = jobs["tidegate-check"]
    filled = re.compile(r"\$\[\[ inputs\.(\w+) \]\]")
    assert set(filled.findall(yaml.safe_dump(jobs, width=1000))) == set(inputs)
    variables = {
        name: filled.sub(lambda match: inputs[match[1]], text)
        for name, text in job["variables"].items()
    }
    surroundings = {
        "CI_PROJECT_ID": "42",
        "CI_MERGE_REQUEST_IID": "7",
        "CI_API_V4_URL": forge.url,
        "GITLAB_TOKEN": TOKEN,
    }
    ended = run_script("\n".join(job["script"]), folder, **surroundings, **variables)
    assert (ended.returncode, ended.stderr) == (0, "comment created\n")
    assert [each["body"].splitlines()[0] for each in forge.comments] == [
        "<!-- tidegate-check: vision/prod -->"
    ]
    written = {path for kind in job["artifacts"]["reports"].values() for path in [kind]}
    written |= set(job["artifacts"]["paths"])
    assert all((folder / path).is_file() for path in written)
