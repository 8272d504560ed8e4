"""Errors as Azure Resource Manager says them."""

from __future__ import annotations

from tidegate.localclouds.refusals import CloudError, NotFoundError
from tidegate.localclouds.routes import Answer, Asked


def refused(code: str, message: str, status: int = 400) -> CloudError:
    """Return the error for a request that Azure refuses."""
    return CloudError(code, message, status)


def invalid_parameter(place: str, message: str) -> CloudError:
    """Return the error for a value that Azure refuses."""
    return CloudError(
        "InvalidParameter", f"The value of parameter {place} is invalid. Error details: {message}"
    )


def no_resource(kind: str, name: str, group: str) -> NotFoundError:
    """Return the error for a resource that does not exist."""
    return NotFoundError(
        "ResourceNotFound",
        f"The Resource '{kind}/{name}' under resource group '{group}' was not found. For more "
        "details please go to https://aka.ms/ARMResourceNotFoundFix",
    )


def no_parent(kind: str, name: str) -> NotFoundError:
    """Return the error for a child of a resource that does not exist."""
    return NotFoundError(
        "ParentResourceNotFound",
        f"Can not perform requested operation on nested resource. Parent resource '{name}' of "
        f"type '{kind}' not found.",
    )


def no_reference(target: str, holder: str) -> NotFoundError:
    """Return the error for a reference to a resource that does not exist."""
    return NotFoundError(
        "InvalidResourceReference",
        f"Resource {target} referenced by resource {holder} was not found. Please make sure that "
        "the referenced resource exists, and that both resources are in the same region.",
    )


def no_group(name: str) -> NotFoundError:
    """Return the error for a resource group that does not exist."""
    return NotFoundError("ResourceGroupNotFound", f"Resource group '{name}' could not be found.")


def render_error(error: CloudError) -> Answer:
    """Return Azure's error body."""
    headers = {"x-ms-error-code": error.code}
    if error.status == 429:
        headers["Retry-After"] = "1"
    return Answer({"error": {"code": error.code, "message": error.message}}, error.status, headers)


def absent_route(asked: Asked) -> CloudError:
    """Return the error for a path that the local cloud does not answer."""
    return NotFoundError(
        "InvalidResourceType",
        f"{asked.method} {asked.path} is not answered by the local Azure.",
    )
