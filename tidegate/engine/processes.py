"""Children that never outlive their parent: each in a process group of its own."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import IO

GRACE_SECONDS = 0.3
"""How long a terminated group may still write its last words before it is killed."""

_POLL_SECONDS = 0.5


class ChildGroups:
    """The children of one process, so that a signal can end all of them at once.

    Each child leads a session of its own: what it starts (a rule server, a shell) ends with it.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._children: set[subprocess.Popen[bytes]] = set()
        self._closed = False

    def start(
        self,
        command: Sequence[str],
        *,
        cwd: Path | str,
        environment: Mapping[str, str],
        stdout: int | IO[bytes] | None = None,
        stderr: int | IO[bytes] | None = None,
    ) -> subprocess.Popen[bytes]:
        """Start `command` without standard input and remember it.

        Raises:
            OSError: The program could not be started.
            RuntimeError: Everything is already being ended.
        """
        with self._lock:
            if self._closed:
                raise RuntimeError("shutting down: no new process is started")
            child = subprocess.Popen(  # noqa: S603 - a fixed command, never a shell
                list(command),
                cwd=cwd,
                env=dict(environment),
                stdin=subprocess.DEVNULL,
                stdout=stdout,
                stderr=stderr,
                start_new_session=True,
            )
            self._children.add(child)
        return child

    def forget(self, child: subprocess.Popen[bytes]) -> None:
        """Drop a child that has ended; what it left behind in its group is killed."""
        with self._lock:
            self._children.discard(child)
        _signal_group(child, signal.SIGKILL)

    def stop_all(self, *, refuse_more: bool = False) -> None:
        """End every group: politely, then after `GRACE_SECONDS` for certain."""
        with self._lock:
            self._closed = self._closed or refuse_more
            children = list(self._children)
        for child in children:
            _signal_group(child, signal.SIGTERM)
        deadline = time.monotonic() + GRACE_SECONDS
        while time.monotonic() < deadline and any(child.poll() is None for child in children):
            time.sleep(0.01)
        for child in children:
            _signal_group(child, signal.SIGKILL)

    def stop(self, child: subprocess.Popen[bytes]) -> None:
        """End one group: politely, then after `GRACE_SECONDS` for certain."""
        _signal_group(child, signal.SIGTERM)
        with contextlib.suppress(subprocess.TimeoutExpired):
            child.wait(GRACE_SECONDS)
        _signal_group(child, signal.SIGKILL)


def _signal_group(child: subprocess.Popen[bytes], number: signal.Signals) -> None:
    # The group outlives its leader while a member lives, so a group already gone is no error.
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(child.pid, number)


def watch_parent(when_lost: Callable[[], None]) -> None:
    """Call `when_lost` from a thread once the parent process is gone, however it ended.

    A killed engine signals nobody, and its children would serve nobody for ever.
    """
    parent = os.getppid()

    def wait() -> None:
        while os.getppid() == parent:
            time.sleep(_POLL_SECONDS)
        when_lost()

    threading.Thread(target=wait, name="watch-parent", daemon=True).start()
