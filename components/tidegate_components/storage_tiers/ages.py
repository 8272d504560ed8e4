"""The ages of lifecycle rules, held against what each storage class allows and bills."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from tidegate.catalog.catalog import Catalog
from tidegate.catalog.model import StorageTier
from tidegate.vocabulary.capacity import Cloud
from tidegate_components.arguments import Arguments
from tidegate_components.storage_tiers.spec import Rule, RuleAction


def check_ages(
    read: Arguments, rules: Sequence[Rule], cloud: Cloud, catalog: Catalog, key: str = "rules"
) -> None:
    """Note every rule that its cloud refuses, or that pays for days in which nothing is there.

    `rules` are sorted by prefix and age, and were given as the argument `key`.
    """
    tiers = catalog.storage_tiers(cloud)
    by_name = {tier.name: tier for tier in tiers}
    warmth = {tier.name: position for position, tier in enumerate(tiers)}
    for prefix, group in groupby(rules, key=lambda rule: rule.prefix):
        previous: Rule | None = None
        for rule in group:
            where = f"{key} (prefix {prefix!r})" if prefix else key
            if rule.action is RuleAction.TIER:
                _check_transition(read, where, rule, by_name[rule.storage_class])
            if previous is not None:
                _check_step(read, where, previous, rule, by_name, warmth)
            previous = rule


def _check_transition(read: Arguments, where: str, rule: Rule, tier: StorageTier) -> None:
    earliest = tier.earliest_transition_days
    if rule.age_days < earliest:
        reason = f"is too young for {tier.name}, which takes objects from {earliest} days on"
        read.refuse(f"{where}.age_days", rule.age_days, reason, f"at least {earliest}")


def _check_step(
    read: Arguments,
    where: str,
    before: Rule,
    rule: Rule,
    tiers: dict[str, StorageTier],
    warmth: dict[str, int],
) -> None:
    place = f"{where}.age_days"
    if before.action is RuleAction.DELETE:
        reason = f"comes after the deletion at {before.age_days} days"
        read.refuse(place, rule.age_days, reason, f"less than {before.age_days}")
        return
    if (
        rule.action is RuleAction.TIER
        and warmth[rule.storage_class] <= warmth[before.storage_class]
    ):
        reason = f"is not colder than {before.storage_class}, where objects are by then"
        read.refuse(f"{where}.storage_class", rule.storage_class, reason, "a colder class")
        return
    stay = tiers[before.storage_class].minimum_days
    paid_until = before.age_days + stay
    if rule.age_days < paid_until:
        reason = f"leaves {before.storage_class} before its {stay} days, which are billed anyway"
        read.refuse(place, rule.age_days, reason, f"at least {paid_until}")
