"""From the arguments of a bucket to its specification, with every fault reported at once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tidegate.catalog.catalog import Catalog
from tidegate.vocabulary.capacity import Cloud, StorageClass
from tidegate.vocabulary.problems import nearest
from tidegate_components.arguments import Arguments
from tidegate_components.names import (
    GCS_BUCKET,
    S3_BUCKET,
    STORAGE_ACCOUNT,
    check_identifier,
    describe_rule,
    explain_name,
)
from tidegate_components.storage_tiers import args as shapes
from tidegate_components.storage_tiers.ages import check_ages
from tidegate_components.storage_tiers.defaults import (
    ABORT_UPLOADS_DAYS,
    COLD,
    COOL,
    DEFAULTS,
    SMALL_OBJECT_BYTES,
)
from tidegate_components.storage_tiers.spec import BucketSpec, Rule, RuleAction, Tiering

NAME_RULES = {Cloud.AWS: S3_BUCKET, Cloud.GCP: GCS_BUCKET, Cloud.AZURE: STORAGE_ACCOUNT}
REDUNDANCIES = (
    "Standard_LRS",
    "Standard_ZRS",
    "Standard_GRS",
    "Standard_GZRS",
    "Standard_RAGRS",
    "Standard_RAGZRS",
)


def parse_bucket(name: str, raw: Mapping[str, Any], catalog: Catalog) -> BucketSpec:
    """Return the bucket that the arguments declare; `name` is its id.

    Raises:
        InvalidInput: With one problem for each fault, naming property, value and remedy.
    """
    read = Arguments(f"bucket {name}", raw, shapes.StorageTiersArgs)
    check_identifier(read, name)
    cloud = read.choice("cloud", Cloud)
    storage_class = read.choice("storage_class", StorageClass)
    tiering = read.choice("tiering", Tiering, Tiering.AGE)
    defaults = DEFAULTS[storage_class]
    scratch = storage_class is StorageClass.SCRATCH
    _refuse_other_clouds(read, cloud)
    spec = BucketSpec(
        id=name,
        cloud=cloud,
        region=read.text("region"),
        account=read.text("account", ""),
        storage_class=storage_class,
        labels=read.cost_labels(),
        tiering=tiering,
        rules=_rules(read, cloud, storage_class, tiering, catalog),
        versioned=read.flag("versioned", defaults.versioned),
        noncurrent_expire_days=read.whole("noncurrent_expire_after_days", 30, minimum=1),
        abort_uploads_days=_abort_days(read, cloud),
        small_object_bytes=_small_objects(read, cloud),
        expected_gib=read.decimal("expected_gib"),
        force_destroy=read.flag("force_destroy", scratch),
        cloud_name=_cloud_name(read, name, cloud),
        archive_days=_archive_days(read, tiering),
        soft_delete_days=_soft_delete(read, 7 if defaults.restorable else 0),
        redundancy=_redundancy(read),
    )
    read.finish()
    return spec


def _rules(
    read: Arguments,
    cloud: Cloud,
    storage_class: StorageClass,
    tiering: Tiering,
    catalog: Catalog,
) -> tuple[Rule, ...]:
    if not read.has("rules"):
        return _default_rules(cloud, storage_class, tiering)
    before = len(read.problems)
    known = {tier.name for tier in catalog.storage_tiers(cloud)}
    rules = [
        _rule(each, known, tiering) for each in read.nested_list("rules", shapes.LifecycleRuleArgs)
    ]
    if len(read.problems) > before:
        return ()
    ordered = sorted(rules, key=lambda rule: (rule.prefix, rule.age_days))
    check_ages(read, ordered, cloud, catalog)
    return tuple(ordered)


def _default_rules(cloud: Cloud, storage_class: StorageClass, tiering: Tiering) -> tuple[Rule, ...]:
    defaults = DEFAULTS[storage_class]
    moves = [(defaults.cool_after, COOL[cloud]), (defaults.cold_after, COLD[cloud])]
    rules = [
        Rule(RuleAction.TIER, age, name)
        for age, name in moves
        if age is not None and (tiering is Tiering.AGE or cloud is Cloud.AZURE)
    ]
    if defaults.expire_after is not None:
        rules.append(Rule(RuleAction.DELETE, defaults.expire_after))
    return tuple(rules)


def _rule(read: Arguments, known: set[str], tiering: Tiering) -> Rule:
    action = read.choice("action", RuleAction)
    if action is RuleAction.DELETE:
        # Google's provider took a missing age for 0 and deleted everything
        # (hashicorp/terraform-provider-google#17990).
        age = read.plain("age_days")
        if not isinstance(age, int | float) or isinstance(age, bool) or age < 1:
            reason = "is no age: a delete rule without one deletes every object at once"
            read.refuse("age_days", age, reason, "at least 1 day")
        if read.has("storage_class"):
            read.refuse("storage_class", None, "concerns tier rules only", "leave it out")
        days = int(age) if isinstance(age, int | float) else 1
        return Rule(action, days, prefix=read.text("prefix", ""))
    storage_class = read.text("storage_class")
    if storage_class and storage_class not in known:
        guess = nearest(storage_class, known)
        hint = f" (did you mean {guess!r}?)" if guess else ""
        expected = f"one of {', '.join(sorted(known))}"
        read.refuse("storage_class", storage_class, f"is no storage class there{hint}", expected)
    if tiering is Tiering.ACCESS:
        reason = "moves by age, and tiering is access: two owners of one object's class"
        read.refuse("action", "tier", reason, "delete rules only, or tiering age")
    return Rule(action, read.whole("age_days", minimum=0), storage_class, read.text("prefix", ""))


def _abort_days(read: Arguments, cloud: Cloud) -> int:
    days = read.whole("abort_incomplete_uploads_days", ABORT_UPLOADS_DAYS, minimum=1)
    if cloud is Cloud.AZURE and days != ABORT_UPLOADS_DAYS:
        reason = "cannot be set: Blob Storage discards uncommitted blocks by itself"
        read.refuse("abort_incomplete_uploads_days", days, reason, str(ABORT_UPLOADS_DAYS))
    return days


def _small_objects(read: Arguments, cloud: Cloud) -> int:
    size = read.whole("small_object_bytes", SMALL_OBJECT_BYTES, minimum=0)
    if cloud is Cloud.AZURE and read.has("small_object_bytes"):
        reason = "cannot be set: Blob Storage's rules know no object size"
        read.refuse("small_object_bytes", size, reason, "leave it out on azure")
    return size


def _cloud_name(read: Arguments, identifier: str, cloud: Cloud) -> str:
    rule = NAME_RULES[cloud]
    name = read.text("cloud_name", "")
    reason = explain_name(name, rule) if name else ""
    if reason:
        read.refuse("cloud_name", name, reason, describe_rule(rule))
    if not name and cloud is Cloud.GCP and explain_name(f"{identifier}-0", rule):
        reason = "cannot become a Cloud Storage name"
        read.refuse("cloud_name", None, f"is needed: the id {reason}", describe_rule(rule))
    return name


def _archive_days(read: Arguments, tiering: Tiering) -> dict[str, int]:
    nested = read.nested("aws", shapes.StorageTiersAwsArgs)
    if nested is None:
        return {}
    found: dict[str, int] = {}
    for key, tier, least in (
        ("archive_access_days", "ARCHIVE_ACCESS", 90),
        ("deep_archive_access_days", "DEEP_ARCHIVE_ACCESS", 180),
    ):
        days = nested.optional_whole(key, minimum=least)
        if days is None:
            continue
        found[tier] = days
        if days > 730:
            nested.refuse(key, days, "is beyond S3's limit", f"{least} to 730")
        if tiering is not Tiering.ACCESS:
            nested.refuse(key, days, "needs tiering access", "tiering access, or leave it out")
    return found


def _soft_delete(read: Arguments, default: int) -> int:
    nested = read.nested("gcp", shapes.StorageTiersGcpArgs)
    days = nested.whole("soft_delete_days", default) if nested else default
    if nested and days and not 7 <= days <= 90:
        nested.refuse("soft_delete_days", days, "is not allowed", "0, or 7 to 90")
    return days


def _redundancy(read: Arguments) -> str:
    nested = read.nested("azure", shapes.StorageTiersAzureArgs)
    redundancy = nested.text("redundancy", "Standard_LRS") if nested else "Standard_LRS"
    if nested and redundancy not in REDUNDANCIES:
        expected = f"one of {', '.join(REDUNDANCIES)}"
        nested.refuse("redundancy", redundancy, "is no SKU with lifecycle tiers", expected)
    return redundancy


def _refuse_other_clouds(read: Arguments, cloud: Cloud) -> None:
    for other in Cloud:
        if other is not cloud and read.has(other.value):
            reason = f"concerns {other.value}, and the bucket is in {cloud.value}"
            read.refuse(other.value, None, reason, "leave it out")
