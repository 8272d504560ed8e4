"""Leaving a check where its reviewers are: one comment, else the summary of the job."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import typer

from tidegate.forges.surroundings import Forge, Surroundings, read_surroundings
from tidegate.report.check_report import CheckReport
from tidegate.vocabulary.problems import Unavailable, refuse

if TYPE_CHECKING:
    # The HTTP client is loaded only where there is somebody to talk to.
    from tidegate.forges.comments import Thread

_SUMMARY_LIMIT = 1_000_000
"""GitHub shows at most a MiB of a step's summary."""


def find_pull_request() -> Surroundings:
    """Return where a comment would go.

    Raises:
        InvalidInput: When this is no job of a forge at all: there is nowhere to write.
    """
    found = read_surroundings(os.environ)
    if found.forge is None:
        expected = "GITHUB_REPOSITORY and its like, or CI_PROJECT_ID and its like"
        raise refuse("tidegate check", "--comment", None, f"cannot be: {found.missing}", expected)
    return found


def leave_comment(surroundings: Surroundings, report: CheckReport) -> None:
    """Keep the one comment of a check up to date, and say on standard error what was done.

    Where that cannot be, the job's summary gets the same. A forge that is down or says no changes
    nothing of what the check found: its exit code is the verdict's.
    """
    if surroundings.missing:
        _leave_summary(surroundings, report, surroundings.missing)
        return
    from tidegate.forges.comments import apply_comment
    from tidegate.report.comment import build_marker, render_comment

    try:
        with _open_thread(surroundings) as thread:
            body = render_comment(report, thread.limit_bytes)
            applied = apply_comment(thread, build_marker(report), body)
    except Unavailable as error:
        _leave_summary(surroundings, report, str(error))
        return
    typer.echo(f"comment {applied.action.value} {applied.comment.url}".rstrip(), err=True)


@contextmanager
def _open_thread(surroundings: Surroundings) -> Iterator[Thread]:
    number = surroundings.number
    assert number is not None
    if surroundings.forge is Forge.GITLAB:
        from tidegate.forges.gitlab import GitLabThread, open_gitlab

        with open_gitlab(surroundings.base, surroundings.token, time.sleep) as api:
            yield GitLabThread(api, surroundings.project, number)
        return
    from tidegate.forges.github import GitHubThread, open_github

    with open_github(surroundings.base, surroundings.token, time.sleep) as api:
        yield GitHubThread(api, surroundings.project, number)


def _leave_summary(surroundings: Surroundings, report: CheckReport, reason: str) -> None:
    from tidegate.report.comment import render_comment

    summary = surroundings.summary
    if summary is None:
        typer.echo(f"no comment was written: {reason}", err=True)
        return
    try:
        with summary.open("a", encoding="utf-8") as file:
            file.write(render_comment(report, _SUMMARY_LIMIT))
    except OSError as error:
        typer.echo(f"neither comment nor summary was written: {reason}; {error.strerror}", err=True)
        return
    typer.echo(f"the summary of the job has it, no comment: {reason}", err=True)
