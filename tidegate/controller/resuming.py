"""Runs that the controller stopped, made to go on once they ended."""

from __future__ import annotations

from datetime import datetime, timedelta

import structlog

from tidegate.ports import Runs, StateStore
from tidegate.vocabulary.records import DecisionRecord, Outcome, StoppedRun
from tidegate.vocabulary.reports import SourceFault

LOG = structlog.get_logger("tidegate.controller")
ENDED = frozenset({"stopped", "failed"})
OVER = frozenset({"succeeded", "skipped", "done"})
GOING_ON = frozenset(
    {"resuming", "created", "on_schedule", "compiled", "queued", "scheduled", "starting"}
)
"""Statuses, in Polyaxon's words (2.18)."""
LONGEST = timedelta(hours=1)
"""A run that has not ended by then was never stopped, or is held by something else."""


def resume_runs(store: StateStore, runs: Runs, token: int, now: datetime) -> None:
    """Resume what has ended, and forget what goes on.

    A process that is killed between the two finds the run going on, and forgets it then.

    Raises:
        LeaseLost: Another leads now.
        Unavailable: The store does not answer.
    """
    for run in store.read_stopped_runs():
        try:
            _take_on(store, runs, token, run, now)
        except SourceFault as fault:
            LOG.warning("run not resumed", run=run.run, why=str(fault))


def _take_on(store: StateStore, runs: Runs, token: int, run: StoppedRun, now: datetime) -> None:
    status = runs.fetch_status(run.run)
    if status in ENDED:
        record = DecisionRecord(now, run.pool, "resume", f"{run.run} ended and is to go on")
        (intent,) = store.record_intents(token, [record])
        runs.resume(run.run)
        store.record_outcome(token, intent.id, Outcome.APPLIED, "")
        store.drop_stopped_run(token, run.run)
    elif status in OVER or status in GOING_ON:
        store.drop_stopped_run(token, run.run)
    elif now - run.at > LONGEST:
        text = f"{run.run} is {status}, an hour after it was stopped"
        told = DecisionRecord(now, run.pool, "resume", text, outcome=Outcome.HELD)
        store.record_intents(token, [told])
        store.drop_stopped_run(token, run.run)
