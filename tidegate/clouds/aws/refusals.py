"""AWS' errors in the words that all clouds share."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from botocore.exceptions import BotoCoreError, ClientError  # type: ignore[import-untyped]

from tidegate.vocabulary.fleet_state import CloudRefused, RefusalKind, Shortfall

CODES = {
    "InsufficientInstanceCapacity": RefusalKind.STOCK_OUT,
    "InsufficientHostCapacity": RefusalKind.STOCK_OUT,
    "InsufficientReservedInstanceCapacity": RefusalKind.STOCK_OUT,
    "ReservationCapacityExceeded": RefusalKind.STOCK_OUT,
    "UnfulfillableCapacity": RefusalKind.STOCK_OUT,
    "SpotMaxPriceTooLow": RefusalKind.STOCK_OUT,
    "VcpuLimitExceeded": RefusalKind.QUOTA,
    "MaxSpotInstanceCountExceeded": RefusalKind.QUOTA,
    "InstanceLimitExceeded": RefusalKind.QUOTA,
    "LimitExceeded": RefusalKind.QUOTA,
    "ResourceLimitExceededException": RefusalKind.QUOTA,
    "Throttling": RefusalKind.THROTTLED,
    "ThrottlingException": RefusalKind.THROTTLED,
    "TooManyRequestsException": RefusalKind.THROTTLED,
    "RequestLimitExceeded": RefusalKind.THROTTLED,
    "AccessDenied": RefusalKind.DENIED,
    "AccessDeniedException": RefusalKind.DENIED,
    "UnauthorizedOperation": RefusalKind.DENIED,
    "ExpiredToken": RefusalKind.DENIED,
    "ExpiredTokenException": RefusalKind.DENIED,
    "UnrecognizedClientException": RefusalKind.DENIED,
    "InvalidClientTokenId": RefusalKind.DENIED,
    "ResourceLimitExceeded": RefusalKind.QUOTA,
    "ResourceNotFoundException": RefusalKind.NOT_FOUND,
    "ResourceNotFound": RefusalKind.NOT_FOUND,
    "ResourceInUse": RefusalKind.CONFLICT,
    "ResourceInUseException": RefusalKind.CONFLICT,
    "ResourceContention": RefusalKind.CONFLICT,
    "ScalingActivityInProgress": RefusalKind.CONFLICT,
    "ValidationError": RefusalKind.INVALID,
    "ValidationException": RefusalKind.INVALID,
    "InvalidParameterException": RefusalKind.INVALID,
    "InvalidRequestException": RefusalKind.INVALID,
}
"""Error codes of EC2, EC2 Auto Scaling, EKS and SageMaker (API references, read 2026-11-30)."""

TELLING = {
    "not found": RefusalKind.NOT_FOUND,
    "could not find": RefusalKind.NOT_FOUND,
    "recordnotfound": RefusalKind.NOT_FOUND,
    "unable to transition": RefusalKind.CONFLICT,
}
"""EC2 Auto Scaling and SageMaker say what is absent or busy by a validation error in such words."""


@contextmanager
def refusing(what: str) -> Iterator[None]:
    """Raise AWS' errors as CloudRefused; `what` says what was asked, for people.

    Raises:
        CloudRefused: For every error of the SDK.
    """
    try:
        yield
    except ClientError as error:
        said = error.response.get("Error", {})
        code, message = said.get("Code", ""), said.get("Message", str(error))
        raise CloudRefused(classify(code, message), f"{what}: {code}: {message}") from error
    except BotoCoreError as error:
        kind = RefusalKind.DENIED if "redential" in str(error) else RefusalKind.TRANSIENT
        raise CloudRefused(kind, f"{what}: {error}") from error


def classify(code: str, message: str) -> RefusalKind:
    """Return how an error code refuses; what nobody knows may pass by itself."""
    kind = CODES.get(code, RefusalKind.TRANSIENT)
    if kind is not RefusalKind.INVALID:
        return kind
    said = message.lower()
    return next((told for words, told in TELLING.items() if words in said), kind)


def classify_activity(message: str) -> Shortfall | None:
    """Return why a scaling activity failed, by the error codes in its message."""
    found = (kind for code, kind in CODES.items() if code in message)
    kind = next(found, None)
    if kind is None and "sufficient" in message and "capacity" in message:
        kind = RefusalKind.STOCK_OUT
    return None if kind is None else Shortfall(kind, message)
