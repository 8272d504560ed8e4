"""Killed at any moment, the next run converges and makes nothing twice."""

from __future__ import annotations

import json
import os
import random
import signal
import socket
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest

from tidegate.engine.events import Event, ResourceStep
from tidegate.engine.pending import PendingCreate
from tidegate.engine.recovery import RecoveryFailed
from tidegate.engine.results import Outcome
from tidegate.engine.stack import Options
from tidegate.engine.state_files import StateLost

ALL = ["t0", "t1", "t2", "t3", "t4", "t5"]


def kill_engine(project) -> None:
    """Kill the engine, and only the engine."""
    for lock in (project.state / ".pulumi" / "locks").rglob("*.json"):
        os.kill(json.loads(lock.read_text())["pid"], signal.SIGKILL)


def kill(project, after_steps: int, operation: str = "up") -> None:
    """Run an operation and kill it when it has reported so many steps."""
    left = after_steps

    def count(event: Event) -> None:
        nonlocal left
        left -= isinstance(event, ResourceStep)
        if left == 0:
            kill_engine(project)

    run = getattr(project.runner, operation)
    result = run("dev", Options(skip_preview=True), count)
    assert result.outcome is Outcome.KILLED


def kill_while_creating(project, cloud, things: int) -> None:
    """Kill an `up` when so many things exist of which it has not been told."""
    cloud.delay_creations(30)

    def wait() -> None:
        while len(cloud.creations) < things:
            time.sleep(0.02)
        kill_engine(project)

    with ThreadPoolExecutor() as pool:
        waiting = pool.submit(wait)
        result = project.runner.up("dev", Options(skip_preview=True))
        waiting.result()
    assert result.outcome is Outcome.KILLED
    cloud.delay_creations(0)


def assert_converged(project, cloud, expected: list[str]) -> None:
    after = project.runner.up("dev")
    assert after.succeeded, after.explain()
    assert cloud.names == expected
    assert [name for name, count in Counter(cloud.creations).items() if count > 1] == []
    assert not project.runner.preview("dev").has_changes
    assert not project.runner.recover("dev", cloud.find).was_needed


@pytest.mark.parametrize("seed", [1, 2, 3, 4])
def test_converges_after_a_kill_while_creating(project, cloud, seed: int) -> None:
    project.configure(count=6)
    cloud.delay_creations(0.3)
    # 2 steps for the stack and its provider, then 2 for each thing.
    kill(project, after_steps=random.Random(seed).randint(3, 13))

    recovery = project.runner.recover("dev", cloud.find)

    assert recovery.left_alone == []
    adopted = [urn.rsplit("::", 1)[-1] for urn in recovery.adopted]
    # Read only now: the cloud may still be at work on what it was told before the kill.
    assert set(adopted) <= set(cloud.names)
    assert_converged(project, cloud, ALL)


@pytest.mark.parametrize("seed", [5, 6])
def test_converges_after_a_kill_while_updating(project, cloud, seed: int) -> None:
    project.configure(count=6)
    assert project.runner.up("dev", Options(skip_preview=True)).succeeded
    project.configure(count=6, size=20)
    kill(project, after_steps=random.Random(seed).randint(3, 12))

    project.runner.recover("dev", cloud.find)

    assert_converged(project, cloud, ALL)
    assert json.loads((cloud.store / "t5.json").read_text())["size"] == 25


def test_converges_after_a_kill_while_destroying(project, cloud) -> None:
    project.configure(count=6)
    assert project.runner.up("dev", Options(skip_preview=True)).succeeded
    kill(project, after_steps=4, operation="destroy")

    project.runner.recover("dev", cloud.find)

    assert project.runner.destroy("dev", Options(skip_preview=True)).succeeded
    assert cloud.names == []


