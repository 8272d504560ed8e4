"""A bucket that exists, of which only the lifecycle is declared."""

from __future__ import annotations

import re

from tidegate.vocabulary.capacity import Cloud
from tidegate_components.arguments import Arguments
from tidegate_components.storage_tiers import args as shapes
from tidegate_components.storage_tiers.spec import Tiering

GRAMMAR = {
    # Older S3 buckets have dots, which new ones here do not get.
    Cloud.AWS: (r"[a-z0-9][-.a-z0-9]{1,61}[a-z0-9]", "an S3 bucket's name"),
    Cloud.AZURE: (r"[a-z0-9]{3,24}", "a storage account's name"),
}
ONLY_WHEN_MADE = ("cloud_name", "force_destroy")


def parse_existing(read: Arguments, cloud: Cloud, tiering: Tiering) -> str:
    """Return the name of the bucket or account; empty for one that is made here."""
    name, owns = read.text("existing_bucket", ""), read.flag("owns_lifecycle", False)
    if not name:
        if read.has("owns_lifecycle") and not owns:
            reason = "cannot be false: the bucket is made here, with its lifecycle"
            read.refuse("owns_lifecycle", None, reason, "leave it out, or name an existing_bucket")
        return ""
    if not owns:
        # Two owners overwrite each other, and one's deletion removes both (pulumi-aws#6244, #5187).
        reason = "is needed: a bucket's lifecycle has one owner, whose rules replace all others"
        read.refuse("owns_lifecycle", None, reason, "true, once nothing else declares its rules")
    if cloud is Cloud.GCP:
        reason = "cannot be ruled from here: on Cloud Storage the rules are part of the bucket"
        expected = "cloud_name with the import option, so that the bucket itself is declared"
        read.refuse("existing_bucket", name, reason, expected)
        return name
    pattern, says = GRAMMAR[cloud]
    if not re.fullmatch(pattern, name):
        read.refuse("existing_bucket", name, "is no such name", says)
    for key in ONLY_WHEN_MADE:
        if read.has(key):
            read.refuse(key, None, "concerns buckets that are made here", "leave it out")
    if cloud is Cloud.AZURE:
        _check_account(read, tiering)
    return name


def _check_account(read: Arguments, tiering: Tiering) -> None:
    """Refuse what would need the account's own settings."""
    if tiering is Tiering.ACCESS:
        reason = "needs access tracking, which is a setting of the account"
        read.refuse("tiering", "access", reason, "tiering age for an existing account")
    nested = read.nested("azure", shapes.StorageTiersAzureArgs)
    for key in ("redundancy", "soft_delete_days"):
        if nested is not None and nested.has(key):
            nested.refuse(key, None, "concerns accounts that are made here", "leave it out")
