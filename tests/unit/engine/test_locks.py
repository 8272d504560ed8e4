"""Is the holder of a lock gone? Only what can be known from this machine counts."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tidegate.engine.locks import LockHolder, parse_holders

# As pulumi 3.274.1 prints it (recorded 2026-11-30).
REFUSAL = """error: the stack is currently locked by 2 lock(s). Either wait for the other \
process(es) to end or delete the lock file with `pulumi cancel`.
  file:///state/.pulumi/locks/organization/p/dev/1.json: created by ana@build-7 (pid 41) at \
2026-11-30T12:22:49Z
  s3://state/.pulumi/locks/organization/p/dev/2.json: created by bo@build-8 (pid 42) at \
2026-11-30T12:23:49+01:00
"""


def holder(pid: int, host: str = "") -> LockHolder:
    return LockHolder("ana", host or socket.gethostname(), pid, "2026-11-30T12:22:49Z")


def test_reads_every_holder_from_the_refusal() -> None:
    assert parse_holders(REFUSAL) == (
        LockHolder("ana", "build-7", 41, "2026-11-30T12:22:49Z"),
        LockHolder("bo", "build-8", 42, "2026-11-30T12:23:49+01:00"),
    )
    assert parse_holders("[409] Conflict: Another update is currently in progress.") == ()


def test_a_process_that_ended_is_gone() -> None:
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    assert holder(ended.pid).is_gone


@pytest.fixture
def pulumi_process(tmp_path: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A process that the system calls `pulumi`."""
    sleep = shutil.which("sleep")
    assert sleep is not None
    program = tmp_path / "pulumi"
    shutil.copy(sleep, program)
    process = subprocess.Popen([str(program), "60"])
    yield process
    process.kill()
    process.wait()


def test_a_pulumi_that_runs_holds_its_lock(pulumi_process: subprocess.Popen[bytes]) -> None:
    assert not holder(pulumi_process.pid).is_gone


def test_a_killed_process_whose_parent_never_asked_is_gone(
    pulumi_process: subprocess.Popen[bytes],
) -> None:
    pulumi_process.kill()
    os.waitid(os.P_PID, pulumi_process.pid, os.WEXITED | os.WNOWAIT)
    assert holder(pulumi_process.pid).is_gone


def test_without_proc_the_system_is_asked(
    pulumi_process: subprocess.Popen[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tidegate.engine.locks._PROC", Path("/nowhere"))
    assert not holder(pulumi_process.pid).is_gone
    pulumi_process.kill()
    os.waitid(os.P_PID, pulumi_process.pid, os.WEXITED | os.WNOWAIT)
    assert holder(pulumi_process.pid).is_gone


def test_a_reused_process_id_of_another_program_is_gone() -> None:
    assert holder(os.getpid()).is_gone


def test_nothing_is_known_of_another_machine() -> None:
    assert not holder(1, host="not-" + socket.gethostname()).is_gone
