"""Azure's errors in the words that all clouds share."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from azure.core.exceptions import AzureError, ClientAuthenticationError, HttpResponseError

from tidegate.clouds.statuses import STATUSES
from tidegate.vocabulary.fleet_state import CloudRefused, RefusalKind

CODES = {
    "AllocationFailed": RefusalKind.STOCK_OUT,
    "OverconstrainedAllocationRequest": RefusalKind.STOCK_OUT,
    "OverconstrainedZonalAllocationRequest": RefusalKind.STOCK_OUT,
    "ZonalAllocationFailed": RefusalKind.STOCK_OUT,
    "SkuNotAvailable": RefusalKind.STOCK_OUT,
    "QuotaExceeded": RefusalKind.QUOTA,
    "ErrCode_InsufficientVCPUQuota": RefusalKind.QUOTA,
    "TooManyRequests": RefusalKind.THROTTLED,
    "AuthorizationFailed": RefusalKind.DENIED,
    "ResourceNotFound": RefusalKind.NOT_FOUND,
    "ResourceGroupNotFound": RefusalKind.NOT_FOUND,
    "NotFound": RefusalKind.NOT_FOUND,
    "AnotherOperationInProgress": RefusalKind.CONFLICT,
    "OperationNotAllowed": RefusalKind.CONFLICT,
    "PreconditionFailed": RefusalKind.CONFLICT,
}
"""Error codes of Azure Resource Manager, Compute and AKS (Learn, read 2026-11-30)."""


@contextmanager
def refusing(what: str) -> Iterator[None]:
    """Raise Azure's errors as CloudRefused; `what` says what was asked, for people.

    Raises:
        CloudRefused: For every error of the SDKs.
    """
    try:
        yield
    except ClientAuthenticationError as error:
        raise CloudRefused(RefusalKind.DENIED, f"{what}: {_first_line(error)}") from error
    except HttpResponseError as error:
        raise CloudRefused(classify(error), f"{what}: {_first_line(error)}") from error
    except AzureError as error:
        raise CloudRefused(RefusalKind.TRANSIENT, f"{what}: {_first_line(error)}") from error


def classify(error: HttpResponseError) -> RefusalKind:
    """Return how an answer refuses: by its code, then by its status."""
    code = (error.error.code if error.error else "") or ""
    if code == "OperationNotAllowed" and "quota" in str(error.message).lower():
        return RefusalKind.QUOTA
    return CODES.get(code) or STATUSES.get(error.status_code or 0, RefusalKind.TRANSIENT)


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0]
