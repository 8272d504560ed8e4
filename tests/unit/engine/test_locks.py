"""Is the holder of a lock gone? Only what can be known from this machine counts."""

from __future__ import annotations

import os
import socket
import subprocess
import sys

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


def test_a_reused_process_id_of_another_program_is_gone() -> None:
    assert holder(os.getpid()).is_gone


def test_nothing_is_known_of_another_machine() -> None:
    assert not holder(1, host="not-" + socket.gethostname()).is_gone
