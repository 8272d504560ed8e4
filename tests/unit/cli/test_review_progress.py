from __future__ import annotations

import io
import sys

import pytest
from support.review_inputs import TODAY, build_stack

from tidegate.catalog.load import load_catalog
from tidegate.cli import review_progress
from tidegate.cli.review_progress import STEPS, show_review_progress
from tidegate.manifest.read import read_manifest
from tidegate.review.commitments import ReviewInputs, build_commitment_review
from tidegate.review.sample import build_sample_usage
from tidegate.review.settings import ReviewSettings


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_review_takes_as_many_steps_as_the_bar_is_long():
    steps = ["reading"]
    manifest = read_manifest("stack", build_stack())
    inputs = ReviewInputs("sample", build_sample_usage(manifest, TODAY, 4), [manifest])
    settings = ReviewSettings(today=TODAY)
    build_commitment_review(inputs, load_catalog(), settings, steps.append)
    assert len(steps) == STEPS
    assert len(set(steps)) == STEPS


def test_nothing_is_shown_where_nobody_watches(monkeypatch: pytest.MonkeyPatch):
    quiet = io.StringIO()
    monkeypatch.setattr(sys, "stderr", quiet)
    with show_review_progress() as report:
        report("reading")
    assert quiet.getvalue() == ""


def test_what_is_done_quickly_shows_no_bar(monkeypatch: pytest.MonkeyPatch):
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setattr(review_progress, "PATIENCE_SECONDS", 3600.0)
    with show_review_progress() as report:
        report("reading")
    assert "reading" not in terminal.getvalue()


def test_a_bar_appears_once_it_takes_long(monkeypatch: pytest.MonkeyPatch):
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(review_progress.threading, "Timer", AtOnce)
    with show_review_progress() as report:
        report("reading")
    assert "Reviewing commitments" in terminal.getvalue()


class AtOnce:
    """A timer whose time is over when it starts."""

    daemon = False

    def __init__(self, _: float, act) -> None:
        self.start = act

    def cancel(self) -> None:
        pass

    def join(self) -> None:
        pass
