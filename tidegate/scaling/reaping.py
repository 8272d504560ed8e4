"""Which notebooks and endpoints are stopped for idleness: two signals, a warning, then the end.

Pure. Unknown is not idle: a signal that is missing, stale or says otherwise stops nothing. A busy
machine is active whoever looks at it; only a maximum age that was declared ends its work, and that
after a warning as well.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum

from tidegate.scaling.idleness import Idleness, find_doubts, read_idleness
from tidegate.vocabulary.reaping import ReapablePhase, ReapableState
from tidegate.vocabulary.use import Shows, UseReport

NEEDED = (Shows.ACTIVITY, Shows.LOAD)
OWN_SIGNAL = "its cloud's own record"


class ReapAction(StrEnum):
    """What is done with what is idle."""

    STOP = "stop"
    SHRINK = "shrink"
    REMOVE = "remove"


@dataclass(frozen=True, slots=True)
class ReapRule:
    """What was declared of one notebook or endpoint.

    Attributes:
        id: "notebook/NAME" or "endpoint/NAME".
        owner: Who is told, by the cost labels; empty where nobody is named.
        idle_seconds: After what time without use it is idle.
        max_age_seconds: After what time it ends whatever it does; None for never.
        action: What is done.
        least: Of an endpoint: the fewest replicas that were declared.
    """

    id: str
    owner: str
    idle_seconds: int
    action: ReapAction
    max_age_seconds: int | None = None
    least: int = 0


@dataclass(frozen=True, slots=True)
class Snooze:
    """A person's word that it goes on until a time."""

    owner: str
    until: datetime


@dataclass(frozen=True, slots=True)
class ReapSight:
    """One notebook or endpoint as it was seen.

    Attributes:
        rule: As declared.
        state: As its cloud shows it; None where it could not be read, with the reason in `unread`.
        reports: What sources of utilisation told of it.
        faults: Why some of them told nothing.
        warned_at: When its owner was warned; None where that was not, or was taken back.
        snooze: A person's word; None without one. It may have lapsed.
    """

    rule: ReapRule
    state: ReapableState | None
    unread: str = ""
    reports: tuple[UseReport, ...] = ()
    faults: tuple[str, ...] = ()
    warned_at: datetime | None = None
    snooze: Snooze | None = None


@dataclass(frozen=True, slots=True)
class ReapSettings:
    """How carefully idle things are stopped.

    Attributes:
        grace_seconds: From the warning to the end.
        least_age_seconds: What was started more lately is left alone.
        most_stops: Ended in one turn; the others follow in the next ones.
    """

    grace_seconds: int = 900
    least_age_seconds: int = 1800
    most_stops: int = 10


class ReapVerdict(StrEnum):
    """What a decision says: left alone, held for doubt, warned, waited for, ended, taken back."""

    LEAVE = "leave"
    HOLD = "hold"
    WARN = "warn"
    WAIT = "wait"
    END = "end"
    WITHDRAW = "withdraw"


@dataclass(frozen=True, slots=True)
class ReapDecision:
    """What is done with one notebook or endpoint.

    Attributes:
        rule: What it is about.
        verdict: What is done.
        reason: Why, for people.
        ends_at: When it ends if nothing changes; None where it does not.
        seen: Its size when this was decided.
        wanted: Its size afterwards; None where it stays.
        idle_since: Since when nobody used it; None where that is not known.
    """

    rule: ReapRule
    verdict: ReapVerdict
    reason: str
    ends_at: datetime | None = None
    seen: int = 0
    wanted: int | None = None
    idle_since: datetime | None = None


def decide_reaping(
    sights: Sequence[ReapSight], settings: ReapSettings, now: datetime
) -> tuple[ReapDecision, ...]:
    """Return what is done with each, by id."""
    found = [_decide(sight, settings, now) for sight in sorted(sights, key=lambda s: s.rule.id)]
    return tuple(_bound_ends(found, settings.most_stops))


def _bound_ends(found: Sequence[ReapDecision], most: int) -> Iterator[ReapDecision]:
    ends = 0
    for decision in found:
        ends += decision.verdict is ReapVerdict.END
        if decision.verdict is ReapVerdict.END and ends > most:
            reason = f"{decision.reason}; {most} others end first"
            yield replace(decision, verdict=ReapVerdict.WAIT, reason=reason, wanted=None)
        else:
            yield decision


def _decide(sight: ReapSight, settings: ReapSettings, now: datetime) -> ReapDecision:
    state = sight.state
    if state is None:
        return ReapDecision(sight.rule, ReapVerdict.HOLD, f"cannot be read: {sight.unread}")
    wanted = _find_target(sight.rule, state)
    if state.phase is ReapablePhase.STOPPED or state.size <= wanted:
        return _leave(sight, "there is nothing to stop")
    if state.phase is ReapablePhase.CHANGING:
        return _hold(sight, "it is being changed just now")
    snooze = sight.snooze
    if snooze is not None and snooze.until > now:
        until = f"{snooze.until:%Y-%m-%d %H:%M} UTC"
        return _leave(sight, f"{snooze.owner} wants it to go on until {until}")
    return _judge(sight, state, wanted, settings, now)


