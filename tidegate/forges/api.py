"""HTTP with a forge: time-outs, retries that wait as they are told, pages, and a silent token."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

import httpx
from tenacity import RetryCallState, Retrying, retry_if_exception_type, stop_after_attempt
from tenacity.wait import wait_exponential_jitter

from tidegate.vocabulary.problems import Unavailable

TRANSIENT_STATUS = frozenset({408, 425, 429, 500, 502, 503, 504})
LIMITED_STATUS = frozenset({403, 429})
LONGEST_WAIT_SECONDS = 60.0
TIMEOUT = httpx.Timeout(30.0, connect=10.0)
MOST_PAGES = 100
"""Ten thousand comments: whoever has more has no pull request, but a loop of pages."""

_NEVER_SENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)


class ForgeRefused(Unavailable):
    """The forge does not let this token do it, or does not know of the thing."""


class ForgeUnreachable(Unavailable):
    """The forge gave no usable answer in time."""


class ForgeUnclear(ForgeUnreachable):
    """What was to be created may have been created: the answer never came."""


class _TryAgain(RuntimeError):
    def __init__(self, message: str, wait_seconds: float | None = None) -> None:
        super().__init__(message)
        self.wait_seconds = wait_seconds


@dataclass(frozen=True, slots=True)
class ForgeApi:
    """One REST interface with one token.

    Attributes:
        client: The HTTP client; it carries the token in its headers, and nothing else does.
        base: Where the interface begins ("https://api.github.com").
        sleep: Waits so many seconds; tests pass their own.
        now: Tells the time, for answers that name a time to wait for.
        attempts: How often to try in all.
    """

    client: httpx.Client = field(repr=False)
    base: str
    sleep: Callable[[float], None]
    now: Callable[[], datetime] = lambda: datetime.now(UTC)
    attempts: int = 5

    def ask(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> httpx.Response:
        """Return an answer that is a success.

        Reads, changes and deletions are tried again where that may help: done twice they come to
        the same. What creates is tried again only where it cannot have been created.

        Args:
            method: The HTTP method.
            path: Below `base`, or a whole address there.
            body: Sent as JSON.

        Raises:
            ForgeRefused: When the forge says no.
            ForgeUnclear: When nobody knows whether something was created.
            ForgeUnreachable: When there is no usable answer.
        """
        url = path if path.startswith(("http://", "https://")) else f"{self.base}{path}"
        if not self._is_ours(url):
            raise ForgeUnreachable(f"{self._host}: points elsewhere, where the token must not go")

        def once() -> httpx.Response:
            try:
                response = self.client.request(method, url, json=body)
            except httpx.TransportError as error:
                raise self._explain(method, error) from error
            self._check(method, response)
            return response

        retrying = Retrying(
            retry=retry_if_exception_type(_TryAgain),
            stop=stop_after_attempt(self.attempts),
            wait=_wait_seconds,
            sleep=self.sleep,
            reraise=True,
        )
        try:
            return retrying(once)
        except _TryAgain as error:
            raise ForgeUnreachable(f"{self._host}: {error}") from error

    def read(self, path: str) -> Any:
        """Return the JSON document at a path."""
        return self._parse(self.ask("GET", path))

    def read_pages(self, path: str) -> Iterator[Mapping[str, Any]]:
        """Yield the entries of all pages of a list, by the `Link` headers of the answers."""
        following: str | None = path
        for _ in range(MOST_PAGES):
            if following is None:
                return
            response = self.ask("GET", following)
            entries = self._parse(response)
            if not isinstance(entries, list):
                raise ForgeUnreachable(f"{self._host}: answered no list")
            yield from (entry for entry in entries if isinstance(entry, Mapping))
            following = response.links.get("next", {}).get("url")
        raise ForgeUnreachable(f"{self._host}: the list has more than {MOST_PAGES} pages")

    @property
    def _host(self) -> str:
        return httpx.URL(self.base).host

    def _is_ours(self, url: str) -> bool:
        base, asked = httpx.URL(self.base), httpx.URL(url)
        return (base.scheme, base.host, base.port) == (asked.scheme, asked.host, asked.port)

    def _parse(self, response: httpx.Response) -> Any:
        try:
            return response.json()
        except ValueError as error:
            raise ForgeUnreachable(f"{self._host}: answered no JSON") from error

    def _explain(self, method: str, error: httpx.TransportError) -> Exception:
        # The message of an error may quote the request; its name tells enough.
        name = type(error).__name__
        if method == "POST" and not isinstance(error, _NEVER_SENT):
            return ForgeUnclear(f"{self._host}: gave no answer ({name})")
        return _TryAgain(f"gave no answer ({name})")

    def _check(self, method: str, response: httpx.Response) -> None:
        if response.is_success:
            return
        status = response.status_code
        said = f"answered {status} {response.reason_phrase}".rstrip()
        wait = self._told_to_wait(response) if status in LIMITED_STATUS | TRANSIENT_STATUS else None
        if wait is not None and wait > LONGEST_WAIT_SECONDS:
            raise ForgeUnreachable(f"{self._host}: {said} and asks to wait {wait:.0f} seconds")
        if status == 429 or (status == 403 and wait is not None):
            raise _TryAgain(said, wait)
        if status in TRANSIENT_STATUS:
            if method == "POST":
                raise ForgeUnclear(f"{self._host}: {said}")
            raise _TryAgain(said, wait)
        message = _message_of(response)
        raise ForgeRefused(f"{self._host}: {said}" + (f": {message}" if message else ""))

    def _told_to_wait(self, response: httpx.Response) -> float | None:
        """Return the seconds that an answer asks to wait; None where it does not say."""
        text = response.headers.get("Retry-After", "")
        if text.isdecimal():
            return float(text)
        if text:
            try:
                return max(0.0, (parsedate_to_datetime(text) - self.now()).total_seconds())
            except (TypeError, ValueError):
                return None
        reset = response.headers.get("X-RateLimit-Reset", "")
        if response.headers.get("X-RateLimit-Remaining") == "0" and reset.isdecimal():
            return max(0.0, float(reset) - self.now().timestamp())
        return None


def check_token(token: str) -> str:
    """Return a token that a header can carry.

    Raises:
        ForgeRefused: Otherwise; the HTTP client would quote it where it refuses it.
    """
    if not token or not token.isascii() or not token.isprintable() or " " in token:
        raise ForgeRefused("the token is empty, or holds what no token does: a space, a line's end")
    return token


def _message_of(response: httpx.Response) -> str:
    """Return what a refusal says of itself; only its own field, never the whole answer."""
    try:
        document = response.json()
    except ValueError:
        return ""
    message = document.get("message") if isinstance(document, Mapping) else None
    return " ".join(str(message).split())[:200] if message else ""


_backoff = wait_exponential_jitter(initial=1, max=LONGEST_WAIT_SECONDS)


def _wait_seconds(state: RetryCallState) -> float:
    error = state.outcome.exception() if state.outcome else None
    if isinstance(error, _TryAgain) and error.wait_seconds is not None:
        return error.wait_seconds
    return _backoff(state)
