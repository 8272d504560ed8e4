"""Cloud Storage buckets on this machine: rules, defaults, and the JSON API v1."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from tidegate.localclouds.bodies import Body, fill_defaults, look, merge_patch
from tidegate.localclouds.contracts import CheckFailure, CloudError, NotFoundError, World
from tidegate.localclouds.gcp import names
from tidegate.localclouds.gcp.errors import invalid
from tidegate.localclouds.gcp.faulting import take_faults
from tidegate.localclouds.gcp.gke import raise_first
from tidegate.localclouds.gcp.label_rules import check_labels
from tidegate.localclouds.routes import Answer, Asked, Route
from tidegate.localclouds.shelf import Shelf

BUCKET = "storage.googleapis.com/Bucket"
BUCKET_URL = "https://www.googleapis.com/storage/v1/b"

# Google Cloud documentation, Cloud Storage: "Bucket naming guidelines", "Bucket locations",
# "Storage classes", "Object Lifecycle Management", "Soft delete", read 2026-11-30.
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


class Buckets:
    """What the storage face and `gcp:storage` types both call."""

    def __init__(self, world: World) -> None:
        self._world = world
        self.shelf = Shelf(world.store, "gcp")

    def insert(self, project: str, body: Mapping[str, Any]) -> Body:
        """Create a bucket; names are taken once in all of Google Cloud."""
        raise_first(check_bucket(body))
        name = str(body.get("name", ""))
        if not name:
            raise CloudError("required", "Required parameter: name", 400)
        if self.shelf.get(BUCKET, name):
            raise CloudError(
                "conflict",
                "Your previous request to create the named bucket succeeded and you already "
                "own it.",
                409,
            )
        bucket = dict(body)
        location = str(bucket.get("location") or "US").upper()
        time = names.now()
        is_region = bool(names.REGION.fullmatch(location.lower()))
        kind = "multi-region" if location in MULTI_REGIONS else "dual-region"
        bucket["location"] = location
        fill_defaults(
            bucket,
            {
                "kind": "storage#bucket",
                "id": name,
                "selfLink": f"{BUCKET_URL}/{name}",
                "projectNumber": names.number_of(project)[:12],
                "project": project,
                "locationType": "region" if is_region else kind,
                "storageClass": "STANDARD",
                "timeCreated": time,
                "updated": time,
                "labels": {},
                "metageneration": "0",
                "softDeletePolicy": {"retentionDurationSeconds": str(SOFT_DELETE_SECONDS[0])},
                "iamConfiguration": {
                    "publicAccessPrevention": "inherited",
                    "uniformBucketLevelAccess": {"enabled": False},
                },
            },
        )
        return self._keep(bucket)

    def get(self, name: str) -> Body:
        """Return a bucket.

        Raises:
            NotFoundError: When there is none.
        """
        bucket = self.shelf.get(BUCKET, name)
        if bucket is None:
            raise NotFoundError("notFound", "The specified bucket does not exist.")
        return bucket

    def put(self, name: str, body: Mapping[str, Any]) -> Body:
        """Keep a changed bucket after checking it again."""
        with self.shelf.transaction():
            old = self.get(name)
            if str(body.get("location", "")).upper() != old["location"]:
                raise invalid("Invalid argument: the location of a bucket cannot be changed.")
            self._check_lock(old, body)
            raise_first(check_bucket(body))
            return self._keep({**body, "location": old["location"], "updated": names.now()})

    def _check_lock(self, old: Body, new: Mapping[str, Any]) -> None:
        policy = old.get("retentionPolicy") or {}
        if not policy.get("isLocked"):
            return
        wanted = new.get("retentionPolicy") or {}
        if int(wanted.get("retentionPeriod", 0)) < int(policy["retentionPeriod"]):
            raise CloudError(
                "forbidden", "Cannot reduce retention duration of a locked Retention Policy.", 403
            )

    def _keep(self, bucket: Body) -> Body:
        bucket["metageneration"] = str(int(bucket["metageneration"]) + 1)
        bucket["etag"] = names.hexadecimal_of(bucket["name"] + bucket["metageneration"])
        self.shelf.put(BUCKET, bucket["name"], bucket)
        return bucket

    def delete(self, name: str) -> None:
        """Delete a bucket."""
        self.get(name)
        self.shelf.delete(BUCKET, name)

    def list_buckets(self, project: str) -> list[Body]:
        """Return a project's buckets by name."""
        return [body for body in self.shelf.find(BUCKET) if body["project"] == project]

    def routes(self) -> list[Route]:
        """Return what this API answers to `google.cloud.storage`."""
        one = "/storage/v1/b/{bucket}"
        return [
            Route("GET", "/storage/v1/b", self._answer_list),
            Route("POST", "/storage/v1/b", self._answer_insert),
            Route("GET", one, self._answer_get),
            Route("PATCH", one, self._answer_patch),
            Route("PUT", one, self._answer_update),
            Route("DELETE", one, self._answer_delete),
            Route("GET", f"{one}/o", self._answer_objects),
        ]

    def _answer_list(self, asked: Asked) -> Answer:
        found = [_shown(body) for body in self.list_buckets(asked.query.get("project", ""))]
        return Answer({"kind": "storage#buckets", "items": found})

    def _answer_insert(self, asked: Asked) -> Answer:
        take_faults(self._world, "storage:buckets.insert")
        return Answer(_shown(self.insert(asked.query.get("project", ""), asked.body)))

    def _answer_get(self, asked: Asked, bucket: str) -> Answer:
        del asked
        return Answer(_shown(self.get(bucket)))

    def _answer_patch(self, asked: Asked, bucket: str) -> Answer:
        take_faults(self._world, "storage:buckets.patch")
        return Answer(_shown(self.put(bucket, merge_patch(self.get(bucket), asked.body))))

    def _answer_update(self, asked: Asked, bucket: str) -> Answer:
        take_faults(self._world, "storage:buckets.update")
        fixed = ("id", "kind", "location", "locationType", "metageneration", "name", "project",
                 "projectNumber", "selfLink", "timeCreated")  # fmt: skip
        old = self.get(bucket)
        return Answer(_shown(self.put(bucket, asked.body | {key: old[key] for key in fixed})))

    def _answer_delete(self, asked: Asked, bucket: str) -> Answer:
        del asked
        self.delete(bucket)
        return Answer(None, 204)

    def _answer_objects(self, asked: Asked, bucket: str) -> Answer:
        del asked
        self.get(bucket)
        return Answer({"kind": "storage#objects"})


def _shown(body: Body) -> Body:
    return {key: value for key, value in body.items() if key != "project"}
