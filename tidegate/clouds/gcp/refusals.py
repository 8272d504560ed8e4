"""Google Cloud's errors in the words that all clouds share."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from google.api_core import exceptions
from google.auth.exceptions import GoogleAuthError
from requests import RequestException

from tidegate.vocabulary.fleet_state import CloudRefused, RefusalKind, Shortfall

WORDS: Sequence[tuple[str, RefusalKind]] = (
    ("ZONE_RESOURCE_POOL_EXHAUSTED", RefusalKind.STOCK_OUT),
    ("does not have enough resources", RefusalKind.STOCK_OUT),
    ("QUOTA_EXCEEDED", RefusalKind.QUOTA),
    ("Quota '", RefusalKind.QUOTA),
    ("Quota exceeded for quota metric", RefusalKind.THROTTLED),
)
"""What an error's text says more exactly than its status (Compute Engine's error messages)."""

STATUSES: Sequence[tuple[type[Exception], RefusalKind]] = (
    (exceptions.TooManyRequests, RefusalKind.THROTTLED),
    (exceptions.Forbidden, RefusalKind.DENIED),
    (exceptions.Unauthorized, RefusalKind.DENIED),
    (exceptions.NotFound, RefusalKind.NOT_FOUND),
    (exceptions.Conflict, RefusalKind.CONFLICT),
    (exceptions.FailedPrecondition, RefusalKind.CONFLICT),
    (exceptions.BadRequest, RefusalKind.INVALID),
)


@contextmanager
def refusing(what: str) -> Iterator[None]:
    """Raise Google's errors as CloudRefused; `what` says what was asked, for people.

    Raises:
        CloudRefused: For every error of the SDK, and for connections that failed below it.
    """
    try:
        yield
    except exceptions.GoogleAPIError as error:
        raise CloudRefused(_classify(error), f"{what}: {error}") from error
    except GoogleAuthError as error:
        raise CloudRefused(RefusalKind.DENIED, f"{what}: {error}") from error
    except RequestException as error:
        raise CloudRefused(RefusalKind.TRANSIENT, f"{what}: {error}") from error


def _classify(error: Exception) -> RefusalKind:
    said = explain(str(error))
    if said is not None:
        return said.kind
    fitting = (kind for status, kind in STATUSES if isinstance(error, status))
    return next(fitting, RefusalKind.TRANSIENT)


def explain(text: str) -> Shortfall | None:
    """Return what a text says of stock and quota; None when it speaks of neither."""
    for words, kind in WORDS:
        if words in text:
            return Shortfall(kind, text)
    return None


def explain_errors(items: Sequence[Any]) -> Shortfall | None:
    """Return what the newest of a group's errors says; None when there is none to be told."""
    for item in sorted(items, key=lambda each: str(each.timestamp), reverse=True):
        said = explain(f"{item.error.code}: {item.error.message}")
        if said is not None:
            return said
    return None
