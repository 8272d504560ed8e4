"""One run of the Pulumi CLI as a child: its events, its output, its end."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from tidegate.engine.events import (
    Diagnostic,
    Event,
    PhaseStarted,
    PolicyViolation,
    ResourceStep,
    Summary,
    parse_event,
)
from tidegate.engine.outcomes import decide_outcome
from tidegate.engine.results import Outcome, RunResult

OnEvent = Callable[[Event], None]

_LEVELS = {"mandatory": 0, "remediate": 1}


class PulumiCli:
    """Runs `pulumi` in one project with one environment."""

    def __init__(self, executable: Path, environment: Mapping[str, str]) -> None:
        self._executable = executable
        # `--event-log` exists only with this switch (3.274.1).
        self._environment = {**environment, "PULUMI_DEBUG_COMMANDS": "true"}

    def ask(self, directory: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run a short command to its end; the caller judges the exit code."""
        return subprocess.run(  # noqa: S603 - the Pulumi CLI of the toolchain
            self._command(directory, arguments),
            env=self._environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )

    def run(
        self,
        directory: Path,
        command: str,
        arguments: Sequence[str],
        *,
        on_event: OnEvent | None = None,
        record: Path | None = None,
    ) -> RunResult:
        """Run an operation, reporting each event as it comes.

        An interrupt (Ctrl-C, SIGTERM) is passed on once, so that the engine ends the steps it has
        begun and records them; a second one ends it at once.
        """
        # It loads the whole SDK of Pulumi, which asking for a stack's outputs does not need.
        from tidegate.engine.event_stream import EventStream

        started = time.monotonic()
        collected = Collector(on_event)
        with EventStream(collected.receive, record) as events:
            child = subprocess.Popen(  # noqa: S603 - the Pulumi CLI of the toolchain
                self._command(
                    directory,
                    [command, *arguments, "--event-log", events.address, "--suppress-progress"],
                ),
                env=self._environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                start_new_session=True,
            )
            output, was_interrupted = _read_to_end(child)
        seconds = time.monotonic() - started
        result = collected.result(command, child.returncode, output, seconds)
        if was_interrupted and not result.succeeded:
            # The engine then reports whatever it was at as failed.
            return replace(result, outcome=Outcome.CANCELLED)
        return result

    def _command(self, directory: Path, arguments: Sequence[str]) -> list[str]:
        fixed = ["--non-interactive", "--color", "never", "--cwd", str(directory)]
        return [str(self._executable), *arguments, *fixed]


class Collector:
    """Gathers the events of one run into a result."""

    def __init__(self, on_event: OnEvent | None = None) -> None:
        self._on_event = on_event
        self._steps: dict[tuple[str, str], ResourceStep] = {}
        self._violations: dict[PolicyViolation, None] = {}
        self._diagnostics: dict[Diagnostic, None] = {}
        self._changes: Mapping[str, int] = {}

    def receive(self, raw: Mapping[str, Any]) -> None:
        """Take one event as the engine sent it."""
        event = parse_event(raw)
        if event is None:
            return
        match event:
            case PhaseStarted():
                self._steps.clear()  # the update repeats what the preview foretold
            case ResourceStep():
                self._steps[event.urn, event.operation] = event
            case PolicyViolation():
                self._violations[event] = None
            case Diagnostic():
                self._diagnostics[event] = None
            case Summary():
                self._changes = event.changes
        if self._on_event is not None:
            self._on_event(event)

    def result(self, command: str, exit_code: int, output: str, seconds: float) -> RunResult:
        """Close the run."""
        steps = tuple(self._steps.values())
        violations = tuple(
            sorted(self._violations, key=lambda found: _LEVELS.get(found.level, len(_LEVELS)))
        )
        diagnostics = tuple(self._diagnostics)
        return RunResult(
            command=command,
            outcome=decide_outcome(exit_code, output, steps, violations, diagnostics),
            exit_code=exit_code,
            changes=self._changes,
            steps=steps,
            violations=violations,
            diagnostics=diagnostics,
            output=output,
            duration_seconds=seconds,
        )


def _read_to_end(child: subprocess.Popen[str]) -> tuple[str, bool]:
    """Wait for the child; return what it printed, and whether an interrupt was passed on."""
    pieces: list[str] = []
    assert child.stdout is not None
    pipe = child.stdout

    def read() -> None:
        # What the engine leaves running (a plugin of a killed one) may hold the pipe open: the
        # thread is a daemon, and the end of the child ends the wait.
        with contextlib.suppress(ValueError):
            pieces.extend(iter(pipe.readline, ""))

    reader = threading.Thread(target=read, daemon=True)
    reader.start()
    with _termination_as_interrupt():
        interrupts = 0
        while True:
            try:
                child.wait()
                break
            except KeyboardInterrupt:
                interrupts += 1
                number = signal.SIGINT if interrupts <= 2 else signal.SIGKILL
                with contextlib.suppress(ProcessLookupError):
                    os.kill(child.pid, number)
    reader.join(timeout=1)
    if not reader.is_alive():
        pipe.close()
    return "".join(pieces), interrupts > 0


@contextlib.contextmanager
def _termination_as_interrupt() -> Iterator[None]:
    """Treat SIGTERM as Ctrl-C while the engine works; only the main thread can."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    previous = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, previous)
