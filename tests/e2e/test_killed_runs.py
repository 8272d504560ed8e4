"""Whatever is killed, and whenever: the next run converges, and nothing was made twice."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from support.workspace import Workspace, find_programs, open_workspace

from tidegate.localclouds.endpoints import read_endpoints
from tidegate.localclouds.lifecycle import stop_local_clouds

pytestmark = pytest.mark.slow

WAIT_SECONDS = 120.0
COMMAND = "from tidegate.cli.main import run; run()"


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    """A workspace of its own: what a killed run left must not help the next."""
    opened = open_workspace(tmp_path)
    yield opened
    stop_local_clouds(tmp_path / ".tidegate" / "local")


def start_up(root: Path) -> subprocess.Popen[bytes]:
    """Start `tidegate up dev` as a user would."""
    programs = str(find_programs().pulumi.path.parent)
    with (root / "log").open("wb") as log:
        return subprocess.Popen(
            [sys.executable, "-c", COMMAND, "up", "dev", "--project", str(root)],
            stdout=log,
            stderr=log,
            env={**os.environ, "PATH": os.pathsep.join([programs, os.environ["PATH"]])},
        )


def list_made(root: Path) -> list[tuple[str, str]]:
    """Return (URN, id) of everything that the engine made in the local clouds."""
    endpoints = read_endpoints(root / ".tidegate" / "local")
    if endpoints is None:
        return []
    try:
        made = httpx.get(f"{endpoints.control_url}/resources", timeout=10, trust_env=False).json()
    except httpx.HTTPError:
        return []
    return [(resource["urn"], resource["id"]) for resource in made]


def kill_run(root: Path, *, clouds_too: bool) -> None:
    """Kill -9 every process that works below `root`, as a machine that goes down would."""
    wanted = str(root).encode()
    for process in Path("/proc").iterdir():
        if not process.name.isdigit() or int(process.name) == os.getpid():
            continue
        try:
            command = (process / "cmdline").read_bytes()
            environment = (process / "environ").read_bytes()
        except OSError:
            continue
        is_cloud = b"tidegate.localclouds.server" in command
        if (wanted in command or wanted in environment) and (clouds_too or not is_cloud):
            try:
                os.kill(int(process.name), signal.SIGKILL)
            except ProcessLookupError:
                continue


@pytest.mark.parametrize(
    ("made_before", "clouds_too"), [(1, False), (12, True), (24, False), (33, True)]
)
def test_a_killed_up_converges_and_makes_nothing_twice(
    workspace: Workspace, made_before: int, clouds_too: bool
) -> None:
    started = start_up(workspace.root)
    deadline = time.monotonic() + WAIT_SECONDS
    while len(list_made(workspace.root)) < made_before:
        assert started.poll() is None, (workspace.root / "log").read_text()
        assert time.monotonic() < deadline, "the run made nothing"
        time.sleep(0.02)
    kill_run(workspace.root, clouds_too=clouds_too)
    started.wait()
    again = start_up(workspace.root)
    assert again.wait(timeout=WAIT_SECONDS) == 0, (workspace.root / "log").read_text()
    workspace.restart_clouds()
    made = Counter(urn for urn, _ in list_made(workspace.root))
    recorded = {resource["urn"] for resource in workspace.custom_resources("dev")}
    assert {urn: count for urn, count in made.items() if count > 1} == {}
    assert set(made) == recorded
    page = workspace.root / ".tidegate" / "reviews" / "commitments.html"
    assert page.read_text().startswith("<!DOCTYPE html>")
