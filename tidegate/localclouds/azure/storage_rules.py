"""What Azure Storage refuses, said of the REST body.

Sources: names of accounts and containers as the property descriptions of pulumi-azure-native 3.29.0
have them; pulumi-azure-native#1336. The rest is general vendor documentation, not verified.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from tidegate.localclouds.bodies import look
from tidegate.localclouds.contracts import UNKNOWN, CheckFailure

Body = Mapping[str, Any]

ACCOUNT_NAME = re.compile(r"[a-z0-9]{3,24}")
CONTAINER_NAME = re.compile(r"(?:\$root|\$web|\$logs|[a-z0-9](?:-?[a-z0-9])*)")
BLOB_TYPES = ("blockBlob", "appendBlob")
TIERS = ("tierToCool", "tierToCold", "tierToArchive", "tierToHot")
LAST_ACCESS = "daysAfterLastAccessTimeGreaterThan"
DAYS = (
    "daysAfterModificationGreaterThan",
    "daysAfterCreationGreaterThan",
    LAST_ACCESS,
    "daysAfterLastTierChangeGreaterThan",
)
MAX_DAYS = 99_999
MAX_RULES = 100


def check_account(name: Any, body: Body) -> Iterator[CheckFailure]:
    """Say what is wrong with a storage account."""
    if isinstance(name, str) and not ACCOUNT_NAME.fullmatch(name):
        yield CheckFailure(
            "name",
            f"{name} is not a valid storage account name. Storage account name must be between 3 "
            "and 24 characters in length and use numbers and lower-case letters only.",
        )
    kind, tier = body.get("kind"), look(body, "properties.accessTier")
    if kind == "BlobStorage" and tier is None:
        yield CheckFailure(
            "properties.accessTier", "The property 'accessTier' is required for kind BlobStorage."
        )
    sku = look(body, "sku.name")
    premium_kind = kind in ("BlockBlobStorage", "FileStorage")
    if premium_kind and isinstance(sku, str) and not sku.startswith("Premium"):
        yield CheckFailure("sku.name", f"Kind {kind} needs a Premium sku, got {sku}.")
    if tier == "Cold" and kind in ("Storage", "BlockBlobStorage", "FileStorage"):
        yield CheckFailure("properties.accessTier", f"Kind {kind} has no access tier Cold.")


def check_container(name: Any, body: Body) -> Iterator[CheckFailure]:
    """Say what is wrong with a blob container."""
    del body
    if isinstance(name, str) and not (3 <= len(name) <= 63 and CONTAINER_NAME.fullmatch(name)):
        yield CheckFailure(
            "name",
            f"The specified resource name '{name}' contains invalid characters or has a bad "
            "length: 3 to 63 lowercase letters, digits and single dashes.",
        )


def check_blob_service(name: Any, body: Body) -> Iterator[CheckFailure]:
    """Say what is wrong with an account's blob service."""
    if isinstance(name, str) and name != "default":
        yield CheckFailure("name", f"The blob service of an account is 'default', got '{name}'.")
    properties = body.get("properties") or {}
    for word in ("deleteRetentionPolicy", "containerDeleteRetentionPolicy", "restorePolicy"):
        policy = properties.get(word)
        days = look(policy, "days")
        if isinstance(days, int) and not 1 <= days <= 365:
            yield CheckFailure(f"properties.{word}.days", f"Days {days} are not in 1 to 365.")
        if look(policy, "enabled") is True and days is None:
            yield CheckFailure(f"properties.{word}.days", f"{word} needs days when it is enabled.")
    yield from _check_restore(properties)


