"""Google Cloud's errors in the words that all clouds share."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from google.api_core import exceptions
from google.auth.exceptions import GoogleAuthError
from googleapiclient.errors import HttpError  # type: ignore[import-untyped]
from httplib2 import HttpLib2Error  # type: ignore[import-untyped]
from requests import RequestException

from tidegate.clouds.statuses import STATUSES
from tidegate.vocabulary.fleet_state import CloudRefused, RefusalKind, Shortfall

WORDS: Sequence[tuple[str, RefusalKind]] = (
    ("ZONE_RESOURCE_POOL_EXHAUSTED", RefusalKind.STOCK_OUT),
    ("does not have enough resources", RefusalKind.STOCK_OUT),
    ("QUOTA_EXCEEDED", RefusalKind.QUOTA),
    ("Quota '", RefusalKind.QUOTA),
    ("Quota exceeded for quota metric", RefusalKind.THROTTLED),
)
"""What an error's text says more exactly than its status (Compute Engine's error messages)."""

EXCEPTIONS: Sequence[tuple[type[Exception], RefusalKind]] = (
    (exceptions.TooManyRequests, RefusalKind.THROTTLED),
    (exceptions.Forbidden, RefusalKind.DENIED),
    (exceptions.Unauthorized, RefusalKind.DENIED),
    (exceptions.NotFound, RefusalKind.NOT_FOUND),
    (exceptions.Conflict, RefusalKind.CONFLICT),
    (exceptions.FailedPrecondition, RefusalKind.CONFLICT),
    (exceptions.PreconditionFailed, RefusalKind.CONFLICT),
    (exceptions.BadRequest, RefusalKind.INVALID),
)

PRECONDITION = "FAILED_PRECONDITION"
"""Comes with status 400: the request is sound, and what it concerns is not ready for it."""


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
    except HttpError as error:
        raise CloudRefused(_classify_answer(error), f"{what}: {error.reason}") from error
    except (RequestException, HttpLib2Error, OSError) as error:
        raise CloudRefused(RefusalKind.TRANSIENT, f"{what}: {error}") from error


def _classify(error: Exception) -> RefusalKind:
    said = explain(str(error))
    if said is not None:
        return said.kind
    fitting = (kind for each, kind in EXCEPTIONS if isinstance(error, each))
    return next(fitting, RefusalKind.TRANSIENT)


def _classify_answer(error: HttpError) -> RefusalKind:
    text = error.content.decode(errors="replace")
    said = explain(text)
    if said is not None:
        return said.kind
    if PRECONDITION in text:
        return RefusalKind.CONFLICT
    return STATUSES.get(int(error.resp.status), RefusalKind.TRANSIENT)


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
