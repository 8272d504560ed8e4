"""A tiered bucket on Cloud Storage."""

from __future__ import annotations

from typing import Any

import pulumi

from tidegate.sdks.imports import narrow_imports
from tidegate_components.children import child_options
from tidegate_components.names import GCS_BUCKET, derive_name
from tidegate_components.storage_tiers.spec import BucketSpec, RuleAction, Tiering

with narrow_imports("pulumi_gcp.storage"):
    from pulumi_gcp.storage.bucket import Bucket

SECONDS_A_DAY = 86_400


def declare(
    parent: pulumi.ComponentResource,
    spec: BucketSpec,
    inputs: dict[str, Any],
    opts: pulumi.ResourceOptions | None,
) -> dict[str, pulumi.Input[str]]:
    """Declare the bucket and return its cloud identifiers."""
    by_access = spec.tiering is Tiering.ACCESS
    autoclass: Any = (
        {"enabled": True, "terminal_storage_class": spec.autoclass_terminal} if by_access else None
    )
    bucket = Bucket(
        derive_name(spec.id, GCS_BUCKET),
        name=spec.cloud_name or None,
        location=spec.region.upper(),  # as the API answers it; otherwise a permanent difference
        project=inputs["project"],
        storage_class="STANDARD",
        uniform_bucket_level_access=True,
        public_access_prevention="enforced",
        force_destroy=spec.force_destroy,
        versioning={"enabled": spec.versioned},
        autoclass=autoclass,
        soft_delete_policy={"retention_duration_seconds": spec.soft_delete_days * SECONDS_A_DAY},
        lifecycle_rules=build_rules(spec),
        labels=spec.cost_labels,
        opts=child_options(parent, opts, Bucket, named=GCS_BUCKET),
    )
    return {"bucket": bucket.name, "url": bucket.url, "region": spec.region}


def build_rules(spec: BucketSpec) -> list[Any]:
    """Return every lifecycle rule; each deletion states a positive age."""
    rules: list[Any] = []
    for rule in spec.rules:
        condition: dict[str, Any] = {"age": rule.age_days}
        if rule.prefix:
            condition["matches_prefixes"] = [rule.prefix]
        if rule.action is RuleAction.DELETE:
            rules.append({"action": {"type": "Delete"}, "condition": condition})
            continue
        if spec.small_object_bytes:
            condition["size_above_bytes"] = spec.small_object_bytes
        action = {"type": "SetStorageClass", "storage_class": rule.storage_class}
        rules.append({"action": action, "condition": condition})
    if spec.versioned:
        rules += _rules_of_old_versions(spec)
    abort = {"type": "AbortIncompleteMultipartUpload"}
    rules.append({"action": abort, "condition": {"age": spec.abort_uploads_days}})
    return rules


def _rules_of_old_versions(spec: BucketSpec) -> list[Any]:
    """Return the moves of old versions and their deletion, which states a positive age as well."""
    rules: list[Any] = []
    for rule in spec.old.tiers:
        condition = _old(rule.age_days)
        if spec.small_object_bytes:
            condition["size_above_bytes"] = spec.small_object_bytes
        action = {"type": "SetStorageClass", "storage_class": rule.storage_class}
        rules.append({"action": action, "condition": condition})
    condition = {"age": spec.old.expire_days, **_old(spec.old.expire_days)}
    if spec.old.keep_newest:
        # A version is deleted only when at least so many newer ones stand beside it, the live one
        # included.
        condition["num_newer_versions"] = spec.old.keep_newest + 1
    rules.append({"action": {"type": "Delete"}, "condition": condition})
    return rules


def _old(days: int) -> dict[str, Any]:
    return {"days_since_noncurrent_time": days, "with_state": "ARCHIVED"}
