"""Cloud Logging on this machine: log buckets, API v2."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from tidegate.localclouds.bodies import Body, fill_defaults, merge_patch
from tidegate.localclouds.contracts import CheckFailure, World
from tidegate.localclouds.gcp import names
from tidegate.localclouds.gcp.errors import exists, invalid, missing, unmet
from tidegate.localclouds.gcp.faulting import take_faults
from tidegate.localclouds.gcp.gke import raise_first
from tidegate.localclouds.routes import Answer, Asked, Route
from tidegate.localclouds.shelf import Shelf

LOG_BUCKET = "logging.googleapis.com/LogBucket"

# At least one day, 30 by default, 400 for _Required: Cloud Logging, REST reference
# locations.buckets and "Storing logs" (stored copies, read on 2026-11-30). At most 3650 days: a
# secondary source (oneuptime.com, 2026-02-17). Names and the number of indexes: general vendor
# documentation, not verified.
BUCKET_ID = re.compile(r"[a-zA-Z0-9_][-a-zA-Z0-9_.]{0,99}")
RETENTION_DAYS = (1, 3650)
DEFAULT_DAYS = 30
MAX_INDEXES = 20
# What every project has from the start and nobody can delete → its retention in days.
BUILT_IN = {"_Default": 30, "_Required": 400}


def check_log_bucket(body: Mapping[str, Any]) -> Iterator[CheckFailure]:
    """Say what Logging refuses in a log bucket; places are paths in the REST body."""
    days = body.get("retentionDays")
    low, high = RETENTION_DAYS
    if isinstance(days, int) and not low <= days <= high:
        yield CheckFailure(
            "retentionDays", f"Retention of {days} days is out of range: {low} to {high} days."
        )
    indexes = body.get("indexConfigs")
    if isinstance(indexes, list) and len(indexes) > MAX_INDEXES:
        yield CheckFailure("indexConfigs", f"At most {MAX_INDEXES} indexed fields a bucket.")
    for index, item in enumerate(indexes if isinstance(indexes, list) else []):
        kind = item.get("type") if isinstance(item, Mapping) else None
        if isinstance(kind, str) and kind not in ("INDEX_TYPE_STRING", "INDEX_TYPE_INTEGER"):
            yield CheckFailure(
                f"indexConfigs[{index}].type",
                f"Invalid index type '{kind}': INDEX_TYPE_STRING or INDEX_TYPE_INTEGER.",
            )


class Logs:
    """What the logging face and `gcp:logging` types both call."""

    def __init__(self, world: World) -> None:
        self._world = world
        self.shelf = Shelf(world.store, "gcp")

    def get_bucket(self, name: str) -> Body:
        """Return a log bucket; `_Default` and `_Required` are always there.

        Raises:
            NotFoundError: When there is none.
        """
        bucket = self.shelf.get(LOG_BUCKET, name)
        short, place = names.last_part(name), name.split("/")[3]
        if bucket is None and short in BUILT_IN and place == "global":
            return {"name": name, "retentionDays": BUILT_IN[short], "lifecycleState": "ACTIVE"}
        if bucket is None:
            raise missing(f"Bucket `{short}` does not exist in {place}.")
        return bucket

    def create_bucket(self, name: str, body: Mapping[str, Any]) -> Body:
        """Create a log bucket; one that waits for its deletion still has its name."""
        short = names.last_part(name)
        if not BUCKET_ID.fullmatch(short):
            raise invalid(
                f"Invalid bucket id '{short}': at most 100 letters, digits, dashes, underscores "
                "and periods."
            )
        raise_first(check_log_bucket(body))
        if self.shelf.get(LOG_BUCKET, name) is not None:
            raise exists(f"Bucket `{short}` already exists.")
        bucket = {**body, "name": name}
        fill_defaults(bucket, {"retentionDays": DEFAULT_DAYS, "createTime": names.now()})
        return self._keep(name, bucket)

    def change_bucket(self, name: str, body: Mapping[str, Any]) -> Body:
        """Keep a changed log bucket; a lock and analytics are one-way."""
        with self.shelf.transaction():
            old = self.get_bucket(name)
            raise_first(check_log_bucket(body))
            if old["lifecycleState"] != "ACTIVE":
                raise unmet(
                    f"Bucket `{names.last_part(name)}` is in state {old['lifecycleState']}: it has "
                    "to be undeleted before it can be changed."
                )
            if names.last_part(name) == "_Required":
                raise invalid("The `_Required` bucket cannot be modified.")
            if old.get("locked") and body.get("retentionDays") != old.get("retentionDays"):
                raise unmet(f"Bucket `{names.last_part(name)}` is locked and cannot be modified.")
            for word in ("locked", "analyticsEnabled"):
                if old.get(word) and not body.get(word):
                    raise unmet(f"{word} of a log bucket cannot be undone once it is set.")
            return self._keep(name, {**body, "name": name})

    def _keep(self, name: str, bucket: Body) -> Body:
        bucket |= {"updateTime": names.now(), "lifecycleState": "ACTIVE"}
        self.shelf.put(LOG_BUCKET, name, bucket)
        return bucket

    def delete_bucket(self, name: str) -> None:
        """Mark a log bucket for deletion: it stays for seven days and can be taken back."""
        short = names.last_part(name)
        if short in BUILT_IN:
            raise invalid(f"The `{short}` bucket cannot be deleted.")
        bucket = self.get_bucket(name)
        if bucket.get("locked"):
            raise unmet(f"Bucket `{short}` is locked and cannot be deleted.")
        self.shelf.put(LOG_BUCKET, name, {**bucket, "lifecycleState": "DELETE_REQUESTED"})

    def list_buckets(self, parent: str) -> list[Body]:
        """Return the log buckets of a location; "-" stands for every location."""
        prefix = parent.removesuffix("-") if parent.endswith("/-") else f"{parent}/buckets/"
        kept = dict(self.shelf.items(LOG_BUCKET, prefix))
        project = parent.split("/")[1]
        for short in BUILT_IN:
            name = f"projects/{project}/locations/global/buckets/{short}"
            if name.startswith(prefix):
                kept.setdefault(name, self.get_bucket(name))
        return [kept[name] for name in sorted(kept)]

    def routes(self) -> list[Route]:
        """Return what this API answers."""
        parent = "/v2/projects/{project}/locations/{location}/buckets"
        one = f"{parent}/{{bucket}}"
        return [
            Route("GET", parent, self._answer_list),
            Route("POST", parent, self._answer_create),
            Route("GET", one, self._answer_get),
            Route("PATCH", one, self._answer_patch),
            Route("DELETE", one, self._answer_delete),
            Route("POST", f"{one}:undelete", self._answer_undelete),
        ]

    def _answer_list(self, asked: Asked, **_: str) -> Answer:
        return Answer({"buckets": self.list_buckets(_name(asked).removesuffix("/buckets"))})

    def _answer_create(self, asked: Asked, **_: str) -> Answer:
        take_faults(self._world, "logging:CreateBucket")
        name = f"{_name(asked)}/{asked.query.get('bucketId', '')}"
        return Answer(self.create_bucket(name, asked.body))

    def _answer_get(self, asked: Asked, **_: str) -> Answer:
        return Answer(self.get_bucket(_name(asked)))

    def _answer_patch(self, asked: Asked, **_: str) -> Answer:
        take_faults(self._world, "logging:UpdateBucket")
        mask = [word for word in asked.query.get("updateMask", "").split(",") if word]
        fields = [re.sub(r"_(\w)", lambda match: match[1].upper(), word) for word in mask]
        patch = {word: asked.body.get(word) for word in fields} if mask else asked.body
        return Answer(
            self.change_bucket(_name(asked), merge_patch(self.get_bucket(_name(asked)), patch))
        )

    def _answer_delete(self, asked: Asked, **_: str) -> Answer:
        self.delete_bucket(_name(asked))
        return Answer({})

    def _answer_undelete(self, asked: Asked, **_: str) -> Answer:
        name = _name(asked).removesuffix(":undelete")
        self._keep(name, self.get_bucket(name))
        return Answer({})


def _name(asked: Asked) -> str:
    return asked.path.removeprefix("/v2/")
