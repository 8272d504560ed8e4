"""No move that costs more than it saves: a default one is dropped, a stated one is refused."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from tidegate.catalog.model import StorageTier
from tidegate.pricing.move_text import describe_figures
from tidegate.pricing.moves import PricedMove, StoredData, Verdict, price_moves
from tidegate_components.arguments import Arguments
from tidegate_components.storage_tiers.spec import DroppedRule, Rule, RuleAction


@dataclass(frozen=True, slots=True)
class Expectations:
    """What a bucket's objects are expected to be, and where they lie."""

    data: StoredData
    classes: Sequence[StorageTier]
    region: str


def drop_costly(
    rules: Sequence[Rule], expected: Expectations
) -> tuple[tuple[Rule, ...], tuple[DroppedRule, ...]]:
    """Return the rules without the moves that do not pay, and those moves with the reason.

    The rules are of the whole bucket and in ascending age. Without one move the next starts from
    another class, so they are looked at anew after each that is dropped.
    """
    kept = list(rules)
    dropped: list[DroppedRule] = []
    while True:
        judged = zip(_moves(kept), _price(kept, expected), strict=True)
        losing = next(((rule, move) for rule, move in judged if _reason(move)), None)
        if losing is None:
            return tuple(kept), tuple(dropped)
        rule, move = losing
        kept.remove(rule)
        dropped.append(DroppedRule(rule, _reason(move)))


def refuse_costly(
    read: Arguments, rules: Sequence[Rule], expected: Expectations, key: str = "rules"
) -> None:
    """Note every stated move that costs more than it saves; `rules` are sorted by prefix."""
    whole = [rule for rule in rules if not rule.prefix]
    for prefix, group in groupby(rules, key=lambda rule: rule.prefix):
        members = list(group)
        # What is expected of all objects says nothing of how many lie below a prefix.
        size = expected.data.gib if not prefix else None
        ends = members if _expiry(members) is not None else [*members, *_deletions(whole)]
        there = replace(expected, data=replace(expected.data, gib=size))
        for move in _price(ends, there):
            if move.verdict is Verdict.COSTS:
                where = f"{key} (prefix {prefix!r})" if prefix else key
                value = f"{move.target} at {move.after_days} days"
                expected_text = "no such move, or a later expiry, larger objects or fewer reads"
                read.refuse(where, value, _reason(move), expected_text)


def _price(rules: Sequence[Rule], expected: Expectations) -> tuple[PricedMove, ...]:
    stated = (_expiry(rules), expected.data.lifetime_days)
    lifetime = min((days for days in stated if days is not None), default=None)
    data = replace(expected.data, lifetime_days=lifetime)
    moves = [(rule.age_days, rule.storage_class) for rule in _moves(rules)]
    return price_moves(moves, expected.classes, data, expected.region)


def _moves(rules: Sequence[Rule]) -> list[Rule]:
    return [rule for rule in rules if rule.action is RuleAction.TIER]


def _deletions(rules: Sequence[Rule]) -> list[Rule]:
    return [rule for rule in rules if rule.action is RuleAction.DELETE]


def _expiry(rules: Sequence[Rule]) -> int | None:
    return min((rule.age_days for rule in _deletions(rules)), default=None)


def _reason(move: PricedMove) -> str:
    """Return why a move is not worth it; empty where it saves, or where that is unknown."""
    if move.verdict is Verdict.NEVER:
        return "objects are gone by then"
    if move.verdict is not Verdict.COSTS:
        return ""
    if move.days is None:
        return "costs more each month than it saves, at any age"
    return f"costs more than it saves: {describe_figures(move)}"
