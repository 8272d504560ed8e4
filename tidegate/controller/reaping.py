"""Idle notebooks and endpoints: looked at, warned of, and stopped when nobody objects.

What is known of a warning is what the store has of decisions, so that another controller that takes
over neither forgets one nor warns again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field

import structlog

from tidegate.controller.logs import hide_secrets
from tidegate.controller.reap_records import ACTIONS, Reaped, build_record, find_warning
from tidegate.controller.together import InThreads, finish_all
from tidegate.controller.watching import Lookout
from tidegate.controller.wiring import Wiring
from tidegate.ports import Clock, StateStore
from tidegate.scaling.reap_rules import build_reap_rules
from tidegate.scaling.reaping import (
    ReapAction,
    ReapDecision,
    ReapRule,
    ReapSettings,
    ReapSight,
    ReapVerdict,
    Snooze,
    decide_reaping,
)
from tidegate.scaling.rightsizing import RightsizingHint, hint_sizes, observe_pools
from tidegate.vocabulary.fleet_state import CloudRefused, RefusalKind
from tidegate.vocabulary.problems import Unavailable
from tidegate.vocabulary.reaping import ReapableState
from tidegate.vocabulary.records import DecisionRecord, Outcome, OverrideRecord
from tidegate.vocabulary.reports import SourceFault
from tidegate.vocabulary.use import UseReport

LOG = structlog.get_logger("tidegate.controller")
AT_ONCE = 8
"""Asked at the same time: pools have the same threads."""
REMEMBERED = 50
"""Decisions on one notebook or endpoint among which its last warning is looked for."""


@dataclass(frozen=True, slots=True)
class Reaping:
    """One look at all that Tidegate may stop, and what comes of it.

    Attributes:
        sights: What was seen.
        decisions: What is done with each.
        hints: Pools whose nodes have more accelerators than their work used.
        faults: Source of utilisation → why it cannot be believed; empty where it can.
    """

    sights: Sequence[ReapSight] = ()
    decisions: Sequence[ReapDecision] = ()
    hints: Sequence[RightsizingHint] = ()
    faults: Mapping[str, str] = field(default_factory=dict)


class Reaper(InThreads):
    """Looks, decides and carries out, for one controller."""

    def __init__(
        self, clock: Clock, executor: Executor, seconds: float, settings: ReapSettings
    ) -> None:
        super().__init__(executor)
        self._clock = clock
        self._settings = settings
        self._states = Lookout(clock, executor, seconds)
        self._uses = Lookout(clock, executor, seconds)
        self._said: dict[str, str] = {}

    async def look(self, wiring: Wiring, store: StateStore | None) -> Reaping:
        """Look and decide; change nothing, and write nothing down."""
        rules = build_reap_rules(wiring.manifest)
        turn = asyncio.Semaphore(AT_ONCE)
        reports, faults = await self._measure(wiring, turn)
        self._states.forget_others({rule.id for rule in rules})
        said = await self._run(store.read_overrides) if store and rules else []
        snoozes = {each.pool: each for each in said}
        sights = await asyncio.gather(
            *(self._see(rule, wiring, store, reports, faults, snoozes, turn) for rule in rules)
        )
        chips = {pool.id: pool.accelerators_per_node for pool in wiring.manifest.pools}
        return Reaping(
            sights=sights,
            decisions=decide_reaping(sights, self._settings, self._clock.now()),
            hints=hint_sizes(observe_pools(reports.values(), chips)),
            faults={name: faults.get(name, "") for name in sorted({*reports, *faults})},
        )

    async def carry_out(
        self, wiring: Wiring, store: StateStore, token: int, reaping: Reaping
    ) -> tuple[Reaped, ...]:
        """Warn, withdraw and stop; everything is written down, and stops before they are made.

        Raises:
            LeaseLost: Another leads now; what was not asked yet is not asked any more.
        """
        due = [each for each in reaping.decisions if self._is_news(each)]
        at = self._clock.now()
        written = await self._run(
            store.record_intents, token, [build_record(each, at) for each in due]
        )
        pairs = zip(due, written, strict=True)
        turn = asyncio.Semaphore(AT_ONCE)
        states = {sight.rule.id: sight.state for sight in reaping.sights}
        found = await finish_all(
            self._carry_one(wiring, store, token, (each, states[each.rule.id]), row.id, turn)
            for each, row in pairs
        )
        for done in found:
            self._states.forget(done.decision.rule.id)
            _log(done)
        return tuple(found)

    def _is_news(self, decision: ReapDecision) -> bool:
        """Return whether a decision is written down: what is held is said once for each reason."""
        if decision.verdict not in ACTIONS:
            self._said.pop(decision.rule.id, None)
            return False
        if decision.verdict is not ReapVerdict.HOLD:
            return True
        # Ages in a reason grow with every turn and are no news.
        told = "".join(letter for letter in decision.reason if not letter.isdigit())
        known, self._said[decision.rule.id] = self._said.get(decision.rule.id), told
        return known != told

    async def _measure(
        self, wiring: Wiring, turn: asyncio.Semaphore
    ) -> tuple[dict[str, UseReport], dict[str, str]]:
        """Ask the sources of utilisation; return what they told, and why some did not."""
        found = await asyncio.gather(
            *(self._uses.look(source.name, source.fetch, turn) for source in wiring.use)
        )
        self._uses.forget_others({source.name for source in wiring.use})
        named = [(source.name, *told) for source, told in zip(wiring.use, found, strict=True)]
        reports = {name: report for name, report, _ in named if report is not None}
        return reports, {name: fault for name, report, fault in named if report is None}

    async def _see(
        self,
        rule: ReapRule,
        wiring: Wiring,
        store: StateStore | None,
        reports: Mapping[str, UseReport],
        faults: Mapping[str, str],
        snoozes: Mapping[str, OverrideRecord],
        turn: asyncio.Semaphore,
    ) -> ReapSight:
        state, unread = await self._read(rule, wiring, turn)
        silent = [source.name for source in wiring.use if source.about == rule.id]
        past: Sequence[DecisionRecord] = []
        if store is not None:
            past = await self._run(store.read_decisions, rule.id, REMEMBERED)
        word = snoozes.get(rule.id)
        return ReapSight(
            rule=rule,
            state=state,
            unread=unread,
            reports=tuple(each for each in reports.values() if each.about == rule.id),
            faults=tuple(f"{name}: {faults[name]}" for name in silent if name in faults),
            warned_at=find_warning(past),
            snooze=None if word is None else Snooze(word.owner, word.until),
        )

    async def _read(
        self, rule: ReapRule, wiring: Wiring, turn: asyncio.Semaphore
    ) -> tuple[ReapableState | None, str]:
        reapables = wiring.reapables
        if reapables is None:
            return None, "no cloud is wired to this controller"

        def fetch() -> ReapableState:
            try:
                return reapables.fetch_state(rule.id)
            except CloudRefused as refusal:
                raise SourceFault(str(refusal)) from refusal

        return await self._states.look(rule.id, fetch, turn)

    async def _carry_one(
        self,
        wiring: Wiring,
        store: StateStore,
        token: int,
        due: tuple[ReapDecision, ReapableState | None],
        row: int,
        turn: asyncio.Semaphore,
    ) -> Reaped:
        async with turn:
            done = await self._run(self._act, wiring, store, token, *due)
        await self._run(store.record_outcome, token, row, done.outcome, done.detail)
        return done

    def _act(
        self,
        wiring: Wiring,
        store: StateStore,
        token: int,
        decision: ReapDecision,
        state: ReapableState | None,
    ) -> Reaped:
        if decision.verdict is ReapVerdict.HOLD:
            return Reaped(decision, Outcome.HELD)
        detail = _tell(wiring, decision)
        if decision.verdict is ReapVerdict.WARN and detail:
            # Nobody was warned, so the time until the end does not begin either.
            return Reaped(decision, Outcome.HELD, detail)
        if decision.verdict is ReapVerdict.END:
            try:
                _refuse_changed(wiring, decision, state)
                store.check_lease(token)
                _stop(wiring, decision)
            except CloudRefused as refusal:
                text = hide_secrets(str(refusal))
                return Reaped(decision, Outcome.REFUSED, text, refusal.kind)
        return Reaped(decision, Outcome.APPLIED, detail)


def _tell(wiring: Wiring, decision: ReapDecision) -> str:
    """Tell whoever listens; return why that failed, empty where it did not."""
    if wiring.messenger is None:
        return ""
    rule, manifest = decision.rule, wiring.manifest
    try:
        wiring.messenger.tell(
            {
                "stack": f"{manifest.project}/{manifest.stack}",
                "what": ACTIONS[decision.verdict],
                "id": rule.id,
                "owner": rule.owner,
                "reason": decision.reason,
                "endsAt": decision.ends_at.isoformat() if decision.ends_at else "",
            }
        )
    except Unavailable as error:
        return hide_secrets(f"its owner was not told: {error}")
    return ""


def _refuse_changed(wiring: Wiring, decision: ReapDecision, state: ReapableState | None) -> None:
    """Look again: what somebody started or used since it was looked at is not idle."""
    reapables, rule = wiring.reapables, decision.rule
    now = reapables.fetch_state(rule.id) if reapables else None
    if now is None or now != state:
        text = f"{rule.id} was started, used or changed since it was looked at"
        raise CloudRefused(RefusalKind.CONFLICT, text)


def _stop(wiring: Wiring, decision: ReapDecision) -> None:
    reapables, rule = wiring.reapables, decision.rule
    if reapables is None or decision.wanted is None:
        raise CloudRefused(RefusalKind.INVALID, f"nothing says how {rule.id} is stopped")
    if rule.action is ReapAction.STOP:
        reapables.apply_stop(rule.id)
    elif rule.action is ReapAction.REMOVE:
        reapables.apply_removal(rule.id)
    else:
        reapables.apply_size(rule.id, decision.seen, decision.wanted)


def _log(done: Reaped) -> None:
    decision = done.decision
    say = LOG.info if done.outcome is Outcome.APPLIED else LOG.warning
    say(
        ACTIONS[decision.verdict],
        id=decision.rule.id,
        owner=decision.rule.owner,
        reason=decision.reason,
        outcome=done.outcome.value,
        detail=done.detail,
    )
