"""What `scripts/setup` runs: the Python environment and the programs, side by side.

Standard library only, for it runs before anything is installed:
`python3 -m tidegate.engine.setup [--dev] [--control-plane] [--polyaxon-server]`.
"""

from __future__ import annotations

import argparse
import contextlib
import fcntl
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from pathlib import Path

from tidegate.engine.control_plane import is_control_plane_current, obtain_control_plane
from tidegate.engine.go_builds import BuildFailed, remove_private_go_cache
from tidegate.engine.programs import OPA, PULUMI
from tidegate.engine.python_environment import (
    APART,
    POLYAXON_SERVER,
    EnvironmentFailed,
    installed_set,
    is_apart_current,
    prepare_apart,
    prepare_environment,
)
from tidegate.engine.toolchain import (
    ToolMissing,
    find_toolchain,
    obtain_program,
    provide_language_host,
    write_shell_environment,
)
from tidegate.engine.toolchain_stamp import is_current, record

_PULSE_SECONDS = 15

Report = Callable[[str], None]


class Progress:
    """Prints what happens, each line with the seconds since the start and the step's name."""

    def __init__(self, *, quiet: bool) -> None:
        self._start = time.monotonic()
        self._lock = threading.Lock()
        self._quiet = quiet
        self.running: set[str] = set()

    def say(self, step: str, message: str) -> None:
        """Print one line at once, whoever reads: a terminal, a pipe or a CI log."""
        if self._quiet:
            return
        with self._lock:
            sys.stdout.write(f"[{time.monotonic() - self._start:5.1f}s] {step}: {message}\n")
            sys.stdout.flush()

    def reporter(self, step: str) -> Report:
        """Return the `report` function of one step."""
        return lambda message: self.say(step, message)

    def run(self, step: str, work: Callable[[Report], None]) -> None:
        """Run one step, known as running while it lasts."""
        self.running.add(step)
        try:
            work(self.reporter(step))
        finally:
            self.running.discard(step)


def setup(
    root: Path,
    *,
    dev: bool,
    control_plane: bool = False,
    polyaxon_server: bool = False,
    quiet: bool = False,
) -> list[str]:
    """Set the checkout up; return what could not be done, as messages for people."""
    environment = dict(os.environ)
    # A developer's fuller environment does for `up` too: never take packages away.
    wanted = "dev" if dev or installed_set(root) == "dev" else "run"
    progress = Progress(quiet=quiet)
    apart = [*(APART if wanted == "dev" else ()), *([POLYAXON_SERVER] if polyaxon_server else ())]
    is_ready = all(is_apart_current(root, name) for name in apart) and (
        not control_plane or is_control_plane_current(root)
    )
    if installed_set(root) == wanted and is_ready and is_current(root, environment):
        progress.say("setup", f"everything is up to date ({wanted})")
        return []

    def python(report: Report) -> None:
        prepare_environment(root, wanted, environment, report)

    def pulumi(report: Report) -> None:
        obtain_program(PULUMI, root, environment, report)

    def opa(report: Report) -> None:
        obtain_program(OPA, root, environment, report)

    failures = _run_together(progress, {"python": python, "pulumi": pulumi, "opa": opa})
    if failures:
        return failures
    steps = {name: partial(prepare_apart, root, name, environment) for name in apart}
    if control_plane:
        steps["control-plane"] = partial(obtain_control_plane, root, environment)
    failures = _run_together(progress, steps) if steps else []
    if failures:
        return failures
    progress.say("setup", f"language host: {provide_language_host(root, environment)}")
    remove_private_go_cache(root / ".tools")
    write_shell_environment(root, find_toolchain(root, environment))
    record(root, environment)
    progress.say("setup", "done")
    return []


def _run_together(progress: Progress, steps: Mapping[str, Callable[[Report], None]]) -> list[str]:
    """Run all steps to their end; the first failure stops none of the others."""
    failures: list[str] = []
    with ThreadPoolExecutor(len(steps)) as pool:
        pending: dict[Future[None], str] = {
            pool.submit(progress.run, name, work): name for name, work in steps.items()
        }
        while pending:
            _wait_a_pulse(pending)
            for future in [future for future in pending if future.done()]:
                name = pending.pop(future)
                error = future.exception()
                if isinstance(error, EnvironmentFailed | ToolMissing | BuildFailed):
                    failures.append(f"{name}: {error}")
                elif error is not None:
                    raise error
            if pending:
                progress.say("setup", f"still working on {', '.join(sorted(progress.running))}")
    return failures


def _wait_a_pulse(pending: dict[Future[None], str]) -> None:
    end = time.monotonic() + _PULSE_SECONDS
    while time.monotonic() < end and not all(future.done() for future in pending):
        time.sleep(0.05)


@contextlib.contextmanager
def _alone(root: Path) -> Iterator[None]:
    """Let one setup work on a checkout at a time; the next waits, then finds all done."""
    path = root / ".tidegate" / "setup.lock"
    path.parent.mkdir(exist_ok=True)
    with path.open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            sys.stdout.write("Another setup is working on this checkout; waiting for it\n")
            sys.stdout.flush()
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def main() -> int:
    """Run the command line; the exit code is 1 when something could not be done."""
    parser = argparse.ArgumentParser(
        prog="scripts/setup",
        description="Set up this checkout: .venv, .tools and .tidegate, nothing else.",
        epilog="Example: scripts/setup --dev",
    )
    parser.add_argument("--dev", action="store_true", help="also what tests and linters need")
    parser.add_argument(
        "--control-plane",
        action="store_true",
        help="also a real Kubernetes control plane, built with Go, for the tests that run one",
    )
    parser.add_argument(
        "--polyaxon-server",
        action="store_true",
        help="also a real Polyaxon server, for the test that runs one",
    )
    parser.add_argument("--quiet", action="store_true", help="print only what goes wrong")
    options = parser.parse_args()
    root = Path(__file__).resolve().parents[2]
    try:
        with _alone(root):
            failures = setup(
                root,
                dev=options.dev,
                control_plane=options.control_plane,
                polyaxon_server=options.polyaxon_server,
                quiet=options.quiet,
            )
    except KeyboardInterrupt:
        sys.stderr.write("setup was interrupted; run it again to go on\n")
        return 130
    for failure in failures:
        sys.stderr.write(f"setup failed: {failure}\n")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
