"""Kubernetes objects as plain JSON: listed page by page, and patched.

The client's own classes are left out: loading those of the core API takes longer than all the rest
of a dry run, and making them of ten thousand pods longer than all the rest of a turn.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from kubernetes.client.api_client import ApiClient
from kubernetes.client.exceptions import ApiException
from urllib3.exceptions import HTTPError

Body = dict[str, Any]
NODES = "/api/v1/nodes"
PODS = "/api/v1/pods"
PAGE = 2000
TIMEOUT_SECONDS = (5, 20)
"""To connect, and to answer."""
FIRST_ERROR = 400
JSON = "application/json"
PATCH = "application/strategic-merge-patch+json"
FAULTS = (ApiException, HTTPError, ValueError, KeyError, TypeError, AttributeError)
"""What calls raise: a refusal, no answer, or an answer that is not what was asked for."""


def explain_fault(error: Exception, wanted: str) -> str:
    """Return what one of `FAULTS` says, to follow who was asked.

    Args:
        error: What was raised.
        wanted: What the answer should have been ("Lease").
    """
    if isinstance(error, ApiException):
        return f"answers {error.status} {error.reason}"
    if isinstance(error, HTTPError):
        return f"does not answer: {error}"
    return f"answers what is no {wanted}: {error!r}"


def list_objects(api: ApiClient, path: str, chosen: str = "") -> Iterator[Body]:
    """Yield every object of a kind.

    Args:
        api: The cluster.
        path: The kind's.
        chosen: A field selector ("spec.nodeName=node-1"); empty for all.

    Raises:
        ApiException: The server refuses.
        ValueError, KeyError, TypeError: What it answers is no list of objects.
    """
    asked: list[tuple[str, Any]] = [("limit", PAGE)]
    if chosen:
        asked.append(("fieldSelector", chosen))
    query = asked
    while True:
        page = json.loads(_call(api, "GET", path, query=query))
        yield from page["items"] or ()
        token = (page.get("metadata") or {}).get("continue")
        if not token:
            return
        query = [*asked, ("continue", token)]


def read_object(api: ApiClient, path: str) -> Body:
    """Return one object.

    Raises:
        ApiException: The server refuses, or has none.
        ValueError: What it answers is no object.
    """
    found: Body = json.loads(_call(api, "GET", path))
    return found


def replace_object(api: ApiClient, path: str, body: Body) -> None:
    """Put an object in the place of the one that its resourceVersion names.

    Raises:
        ApiException: The server refuses; with 409 where it has another version by now.
    """
    _call(api, "PUT", path, body=body, media_type=JSON)


def patch_object(api: ApiClient, path: str, body: Body) -> None:
    """Change what a patch states of an object.

    Raises:
        ApiException: The server refuses.
    """
    _call(api, "PATCH", path, body=body)


def post_object(api: ApiClient, path: str, body: Body) -> None:
    """Make an object, or ask for what a path of objects does.

    Raises:
        ApiException: The server refuses; its body says why.
    """
    _call(api, "POST", path, body=body, media_type=JSON)


def _call(
    api: ApiClient,
    method: str,
    path: str,
    query: list[tuple[str, Any]] | None = None,
    body: Body | None = None,
    media_type: str = PATCH,
) -> bytes:
    headers = {"Accept": "application/json"}
    if body is not None:
        headers["Content-Type"] = media_type
    request = api.param_serialize(
        method,
        path,
        query_params=query or [],
        header_params=headers,
        body=body,
        auth_settings=["BearerToken"],
    )
    answer = api.call_api(*request, _request_timeout=TIMEOUT_SECONDS)
    data: bytes = answer.read()  # type: ignore[no-untyped-call]
    if answer.status >= FIRST_ERROR:
        text = data.decode(errors="replace")
        raise ApiException(status=answer.status, reason=answer.reason, body=text)
    return data
