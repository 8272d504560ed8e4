"""Starting, finding, stopping and resetting the local clouds of a state directory."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import httpx

from tidegate.localclouds.endpoints import (
    Endpoints,
    compute_fingerprint,
    is_locked,
    read_endpoints,
    require_loopback,
)
from tidegate.localclouds.environment import drop_credentials, local_environment
from tidegate.localclouds.server import EXIT_LOCKED
from tidegate.vocabulary.problems import Unavailable

__all__ = [
    "Endpoints",
    "LocalCloudsFault",
    "local_environment",
    "read_endpoints",
    "reset_local_clouds",
    "start_local_clouds",
    "stop_local_clouds",
]

START_SECONDS = 300.0  # a long journal is replayed first
STOP_SECONDS = 10.0
POLL_SECONDS = 0.05
LOG_FILE = "log"
LOG_TAIL = 2000


class LocalCloudsFault(Unavailable):
    """The server could not be started or stopped; the message holds the end of its log."""


def start_local_clouds(
    state_dir: Path, report: Callable[[str], None] = lambda _: None
) -> Endpoints:
    """Start the server of a state directory, or find the one that runs; wait until it answers.

    A server that was killed is started again over the same state; one whose code is older than
    what is installed is replaced.

    Args:
        state_dir: Where its state lives; made when missing.
        report: Told what is being waited for.

    Raises:
        LocalCloudsFault: When it ends or stays silent instead of answering.
    """
    running = read_endpoints(state_dir)
    if running is not None and running.fingerprint != compute_fingerprint():
        report("restarting: its code has changed")
        stop_local_clouds(state_dir)
    elif running is not None and _is_healthy(running):
        return running
    report("starting")
    process: subprocess.Popen[bytes] | None = None
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        if process is None and not is_locked(state_dir):  # a killed one may hold the lock a while
            process = _spawn(state_dir)
        endpoints = read_endpoints(state_dir)
        if endpoints is not None and _is_healthy(endpoints):
            report("ready")
            return endpoints
        code = process.poll() if process else None
        if code == EXIT_LOCKED:  # another was quicker, and may end yet
            process = None
        elif code is not None:
            raise LocalCloudsFault(f"the server ended with {code}:\n{_read_log(state_dir)}")
        time.sleep(POLL_SECONDS)
    raise LocalCloudsFault(
        f"no answer within {START_SECONDS:.0f} s; the end of the log:\n{_read_log(state_dir)}"
    )


def _spawn(state_dir: Path) -> subprocess.Popen[bytes]:
    state_dir.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "tidegate.localclouds.server", "--state-dir", str(state_dir)]
    with (state_dir / LOG_FILE).open("ab") as log:
        process = subprocess.Popen(  # noqa: S603 - our own module
            command,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            env=drop_credentials(os.environ),
            start_new_session=True,
        )
    # The server outlives this process; while this one lives, somebody collects its end.
    threading.Thread(target=process.wait, daemon=True).start()
    return process


def _is_healthy(endpoints: Endpoints) -> bool:
    try:
        url = require_loopback(endpoints.control_url)
        return httpx.get(f"{url}/health", timeout=5, trust_env=False).status_code == httpx.codes.OK
    except httpx.HTTPError:
        return False


def _read_log(state_dir: Path) -> str:
    try:
        return (state_dir / LOG_FILE).read_text(encoding="utf-8", errors="replace")[-LOG_TAIL:]
    except FileNotFoundError:
        return "(no log)"


def stop_local_clouds(state_dir: Path) -> bool:
    """Stop the server of a state directory; return whether one ran. Its state stays.

    Raises:
        LocalCloudsFault: When it does not end even by SIGKILL.
    """
    endpoints = read_endpoints(state_dir)
    if endpoints is None:
        return False
    for signal_number in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.kill(endpoints.pid, signal_number)
        except ProcessLookupError:
            return True
        deadline = time.monotonic() + STOP_SECONDS
        while time.monotonic() < deadline:
            if not is_locked(state_dir):
                return True
            time.sleep(POLL_SECONDS)
    raise LocalCloudsFault(f"process {endpoints.pid} does not end")


def reset_local_clouds(state_dir: Path) -> None:
    """Stop the server and forget everything it held."""
    stop_local_clouds(state_dir)
    if is_locked(state_dir):
        raise LocalCloudsFault(f"a server that is still starting holds {state_dir}")
    shutil.rmtree(state_dir, ignore_errors=True)
