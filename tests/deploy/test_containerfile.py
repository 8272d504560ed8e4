"""The container file: what it says, and its build steps carried out on this machine.

No container engine is needed: BuildKit's own parser reads the file, and the steps of its first
stage run in a folder, with the paths of the image below it.
"""

from __future__ import annotations

import fnmatch
import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import dockerfile
import httpx
import pytest
from support.in_cluster import build_manifest
from support.programs import answers, free_port, running, wait_until
from tidegate_components.controller.pod import PORT, STATE, USER

ROOT = Path(__file__).resolve().parents[2]
FILE = ROOT / "deploy" / "Containerfile"


def read_stages() -> list[list[Any]]:
    """Return the commands of each stage; those before the first one are left out."""
    stages: list[list[Any]] = []
    for command in dockerfile.parse_file(str(FILE)):
        if command.cmd == "FROM":
            stages.append([])
        if stages:
            stages[-1].append(command)
    return stages


BUILD, RUN = read_stages()


def of(stage: list[Any], cmd: str) -> list[Any]:
    return [each for each in stage if each.cmd == cmd]


def test_bases_are_named_by_an_exact_line_of_python_and_nothing_is_fetched_by_address():
    bases = {each.value for each in dockerfile.parse_file(str(FILE)) if each.cmd == "ARG"}

    assert bases == {("BASE=docker.io/library/python:3.11-slim-bookworm",)}
    assert [stage[0].value[0] for stage in (BUILD, RUN)] == ["${BASE}", "${BASE}"]
    assert not any(of(stage, "ADD") for stage in (BUILD, RUN))


def test_every_dependency_is_installed_by_its_hash_from_the_lock():
    installs = [each.value[0] for each in of(BUILD, "RUN") if " install " in each.value[0]]

    locked, own = installs
    assert "--require-hashes --only-binary :all: -r requirements/controller.txt" in locked
    assert "--no-deps --no-build-isolation" in own
    assert not any("pip" in each.value[0] for each in of(RUN, "RUN"))


def test_it_runs_as_the_user_and_in_the_folder_that_the_pod_states():
    assert [each.value[0] for each in of(RUN, "USER")] == [f"{USER}:{USER}"]
    assert [each.value[0] for each in of(RUN, "WORKDIR")] == [STATE]
    assert [each.value[0] for each in of(RUN, "EXPOSE")] == [str(PORT)]
    assert [each.value for each in of(RUN, "ENTRYPOINT")] == [("tidegate",)]
    assert RUN.index(of(RUN, "USER")[0]) > RUN.index(of(RUN, "RUN")[-1])


def copied() -> list[tuple[list[str], str]]:
    """Return what the first stage takes from the checkout, with where it goes."""
    return [([*each.value[:-1]], each.value[-1]) for each in of(BUILD, "COPY") if not each.flags]


def test_what_is_copied_reaches_the_build_and_nothing_else_does():
    lines = (FILE.parent / "Containerfile.dockerignore").read_text("utf-8").splitlines()
    rules = [line for line in lines if line and not line.startswith("#")]
    taken = {name for names, _ in copied() for name in names}

    assert rules[0] == "*"
    assert {rule.removeprefix("!") for rule in rules if rule.startswith("!")} == taken
    assert all((ROOT / name).exists() for name in taken)
    assert any(fnmatch.fnmatch("tidegate/__pycache__", rule) for rule in rules[1:])


def build_in(folder: Path) -> Path:
    """Carry the steps of the first stage out; return the environment that they make."""
    source, made = folder / "src", folder / "opt" / "tidegate"
    tools = folder / "tools"
    subprocess.run([sys.executable, "-m", "venv", str(tools)], check=True)
    environment = {**os.environ, "PATH": f"{tools / 'bin'}:{os.environ['PATH']}"}
    environment.pop("VIRTUAL_ENV", None)
    source.mkdir()
    for each in BUILD:
        if each.cmd == "COPY":
            _copy(each, source)
        elif each.cmd == "RUN":
            step = each.value[0].replace("/opt/tidegate", str(made))
            subprocess.run(["sh", "-ec", step], cwd=source, env=environment, check=True)
    return made


def _copy(command: Any, source: Path) -> None:
    *names, place = command.value
    for name in names:
        target = source / (name if place == "./" else place)
        target.parent.mkdir(parents=True, exist_ok=True)
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, target, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(ROOT / name, target)


@pytest.fixture(scope="module")
def image(tmp_path_factory):
    folder = tmp_path_factory.mktemp("image")
    yield build_in(folder)
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def run(image, tmp_path):
    """Run the image's `tidegate` with the environment of a pod: nothing but a home and a path."""

    def call(*arguments: str, **given: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [str(image / "bin" / "tidegate"), *arguments],
            cwd=tmp_path,
            env={"PATH": f"{image / 'bin'}:/usr/bin:/bin", "HOME": str(tmp_path), **given},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    return call


@pytest.fixture
def files(tmp_path):
    """Return the files that the ConfigMap holds, in a folder, with a queue that has no work."""
    pool = build_manifest("aws", kind="managed-training", scaler="provider", cluster="")
    pool["pools"] = [each for each in pool["pools"] if each["id"] == "train"]
    outputs = {"capacity": pool, "bindings": {"pools": {"train": {"cloud": "aws"}}}}
    (tmp_path / "outputs.json").write_text(json.dumps(outputs))
    (tmp_path / "sources.yaml").write_text("sources: []\n")
    return [
        "--outputs",
        str(tmp_path / "outputs.json"),
        "--sources",
        str(tmp_path / "sources.yaml"),
    ]


@pytest.mark.slow
def test_the_image_has_what_the_controller_needs_and_neither_pip_nor_pulumi(image, run):
    shown = run("controller", "--help")
    assert (shown.returncode, shown.stderr) == (0, "")
    assert "Observe demand" in shown.stdout

    everything = run("--help")
    assert (everything.returncode, everything.stderr) == (0, "")
    lacking = run("local", "up")
    assert lacking.returncode == 1
    assert "install tidegate[local]" in lacking.stderr
    assert "Traceback" not in lacking.stderr
    (packages,) = (image / "lib").glob("python3.*/site-packages")
    assert not [name for name in ("pip", "pulumi", "moto", "pytest") if (packages / name).exists()]


@pytest.mark.slow
def test_the_image_plans_a_turn_and_refuses_bad_input(run, files, tmp_path):
    planned = run("controller", "plan", *files, "--state-dir", str(tmp_path / "state"))
    assert planned.returncode == 0, planned.stderr

    refused = run("controller", "plan", "--outputs", "nothing.json")
    assert refused.returncode == 2
    assert "nothing.json: cannot be read" in refused.stderr.replace("\n", "")


@pytest.mark.slow
def test_the_image_runs_answers_probes_and_ends_on_sigterm(image, files, tmp_path):
    port, state, log = free_port(), tmp_path / "state", tmp_path / "log"
    face = f"http://127.0.0.1:{port}"
    command = [
        *(image / "bin" / "tidegate", "controller", "run", *files),
        *("--state-dir", state, "--interval", "1", "--listen", f"127.0.0.1:{port}"),
    ]
    with running(command, log, {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path)}) as process:
        wait_until(lambda: answers(f"{face}/readyz"), process, log)
        assert answers(f"{face}/healthz")
        assert "tidegate_leads 1.0" in httpx.get(f"{face}/metrics", trust_env=False).text
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 0, log.read_text()
    assert (state / "controller.db").is_file()
