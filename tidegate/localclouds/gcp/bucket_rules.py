"""What Cloud Storage refuses in a bucket, said of the REST body."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from tidegate.localclouds.bodies import look
from tidegate.localclouds.contracts import CheckFailure
from tidegate.localclouds.gcp import names
from tidegate.localclouds.gcp.label_rules import check_labels

# Classes, lifecycle actions, 100 rules and the days of soft deletion: property descriptions of
# pulumi-gcp 10.2.0 and hashicorp/terraform-provider-google, resource_storage_bucket.go (read on
# 2026-11-30). Names, locations and the rest: general vendor documentation, not verified.
NAME = re.compile(r"[a-z0-9][-_.a-z0-9]{1,220}[a-z0-9]")
MULTI_REGIONS = frozenset({"US", "EU", "ASIA"})
DUAL_REGIONS = frozenset({"ASIA1", "EUR4", "EUR5", "EUR7", "EUR8", "NAM4"})
CLASSES = ("STANDARD", "NEARLINE", "COLDLINE", "ARCHIVE")
OLD_CLASSES = ("MULTI_REGIONAL", "REGIONAL", "DURABLE_REDUCED_AVAILABILITY")
ACTIONS = ("Delete", "SetStorageClass", "AbortIncompleteMultipartUpload")
MAX_RULES = 100
SOFT_DELETE_SECONDS = (7 * 86400, 90 * 86400)
# Conditions other than age that keep a Delete rule from taking objects on their first day.
BOUNDS = (
    "createdBefore",
    "customTimeBefore",
    "daysSinceCustomTime",
    "daysSinceNoncurrentTime",
    "noncurrentTimeBefore",
    "numNewerVersions",
)


def check_bucket(body: Mapping[str, Any]) -> Iterator[CheckFailure]:
    """Say what Cloud Storage refuses in a bucket; places are paths in the REST body."""
    yield from _check_name(body.get("name"))
    yield from _check_location(body.get("location"))
    storage_class = body.get("storageClass")
    if isinstance(storage_class, str) and storage_class not in CLASSES + OLD_CLASSES:
        yield CheckFailure("storageClass", _bad_class(storage_class))
    yield from check_labels(body.get("labels"), "labels")
    yield from _check_soft_delete(body)
    yield from _check_lifecycle(body)
    yield from _check_autoclass(body)


def _check_name(name: Any) -> Iterator[CheckFailure]:
    if not isinstance(name, str):
        return
    longest = 222 if "." in name else 63
    reserved = name.startswith("goog") or "google" in name
    if not NAME.fullmatch(name) or len(name) > longest or reserved:
        yield CheckFailure(
            "name",
            f"Invalid bucket name: '{name}'. 3 to 63 lowercase letters, digits, dashes, "
            "underscores and dots, starting and ending with a letter or digit, without 'goog' "
            "at the start or 'google' inside.",
        )


def _check_location(location: Any) -> Iterator[CheckFailure]:
    if not isinstance(location, str):
        return
    known = MULTI_REGIONS | DUAL_REGIONS
    if location.upper() not in known and not names.REGION.fullmatch(location.lower()):
        yield CheckFailure(
            "location", f"The specified location constraint is not valid: '{location}'."
        )


def _bad_class(storage_class: str) -> str:
    return f"Invalid storage class '{storage_class}': one of {', '.join(CLASSES)}."


def _check_soft_delete(body: Mapping[str, Any]) -> Iterator[CheckFailure]:
    seconds = look(body, "softDeletePolicy.retentionDurationSeconds")
    low, high = SOFT_DELETE_SECONDS
    if isinstance(seconds, int | str) and str(seconds).isdigit():
        value = int(seconds)
        if value and not low <= value <= high:
            yield CheckFailure(
                "softDeletePolicy.retentionDurationSeconds",
                f"Soft delete retention {value} s is out of range: 0, or 7 days ({low}) to 90 "
                f"days ({high}).",
            )


def _check_lifecycle(body: Mapping[str, Any]) -> Iterator[CheckFailure]:
    rules = look(body, "lifecycle.rule")
    if not isinstance(rules, list):
        return
    if len(rules) > MAX_RULES:
        yield CheckFailure("lifecycle.rule", f"At most {MAX_RULES} lifecycle rules a bucket.")
    for index, rule in enumerate(rules):
        for failure in _check_rule(rule):
            yield CheckFailure(f"lifecycle.rule[{index}].{failure.property}", failure.reason)


def _check_rule(rule: Any) -> Iterator[CheckFailure]:
    action = look(rule, "action.type")
    target = look(rule, "action.storageClass")
    if isinstance(action, str) and action not in ACTIONS:
        yield CheckFailure(
            "action.type", f"Invalid lifecycle action '{action}': one of {', '.join(ACTIONS)}."
        )
    if action == "SetStorageClass" and target is None:
        yield CheckFailure("action.storageClass", "SetStorageClass needs a storage class.")
    if isinstance(target, str) and target not in CLASSES + OLD_CLASSES:
        yield CheckFailure("action.storageClass", _bad_class(target))
    condition = look(rule, "condition")
    if not isinstance(condition, Mapping):
        return
    for name in ("age", "daysSinceNoncurrentTime", "daysSinceCustomTime", "numNewerVersions"):
        value = condition.get(name)
        if isinstance(value, int) and value < 0:
            yield CheckFailure(f"condition.{name}", f"{name} must not be negative, got {value}.")
    yield from _check_delete_age(action, condition)


def _check_delete_age(action: Any, condition: Mapping[str, Any]) -> Iterator[CheckFailure]:
    """Refuse a Delete rule that takes objects at once (terraform-provider-google#17990)."""
    age = condition.get("age")
    bounded = any(condition.get(name) for name in BOUNDS)
    if action != "Delete" or bounded or (age is not None and age != 0):
        return
    yield CheckFailure(
        "condition.age",
        "A Delete rule without a positive age deletes objects on the day they are written; "
        "give an age of at least 1 day or another condition that bounds it.",
    )


def _check_autoclass(body: Mapping[str, Any]) -> Iterator[CheckFailure]:
    terminal = look(body, "autoclass.terminalStorageClass")
    if isinstance(terminal, str) and terminal not in ("NEARLINE", "ARCHIVE"):
        yield CheckFailure(
            "autoclass.terminalStorageClass",
            f"Invalid terminal storage class '{terminal}': NEARLINE or ARCHIVE.",
        )
    if look(body, "autoclass.enabled") is not True:
        return
    rules = look(body, "lifecycle.rule")
    for index, rule in enumerate(rules if isinstance(rules, list) else []):
        if look(rule, "action.type") == "SetStorageClass":
            yield CheckFailure(
                f"lifecycle.rule[{index}].action.type",
                "Autoclass and SetStorageClass lifecycle rules exclude each other.",
            )
