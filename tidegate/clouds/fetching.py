"""HTTP with patience: time-outs, retries that wait as long as they are told, and clear failures."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TypeVar

import httpx
from tenacity import RetryCallState, Retrying, retry_if_exception_type, stop_after_attempt
from tenacity.wait import wait_exponential_jitter

from tidegate.catalog.feeds.rows import UnreadableFeed
from tidegate.vocabulary.problems import Unavailable

Answer = TypeVar("Answer")

TRANSIENT_STATUS = frozenset({408, 425, 429, 500, 502, 503, 504})
LONGEST_WAIT_SECONDS = 60.0
TIMEOUT = httpx.Timeout(30.0, connect=10.0)


class FetchFailed(Unavailable):
    """A price list could not be fetched; says from where and why, without keys."""


class TransientAnswer(RuntimeError):
    """An answer that asks to try again.

    Attributes:
        retry_after_seconds: How long the server asks to wait; None where it does not say.
    """

    def __init__(self, message: str, retry_after_seconds: float | None) -> None:
        super().__init__(message)
        self.retry_after_seconds = retry_after_seconds


@dataclass(frozen=True, slots=True)
class Fetcher:
    """Fetches whole answers, again where that may help.

    Attributes:
        client: The HTTP client.
        attempts: How often to try in all.
        sleep: Waits so many seconds; tests pass their own.
    """

    client: httpx.Client
    attempts: int
    sleep: Callable[[float], None]

    def fetch(
        self,
        url: str,
        parse: Callable[[str], Answer],
        params: Mapping[str, str] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Answer:
        """Return a parsed answer; one that is cut off is asked for again.

        Raises:
            FetchFailed: When it cannot be had whole.
        """

        def once() -> Answer:
            response = self.client.get(url, params=params, headers=headers)
            check_status(response)
            return parse(response.text)

        return self._try(url, once)

    def fetch_lines(self, url: str, read: Callable[[Iterator[str]], Answer]) -> Answer:
        """Return what `read` makes of an answer's lines, without holding it in memory.

        Each attempt calls `read` anew, so it must keep nothing of an attempt that failed.

        Raises:
            FetchFailed: When it cannot be had whole.
        """

        def once() -> Answer:
            with self.client.stream("GET", url) as response:
                check_status(response)
                return read(response.iter_lines())

        return self._try(url, once)

    def _try(self, url: str, once: Callable[[], Answer]) -> Answer:
        retrying = Retrying(
            retry=retry_if_exception_type((httpx.TransportError, TransientAnswer, UnreadableFeed)),
            stop=stop_after_attempt(self.attempts),
            wait=_wait_seconds,
            sleep=self.sleep,
            reraise=True,
        )
        try:
            return retrying(once)
        except (httpx.HTTPError, TransientAnswer, UnreadableFeed) as error:
            detail = str(error) or type(error).__name__
            raise FetchFailed(f"{httpx.URL(url).host}: {detail}") from error


def check_status(response: httpx.Response) -> None:
    """Raise for an answer that is no success.

    Raises:
        TransientAnswer: When trying again may help.
        FetchFailed: When it will not.
    """
    if response.is_success:
        return
    message = f"answered {response.status_code} {response.reason_phrase}".rstrip()
    if response.status_code in TRANSIENT_STATUS:
        raise TransientAnswer(message, _retry_after(response))
    raise FetchFailed(f"{response.request.url.host}: {message}")


def _retry_after(response: httpx.Response) -> float | None:
    text = response.headers.get("Retry-After", "")
    return min(float(text), LONGEST_WAIT_SECONDS) if text.isdecimal() else None


_backoff = wait_exponential_jitter(initial=1, max=LONGEST_WAIT_SECONDS)


def _wait_seconds(state: RetryCallState) -> float:
    error = state.outcome.exception() if state.outcome else None
    if isinstance(error, TransientAnswer) and error.retry_after_seconds is not None:
        return error.retry_after_seconds
    return _backoff(state)


@contextmanager
def open_fetcher(
    sleep: Callable[[float], None], attempts: int = 5, transport: httpx.BaseTransport | None = None
) -> Iterator[Fetcher]:
    """Open a fetcher with time-outs; `transport` replaces the network."""
    with httpx.Client(timeout=TIMEOUT, follow_redirects=True, transport=transport) as client:
        yield Fetcher(client, attempts, sleep)
