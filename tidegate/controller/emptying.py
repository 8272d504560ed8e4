"""Carrying errands out: written down first, fenced before each call, a node at a time in order."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from datetime import datetime

import structlog

from tidegate.controller.errands import Errand, Step, rework_seconds
from tidegate.controller.logs import hide_secrets
from tidegate.controller.together import InThreads, finish_all
from tidegate.controller.wiring import Wiring
from tidegate.ports import Cordons, StateStore
from tidegate.vocabulary.fleet_state import RunningPod
from tidegate.vocabulary.records import Outcome, StoppedRun
from tidegate.vocabulary.reports import SourceFault

LOG = structlog.get_logger("tidegate.controller")
OPERATOR_SECONDS = 60
"""What Polyaxon's operator may take to end the pods of a run that was stopped."""
AT_ONCE = 8
"""Nodes that are worked on at the same time."""


@dataclass(frozen=True, slots=True)
class Finished:
    """What became of an errand.

    Attributes:
        errand: What was to be done.
        outcome: What became of it.
        detail: What the cluster said, and what is repeated.
        ended: The pods that were told to end.
    """

    errand: Errand
    outcome: Outcome
    detail: str
    ended: tuple[RunningPod, ...] = ()


class Emptier(InThreads):
    """Carries errands out under one lease."""

    def __init__(
        self, wiring: Wiring, store: StateStore, executor: Executor, token: int, now: datetime
    ) -> None:
        super().__init__(executor)
        self._wiring = wiring
        self._store = store
        self._token = token
        self._now = now
        self._turn = asyncio.Semaphore(AT_ONCE)

    async def run(self, errands: Sequence[Errand]) -> list[Finished]:
        """Write every errand down, then carry them out.

        Raises:
            LeaseLost: Another leads now; what was not asked yet is not asked any more.
        """
        if not errands:
            return []
        intents = await self._run(
            self._store.record_intents, self._token, [each.record for each in errands]
        )
        nodes: dict[str, list[Errand]] = {}
        for errand, record in zip(errands, intents, strict=True):
            key = errand.node or f"#{record.id}"
            nodes.setdefault(key, []).append(replace(errand, record=record))
        done = await finish_all(self._work_on(each) for each in nodes.values())
        return [finished for each in done for finished in each]

    async def _work_on(self, errands: Sequence[Errand]) -> list[Finished]:
        """Do what is to be done on one node; after a fault the rest waits for the next turn."""
        found: list[Finished] = []
        async with self._turn:
            for errand in errands:
                if found and found[-1].outcome is not Outcome.APPLIED:
                    finished = Finished(errand, Outcome.HELD, "what comes before it was not done")
                else:
                    finished = await self._run(self._do, errand)
                found.append(finished)
                await self._run(
                    self._store.record_outcome,
                    self._token,
                    errand.record.id,
                    finished.outcome,
                    finished.detail,
                )
        return found

    def _do(self, errand: Errand) -> Finished:
        cordons = self._wiring.cordons
        if cordons is None:
            return Finished(errand, Outcome.HELD, "no cluster is known that has the node")
        self._store.check_lease(self._token)
        try:
            if errand.step is Step.EVICT:
                return self._evict(errand, cordons)
            self._change(errand, cordons)
        except SourceFault as fault:
            return Finished(errand, Outcome.HELD, hide_secrets(str(fault)))
        return Finished(errand, Outcome.APPLIED, "")

    def _change(self, errand: Errand, cordons: Cordons) -> None:
        pool, names = errand.pool, [pod.name for pod in errand.pods]
        if errand.step is Step.DRAIN:
            cordons.start_drain(pool, errand.node, names, self._now, errand.closed_by_us)
        elif errand.step is Step.PREEMPT:
            cordons.ask_checkpoint(pool, names, self._now)
        else:
            if errand.step is Step.REOPEN:
                cordons.reopen(pool, errand.node)
            cordons.ask_checkpoint(pool, names, None)

    def _evict(self, errand: Errand, cordons: Cordons) -> Finished:
        stopped = self._stop_runs(errand)
        pods = {pod.name: self._grace(errand, pod) for pod in errand.pods if pod.run not in stopped}
        kept = cordons.evict(errand.pool, errand.node, pods)
        ended = tuple(pod for pod in errand.pods if pod.name not in kept)
        told = [explain_rework(pod, self._now) for pod in ended]
        told += [f"{pod} stays: {hide_secrets(why)}" for pod, why in kept.items()]
        told += [f"run {run} is stopped, and resumed once it ended" for run in stopped]
        outcome = Outcome.APPLIED if ended or not kept else Outcome.HELD
        return Finished(errand, outcome, "; ".join(told), ended)

    def _stop_runs(self, errand: Errand) -> list[str]:
        """Stop the runs whose server is known, and return those that end their pods in time.

        That a run is to go on is written down before it is stopped. Where its server does not
        answer, or its machine goes sooner than an operator acts, the pods are evicted as well.
        """
        runs = self._wiring.runs
        if runs is None:
            return []
        stopped = []
        for run in sorted({pod.run for pod in errand.pods if pod.run}):
            if not runs.controls(run):
                continue
            self._store.record_stopped_run(self._token, StoppedRun(run, errand.pool, self._now))
            try:
                runs.stop(run)
            except SourceFault as fault:
                LOG.warning("run not stopped", run=run, why=str(fault))
                continue
            left = errand.ends_at - self._now if errand.ends_at else None
            if left is None or left.total_seconds() > OPERATOR_SECONDS:
                stopped.append(run)
        return stopped

    def _grace(self, errand: Errand, pod: RunningPod) -> int | None:
        """Return what a pod gets to end: its own grace, or what is left before its machine goes."""
        if errand.ends_at is None:
            return None
        left = int((errand.ends_at - self._now).total_seconds())
        return None if left >= pod.grace_seconds else max(left, 1)


def explain_rework(pod: RunningPod, now: datetime) -> str:
    """Return what ending a pod now repeats, for people."""
    seconds = rework_seconds(pod, now)
    if seconds is None:
        return f"{pod.name} repeats all that it did"
    since = "its last checkpoint" if pod.checkpoint_at else "its start"
    return f"{pod.name} repeats {seconds} s since {since}"
