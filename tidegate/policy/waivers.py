"""Waivers: failures that somebody answers for, with a reason and until a day."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from tidegate.policy.rule_set import RuleSet
from tidegate.vocabulary.problems import InvalidInput, Problem, suggest
from tidegate.vocabulary.verdicts import Outcome, Verdict

_KEYS = ("rule", "urn", "owner", "reason", "expires")
_EXPECTED = "waivers: a list of rule, urn, owner, reason and expires"


@dataclass(frozen=True, slots=True)
class Waiver:
    """One failure that is let through.

    Attributes:
        rule: The rule's id.
        urn: The resource's URN, or a pattern of whole URNs in which `*` stands for any text and
            `?` for one character. Nothing is matched in part.
        owner: Who answers for it.
        reason: Why.
        expires: The last day on which it holds.
    """

    rule: str
    urn: str
    owner: str
    reason: str
    expires: date

    def covers(self, urn: str) -> bool:
        """Return whether the whole URN is the one, or is of the pattern."""
        if not self.is_pattern:
            return urn == self.urn
        return re.fullmatch(_pattern(self.urn), urn, re.DOTALL) is not None

    def is_expired(self, today: date) -> bool:
        """Return whether its last day is over."""
        return today > self.expires

    def days_left(self, today: date) -> int:
        """Return how many days after today it still holds; negative when it is expired."""
        return (self.expires - today).days

    @property
    def is_pattern(self) -> bool:
        """Whether `urn` is a pattern."""
        return "*" in self.urn or "?" in self.urn


@dataclass(frozen=True, slots=True)
class WaiverReview:
    """What became of the waivers over all stacks of one check.

    Attributes:
        expired: Over; what they waived fails again.
        unused: They cover a resource that is there and fails nothing (any more).
        for_nothing: They cover no resource of the stacks that were judged.
    """

    expired: tuple[Waiver, ...]
    unused: tuple[Waiver, ...]
    for_nothing: tuple[Waiver, ...]


def parse_waivers(where: str, document: object, rules: RuleSet) -> tuple[Waiver, ...]:
    """Return the waivers of a document (`waivers.yaml`).

    Raises:
        InvalidInput: Naming every entry that lacks something, has something unknown, names no
            rule, would waive a rule everywhere, or stands there twice.
    """
    if document is None:
        return ()
    entries = document.get("waivers") if isinstance(document, Mapping) else None
    if not isinstance(document, Mapping) or set(document) - {"waivers"} or not _is_list(entries):
        raise InvalidInput(Problem(where, "", "", "is no list of waivers", _EXPECTED))
    problems: list[Problem] = []
    waivers: list[Waiver] = []
    for index, entry in enumerate(entries or ()):
        place = f"waivers[{index}]"
        found = list(_check_entry(where, place, entry, rules))
        problems += found
        if not found:
            waivers.append(Waiver(**{key: entry[key] for key in _KEYS}))
            if waivers[-1] in waivers[:-1]:
                problems.append(Problem(where, place, "", "stands there twice", "one of them"))
    if problems:
        raise InvalidInput(problems)
    return tuple(waivers)


def dump_waiver(waiver: Waiver) -> dict[str, Any]:
    """Return a waiver as it stands in a document."""
    return {key: getattr(waiver, key) for key in _KEYS}


def find_waiver(verdict: Verdict, waivers: Sequence[Waiver], today: date) -> Waiver | None:
    """Return the waiver in force that covers a failure or an unknown; the one that lasts longest.

    Only these are waived: a pass needs nobody to answer for it.
    """
    if verdict.outcome not in (Outcome.FAIL, Outcome.UNKNOWN) or not verdict.urn:
        return None
    covering = [
        waiver
        for waiver in waivers
        if waiver.rule == verdict.rule
        and not waiver.is_expired(today)
        and waiver.covers(verdict.urn)
    ]
    return max(covering, key=lambda waiver: waiver.expires, default=None)


def review_waivers(
    waivers: Sequence[Waiver],
    used: Iterable[Waiver],
    urns: Sequence[str],
    today: date,
) -> WaiverReview:
    """Return what became of each waiver.

    Args:
        waivers: All of them.
        used: Those that waived something.
        urns: Every resource that was judged. Waivers of stacks that are not among theirs are
            left alone: another check is about them.
        today: The day.
    """
    in_use = set(used)
    stacks = {urn.split("::", 2)[0] for urn in urns}
    expired = tuple(waiver for waiver in waivers if waiver.is_expired(today))
    idle = [
        waiver
        for waiver in waivers
        if waiver not in in_use and waiver not in expired and _is_concerned(waiver, stacks)
    ]
    covering = {waiver for waiver in idle if any(waiver.covers(urn) for urn in urns)}
    return WaiverReview(
        expired=tuple(waiver for waiver in expired if _is_concerned(waiver, stacks)),
        unused=tuple(waiver for waiver in idle if waiver in covering),
        for_nothing=tuple(waiver for waiver in idle if waiver not in covering),
    )


def _is_concerned(waiver: Waiver, stacks: set[str]) -> bool:
    head = waiver.urn.split("::", 2)[0]
    if "*" in head or "?" in head:
        return any(re.fullmatch(_pattern(head), stack) for stack in stacks)
    return head in stacks


def _pattern(glob: str) -> str:
    return "".join({"*": ".*", "?": "."}.get(letter, re.escape(letter)) for letter in glob)


def _is_list(value: object) -> bool:
    return value is None or isinstance(value, list)


def _check_entry(where: str, place: str, entry: object, rules: RuleSet) -> Iterable[Problem]:
    if not isinstance(entry, Mapping):
        yield Problem(where, place, "", "is no waiver", _EXPECTED)
        return
    for key in entry:
        if key not in _KEYS:
            hint = suggest(str(key), _KEYS)
            yield Problem(where, f"{place}.{key}", "", f"is not known{hint}", ", ".join(_KEYS))
    for key in _KEYS[:-1]:
        if not isinstance(entry.get(key), str) or not entry[key].strip():
            yield Problem(where, f"{place}.{key}", "", "is missing", "a text")
    if type(entry.get("expires")) is not date:
        yield Problem(
            where, f"{place}.expires", str(entry.get("expires") or ""), "is no day", "2027-01-31"
        )
    yield from _check_target(where, place, entry, rules)


def _check_target(
    where: str, place: str, entry: Mapping[str, Any], rules: RuleSet
) -> Iterable[Problem]:
    rule, urn = entry.get("rule"), entry.get("urn")
    if isinstance(rule, str) and rule and rule not in rules.ids:
        hint = suggest(rule, rules.ids)
        yield Problem(where, f"{place}.rule", repr(rule), f"is no rule{hint}", "a rule's id")
    if isinstance(urn, str) and urn and not urn.startswith("urn:pulumi:"):
        reason = "is no URN: names are matched whole, from the beginning"
        yield Problem(where, f"{place}.urn", repr(urn), reason, "urn:pulumi:STACK::PROJECT::…")
    elif isinstance(urn, str) and not urn.removeprefix("urn:pulumi:").strip("*?:"):
        reason = "would waive the rule everywhere"
        expected = "a resource's URN, or the rule's level in the configuration"
        yield Problem(where, f"{place}.urn", repr(urn), reason, expected)
