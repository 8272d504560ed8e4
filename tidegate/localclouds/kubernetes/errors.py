"""Refusals as Kubernetes' API server words them: `Status` bodies with a reason and a code."""

from __future__ import annotations

from collections.abc import Sequence

from tidegate.localclouds.contracts import CheckFailure
from tidegate.localclouds.kubernetes.kinds import Kind
from tidegate.localclouds.refusals import CloudError, NotFoundError
from tidegate.localclouds.routes import Answer, Asked


def absent(kind: Kind, name: str) -> NotFoundError:
    """Return the error for an object that does not exist."""
    return NotFoundError("NotFound", f'{kind.resource} "{name}" not found')


def taken(kind: Kind, name: str) -> CloudError:
    """Return the error for a name that an object has already."""
    return CloudError("AlreadyExists", f'{kind.resource} "{name}" already exists', 409)


def invalid(kind: Kind, name: str, failures: Sequence[CheckFailure]) -> CloudError:
    """Return the error for an object that breaks rules: every one of them."""
    title = f"{kind.name}.{kind.group}" if kind.group else kind.name
    said = [f"{failure.property}: {failure.reason}" for failure in failures]
    words = said[0] if len(said) == 1 else f"[{', '.join(said)}]"
    return CloudError("Invalid", f'{title} "{name}" is invalid: {words}', 422)


def conflicting(kind: Kind, name: str) -> CloudError:
    """Return the error for a change to what somebody else changed meanwhile."""
    return CloudError(
        "Conflict",
        f'Operation cannot be fulfilled on {kind.resource} "{name}": the object has been modified; '
        "please apply your changes to the latest version and try again",
        409,
    )


def denied(webhook: str, message: str) -> CloudError:
    """Return the error of an admission webhook."""
    return CloudError(
        "Forbidden", f'admission webhook "{webhook}" denied the request: {message}', 403
    )


def bad_request(message: str) -> CloudError:
    """Return the error for a request that cannot be read."""
    return CloudError("BadRequest", message, 400)


def render_status(error: CloudError) -> Answer:
    """Return the API server's `Status`."""
    body = {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Failure",
        "message": error.message,
        "reason": error.code,
        "code": error.status,
    }
    return Answer(body, error.status, {"Retry-After": "1"} if error.status == 429 else {})


def absent_path(asked: Asked) -> CloudError:
    """Return the error for a path that the API server does not serve."""
    return NotFoundError(
        "NotFound",
        f"the server could not find the requested resource: {asked.method} {asked.path} is not "
        "answered by the local Kubernetes",
    )


def denied_delete(kind: Kind, name: str, why: str) -> CloudError:
    """Return the error for an object that may not be deleted."""
    return CloudError("Forbidden", f'{kind.resource} "{name}" is forbidden: {why}', 403)