def test_ends_what_it_began_when_told_to_stop(project, cloud) -> None:
    project.configure(count=6)
    cloud.delay_creations(1)
    told = False

    def stop(event: Event) -> None:
        nonlocal told
        if isinstance(event, ResourceStep) and event.type.startswith("tiny:") and not told:
            told = True
            os.kill(os.getpid(), signal.SIGTERM)

    result = project.runner.up("dev", Options(skip_preview=True), stop)

    assert result.outcome is Outcome.CANCELLED
    assert not project.runner.recover("dev", cloud.find).was_needed
    cloud.delay_creations(0)
    assert_converged(project, cloud, ALL)


def test_a_recovery_that_was_killed_is_recovered(project, cloud) -> None:
    project.configure(count=6)
    kill_while_creating(project, cloud, things=6)

    def interrupted(_: str) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        project.runner.recover("dev", cloud.find, report=interrupted)

    project.runner.recover("dev", cloud.find)
    assert_converged(project, cloud, ALL)


def test_asks_a_person_when_the_cloud_chose_the_identifier(project, cloud) -> None:
    project.configure(count=2, random=True)
    kill_while_creating(project, cloud, things=2)

    with pytest.raises(RecoveryFailed, match="nobody here can tell") as caught:
        project.runner.recover("dev", cloud.find)
    assert "::t0" in str(caught.value)

    def look(pending: PendingCreate) -> str | None:
        for path in cloud.store.glob("*.json"):
            if json.loads(path.read_text())["name"] == pending.inputs["name"]:
                return path.stem
        return None

    recovery = project.runner.recover("dev", look)
    assert sorted(urn.rsplit("::", 1)[-1] for urn in recovery.adopted) == ["t0", "t1"]
    assert not project.runner.preview("dev").has_changes
    assert len(cloud.creations) == 2


def test_leaves_alone_what_has_the_name_but_other_labels(project, cloud) -> None:
    project.configure(count=1)
    kill_while_creating(project, cloud, things=1)
    theirs = json.dumps({"name": "t0", "tags": {"owner": "somebody-else"}})
    (cloud.store / "t0.json").write_text(theirs)

    recovery = project.runner.recover("dev", cloud.find)

    assert [urn.rsplit("::", 1)[-1] for urn in recovery.left_alone] == ["t0"]
    recorded = project.runner.export("dev")["deployment"]["resources"]
    assert [r["type"] for r in recorded if r["type"].startswith("tiny:")] == []
    assert (cloud.store / "t0.json").read_text() == theirs


def test_restores_a_truncated_state_from_its_backup(project, cloud) -> None:
    assert project.runner.up("dev", Options(skip_preview=True)).succeeded
    state = project.state / ".pulumi" / "stacks" / "tiny-project" / "dev.json"
    damaged = state.read_bytes()[:500]
    state.write_bytes(damaged)

    recovery = project.runner.recover("dev", cloud.find)

    assert "restored it from dev.json.bak" in recovery.notes[0]
    assert state.with_name("dev.json.damaged-1").read_bytes() == damaged
    assert_converged(project, cloud, ["t0", "t1", "t2"])


def test_says_so_when_no_copy_of_the_state_can_be_read(project, cloud) -> None:
    assert project.runner.up("dev", Options(skip_preview=True)).succeeded
    for path in (project.state / ".pulumi").rglob("*"):
        if path.is_file() and "dev" in path.name and path.suffix in {".json", ".bak"}:
            path.write_text("{")
    with pytest.raises(StateLost, match="nor can any copy"):
        project.runner.recover("dev", cloud.find)


def test_names_the_living_run_that_holds_the_stack(project) -> None:
    project.runner.ensure_stack("dev")
    project.configure(count=1)
    lock = project.state / ".pulumi" / "locks" / "organization" / "tiny-project" / "dev"
    lock.mkdir(parents=True, exist_ok=True)
    elsewhere = {
        "pid": 4242,
        "username": "ana",
        "hostname": f"not-{socket.gethostname()}",
        "timestamp": "2026-11-30T10:00:00Z",
    }
    (lock / "00000000-0000-0000-0000-000000000001.json").write_text(json.dumps(elsewhere))

    result = project.runner.up("dev")

    assert result.outcome is Outcome.LOCKED
    assert "ana@not-" in result.explain()
    assert "pid 4242" in result.explain()
