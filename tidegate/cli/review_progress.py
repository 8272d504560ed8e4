"""What a review shows while it works: a bar on a terminal once it takes long, else nothing."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from tidegate.review.settings import Report

PATIENCE_SECONDS = 2.0
STEPS = 13
"""Reading, what is declared, the past, the months to come, the scenarios, every portfolio."""


@contextmanager
def show_review_progress() -> Iterator[Report]:
    """Yield what to tell each step; a bar appears on a terminal after two seconds."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    bar = Progress(*columns, console=Console(stderr=True), transient=True)
    task = bar.add_task("Reviewing commitments", total=STEPS)
    timer = threading.Timer(PATIENCE_SECONDS, bar.start)
    timer.daemon = True
    timer.start()
    try:
        yield lambda step: bar.update(task, description=f"Reviewing: {step}", advance=1)
    finally:
        timer.cancel()
        timer.join()
        bar.stop()