def _find_target(rule: ReapRule, state: ReapableState) -> int:
    if rule.action is ReapAction.SHRINK:
        return max(rule.least, state.smallest)
    return 0


def _judge(
    sight: ReapSight, state: ReapableState, wanted: int, settings: ReapSettings, now: datetime
) -> ReapDecision:
    """Decide on what runs: by its age, then by its use."""
    if state.since is None:
        return _hold(sight, "since when it runs is not known")
    age = max(0.0, (now - state.since).total_seconds())
    oldest = sight.rule.max_age_seconds
    if oldest is not None and age >= oldest:
        reason = f"has run for {_say(age)}, and may for {_say(oldest)}"
        return _end(sight, state, wanted, settings, now, reason)
    if age < settings.least_age_seconds:
        return _leave(sight, f"was started or changed {_say(age)} ago")
    found = _read_signals(sight, state, now)
    in_use = _explain_use(found, sight.rule, now)
    if in_use:
        return _leave(sight, in_use)
    doubt = _explain_doubt(found, sight)
    if doubt:
        return _hold(sight, doubt)
    # Before it was started nobody can have used it.
    since = max(state.since, *(each.idle_since for each in found if each.idle_since))
    idle = (now - since).total_seconds()
    names = " and ".join(each.signal for each in found)
    reason = f"nobody has used it for {_say(idle)}, and {_say(sight.rule.idle_seconds)} is idle"
    decided = _end(sight, state, wanted, settings, now, f"{reason} ({names})")
    late = [each.signal for each in found if not _has_told(each, sight.warned_at)]
    if decided.verdict is ReapVerdict.END and late:
        # Whoever came back after the warning is not in what was told before it.
        return _hold(sight, f"{' and '.join(late)} told nothing since the warning")
    return replace(decided, idle_since=since)


def _has_told(signal: Idleness, warned_at: datetime | None) -> bool:
    return warned_at is None or signal.told_until > warned_at


def _read_signals(sight: ReapSight, state: ReapableState, now: datetime) -> list[Idleness]:
    # Memory that is taken is no use of it.
    found = [read_idleness(report, now) for report in sight.reports if report.shows in NEEDED]
    if state.is_busy:
        found.append(Idleness(OWN_SIGNAL, Shows.ACTIVITY, now, now))
    elif state.active_at is not None:
        found.append(Idleness(OWN_SIGNAL, Shows.ACTIVITY, min(state.active_at, now), now))
    return found


def _explain_use(found: Sequence[Idleness], rule: ReapRule, now: datetime) -> str:
    """Return which signal shows use within the idle time; "" where none does."""
    for each in found:
        if each.idle_since is None:
            continue
        idle = (now - each.idle_since).total_seconds()
        if idle < rule.idle_seconds:
            return f"{each.signal} shows no rest of {_say(rule.idle_seconds)} yet: {_say(idle)}"
    return ""


def _explain_doubt(found: Sequence[Idleness], sight: ReapSight) -> str:
    """Return what is not known; "" where two kinds of signals say the same."""
    doubts = [*find_doubts(found), *sight.faults]
    if doubts:
        return f"not known whether it is used: {'; '.join(doubts)}"
    missing = [kind.value for kind in NEEDED if kind not in {each.shows for each in found}]
    if missing:
        return f"not known whether it is used: nothing tells of its {' and '.join(missing)}"
    if not any(each.is_measured for each in found):
        return "not known whether it is used: all that tells of it is silent"
    return ""


def _end(
    sight: ReapSight,
    state: ReapableState,
    wanted: int,
    settings: ReapSettings,
    now: datetime,
    reason: str,
) -> ReapDecision:
    """Warn, wait or end, by when its owner was warned."""
    grace = timedelta(seconds=settings.grace_seconds)
    if sight.warned_at is None:
        return ReapDecision(sight.rule, ReapVerdict.WARN, reason, now + grace, state.size)
    # A clock that jumped back must not make a warning one of tomorrow.
    ends_at = min(sight.warned_at, now) + grace
    if now < ends_at:
        return ReapDecision(sight.rule, ReapVerdict.WAIT, reason, ends_at, state.size)
    return ReapDecision(sight.rule, ReapVerdict.END, reason, ends_at, state.size, wanted)


def _leave(sight: ReapSight, reason: str) -> ReapDecision:
    verdict = ReapVerdict.LEAVE if sight.warned_at is None else ReapVerdict.WITHDRAW
    return ReapDecision(sight.rule, verdict, reason)


def _hold(sight: ReapSight, reason: str) -> ReapDecision:
    return ReapDecision(sight.rule, ReapVerdict.HOLD, reason)


def _say(seconds: float) -> str:
    """Return a time in the largest unit that leaves a whole number of at least two, or seconds."""
    for size, unit in ((86400, "days"), (3600, "h"), (60, "min")):
        if seconds >= 2 * size:
            return f"{seconds // size:.0f} {unit}"
    return f"{seconds:.0f} s"
