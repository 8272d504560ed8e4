"""One OPA server on the loopback interface, for as long as one process needs it."""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import os
import secrets
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from tidegate.opa.local_client import LocalClient, Shared, find_shared_keys
from tidegate.ports import RuleEngineError

_PR_SET_PDEATHSIG = 1  # prctl(2)
_POLL_SECONDS = 0.005
_PORT_ATTEMPTS = 5
_MEMORY_LIMIT = "300MiB"  # from here on OPA collects rather than grows; it is no hard limit

# Whoever else can reach the loopback port can neither ask nor replace rules without the token.
_AUTHORIZATION = """package system.authz

default allow := false

allow if input.identity == "{token}"
"""


class OpaServer:
    """A running `opa run --server`, answering only to who holds its token.

    It never outlives the process that started it: it is killed by `close`, at exit, and by the
    kernel (Linux) when its parent dies in any other way. Start it from the main thread: the
    kernel ties the child to the thread that started it.
    """

    def __init__(
        self,
        program: Path,
        sources: Sequence[Path],
        start_timeout_seconds: float = 15.0,
        *,
        garbage_percent: int = 100,
    ) -> None:
        """Start OPA with all Rego files below `sources`, tests left out, and wait for it.

        Args:
            program: OPA.
            sources: Folders of rules.
            start_timeout_seconds: How long it may take to be ready.
            garbage_percent: By how much OPA's memory may grow over what it needs before it is
                collected (Go's GOGC, which the environment overrides). Many small questions want
                more, one large document wants Go's own 100.

        Raises:
            RuleEngineError: When a rule does not compile (with OPA's words), the program cannot
                be run, or it is not ready in time.
        """
        missing = [str(source) for source in sources if not source.exists()]
        if missing:
            raise RuleEngineError(f"there are no rules at {', '.join(missing)}")
        self.token = secrets.token_urlsafe(32)
        self._environment = {
            "GOGC": str(garbage_percent),
            "GOMEMLIMIT": _MEMORY_LIMIT,
            **os.environ,
        }
        self._directory = tempfile.TemporaryDirectory(prefix="tidegate-opa-")
        self._log = Path(self._directory.name) / "log"
        self._shared = Shared(find_shared_keys(sources))
        self._process: subprocess.Popen[bytes] | None = None
        self._closers: list[Callable[[], object]] = []
        atexit.register(self.close)
        try:
            self._start(program, sources, start_timeout_seconds)
        except BaseException:
            self.close()
            raise

    @property
    def pid(self) -> int:
        """The process id of the server."""
        assert self._process is not None
        return self._process.pid

    def client(self, timeout_seconds: float) -> LocalClient:
        """Return a client that answers or fails within the time, once, without a proxy."""
        client = LocalClient(self.port, self.token, timeout_seconds, self._shared)
        self._closers.append(client.close_connection)
        return client

    def words(self) -> str:
        """Return what OPA itself said (start-up errors), for messages."""
        try:
            return self._log.read_text(encoding="utf-8", errors="replace").strip()
        except OSError:
            return ""

    def is_running(self) -> bool:
        """Return whether the server process is alive."""
        return self._process is not None and self._process.poll() is None

    def close(self) -> None:
        """Kill the server. Safe to call twice and from a signal handler: it does not wait."""
        atexit.unregister(self.close)
        process, self._process = self._process, None
        if process is not None:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(timeout=0.2)
        for close in self._closers:
            close()
        self._closers.clear()
        self._directory.cleanup()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def _start(self, program: Path, sources: Sequence[Path], timeout_seconds: float) -> None:
        authorization = Path(self._directory.name) / "authz.rego"
        authorization.write_text(_AUTHORIZATION.format(token=self.token), encoding="utf-8")
        deadline = time.monotonic() + timeout_seconds
        for _ in range(_PORT_ATTEMPTS):
            self.port = _free_port()
            files = [*sources, authorization]
            self._process = _spawn(program, self.port, files, self._log, self._environment)
            if self._wait_until_ready(deadline):
                # OPA has read its files; a process that is killed later leaves nothing behind.
                self._directory.cleanup()
                return
            if "address already in use" not in self.words():
                break
        raise RuleEngineError(f"OPA did not start: {_shorten(self.words()) or 'it said nothing'}")

    def _wait_until_ready(self, deadline: float) -> bool:
        client = self.client(timeout_seconds=1.0)
        while self.is_running():
            if client.check_health():
                return True
            if time.monotonic() >= deadline:
                raise RuleEngineError("OPA started but was not ready in time")
            time.sleep(_POLL_SECONDS)
        return False


def _spawn(
    program: Path, port: int, sources: Sequence[Path], log: Path, environment: Mapping[str, str]
) -> subprocess.Popen[bytes]:
    command = [
        str(program),
        "run",
        "--server",
        "--skip-version-check",
        f"--addr=127.0.0.1:{port}",
        "--authentication=token",
        "--authorization=basic",
        "--log-level=error",
        # Data is kept as rules read it, and not converted for each question.
        "--optimize-store-for-read-speed",
        "--ignore=*_test.rego",
        "--ignore=*.md",
        "--ignore=*.yaml",
        *map(str, sources),
    ]
    # No standard stream is shared: the engine reads the pack's own, and would wait for OPA's.
    with log.open("wb") as output:
        try:
            return subprocess.Popen(  # noqa: S603 - the program was found by us, the rest is ours
                command,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                env=environment,
                start_new_session=True,  # Ctrl-C is for the parent, which then kills this
                preexec_fn=die_with_parent(os.getpid()) if sys.platform == "linux" else None,
            )
        except OSError as error:
            raise RuleEngineError(f"OPA could not be run ({program}): {error}") from error


def die_with_parent(parent: int) -> Callable[[], None]:
    """Return what a child runs before its program: a wish to be killed with its parent."""
    libc = ctypes.CDLL(None)

    def ask_kernel() -> None:
        libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:  # the parent died before the wish was made
            os._exit(1)

    return ask_kernel


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _shorten(text: str, most: int = 2000) -> str:
    return text if len(text) <= most else f"{text[:most]} …"
