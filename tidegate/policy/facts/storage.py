"""Buckets and what ends their objects: one list of actions for three clouds.

An action is `{action, days, of, prefix, whole, class, property}`: `action` is "expire", "move" or
"abort"; `of` is what it is for ("current", "old", "uploads"); `days` a fact about its age;
`prefix` "" where it holds for every name, `whole` whether nothing narrows it (name, tag, size or
class). Rules that are switched off are left out.

An empty filter, an empty prefix and no filter are the whole bucket for S3 (hashicorp's provider
reads them alike; bridgecrewio/checkov#4733, #4868, #7268 report tools that did not).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from tidegate.policy.facts.reading import Fact, absent, entries, is_hidden, read, read_number
from tidegate.policy.graph import Resource

Action = dict[str, Any]

S3_LIFECYCLES = (
    "aws:s3/bucketLifecycleConfiguration:BucketLifecycleConfiguration",
    "aws:s3/bucketLifecycleConfigurationV2:BucketLifecycleConfigurationV2",
)
S3_BUCKETS = ("aws:s3/bucket:Bucket", "aws:s3/bucketV2:BucketV2")
_MOVES = {"tierToCool": "Cool", "tierToCold": "Cold", "tierToArchive": "Archive"}
_SINCE = (
    "daysAfterModificationGreaterThan",
    "daysAfterCreationGreaterThan",
    "daysAfterLastAccessTimeGreaterThan",
)


def build_bucket(resource: Resource) -> dict[str, Any] | None:
    """Return what a bucket says of itself: `{versioned, apart, lifecycle}`; None for others.

    `apart` says that its cloud lets a resource of its own hold the lifecycle; `lifecycle` is what
    is written on the bucket itself.
    """
    properties = resource.properties
    if resource.type in S3_BUCKETS:
        path = "lifecycleRules" if read(properties, "lifecycleRules")["value"] else ""
        rules = _list_actions(properties, path, _s3_actions) if path else _unless_hidden(properties)
        return {"versioned": read(properties, "versioning.enabled"), "apart": True, **rules}
    if resource.type == "gcp:storage/bucket:Bucket":
        rules = _list_actions(properties, "lifecycleRules", _gcs_actions)
        return {"versioned": read(properties, "versioning.enabled"), "apart": False, **rules}
    if resource.type == "azure-native:storage:StorageAccount":
        versioned = absent("isVersioningEnabled")
        return {"versioned": versioned, "apart": True, "actions": [], "open": False}
    return None


def build_lifecycle(resource: Resource) -> dict[str, Any] | None:
    """Return a lifecycle that stands apart from its bucket: `{bucket, by, actions, open}`."""
    if resource.type in S3_LIFECYCLES:
        rules = _list_actions(resource.properties, "rules", _s3_actions)
        return {"bucket": read(resource.properties, "bucket"), "by": "bucket", **rules}
    if resource.type == "azure-native:storage:ManagementPolicy":
        rules = _list_actions(resource.properties, "policy.rules", _azure_actions)
        return {"bucket": read(resource.properties, "accountName"), "by": "accountName", **rules}
    return None


def build_versioning(resource: Resource) -> dict[str, Any] | None:
    """Return versioning that is switched apart from its bucket: `{bucket, by, enabled}`."""
    properties = resource.properties
    if resource.type.startswith("aws:s3/bucketVersioning"):
        status = read(properties, "versioningConfiguration.status")
        if status["state"] == "known":
            status = {**status, "value": status["value"] == "Enabled"}
        return {"bucket": read(properties, "bucket"), "by": "bucket", "enabled": status}
    if resource.type == "azure-native:storage:BlobServiceProperties":
        enabled = read(properties, "isVersioningEnabled")
        return {"bucket": read(properties, "accountName"), "by": "accountName", "enabled": enabled}
    return None


def _unless_hidden(properties: Mapping[str, Any]) -> dict[str, Any]:
    return {"actions": [], "open": read(properties, "lifecycleRules")["state"] == "hidden"}


def _list_actions(
    properties: Mapping[str, Any], path: str, build: Callable[[str, Any], Iterator[Action]]
) -> dict[str, Any]:
    """Return `{actions, open}` of a list of rules; `open` where one of them cannot be seen."""
    rules = entries(properties, path)
    is_open = any(is_hidden(rule) for _, rule in rules)
    found = [
        action
        for at, rule in rules
        if isinstance(rule, Mapping) and not is_hidden(rule)
        for action in build(at, rule)
    ]
    return {"actions": found, "open": is_open}


def _action(action: str, of: str, days: Fact, prefix: Any, *, whole: bool, **more: Any) -> Action:
    return {
        "action": action,
        "of": of,
        "days": days,
        "prefix": prefix if isinstance(prefix, str) else "",
        "whole": whole,
        "class": more.get("storage_class", ""),
        "property": days["property"].removesuffix("."),
    }


def _s3_actions(at: str, rule: Any) -> Iterator[Action]:
    if rule.get("status") == "Disabled" or rule.get("enabled") is False:
        return
    chosen = _mapping(rule.get("filter"))
    both = _mapping(chosen.get("and"))
    prefix = rule.get("prefix") or _text(chosen, "prefix") or _text(both, "prefix")
    narrow = {key for key, value in {**chosen, **both}.items() if value}
    whole = (
        not prefix
        and not is_hidden(rule.get("filter"))
        and not narrow - {"prefix", "and", "objectSizeGreaterThan"}
    )
    expiration = _single(rule.get("expiration"))
    if {"days", "date"} & {*_mapping(expiration)}:
        days = read_number(expiration, "days", at=f"{at}expiration.")
        yield _action("expire", "current", days, prefix, whole=whole)
    for name, of, key in (
        ("noncurrentVersionExpiration", "old", "noncurrentDays"),
        ("abortIncompleteMultipartUpload", "uploads", "daysAfterInitiation"),
    ):
        given = _single(rule.get(name))
        if given is not None:
            days = read_number(given, key, "days", at=f"{at}{name}.")
            kind = "abort" if of == "uploads" else "expire"
            yield _action(kind, of, days, prefix, whole=whole)
    if "abortIncompleteMultipartUploadDays" in rule:
        days = read_number(rule, "abortIncompleteMultipartUploadDays", at=at)
        yield _action("abort", "uploads", days, prefix, whole=whole)
    for name, of, key in (
        ("transitions", "current", "days"),
        ("noncurrentVersionTransitions", "old", "noncurrentDays"),
    ):
        for inner, move in entries(rule, name):
            if isinstance(move, Mapping) and not is_hidden(move):
                days = read_number(move, key, "days", at=f"{at}{inner}")
                target = _text(move, "storageClass")
                yield _action("move", of, days, prefix, whole=whole, storage_class=target)


def _gcs_actions(at: str, rule: Any) -> Iterator[Action]:
    action, condition = _mapping(rule.get("action")), _mapping(rule.get("condition"))
    kinds = {
        "Delete": "expire",
        "SetStorageClass": "move",
        "AbortIncompleteMultipartUpload": "abort",
    }
    kind = kinds.get(_text(action, "type"))
    if kind is None:
        return
    # A condition on versions makes the rule one for what is no longer current.
    is_old = bool(
        {"numNewerVersions", "daysSinceNoncurrentTime", "noncurrentTimeBefore"} & {*condition}
    )
    is_old = is_old or condition.get("withState") == "ARCHIVED" or condition.get("isLive") is False
    of = "uploads" if kind == "abort" else "old" if is_old else "current"
    keys = ("daysSinceNoncurrentTime", "age") if is_old else ("age",)
    days = read_number(condition, *keys, at=f"{at}condition.")
    prefixes = condition.get("matchesPrefixes") or []
    narrow = {"matchesPrefixes", "matchesSuffixes", "matchesStorageClasses"}
    whole = not any(condition.get(key) for key in narrow)
    prefix = prefixes[0] if isinstance(prefixes, list) and prefixes else ""
    target = _text(action, "storageClass")
    yield _action(kind, of, days, prefix, whole=whole, storage_class=target)


def _azure_actions(at: str, rule: Any) -> Iterator[Action]:
    if rule.get("enabled") is False:
        return
    definition = _mapping(rule.get("definition"))
    chosen = _mapping(definition.get("filters"))
    prefixes = chosen.get("prefixMatch") or []
    prefix = prefixes[0] if isinstance(prefixes, list) and prefixes else ""
    whole = not prefix and not chosen.get("blobIndexMatch")
    actions = _mapping(definition.get("actions"))
    for name, of in (("baseBlob", "current"), ("version", "old"), ("snapshot", "snapshots")):
        given = _mapping(actions.get(name))
        for key, target in {"delete": "", **_MOVES}.items():
            if key in given:
                where = f"{at}definition.actions.{name}.{key}."
                days = read_number(given[key], *_SINCE, at=where)
                kind = "expire" if key == "delete" else "move"
                yield _action(kind, of, days, prefix, whole=whole, storage_class=target)


def _single(value: Any) -> Any:
    """Return the one element of what S3's older resources write as a list of one."""
    if isinstance(value, list):
        return value[0] if value else None
    return value


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) and not is_hidden(value) else {}


def _text(value: Any, key: str) -> str:
    found = _mapping(value).get(key)
    return found if isinstance(found, str) else ""
