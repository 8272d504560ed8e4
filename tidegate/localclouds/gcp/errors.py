"""Errors as Google's REST APIs say them."""

from __future__ import annotations

from tidegate.localclouds.refusals import CloudError, NotFoundError
from tidegate.localclouds.routes import Answer, Asked

# google.rpc.Code names for the HTTP statuses that the local faces answer, and the older
# `errors[].reason` words beside them.
STATUS_WORDS: dict[int, tuple[str, str]] = {
    400: ("INVALID_ARGUMENT", "badRequest"),
    403: ("PERMISSION_DENIED", "forbidden"),
    404: ("NOT_FOUND", "notFound"),
    405: ("UNIMPLEMENTED", "httpMethodNotAllowed"),
    409: ("ALREADY_EXISTS", "alreadyExists"),
    412: ("FAILED_PRECONDITION", "conditionNotMet"),
    429: ("RESOURCE_EXHAUSTED", "rateLimitExceeded"),
    500: ("INTERNAL", "backendError"),
    503: ("UNAVAILABLE", "backendError"),
}
RPC_CODES = frozenset(word for word, _ in STATUS_WORDS.values())


def invalid(message: str) -> CloudError:
    """Return the error for a request that can never succeed."""
    return CloudError("INVALID_ARGUMENT", message, 400)


def unmet(message: str) -> CloudError:
    """Return the error for a request that the resource's present state forbids."""
    return CloudError("FAILED_PRECONDITION", message, 400)


def exists(message: str) -> CloudError:
    """Return the error for a name that is taken."""
    return CloudError("ALREADY_EXISTS", message, 409)


def missing(message: str) -> NotFoundError:
    """Return the error for a resource that does not exist."""
    return NotFoundError("NOT_FOUND", message)


def render_error(error: CloudError) -> Answer:
    """Return Google's error body, with both the new and the older words for the reason."""
    status, reason = STATUS_WORDS.get(error.status, ("UNKNOWN", "unknown"))
    if error.code in RPC_CODES:
        status = error.code
    else:
        reason = error.code
    message = error.message
    body = {
        "code": error.status,
        "message": message,
        "status": status,
        "errors": [{"message": message, "domain": "global", "reason": reason}],
    }
    headers = {"Retry-After": "1"} if error.status == 429 else {}
    return Answer({"error": body}, error.status, headers)


def absent_route(asked: Asked) -> CloudError:
    """Return the error for a method and path that the local cloud does not answer."""
    return missing(
        f"Method not found: {asked.method} {asked.path} is not answered by the local Google Cloud."
    )
