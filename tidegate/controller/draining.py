"""Emptying nodes, step by step: closed and asked to save, evicted, and let go once empty. Pure.

What was done so far stands on the nodes and pods themselves, so that a controller that was killed,
or another that took over, goes on where the last step ended. By choice nothing is ended that did
not save itself; what its cloud takes away is saved as far as the time allows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta

from tidegate.controller.errands import (
    Draining,
    DrainRules,
    Errand,
    Step,
    can_resume,
    has_saved,
    staying,
)
from tidegate.controller.machines import find_machine
from tidegate.controller.nodes import PoolSight
from tidegate.controller.yielding import yield_pods
from tidegate.vocabulary.capacity import Scaler
from tidegate.vocabulary.fleet_state import ClusterNode, MachinePhase, RunningPod
from tidegate.vocabulary.plans import Drain, Resize, ScalingPlan, Stop
from tidegate.vocabulary.records import DecisionRecord, Outcome

LAST_SECONDS = 45
"""Before its machine goes, work is told to end at the latest: the usual grace, and a turn."""


def plan_draining(plan: ScalingPlan, sights: Sequence[PoolSight], rules: DrainRules) -> Draining:
    """Return the next step for everything that is to go, and what is let stay after all."""
    found = Draining()
    drains = {drain.node: drain for drain in plan.drains}
    yielding = {each.item: each for each in plan.preemptions}
    for sight in sights:
        if sight.pool.scaler is not Scaler.TIDEGATE:
            continue
        _tell_unlisted(found, sight, drains, rules)
        for node in sight.nodes or ():
            drain = drains.get(node.name)
            if drain or (node.evicting and node.drained_since):
                _Emptying(found, sight, node, rules).go_on(drain)
            elif node.drained_since and node.closed_by_us:
                _reopen(found, sight, node, rules, "it is wanted again")
            yield_pods(found, sight, node, yielding, rules)
    return found


def add_stops(
    plan: ScalingPlan, emptied: Sequence[Stop], sights: Sequence[PoolSight]
) -> ScalingPlan:
    """Return a plan by which the machines of emptied nodes go too."""
    if not emptied:
        return plan
    going = Counter(stop.pool for stop in emptied)
    resizes = {resize.pool: resize for resize in plan.resizes}
    for sight in sights:
        pool = sight.pool.id
        if going[pool] and sight.state and pool not in resizes:
            size = sight.state.target_nodes
            reason = "nodes were emptied"
            resizes[pool] = Resize(pool, size, size - going[pool], (), reason, None)
    return replace(plan, resizes=tuple(resizes.values()), stops=(*plan.stops, *emptied))


class _Emptying:
    """The next step for one node."""

    def __init__(
        self, found: Draining, sight: PoolSight, node: ClusterNode, rules: DrainRules
    ) -> None:
        self.found, self.sight, self.node, self.rules = found, sight, node, rules
        self.forced = node.name in sight.interrupted
        self.ends_at = sight.interrupted.get(node.name)
        self.reason = "goes on being emptied"

    def go_on(self, drain: Drain | None) -> None:
        """Add what comes next."""
        self.reason = drain.reason if drain else self.reason
        why_not = "" if self.forced else self._why_not()
        if why_not:
            if self.node.drained_since and self.node.closed_by_us:
                _reopen(self.found, self.sight, self.node, self.rules, why_not)
            else:
                self._remark(why_not)
            return
        self.found.kept.add(self.node.name)
        if not self.node.work():
            self._let_go()
        elif self.node.drained_since is None:
            self._begin()
        else:
            self._evict()

    def _why_not(self) -> str:
        """Return why a node is not emptied by choice after all."""
        rules, node = self.rules, self.node
        if self.sight.pool.id in rules.held:
            return rules.held[self.sight.pool.id]
        if not rules.choosing.get(self.sight.pool.id):
            return "its cloud would choose which node goes"
        if rules.doubt:
            return f"nothing shrinks while in doubt: {rules.doubt}"
        lost = [pod for pod in node.work() if not can_resume(pod)]
        if lost and not rules.stop_without_checkpoint:
            return f"{lost[0].name} never saved itself, or nothing makes it anew"
        if self._is_late() and any(not pod.leaving for pod in node.work()):
            return f"it was not empty within {rules.limit_seconds:g} s"
        return ""

    def _begin(self) -> None:
        pods = staying(self.node)
        self._add(Step.DRAIN, pods, "closed, and its work is asked to save itself")
        due = self._may_end(pods)
        if due and self._patience() == timedelta(0):
            self._add(Step.EVICT, due, "its work is told to end")

    def _evict(self) -> None:
        since = self.node.drained_since
        assert since is not None
        over = self.rules.now >= since + self._patience()
        left = self._may_end(staying(self.node))
        due = tuple(pod for pod in left if over or has_saved(pod, since))
        if due:
            self._add(Step.EVICT, due, "its work is told to end")
        elif self._is_late():
            self._remark(f"its work does not end, {self.rules.limit_seconds:g} s after it was told")
        else:
            self._remark("waits for its work to save itself and to end")

    def _may_end(self, pods: tuple[RunningPod, ...]) -> tuple[RunningPod, ...]:
        """Return the pods without those that could not resume, while the node might stay."""
        if self.node.name not in self.sight.advised or self.rules.stop_without_checkpoint:
            return pods
        return tuple(pod for pod in pods if can_resume(pod))

    def _let_go(self) -> None:
        """Let the machine go, where it is still there and its cloud deletes what is named."""
        state = self.sight.state
        machines = [m for m in (state and state.machines) or () if m.phase in _THERE]
        pool = self.sight.pool.id
        if pool in self.rules.held or not self.rules.choosing.get(pool):
            return
        if not find_machine(self.node, machines):
            return
        stop = Stop(self.node.name, pool, f"emptied: {self.reason}", None)
        self.found.emptied.append(stop)

    def _patience(self) -> timedelta:
        """Return what work gets to save itself before it is told to end."""
        declared = self.sight.pool.checkpoint
        patience = timedelta(seconds=declared.write_seconds if declared else 0)
        if self.forced and self.ends_at is not None:
            since = self.node.drained_since or self.rules.now
            left = self.ends_at - timedelta(seconds=LAST_SECONDS) - since
            return max(timedelta(0), min(patience, left))
        return patience

    def _is_late(self) -> bool:
        since = self.node.drained_since
        # The time to save itself is declared, and not counted against what it may take to end.
        limit = timedelta(seconds=self.rules.limit_seconds) + self._patience()
        return since is not None and self.rules.now - since > limit

    def _add(self, step: Step, pods: tuple[RunningPod, ...], what: str) -> None:
        text = f"{self.node.name}: {what} ({self.reason})"
        record = DecisionRecord(self.rules.now, self.sight.pool.id, step.value, text)
        by_us = self.node.closed_by_us or not self.node.closed
        self.found.errands.append(
            Errand(step, self.sight.pool.id, self.node.name, pods, record, self.forced, by_us,
                   self.ends_at)
        )  # fmt: skip

    def _remark(self, detail: str) -> None:
        text = f"{self.node.name}: {self.reason}"
        self.found.remarks.append(
            DecisionRecord(self.rules.now, self.sight.pool.id, Step.DRAIN.value, text,
                           outcome=Outcome.HELD, detail=detail)
        )  # fmt: skip


_THERE = frozenset({MachinePhase.STARTING, MachinePhase.RUNNING, MachinePhase.FAILED})


def _reopen(
    found: Draining, sight: PoolSight, node: ClusterNode, rules: DrainRules, why: str
) -> None:
    text = f"{node.name}: {why}"
    record = DecisionRecord(rules.now, sight.pool.id, Step.REOPEN.value, text)
    pods = staying(node)
    found.errands.append(Errand(Step.REOPEN, sight.pool.id, node.name, pods, record))


def _tell_unlisted(
    found: Draining, sight: PoolSight, drains: Mapping[str, Drain], rules: DrainRules
) -> None:
    """Say of which nodes nobody can ask the work to save itself."""
    if sight.nodes is not None:
        return
    detail = "no cluster lists it: its work gets its cloud's own signal and no other"
    found.remarks += [
        DecisionRecord(rules.now, sight.pool.id, Step.DRAIN.value, f"{each.node}: {each.reason}",
                       outcome=Outcome.HELD, detail=detail)
        for each in drains.values()
        if each.pool == sight.pool.id
    ]  # fmt: skip
