"""Progress of the main job: a line that follows the engine on a terminal, plain lines in CI."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol, TextIO

from rich.console import Console
from rich.status import Status

from tidegate.engine.events import Event, PhaseStarted, ResourceStep, StepState


class Progress(Protocol):
    """Told what the main job is doing."""

    def stage(self, sentence: str) -> None:
        """A new stage has begun."""
        ...

    def event(self, event: Event) -> None:
        """The engine reported something."""
        ...


class PlainProgress:
    """One line a stage: quiet and the same in every run, for CI and pipes."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def stage(self, sentence: str) -> None:
        """Print the stage."""
        print(f"» {sentence}", file=self._stream, flush=True)

    def event(self, event: Event) -> None:
        """Say nothing: single resources are no news in a log."""


class LiveProgress:
    """One line that changes, with how many resources are done and which is under way."""

    def __init__(self, status: Status, console: Console) -> None:
        self._status = status
        self._console = console
        self._stage = ""
        self._done = 0

    def stage(self, sentence: str) -> None:
        """Keep the finished stage as a line and begin the next."""
        if self._stage:
            self._console.print(f"[green]✓[/green] {self._stage}")
        self._stage, self._done = sentence, 0
        self._status.update(sentence)

    def event(self, event: Event) -> None:
        """Show the resource under way."""
        if isinstance(event, PhaseStarted):
            self._done = 0
        if isinstance(event, ResourceStep):
            self._done += event.state is StepState.DONE
            self._status.update(f"{self._stage}: {self._done} done, {event.operation} {event.name}")


@contextmanager
def show_progress(stream: TextIO) -> Iterator[Progress]:
    """Yield what to tell of progress, fit for the stream."""
    if not stream.isatty():
        yield PlainProgress(stream)
        return
    console = Console(file=stream)
    with console.status("") as status:
        live = LiveProgress(status, console)
        yield live
        live.stage("")
