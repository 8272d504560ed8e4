"""S3: moto loses intelligent tiering and the smallest size of objects that move."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tidegate.localclouds.aws.corrections.patching import wrap

TIERING = "intelligent-tiering"
SIZE_HEADER = "x-amz-transition-default-minimum-object-size"
DEFAULT_SIZE = "all_storage_classes_128K"
SIZES = ("all_storage_classes_128K", "varies_by_storage_class")
XML = {"content-type": "application/xml"}


def correct_s3() -> None:
    """Keep tierings on moto's bucket, and the size with its lifecycle."""
    from moto.s3.responses import S3Response

    wrap(S3Response, "_bucket_response_put", _wrap_put)
    wrap(S3Response, "_bucket_response_get", _wrap_get)
    wrap(S3Response, "_bucket_response_delete", _wrap_delete)


def _tierings(self: Any, bucket_name: str) -> dict[str, str]:
    bucket = self.backend.get_bucket(bucket_name)  # raises NoSuchBucket
    found: dict[str, str] = bucket.__dict__.setdefault("intelligent_tierings", {})
    return found


def _wrap_put(original: Callable[..., Any]) -> Callable[..., Any]:
    def put(self: Any, request: Any, bucket_name: str, querystring: dict[str, Any]) -> Any:
        if TIERING in querystring:
            body = self.body.decode() if isinstance(self.body, bytes) else self.body
            _tierings(self, bucket_name)[querystring["id"][0]] = body
            return 200, {}, ""
        size = request.headers.get(SIZE_HEADER, DEFAULT_SIZE)
        if "lifecycle" in querystring and size not in SIZES:
            return 400, XML, _error("InvalidArgument", f"{SIZE_HEADER}: expected one of {SIZES}")
        answer = original(self, request, bucket_name, querystring)
        if "lifecycle" in querystring:
            self.backend.get_bucket(bucket_name).transition_size = size
        return answer

    return put


def _wrap_get(original: Callable[..., Any]) -> Callable[..., Any]:
    def get(self: Any, bucket_name: str, querystring: dict[str, Any]) -> Any:
        if TIERING in querystring and "id" in querystring:
            return _get_tiering(self, bucket_name, querystring["id"][0])
        if TIERING in querystring:
            parts = "".join(_tierings(self, bucket_name).values())
            name = "ListBucketIntelligentTieringConfigurationsOutput"
            return 200, XML, f"<{name}><IsTruncated>false</IsTruncated>{parts}</{name}>"
        answer = original(self, bucket_name, querystring)
        if "lifecycle" in querystring and isinstance(answer, tuple):
            status, headers, body = answer
            bucket = self.backend.get_bucket(bucket_name)
            size = getattr(bucket, "transition_size", DEFAULT_SIZE)
            return status, {**headers, SIZE_HEADER: size}, body
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