def _check_restore(properties: Body) -> Iterator[CheckFailure]:
    if look(properties, "restorePolicy.enabled") is not True:
        return
    needed = {
        "isVersioningEnabled": properties.get("isVersioningEnabled"),
        "changeFeed.enabled": look(properties, "changeFeed.enabled"),
        "deleteRetentionPolicy.enabled": look(properties, "deleteRetentionPolicy.enabled"),
    }
    for word, value in needed.items():
        if value not in (True, UNKNOWN):
            yield CheckFailure(
                "properties.restorePolicy", f"Point-in-time restore needs {word} to be true."
            )
    restore = look(properties, "restorePolicy.days")
    kept = look(properties, "deleteRetentionPolicy.days")
    if isinstance(restore, int) and isinstance(kept, int) and restore >= kept:
        yield CheckFailure(
            "properties.restorePolicy.days",
            f"Restore days {restore} must be fewer than deleteRetentionPolicy.days {kept}.",
        )


def check_management_policy(name: Any, body: Body) -> Iterator[CheckFailure]:
    """Say what is wrong with an account's lifecycle rules."""
    del name
    rules = look(body, "properties.policy.rules")
    if not isinstance(rules, list):
        return
    place = "properties.policy.rules"
    if not 1 <= len(rules) <= MAX_RULES:
        yield CheckFailure(place, f"A policy has 1 to {MAX_RULES} rules, got {len(rules)}.")
    seen: set[Any] = set()
    for index, rule in enumerate(rules):
        name_ = look(rule, "name")
        if isinstance(name_, str):
            if name_ in seen:
                yield CheckFailure(f"{place}[{index}].name", f"Rule '{name_}' is given twice.")
            if not re.fullmatch(r"[A-Za-z0-9-]{1,256}", name_):
                yield CheckFailure(f"{place}[{index}].name", f"Rule name '{name_}' is not valid.")
            seen.add(name_)
        for failure in _check_rule(rule):
            yield CheckFailure(f"{place}[{index}].definition.{failure.property}", failure.reason)


def _check_rule(rule: Any) -> Iterator[CheckFailure]:
    types = look(rule, "definition.filters.blobTypes")
    actions = look(rule, "definition.actions")
    if isinstance(types, list):
        for index, kind in enumerate(types):
            if isinstance(kind, str) and kind not in BLOB_TYPES:
                known = ", ".join(BLOB_TYPES)
                yield CheckFailure(
                    f"filters.blobTypes[{index}]", f"'{kind}' is not one of {known}."
                )
    elif types is None:
        yield CheckFailure("filters.blobTypes", "A lifecycle rule needs blobTypes.")
    if not isinstance(actions, Mapping):
        return
    if not any(actions.values()):
        yield CheckFailure("actions", "A lifecycle rule needs an action.")
    for target, steps in actions.items():
        if isinstance(steps, Mapping):
            yield from _check_actions(f"actions.{target}", steps, types)


def _check_actions(place: str, steps: Body, types: Any) -> Iterator[CheckFailure]:
    for step, condition in steps.items():
        if not isinstance(condition, Mapping):
            continue
        here = f"{place}.{step}"
        given = {word: condition[word] for word in DAYS if condition.get(word) is not None}
        if not given:
            yield CheckFailure(
                here, f"{step} needs a number of days, or it would take all at once."
            )
        for word, days in given.items():
            if isinstance(days, int | float) and not (0 <= days <= MAX_DAYS and days == int(days)):
                yield CheckFailure(f"{here}.{word}", f"Days {days} are not in 0 to {MAX_DAYS}.")
        if step in TIERS and isinstance(types, list) and "appendBlob" in types:
            yield CheckFailure(here, f"{step} is not possible for appendBlob.")
        last_change = "daysAfterLastTierChangeGreaterThan"
        if last_change in given and step != "tierToArchive":
            yield CheckFailure(f"{here}.{last_change}", "Only tierToArchive takes this condition.")


def uses_last_access(body: Body) -> bool:
    """Tell whether a policy asks when blobs were read last."""
    for rule in look(body, "properties.policy.rules") or []:
        actions = look(rule, "definition.actions")
        for steps in actions.values() if isinstance(actions, Mapping) else []:
            for condition in steps.values() if isinstance(steps, Mapping) else []:
                if look(condition, LAST_ACCESS) is not None:
                    return True
    return False
