"""Real programs that tests start on loopback: ended with the test, however it ends."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn

import httpx
import pytest

from tidegate.opa.server import die_with_parent

READY_SECONDS = 60.0
GRACE_SECONDS = 5.0
POLL_SECONDS = 0.05


def lack(message: str, without: str) -> NoReturn:
    """Skip for want of a program; in continuous integration fail, unless it said so on purpose.

    Args:
        message: What is absent and what to install.
        without: The variable by which `.ci/run` says that it could not be installed.
    """
    if os.environ.get("CI") and not os.environ.get(without):
        pytest.fail(message)
    pytest.skip(message)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def running(
    command: Sequence[str | Path], log: Path, environment: Mapping[str, str] | None = None
) -> Iterator[subprocess.Popen[bytes]]:
    """Run a program until the block ends; also a killed test leaves none behind."""
    with log.open("wb") as output:
        process = subprocess.Popen(
            list(map(str, command)),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            env=None if environment is None else dict(environment),
            cwd=log.parent,
            start_new_session=True,
            preexec_fn=die_with_parent(os.getpid()) if sys.platform == "linux" else None,
        )
    try:
        yield process
    finally:
        _end(process)


def wait_until(
    is_ready: Callable[[], bool],
    process: subprocess.Popen[bytes],
    log: Path,
    seconds: float = READY_SECONDS,
) -> None:
    """Wait until a program is ready; say its last words when it ends or stays silent."""
    until = time.monotonic() + seconds
    while not is_ready():
        words = f"{Path(str(process.args[0])).name}: {log.read_text(errors='replace')[-2000:]}"
        assert process.poll() is None, f"ended with {process.returncode}: {words}"
        assert time.monotonic() < until, f"not ready after {seconds:g} s: {words}"
        time.sleep(POLL_SECONDS)


def answers(url: str, **options: Any) -> bool:
    """Return whether a URL answers with success."""
    try:
        return httpx.get(url, timeout=2, trust_env=False, **options).is_success
    except httpx.HTTPError:
        return False


def _end(process: subprocess.Popen[bytes]) -> None:
    process.send_signal(signal.SIGCONT)  # a paused one hears nothing else
    process.terminate()
    try:
        process.wait(GRACE_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
