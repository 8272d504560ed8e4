"""Cloud Storage buckets on this machine: defaults, and the JSON API v1."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tidegate.localclouds.bodies import Body, fill_defaults, merge_patch
from tidegate.localclouds.contracts import World
from tidegate.localclouds.gcp import names
from tidegate.localclouds.gcp.bucket_rules import (
    MULTI_REGIONS,
    SOFT_DELETE_SECONDS,
    check_bucket,
)
from tidegate.localclouds.gcp.errors import invalid
from tidegate.localclouds.gcp.faulting import take_faults
from tidegate.localclouds.gcp.gke import raise_first
from tidegate.localclouds.refusals import CloudError, NotFoundError
from tidegate.localclouds.routes import Answer, Asked, Route
from tidegate.localclouds.shelf import Shelf

BUCKET = "storage.googleapis.com/Bucket"
BUCKET_URL = "https://www.googleapis.com/storage/v1/b"


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
                "projectNumber": names.project_number(project),
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
