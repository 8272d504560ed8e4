"""The HTTP face: whether it lives, whether it works, its figures and its page; read-only.

It listens on loopback, or elsewhere with a token; health checks need none.
"""

from __future__ import annotations

import ipaddress
import json
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any
from urllib.parse import parse_qs

from tidegate.controller.requests import Answer, Request, Server
from tidegate.report.controller_page import (
    REFRESH_SECONDS,
    USUAL_SECONDS,
    content_policy,
    render_controller_page,
)
from tidegate.vocabulary.problems import Unavailable, refuse

TOKEN_VARIABLE = "TIDEGATE_CONTROLLER_TOKEN"  # noqa: S105 - the name of a variable, no token
SHORTEST_TOKEN = 16
KEPT_SECONDS = 1.0
"""A status is asked of the database no more often, however many look at it."""
FIGURES = "text/plain; version=0.0.4"
UNGUARDED = frozenset({"/healthz", "/readyz"})


@dataclass(frozen=True, slots=True)
class Views:
    """What the face shows.

    Attributes:
        is_ready: Returns why it does not work; empty when it does.
        metrics: Returns all figures.
        status: Returns what `tidegate controller status` shows.
        monotonic: Returns seconds that never go back.
    """

    is_ready: Callable[[], str]
    metrics: Callable[[], bytes]
    status: Callable[[], Mapping[str, Any]]
    monotonic: Callable[[], float]


def check_address(host: str, token: str) -> None:
    """Refuse to listen beyond loopback without a token.

    Raises:
        InvalidInput: It would, or the token is short enough to be guessed.
    """
    expected = f"127.0.0.1, or a token in {TOKEN_VARIABLE}"
    if not is_loopback(host) and not token:
        raise refuse(
            "controller", "--listen", host, "is not loopback, and no token is set", expected
        )
    if token and len(token) < SHORTEST_TOKEN:
        expected = f"{SHORTEST_TOKEN} characters or more in {TOKEN_VARIABLE}"
        raise refuse("controller", "token", None, "is short enough to be guessed", expected)


def is_loopback(host: str) -> bool:
    """Return whether a host is this machine and nothing else."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


class Face:
    """A server in threads of its own; `close` ends it."""

    def __init__(self, host: str, port: int, views: Views, token: str = "") -> None:
        """Listen.

        Raises:
            InvalidInput: Beyond loopback without a token.
        """
        check_address(host, token)
        self._views = views
        self._token = token
        self._status = _Remembered(views.status, views.monotonic)
        self._pages: Mapping[str, Callable[[Request], Answer]] = {
            "/": self._show_page,
            "/api/status": self._show_status,
            "/healthz": lambda _: Answer(HTTPStatus.OK, b"ok\n"),
            "/metrics": lambda _: Answer(HTTPStatus.OK, views.metrics(), FIGURES),
            "/readyz": self._show_readiness,
        }
        self._server = Server((host, port), self._answer)
        self.host, self.port = self._server.address

    def close(self) -> None:
        """Stop listening."""
        self._server.close()

    def _answer(self, request: Request) -> Answer:
        if not self._token and not is_loopback(request.host):
            # A page of the Internet whose name leads here (DNS rebinding) sends its own name.
            text = b"this is no name of this machine's loopback\n"
            return Answer(HTTPStatus.MISDIRECTED_REQUEST, text)
        page = self._pages.get(request.path)
        if request.path not in UNGUARDED and self._token and not request.has_token(self._token):
            return Answer(HTTPStatus.UNAUTHORIZED, b"a token is needed: as a bearer token, or as "
                          b"the password of any user\n")  # fmt: skip
        if page is None:
            return Answer(HTTPStatus.NOT_FOUND, b"there is no such page\n")
        try:
            return page(request)
        except Unavailable as error:
            return Answer(HTTPStatus.SERVICE_UNAVAILABLE, f"{error}\n".encode())

    def _show_readiness(self, _: Request) -> Answer:
        why = self._views.is_ready()
        status = HTTPStatus.SERVICE_UNAVAILABLE if why else HTTPStatus.OK
        return Answer(status, f"{why or 'ok'}\n".encode())

    def _show_status(self, _: Request) -> Answer:
        text = json.dumps(self._status.read(), indent=2, ensure_ascii=False)
        return Answer(HTTPStatus.OK, f"{text}\n".encode(), "application/json")

    def _show_page(self, request: Request) -> Answer:
        seconds = _parse_refresh(request.query)
        if seconds is None:
            text = f"refresh is one of {', '.join(map(str, REFRESH_SECONDS))} seconds\n"
            return Answer(HTTPStatus.BAD_REQUEST, text.encode())
        page = render_controller_page(self._status.read(), seconds)
        return Answer(HTTPStatus.OK, page.encode(), "text/html", content_policy())


class _Remembered:
    """A status, asked for once for all who look within a second."""

    def __init__(
        self, read: Callable[[], Mapping[str, Any]], monotonic: Callable[[], float]
    ) -> None:
        self._read, self._monotonic = read, monotonic
        self._turn = threading.Lock()
        self._kept: tuple[float, Mapping[str, Any]] | None = None

    def read(self) -> Mapping[str, Any]:
        """Return the status, at most a second old."""
        with self._turn:
            now = self._monotonic()
            if self._kept is None or now - self._kept[0] >= KEPT_SECONDS:
                self._kept = now, self._read()
            return self._kept[1]


def _parse_refresh(query: str) -> int | None:
    """Return what was asked for; None where it is none of the choices."""
    try:
        stated = parse_qs(query, keep_blank_values=True, max_num_fields=8).get("refresh")
    except ValueError:
        return None
    if stated is None:
        return USUAL_SECONDS
    return next((each for each in REFRESH_SECONDS if str(each) == stated[0]), None)
