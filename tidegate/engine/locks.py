"""Who holds a stack's lock, and whether that process still lives.

A killed `pulumi` leaves its lock behind. The CLI names the holder in its refusal, for every
do-it-yourself backend (file, S3, GCS, Azure Blob) alike.
"""

from __future__ import annotations

import os
import re
import socket
import subprocess
from dataclasses import dataclass
from pathlib import Path

_PROC = Path("/proc")
_HOLDER = re.compile(
    r"created by (?P<user>\S+)@(?P<host>\S+) \(pid (?P<pid>\d+)\) at (?P<since>\S+)"
)


@dataclass(frozen=True, slots=True)
class LockHolder:
    """The process that took a lock.

    Attributes:
        user: The account it ran under.
        host: The machine it ran on.
        pid: Its process id there.
        since: When, as the CLI prints it (RFC 3339).
    """

    user: str
    host: str
    pid: int
    since: str

    def __str__(self) -> str:
        return f"{self.user}@{self.host} (pid {self.pid}, since {self.since})"

    @property
    def is_here(self) -> bool:
        """Whether it ran on this machine, so that we can tell if it lives."""
        return self.host == socket.gethostname()

    @property
    def is_gone(self) -> bool:
        """Whether it surely runs no more; False where that cannot be known."""
        return self.is_here and not _is_pulumi(self.pid)


def parse_holders(output: str) -> tuple[LockHolder, ...]:
    """Read the holders from the CLI's refusal; empty where it names none (Pulumi Cloud)."""
    return tuple(
        LockHolder(found["user"], found["host"], int(found["pid"]), found["since"])
        for found in _HOLDER.finditer(output)
    )


def _is_pulumi(pid: int) -> bool:
    """Whether a process lives and may be a Pulumi CLI; a reused id of another program is not."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True  # alive under another account: not ours to judge
    state, name = _look_up(pid)
    # A killed process keeps its id until its parent asks how it ended, which may be never.
    return not state.startswith("Z") and (not name or name.startswith("pulumi"))


def _look_up(pid: int) -> tuple[str, str]:
    """Return a process's state and its program's name; empty where the system does not say."""
    try:
        status = (_PROC / str(pid) / "stat").read_text(encoding="utf-8")
    except OSError:
        return _ask_ps(pid)
    name, _, rest = status.partition("(")[2].rpartition(")")
    return rest.strip(), name


def _ask_ps(pid: int) -> tuple[str, str]:
    """Ask where there is no `/proc`."""
    try:
        shown = subprocess.run(  # noqa: S603 - fixed arguments
            ["/bin/ps", "-p", str(pid), "-o", "state=,comm="],
            capture_output=True,
            text=True,
            check=False,
        )
    except OSError:
        return "", ""
    state, _, program = shown.stdout.strip().partition(" ")
    return state, Path(program.strip()).name
