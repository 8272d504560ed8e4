"""S3: what moto loses on the way.

Intelligent tiering, tags given at creation, and of lifecycles the smallest size of objects that
move and sizes within a filter's "And": a lifecycle is answered as it was put. A bucket
that exists is refused in every region: AWS's answer of 200 in us-east-1, which it calls legacy,
would let two owners in one account take one bucket for theirs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import xmltodict  # type: ignore[import-untyped]

from tidegate.localclouds.aws.corrections.patching import wrap

TIERING = "intelligent-tiering"
SIZE_HEADER = "x-amz-transition-default-minimum-object-size"
DEFAULT_SIZE = "all_storage_classes_128K"
SIZES = ("all_storage_classes_128K", "varies_by_storage_class")
XML = {"content-type": "application/xml"}


def correct_s3() -> None:
    """Keep tierings on moto's bucket, and the size with its lifecycle."""
    from moto.s3.models import S3Backend
    from moto.s3.responses import S3Response

    wrap(S3Response, "_bucket_response_put", _wrap_put)
    wrap(S3Response, "_bucket_response_get", _wrap_get)
    wrap(S3Response, "_bucket_response_delete", _wrap_delete)
    wrap(S3Backend, "create_bucket", _refuse_existing)


def _tierings(self: Any, bucket_name: str) -> dict[str, str]:
    bucket = self.backend.get_bucket(bucket_name)  # raises NoSuchBucket
    found: dict[str, str] = bucket.__dict__.setdefault("intelligent_tierings", {})
    return found


def _wrap_put(original: Callable[..., Any]) -> Callable[..., Any]:
    def put(self: Any, request: Any, bucket_name: str, querystring: dict[str, Any]) -> Any:
        if TIERING in querystring:
            _tierings(self, bucket_name)[querystring["id"][0]] = _body_of(self)
            return 200, {}, ""
        size = request.headers.get(SIZE_HEADER, DEFAULT_SIZE)
        if "lifecycle" in querystring and size not in SIZES:
            return 400, XML, _error("InvalidArgument", f"{SIZE_HEADER}: expected one of {SIZES}")
        answer = original(self, request, bucket_name, querystring)
        if not querystring:
            _keep_tags(self, bucket_name)
        if "lifecycle" in querystring:
            bucket = self.backend.get_bucket(bucket_name)
            bucket.lifecycle_body, bucket.transition_size = _body_of(self), size
        return answer

    return put


def _body_of(self: Any) -> str:
    return self.body.decode() if isinstance(self.body, bytes) else self.body or ""


def _keep_tags(self: Any, bucket_name: str) -> None:
    """Set the tags of a `CreateBucketConfiguration`."""
    body = _body_of(self)
    if "<Tags>" not in body:
        return
    tags = xmltodict.parse(body)["CreateBucketConfiguration"]["Tags"]["Tag"]
    pairs = tags if isinstance(tags, list) else [tags]
    self.backend.put_bucket_tagging(bucket_name, {tag["Key"]: tag["Value"] or "" for tag in pairs})


def _refuse_existing(original: Callable[..., Any]) -> Callable[..., Any]:
    from moto.s3.exceptions import BucketAlreadyOwnedByYou

    def create_bucket(self: Any, bucket_name: str, *args: Any, **kwargs: Any) -> Any:
        if bucket_name in self.buckets:
            raise BucketAlreadyOwnedByYou(bucket_name)
        return original(self, bucket_name, *args, **kwargs)

    return create_bucket


def _wrap_get(original: Callable[..., Any]) -> Callable[..., Any]:
    def get(self: Any, bucket_name: str, querystring: dict[str, Any]) -> Any:
        if TIERING in querystring and "id" in querystring:
            return _get_tiering(self, bucket_name, querystring["id"][0])
        if TIERING in querystring:
            parts = "".join(_tierings(self, bucket_name).values())
            name = "ListBucketIntelligentTieringConfigurationsOutput"
            return 200, XML, f"<{name}><IsTruncated>false</IsTruncated>{parts}</{name}>"
        answer = original(self, bucket_name, querystring)
        if "lifecycle" in querystring:
            bucket = self.backend.get_bucket(bucket_name)
            return 200, {**XML, SIZE_HEADER: bucket.transition_size}, bucket.lifecycle_body
        return answer

    return get


def _get_tiering(self: Any, bucket_name: str, id: str) -> Any:
    body = _tierings(self, bucket_name).get(id)
    if body is None:
        words = "The specified configuration does not exist."
        return 404, XML, _error("NoSuchConfiguration", words)
    return 200, XML, body


def _wrap_delete(original: Callable[..., Any]) -> Callable[..., Any]:
    def delete(self: Any, bucket_name: str, querystring: dict[str, Any]) -> Any:
        if TIERING in querystring:
            _tierings(self, bucket_name).pop(querystring["id"][0], None)
            return 204, {}, ""
        return original(self, bucket_name, querystring)

    return delete


def _error(code: str, message: str) -> str:
    return f"<Error><Code>{code}</Code><Message>{message}</Message></Error>"
