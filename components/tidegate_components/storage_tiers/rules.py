"""The lifecycle rules of a bucket: the defaults of its storage class, or what was stated."""

from __future__ import annotations

from dataclasses import dataclass

from tidegate.catalog.catalog import Catalog
from tidegate.catalog.model import StorageTier
from tidegate.pricing.moves import StoredData
from tidegate.vocabulary.capacity import Cloud, StorageClass
from tidegate.vocabulary.problems import suggest
from tidegate_components.arguments import Arguments
from tidegate_components.storage_tiers import args as shapes
from tidegate_components.storage_tiers.ages import check_ages
from tidegate_components.storage_tiers.defaults import COLD, COOL, DEFAULTS
from tidegate_components.storage_tiers.economics import Expectations, drop_costly, refuse_costly
from tidegate_components.storage_tiers.spec import (
    DroppedRule,
    OldVersions,
    Rule,
    RuleAction,
    Tiering,
)

OLD_EXPIRE_DAYS = 30


@dataclass(frozen=True, slots=True)
class RuleBook:
    """What rules are read for: where the bucket is, what it holds and what its classes cost."""

    cloud: Cloud
    storage_class: StorageClass
    tiering: Tiering
    region: str
    catalog: Catalog

    @property
    def classes(self) -> tuple[StorageTier, ...]:
        """The cloud's storage classes, hottest first."""
        return self.catalog.storage_tiers(self.cloud)

    def expect(self, data: StoredData) -> Expectations:
        """Return what is expected of objects in this bucket."""
        return Expectations(data, self.classes, self.region)


def parse_rules(
    read: Arguments, book: RuleBook, data: StoredData
) -> tuple[tuple[Rule, ...], tuple[DroppedRule, ...]]:
    """Return the bucket's rules, and default moves that cost more than they save."""
    by_access = book.tiering is Tiering.ACCESS
    if not read.has("rules"):
        rules = _default_rules(book)
        # By access nobody knows when, or whether, an object moves.
        return (rules, ()) if by_access else drop_costly(rules, book.expect(data))
    before = len(read.problems)
    rules = tuple(_rule(each, book) for each in read.nested_list("rules", shapes.LifecycleRuleArgs))
    if len(read.problems) > before:
        return (), ()
    ordered = tuple(sorted(rules, key=lambda rule: (rule.prefix, rule.age_days)))
    check_ages(read, ordered, book.cloud, book.catalog)
    if len(read.problems) == before:
        refuse_costly(read, ordered, book.expect(data))
    return ordered, ()


def parse_old_versions(read: Arguments, book: RuleBook, data: StoredData) -> OldVersions:
    """Return what happens to old versions; their moves are held to the same rules."""
    days = read.whole("noncurrent_expire_after_days", OLD_EXPIRE_DAYS, minimum=1)
    keep = read.whole("keep_noncurrent_versions", 0)
    if keep and book.cloud is Cloud.AZURE:
        reason = "cannot be set: Blob Storage's rules count no versions"
        read.refuse("keep_noncurrent_versions", keep, reason, "leave it out on azure")
    before = len(read.problems)
    key = "noncurrent_tiers"
    tiers = sorted(
        (_old_move(each, book) for each in read.nested_list(key, shapes.NoncurrentTierArgs)),
        key=lambda rule: rule.age_days,
    )
    if tiers and len(read.problems) == before:
        rules = [*tiers, Rule(RuleAction.DELETE, days)]
        check_ages(read, rules, book.cloud, book.catalog, key)
        if len(read.problems) == before:
            # What is expected of all objects is not of the old versions: only what loses with
            # any size and without a single read is refused.
            lasting = StoredData(mean_object_bytes=data.mean_object_bytes)
            refuse_costly(read, rules, book.expect(lasting), key)
    return OldVersions(tuple(tiers), days, keep)


def _old_move(read: Arguments, book: RuleBook) -> Rule:
    storage_class = _storage_class(read, book)
    return Rule(RuleAction.TIER, read.whole("after_days", minimum=0), storage_class)


def _default_rules(book: RuleBook) -> tuple[Rule, ...]:
    defaults, cloud = DEFAULTS[book.storage_class], book.cloud
    moves = [(defaults.cool_after, COOL[cloud]), (defaults.cold_after, COLD[cloud])]
    rules = [
        Rule(RuleAction.TIER, age, name)
        for age, name in moves
        if age is not None and (book.tiering is Tiering.AGE or cloud is Cloud.AZURE)
    ]
    if defaults.expire_after is not None:
        rules.append(Rule(RuleAction.DELETE, defaults.expire_after))
    return tuple(rules)


def _rule(read: Arguments, book: RuleBook) -> Rule:
    if read.choice("action", RuleAction) is RuleAction.DELETE:
        return _deletion(read)
    storage_class = _storage_class(read, book)
    if book.tiering is Tiering.ACCESS:
        reason = "moves by age, and tiering is access: two owners of one object's class"
        read.refuse("action", "tier", reason, "delete rules only, or tiering age")
    days, prefix = read.whole("age_days", minimum=0), read.text("prefix", "")
    return Rule(RuleAction.TIER, days, storage_class, prefix)


def _deletion(read: Arguments) -> Rule:
    # Google's provider took a missing age for 0 and deleted everything
    # (hashicorp/terraform-provider-google#17990).
    age = read.plain("age_days")
    number = isinstance(age, int | float) and not isinstance(age, bool)
    if not number or age < 1 or age != int(age):
        reason = "is no age: a delete rule without one deletes every object at once"
        read.refuse("age_days", age, reason, "at least 1 day")
    if read.has("storage_class"):
        read.refuse("storage_class", None, "concerns tier rules only", "leave it out")
    return Rule(RuleAction.DELETE, int(age) if number else 1, prefix=read.text("prefix", ""))


def _storage_class(read: Arguments, book: RuleBook) -> str:
    """Return the class that objects move to; they start in the hottest."""
    hottest, *colder = (tier.name for tier in book.classes)
    chosen = read.text("storage_class")
    expected = f"one of {', '.join(sorted([hottest, *colder]))}"
    if chosen == hottest:
        reason = "is where objects start"
        read.refuse("storage_class", chosen, reason, f"one of {', '.join(sorted(colder))}")
    elif chosen and chosen not in colder:
        hint = suggest(chosen, [hottest, *colder])
        read.refuse("storage_class", chosen, f"is no storage class there{hint}", expected)
    return chosen
