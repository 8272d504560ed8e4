"""Buckets of Cloud Storage and of Cloud Logging for the engine."""

# ruff: noqa: ARG002 - every behaviour has the contract's signature, used or not

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import ClassVar

from tidegate.localclouds.bodies import Body
from tidegate.localclouds.contracts import Call, CheckFailure, Values
from tidegate.localclouds.gcp import names
from tidegate.localclouds.gcp.bucket_rules import check_bucket
from tidegate.localclouds.gcp.errors import missing
from tidegate.localclouds.gcp.google_type import GoogleType, is_same_case
from tidegate.localclouds.gcp.logs import (
    BUCKET_ID,
    BUILT_IN,
    Logs,
    check_log_bucket,
)
from tidegate.localclouds.gcp.resource_shape import BUCKET, LOG_BUCKET
from tidegate.localclouds.gcp.storage import Buckets
from tidegate.localclouds.refusals import NotFoundError


class BucketType(GoogleType):
    """`gcp:storage/bucket:Bucket`."""

    shape = BUCKET
    spelled_freely: ClassVar[Mapping[str, Callable[[str, str], bool]]] = {"location": is_same_case}

    def __init__(self, buckets: Buckets) -> None:
        self._buckets = buckets

    def place(self, inputs: Values, call: Call) -> str:
        """Return the bucket's name."""
        return str(inputs["name"])

    def judge(self, body: Body, inputs: Values, call: Call) -> Iterator[CheckFailure]:
        """Say what Cloud Storage refuses."""
        yield from check_bucket(body)

    def insert(self, name: str, body: Body, inputs: Values, call: Call) -> Body:
        """Create it."""
        return self._buckets.insert(names.project_of(inputs, call.settings), body)

    def load(self, name: str) -> Body:
        """Return it."""
        return self._buckets.get(name)

    def save(self, name: str, body: Body) -> Body:
        """Keep it."""
        return self._buckets.put(name, body)

    def remove(self, name: str, inputs: Values) -> None:
        """Delete it."""
        self._buckets.delete(name)

    def compute_outputs(self, name: str, body: Body, inputs: Values) -> Values:
        """Return its project and URL."""
        return {"project": body["project"], "url": f"gs://{name}"}


class LogBucketType(GoogleType):
    """`gcp:logging/projectBucketConfig:ProjectBucketConfig`."""

    shape = LOG_BUCKET

    def __init__(self, logs: Logs) -> None:
        self._logs = logs

    def place(self, inputs: Values, call: Call) -> str:
        """Return "projects/p/locations/l/buckets/b"."""
        project = str(inputs["project"]).removeprefix("projects/")
        return f"projects/{project}/locations/{inputs['location']}/buckets/{inputs['bucketId']}"

    def judge(self, body: Body, inputs: Values, call: Call) -> Iterator[CheckFailure]:
        """Say what Logging refuses."""
        bucket_id = inputs.get("bucketId")
        if isinstance(bucket_id, str) and not BUCKET_ID.fullmatch(bucket_id):
            yield CheckFailure(
                "bucketId",
                f"Invalid bucket id '{bucket_id}': at most 100 letters, digits, dashes, "
                "underscores and periods.",
            )
        yield from check_log_bucket(body)

    def insert(self, name: str, body: Body, inputs: Values, call: Call) -> Body:
        """Create it, or take over the one that is there, as the provider does.

        One that waits for its deletion is there too, and Logging changes none such.
        """
        try:
            live = self._logs.get_bucket(name)
        except NotFoundError:
            return self._logs.create_bucket(name, body)
        return self._logs.change_bucket(name, {**live, **body})

    def load(self, name: str) -> Body:
        """Return it; one that waits for its deletion is gone for the engine."""
        bucket = self._logs.get_bucket(name)
        if bucket["lifecycleState"] != "ACTIVE":
            raise missing(f"Bucket `{names.last_part(name)}` is being deleted.")
        return bucket

    def save(self, name: str, body: Body) -> Body:
        """Keep it."""
        return self._logs.change_bucket(name, body)

    def remove(self, name: str, inputs: Values) -> None:
        """Mark it for deletion; what the project has from the start stays as it is."""
        if names.last_part(name) not in BUILT_IN:
            self.load(name)
            self._logs.delete_bucket(name)

    def compute_outputs(self, name: str, body: Body, inputs: Values) -> Values:
        """Return where it is."""
        _, project, _, location, _, bucket = name.split("/")
        given = inputs.get("project")
        return {"project": given or project, "location": location, "bucketId": bucket}
