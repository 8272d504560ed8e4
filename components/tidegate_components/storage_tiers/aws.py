"""A tiered bucket on S3: one bucket and the one owner of its lifecycle."""

from __future__ import annotations

from typing import Any

import pulumi

from tidegate.sdks.imports import narrow_imports
from tidegate_components.children import child_options
from tidegate_components.names import S3_BUCKET, derive_name
from tidegate_components.storage_tiers.defaults import SMALL_OBJECT_BYTES
from tidegate_components.storage_tiers.spec import BucketSpec, Tiering

with narrow_imports("pulumi_aws.s3"):
    from pulumi_aws.s3.bucket import Bucket
    from pulumi_aws.s3.bucket_intelligent_tiering_configuration import (
        BucketIntelligentTieringConfiguration,
    )
    from pulumi_aws.s3.bucket_lifecycle_configuration import BucketLifecycleConfiguration
    from pulumi_aws.s3.bucket_public_access_block import BucketPublicAccessBlock
    from pulumi_aws.s3.bucket_versioning import BucketVersioning


def declare(
    parent: pulumi.ComponentResource,
    spec: BucketSpec,
    inputs: dict[str, Any],  # noqa: ARG001 - the same signature on every cloud
    opts: pulumi.ResourceOptions | None,
) -> dict[str, pulumi.Input[str]]:
    """Declare the bucket, or find it, and its lifecycle; return its cloud identifiers."""
    name = derive_name(spec.id, S3_BUCKET)
    if spec.existing:
        _declare_lifecycle(parent, spec, spec.existing, (), opts)
        arn = f"arn:aws:s3:::{spec.existing}"
        return {"bucket": spec.existing, "arn": arn, "region": spec.region}
    bucket = Bucket(
        name,
        bucket=spec.cloud_name or None,
        region=spec.region,
        force_destroy=spec.force_destroy,
        tags=spec.cost_labels,
        # The lifecycle has one owner, the configuration below (pulumi-aws#6244, #5187).
        opts=child_options(parent, opts, Bucket, ignore=["lifecycleRules"], named=S3_BUCKET),
    )
    BucketPublicAccessBlock(
        name,
        bucket=bucket.id,
        region=spec.region,
        block_public_acls=True,
        block_public_policy=True,
        ignore_public_acls=True,
        restrict_public_buckets=True,
        opts=child_options(parent, opts, BucketPublicAccessBlock, named=S3_BUCKET),
    )
    versioning = BucketVersioning(
        name,
        bucket=bucket.id,
        region=spec.region,
        versioning_configuration={"status": "Enabled" if spec.versioned else "Suspended"},
        opts=child_options(parent, opts, BucketVersioning, named=S3_BUCKET),
    )
    # Rules for old versions want versioning to be settled first.
    _declare_lifecycle(parent, spec, bucket.id, (versioning,), opts)
    return {"bucket": bucket.bucket, "arn": bucket.arn, "region": spec.region}


def _declare_lifecycle(
    parent: pulumi.ComponentResource,
    spec: BucketSpec,
    bucket: pulumi.Input[str],
    after: tuple[pulumi.Resource, ...],
    opts: pulumi.ResourceOptions | None,
) -> None:
    """Declare the one owner of the bucket's rules."""
    name = derive_name(spec.id, S3_BUCKET)
    threshold = "varies_by_storage_class"
    if spec.small_object_bytes >= SMALL_OBJECT_BYTES:
        threshold = "all_storage_classes_128K"
    BucketLifecycleConfiguration(
        name,
        bucket=bucket,
        region=spec.region,
        rules=build_rules(spec),
        transition_default_minimum_object_size=threshold,
        opts=child_options(
            parent, opts, BucketLifecycleConfiguration, depends_on=after, named=S3_BUCKET
        ),
    )
    if spec.archive_days:
        BucketIntelligentTieringConfiguration(
            name,
            bucket=bucket,
            region=spec.region,
            name="archive",
            tierings=[
                {"access_tier": tier, "days": days} for tier, days in spec.archive_days.items()
            ],
            opts=child_options(
                parent, opts, BucketIntelligentTieringConfiguration, named=S3_BUCKET
            ),
        )


def build_rules(spec: BucketSpec) -> list[Any]:
    """Return every lifecycle rule of the bucket; there is always the one for unfinished uploads."""
    rules: list[dict[str, Any]] = []
    for prefix in spec.prefixes:
        rules += _rules_of_prefix(spec, prefix)
    if spec.tiering is Tiering.ACCESS:
        # Moves at age 0: from then on S3 watches who reads the object.
        moves = [{"days": 0, "storage_class": "INTELLIGENT_TIERING"}]
        rules.append(_rule("watch-access", _filter("", spec.small_object_bytes), transitions=moves))
    if spec.versioned:
        rules += _rules_of_old_versions(spec)
    abort = {"days_after_initiation": spec.abort_uploads_days}
    rules.append(_rule("abort-uploads", _filter("", 0), abort_incomplete_multipart_upload=abort))
    return rules


def _rules_of_old_versions(spec: BucketSpec) -> list[dict[str, Any]]:
    rules: list[dict[str, Any]] = []
    moves = [
        {"noncurrent_days": rule.age_days, "storage_class": rule.storage_class}
        for rule in spec.old.tiers
    ]
    if moves:
        chosen = _filter("", spec.small_object_bytes)
        rules.append(_rule("tier-old-versions", chosen, noncurrent_version_transitions=moves))
    expiry = {"noncurrent_days": spec.old.expire_days}
    if spec.old.keep_newest:
        expiry["newer_noncurrent_versions"] = spec.old.keep_newest
    rules.append(_rule("expire-old-versions", _filter("", 0), noncurrent_version_expiration=expiry))
    # A deletion leaves a marker, which stays when the last version under it is gone.
    markers = {"expired_object_delete_marker": True}
    rules.append(_rule("drop-delete-markers", _filter("", 0), expiration=markers))
    return rules


def _rules_of_prefix(spec: BucketSpec, prefix: str) -> list[dict[str, Any]]:
    suffix = f"-{prefix.strip('/').replace('/', '-')}" if prefix else ""
    rules: list[dict[str, Any]] = []
    moves = [
        {"days": rule.age_days, "storage_class": rule.storage_class} for rule in spec.tiers(prefix)
    ]
    if moves:
        chosen = _filter(prefix, spec.small_object_bytes)
        rules.append(_rule(f"tier{suffix}", chosen, transitions=moves))
    expiry = spec.expiry(prefix)
    if expiry is not None:
        rules.append(_rule(f"expire{suffix}", _filter(prefix, 0), expiration={"days": expiry}))
    return rules


def _rule(rule_id: str, chosen: dict[str, Any], **actions: Any) -> dict[str, Any]:
    return {"id": rule_id, "status": "Enabled", "filter": chosen, **actions}


def _filter(prefix: str, larger_than: int) -> dict[str, Any]:
    """Return which objects a rule is for; S3 wants two conditions inside an `and`."""
    if prefix and larger_than:
        return {"and_": {"prefix": prefix, "object_size_greater_than": larger_than}}
    if larger_than:
        return {"object_size_greater_than": larger_than}
    return {"prefix": prefix}
