"""A door before an HTTP server: it notes what passes, and holds what it is told to."""

from __future__ import annotations

import http.client
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self
from urllib.parse import urlsplit

HELD_SECONDS = 120.0


class Gate:
    """A server on loopback that passes requests on to another.

    Attributes:
        url: Where it listens.
        passed: The requests that were passed on: method and path, and the body.
        held: Set while a request is held.
    """

    def __init__(self, target: str) -> None:
        self.passed: list[tuple[str, str]] = []
        self.held = threading.Event()
        self._target = urlsplit(target).netloc
        self._holds: Callable[[str, str], bool] = lambda _line, _body: False
        self._opened = threading.Event()
        self._drops = False
        gate = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def handle_one_request(self) -> None:
                try:
                    super().handle_one_request()
                except (ConnectionError, http.client.HTTPException):
                    self.close_connection = True  # the client was killed while it waited

            def __getattr__(self, name: str) -> Any:
                if name.startswith("do_"):  # whatever the method is
                    return lambda: gate._pass_on(self)
                raise AttributeError(name)

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.open(drop=True)
        self._server.shutdown()
        self._server.server_close()

    def hold(self, matches: Callable[[str, str], bool]) -> None:
        """Hold requests that match (by method and path, and by body) from now on."""
        self._opened.clear()
        self.held.clear()
        self._holds = matches

    def open(self, *, drop: bool = False) -> None:
        """Let what is held pass on, or drop it; hold nothing any more."""
        self._holds, self._drops = lambda _line, _body: False, drop
        self._opened.set()

    def _pass_on(self, handler: Any) -> None:
        body = handler.rfile.read(int(handler.headers.get("Content-Length") or 0))
        line, text = f"{handler.command} {handler.path}", body.decode(errors="replace")
        if self._holds(line, text):
            self.held.set()
            self._opened.wait(HELD_SECONDS)
            if self._drops:
                handler.close_connection = True
                return
        self.passed.append((line, text))
        connection = http.client.HTTPConnection(self._target, timeout=60)
        headers = {key: value for key, value in handler.headers.items() if key != "Host"}
        connection.request(handler.command, handler.path, body, {**headers, "Host": self._target})
        answer = connection.getresponse()
        content = answer.read()
        handler.send_response(answer.status)
        for key, value in answer.getheaders():
            if key.lower() not in ("content-length", "transfer-encoding", "connection"):
                handler.send_header(key, value)
        handler.send_header("Content-Length", str(len(content)))
        handler.end_headers()
        handler.wfile.write(content)
        connection.close()
