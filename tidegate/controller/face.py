"""The HTTP face: whether it lives, whether it works, and its figures. Nothing can be changed by it.

It listens on loopback, or elsewhere with a bearer token; health checks need none.
"""

from __future__ import annotations

import hmac
import ipaddress
import threading
from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tidegate.vocabulary.problems import refuse

REQUEST_SECONDS = 5.0
AT_ONCE = 16
SHORTEST_TOKEN = 16
HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
}


@dataclass(frozen=True, slots=True)
class Views:
    """What the face shows.

    Attributes:
        is_ready: Returns why it does not work; empty when it does.
        metrics: Returns all figures.
    """

    is_ready: Callable[[], str]
    metrics: Callable[[], bytes]


def check_address(host: str, token: str) -> None:
    """Refuse to listen beyond loopback without a token.

    Raises:
        InvalidInput: It would, or the token is short enough to be guessed.
    """
    try:
        loopback = ipaddress.ip_address(host).is_loopback
    except ValueError:
        loopback = host == "localhost"
    expected = "127.0.0.1, or a token in the environment"
    if not loopback and not token:
        raise refuse(
            "controller", "--listen", host, "is not loopback, and no token is set", expected
        )
    if token and len(token) < SHORTEST_TOKEN:
        expected = f"{SHORTEST_TOKEN} characters or more"
        raise refuse("controller", "token", None, "is short enough to be guessed", expected)


class Face:
    """A server in threads of its own; `close` ends it."""

    def __init__(self, host: str, port: int, views: Views, token: str = "") -> None:
        """Listen.

        Raises:
            InvalidInput: Beyond loopback without a token.
        """
        check_address(host, token)
        self._server = _Server((host, port), _build_handler(views, token))
        self.host, self.port = str(self._server.server_address[0]), self._server.server_address[1]
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stop listening."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(REQUEST_SECONDS)


class _Server(ThreadingHTTPServer):
    """Serves so many requests at once, and drops what comes beyond."""

    daemon_threads = True

    def __init__(self, *arguments: Any) -> None:
        self._turns = threading.BoundedSemaphore(AT_ONCE)
        super().__init__(*arguments)

    def process_request(self, request: Any, client_address: Any) -> None:
        if self._turns.acquire(blocking=False):
            super().process_request(request, client_address)
        else:
            self.shutdown_request(request)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._turns.release()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that goes away is no fault of this process."""


def _build_handler(views: Views, token: str) -> type[BaseHTTPRequestHandler]:
    return type("Handler", (_Handler,), {"views": views, "token": token})


class _Handler(BaseHTTPRequestHandler):
    """Answers GET, and nothing else."""

    views: Views
    token: str
    server_version = "tidegate"
    sys_version = ""
    timeout = REQUEST_SECONDS

    def do_GET(self) -> None:
        """Answer one request."""
        path = self.path.partition("?")[0]
        if path == "/healthz":
            self._answer(HTTPStatus.OK, b"ok\n")
        elif path == "/readyz":
            why = self.views.is_ready()
            status = HTTPStatus.SERVICE_UNAVAILABLE if why else HTTPStatus.OK
            self._answer(status, f"{why or 'ok'}\n".encode())
        elif not self._is_allowed():
            self._answer(HTTPStatus.UNAUTHORIZED, b"a bearer token is needed\n")
        elif path == "/metrics":
            self._answer(HTTPStatus.OK, self.views.metrics(), "text/plain; version=0.0.4")
        else:
            self._answer(HTTPStatus.NOT_FOUND, b"there is no such page\n")

    def _is_allowed(self) -> bool:
        given = self.headers.get("Authorization", "")
        wanted = f"Bearer {self.token}"
        return not self.token or hmac.compare_digest(given.encode(), wanted.encode())

    def _answer(self, status: HTTPStatus, body: bytes, kind: str = "text/plain") -> None:
        self.send_response(status)
        for name, value in HEADERS.items():
            self.send_header(name, value)
        if status is HTTPStatus.UNAUTHORIZED:
            self.send_header("WWW-Authenticate", "Bearer")
        self.send_header("Content-Type", f"{kind}; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Requests are not logged: their headers may hold the token."""
