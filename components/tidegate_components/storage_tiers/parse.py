"""From the arguments of a bucket to its specification, with every fault reported at once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tidegate.catalog.catalog import Catalog
from tidegate.pricing.moves import StoredData
from tidegate.pricing.storage import mean_of_moved
from tidegate.vocabulary.capacity import Cloud, StorageClass
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
from tidegate_components.storage_tiers.defaults import (
    ABORT_UPLOADS_DAYS,
    DEFAULTS,
    SMALL_OBJECT_BYTES,
)
from tidegate_components.storage_tiers.existing import parse_existing
from tidegate_components.storage_tiers.rules import RuleBook, parse_old_versions, parse_rules
from tidegate_components.storage_tiers.spec import BucketSpec, Tiering

AUTOCLASS_TERMINALS = ("NEARLINE", "ARCHIVE")
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
    small, mean = _small_objects(read, cloud), read.optional_whole("mean_object_bytes", minimum=1)
    region = read.text("region")
    data = StoredData(
        gib=read.decimal("expected_gib"),
        mean_object_bytes=mean_of_moved(mean, 0 if cloud is Cloud.AZURE else small),
        monthly_retrieval_share=read.decimal("monthly_retrieval_share"),
        lifetime_days=read.optional_whole("expected_lifetime_days", minimum=1),
    )
    book = RuleBook(cloud, storage_class, tiering, region, catalog)
    rules, dropped = parse_rules(read, book, data)
    spec = BucketSpec(
        id=name,
        cloud=cloud,
        region=region,
        account=read.text("account", ""),
        storage_class=storage_class,
        labels=read.cost_labels(),
        tiering=tiering,
        rules=rules,
        dropped=dropped,
        versioned=read.flag("versioned", defaults.versioned),
        old=parse_old_versions(read, book, data),
        abort_uploads_days=_abort_days(read, cloud),
        small_object_bytes=small,
        expected_gib=data.gib,
        mean_object_bytes=mean,
        monthly_retrieval_share=data.monthly_retrieval_share,
        expected_lifetime_days=data.lifetime_days,
        force_destroy=read.flag("force_destroy", scratch),
        cloud_name=_cloud_name(read, name, cloud),
        archive_days=_archive_days(read, tiering),
        soft_delete_days=_soft_delete(read, cloud, 7 if defaults.restorable else 0),
        redundancy=_redundancy(read),
        autoclass_terminal=_autoclass_terminal(read, tiering),
        existing=parse_existing(read, cloud, tiering),
    )
    read.finish()
    return spec


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


def _soft_delete(read: Arguments, cloud: Cloud, default: int) -> int:
    gcp = read.nested("gcp", shapes.StorageTiersGcpArgs)
    azure = read.nested("azure", shapes.StorageTiersAzureArgs)
    nested, least, most = (azure, 1, 365) if cloud is Cloud.AZURE else (gcp, 7, 90)
    days = nested.whole("soft_delete_days", default) if nested else default
    if nested and days and not least <= days <= most:
        reason, expected = "is not allowed", f"0, or {least} to {most}"
        nested.refuse("soft_delete_days", days, reason, expected)
    return days


def _autoclass_terminal(read: Arguments, tiering: Tiering) -> str:
    nested = read.nested("gcp", shapes.StorageTiersGcpArgs)
    chosen = nested.text("autoclass_terminal_class", "NEARLINE") if nested else "NEARLINE"
    if nested and chosen not in AUTOCLASS_TERMINALS:
        expected = f"one of {', '.join(AUTOCLASS_TERMINALS)}"
        nested.refuse("autoclass_terminal_class", chosen, "is no class Autoclass ends in", expected)
    if nested and nested.has("autoclass_terminal_class") and tiering is not Tiering.ACCESS:
        reason = "needs tiering access"
        nested.refuse("autoclass_terminal_class", chosen, reason, "tiering access, or leave it out")
    return chosen


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
