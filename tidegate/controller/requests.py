"""Requests from outside, bounded in size, time and number, and answers that no page can misuse."""

from __future__ import annotations

import base64
import binascii
import hmac
import io
import socket
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from http import HTTPStatus
from http.client import HTTPException, LineTooLong
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socketserver import TCPServer
from typing import Any

import structlog

LOG = structlog.get_logger("tidegate.controller")
REQUEST_SECONDS = 5.0
"""What a client may take to ask, and again to take its answer, however slowly it goes on."""
REQUEST_BYTES = 16_384
AT_ONCE = 16
CLOSING_SECONDS = 0.1
"""How soon the end of this process is noticed."""
METHODS = ("GET", "HEAD")
CLOSED_POLICY = "default-src 'none'; frame-ancestors 'none'"
HEADERS = {
    "Cache-Control": "no-store",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}


@dataclass(frozen=True, slots=True)
class Request:
    """One request.

    Attributes:
        path: Without its query; as it came, for it is only looked up.
        query: What stood after the question mark.
        host: The name that the client knows this server by, without the port.
        authorization: The header of this name; empty without one.
    """

    path: str
    query: str
    host: str
    authorization: str

    def has_token(self, token: str) -> bool:
        """Return whether a token was given: as a bearer's, or as a browser's password."""
        kind, _, given = self.authorization.partition(" ")
        if kind.lower() == "basic":
            given = _decode_password(given)
        elif kind.lower() != "bearer":
            given = ""
        return hmac.compare_digest(given.strip().encode(), token.encode())


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer, and what its content may do in a browser."""

    status: HTTPStatus
    body: bytes
    kind: str = "text/plain"
    policy: str = CLOSED_POLICY


class Server:
    """Listens in threads of its own."""

    def __init__(self, address: tuple[str, int], answer: Callable[[Request], Answer]) -> None:
        """Listen at once.

        Args:
            address: Host and port; port 0 takes any.
            answer: Asked from several threads.
        """
        handler = type("Handler", (_Handler,), {"reply": staticmethod(answer)})
        family = socket.AF_INET6 if ":" in address[0] else socket.AF_INET
        server_class = type("Listener", (_Listener,), {"address_family": family})
        self._listener = server_class(address, handler)
        host, port = self._listener.server_address[:2]
        self.address = str(host), int(port)
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def _serve(self) -> None:
        self._listener.serve_forever(CLOSING_SECONDS)

    def close(self) -> None:
        """Stop listening."""
        self._listener.shutdown()
        self._listener.server_close()
        self._thread.join(REQUEST_SECONDS)


class _Listener(ThreadingHTTPServer):
    """Serves so many requests at once, and drops what comes beyond."""

    daemon_threads = True
    request_queue_size = AT_ONCE

    def server_bind(self) -> None:
        # The base class asks DNS for this machine's name, which may take long and is not used.
        TCPServer.server_bind(self)

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


class _BoundedReader(io.RawIOBase):
    """Reads so much from a connection, and until its time is over."""

    def __init__(self, connection: socket.socket, deadline: float) -> None:
        self._connection, self._deadline = connection, deadline
        self._left = REQUEST_BYTES

    def readable(self) -> bool:
        return True

    def readinto(self, room: Any) -> int:
        self._connection.settimeout(_left(self._deadline))
        if not self._left:
            raise LineTooLong("head")
        count = self._connection.recv_into(room, min(len(room), self._left))
        self._left -= count
        return count


class _Handler(BaseHTTPRequestHandler):
    """Answers one GET or HEAD a connection, and nothing else."""

    reply: Callable[[Request], Answer]
    server_version = "tidegate"
    sys_version = ""

    def setup(self) -> None:
        super().setup()
        self.rfile.close()
        deadline = time.monotonic() + REQUEST_SECONDS
        self.rfile = io.BufferedReader(_BoundedReader(self.connection, deadline))
        self.requestline = self.request_version = self.command = ""

    def handle(self) -> None:
        """Answer one request; one that is too large is told so."""
        try:
            super().handle()
        except HTTPException:
            self.send_error(HTTPStatus.REQUEST_URI_TOO_LONG)

    def parse_request(self) -> bool:
        """Read the head of a request; what is none that is served here is answered at once."""
        if not super().parse_request():
            return False
        hosts = self.headers.get_all("Host", [])
        if self.command not in METHODS:
            self._drain()
            self.send_error(HTTPStatus.METHOD_NOT_ALLOWED, "only GET and HEAD are answered")
        elif len(hosts) != 1:
            self.send_error(HTTPStatus.BAD_REQUEST, "a request names its host, and names it once")
        else:
            return True
        return False

    def _drain(self) -> None:
        """Take what a client sends along, or it would see a broken connection and no answer."""
        length = self.headers.get("Content-Length", "")
        if length.isdecimal():
            with suppress(HTTPException, TimeoutError):
                self.rfile.read(min(int(length), REQUEST_BYTES))

    def do_GET(self) -> None:
        """Answer one request."""
        path, _, query = self.path.partition("?")
        request = Request(
            path, query, _parse_host(self.headers["Host"]), self.headers.get("Authorization", "")
        )
        try:
            answer = type(self).reply(request)
        except Exception:
            LOG.exception("a page could not be shown", path=path)
            answer = Answer(HTTPStatus.INTERNAL_SERVER_ERROR, b"this program made a mistake\n")
        self._send(answer)

    def do_HEAD(self) -> None:
        """Answer one request without the content."""
        self.do_GET()

    def send_error(
        self,
        code: int,
        message: str | None = None,
        explain: str | None = None,  # noqa: ARG002 - the base class's signature
    ) -> None:
        """Tell in plain text what is wrong with a request."""
        status = HTTPStatus(code)
        text = message if status in (400, 405) and message else status.phrase
        self._send(Answer(status, f"{text}\n".encode("ascii", "replace")))

    def _send(self, answer: Answer) -> None:
        self.connection.settimeout(REQUEST_SECONDS)
        if self.request_version in ("", "HTTP/0.9"):
            # What is no request is told so with headers, which the oldest version has not.
            self.request_version = "HTTP/1.0"
        self.send_response(answer.status)
        for name, value in HEADERS.items():
            self.send_header(name, value)
        self.send_header("Content-Security-Policy", answer.policy)
        if answer.status is HTTPStatus.UNAUTHORIZED:
            self.send_header("WWW-Authenticate", 'Bearer realm="tidegate"')
            self.send_header("WWW-Authenticate", 'Basic realm="tidegate", charset="UTF-8"')
        if answer.status is HTTPStatus.METHOD_NOT_ALLOWED:
            self.send_header("Allow", ", ".join(METHODS))
        charset = "" if answer.kind == "application/json" else "; charset=utf-8"
        self.send_header("Content-Type", f"{answer.kind}{charset}")
        self.send_header("Content-Length", str(len(answer.body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(answer.body)

    def log_message(self, format: str, *args: Any) -> None:
        """Requests are not logged: their headers may hold the token."""


def _left(deadline: float) -> float:
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError("a request took too long")
    return left


def _parse_host(text: str) -> str:
    """Return a host without its port; an IPv6 address without its brackets."""
    if text.startswith("["):
        return text[1:].partition("]")[0]
    return text.partition(":")[0].lower()


def _decode_password(text: str) -> str:
    try:
        decoded = base64.b64decode(text.strip(), validate=True).decode()
    except (binascii.Error, UnicodeDecodeError):
        return ""
    return decoded.partition(":")[2]
