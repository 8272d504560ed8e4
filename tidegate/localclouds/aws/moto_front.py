"""Moto behind one door: every call answered in order, journaled, and replayed after a restart.

Moto keeps its state in memory. Three ways to keep it were weighed: pickled snapshots (every
change would rewrite all of it, and some of its classes do not pickle), rebuilding from Pulumi's
records (what boto3 made or changed has none), and a journal of the requests that change
something. The journal was chosen: it costs one row a request, in the same transaction as the
provider's own record, and a replay gives the same ids because each request is handled with the
seed and the time that its row holds. Moto has one source of randomness and one clock; regional
backends, which moto builds when they are first touched, are built with a seed of their own.

Calls inside the process (the provider's boto3 clients) take the same door without a socket.
"""

from __future__ import annotations

import io
import os
import time
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from botocore.awsrequest import AWSPreparedRequest, AWSResponse

from tidegate.localclouds.aws.journal import Entry, Journal
from tidegate.localclouds.aws.moto_clock import MotoClock
from tidegate.localclouds.store import Store

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

Answer = tuple[str, list[tuple[str, str]], bytes]
READ_VERBS = ("Describe", "Get", "List", "Head", "BatchGet", "Lookup", "Search")
SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
# Actions whose names read like a look-up and that change something all the same.
WRITING_READS = frozenset({"GetSessionToken"})
SERVER_ERROR = 500


class MotoFront:
    """A WSGI application and an in-process transport over one moto."""

    def __init__(
        self,
        store: Store,
        correct: Callable[[], None],
        guard: Callable[[str], Answer | None] = lambda _: None,
    ) -> None:
        """Load moto, correct it, and bring it to where the journal says it was.

        Args:
            store: Holds the journal.
            correct: Called once when moto is loaded and before anything is replayed.
            guard: Asked before each call, by action ("eks:CreateNodegroup"); what it returns is
                answered instead of asking moto.
        """
        os.environ["MOTO_IAM_LOAD_MANAGED_POLICIES"] = "true"
        self._store = store
        self._journal = Journal(store)
        self._guard = guard
        self._clock = MotoClock()
        self._application = _load_moto()
        correct()
        self._replay()

    def __call__(self, environ: WSGIEnvironment, start: StartResponse) -> Iterable[bytes]:
        """Answer one HTTP request of a cloud SDK."""
        length = int(environ.get("CONTENT_LENGTH") or 0)
        body = _read_body(environ, length)
        kept = {key: value for key, value in environ.items() if isinstance(value, str)}
        status, headers, content = self.handle(Entry(kept, body))
        start(status, headers)
        return [content]

    def send(self, request: AWSPreparedRequest, **_: Any) -> AWSResponse:
        """Answer a boto3 client of this process (botocore's `before-send` hook)."""
        status, headers, content = self.handle(_build_entry(request))
        raw = _Raw(content)
        return AWSResponse(request.url, int(status.split()[0]), dict(headers), raw)

    def handle(self, entry: Entry) -> Answer:
        """Handle one request; keep it when it may have changed something."""
        with self._store.transaction():
            action = find_action(entry)
            refused = self._guard(action)
            if refused is not None:
                return refused
            if is_read(action):
                return self._ask(entry)
            entry = entry.stamped(seed=time.time_ns(), at=time.time())
            answer = self._replay_one(entry)
            if int(answer[0].split()[0]) < SERVER_ERROR:
                self._journal.append(entry)
            return answer

    def _replay(self) -> None:
        for entry in self._journal.read():
            self._replay_one(entry)

    def _replay_one(self, entry: Entry) -> Answer:
        with self._clock.fixed(entry.seed, entry.at):
            return self._ask(entry)

    def _ask(self, entry: Entry) -> Answer:
        answered: list[Any] = []

        def start(status: str, headers: list[tuple[str, str]], *_: Any) -> Callable[..., None]:
            answered[:] = [status, headers]
            return lambda _: None

        environ: dict[str, Any] = {
            **entry.environ,
            "CONTENT_LENGTH": str(len(entry.body)),
            "wsgi.input": io.BytesIO(entry.body),
            "wsgi.errors": io.StringIO(),
            "wsgi.url_scheme": "http",
            "wsgi.version": (1, 0),
            "wsgi.multithread": True,
            "wsgi.multiprocess": False,
            "wsgi.run_once": False,
        }
        chunks = self._application(environ, start)
        content = b"".join(chunks)
        close = getattr(chunks, "close", None)
        if close is not None:
            close()
        return answered[0], answered[1], content


class _Raw(io.BytesIO):
    """A response body as urllib3 would hand it to botocore."""

    def stream(self, *_: Any, **__: Any) -> Iterable[bytes]:
        """Yield the whole body once."""
        content = self.read()
        if content:
            yield content


def _load_moto() -> WSGIApplication:
    from moto.moto_api._internal import mock_random

    mock_random.seed(0)  # moto draws some ids while its modules are imported
    from moto.server import DomainDispatcherApplication, create_backend_app

    application: WSGIApplication = DomainDispatcherApplication(create_backend_app)
    return application


def find_action(entry: Entry) -> str:
    """Return "service:Action" as far as headers and a form body tell; "s3:PUT" for REST."""
    scope = entry.environ.get("HTTP_AUTHORIZATION", "").split("Credential=")[-1].split(",")[0]
    parts = scope.split("/")
    service = parts[3] if len(parts) > 3 else ""  # key/date/region/service
    target = entry.environ.get("HTTP_X_AMZ_TARGET", "")
    if target:
        return f"{service}:{target.split('.')[-1]}"
    if entry.body.startswith(b"Action=") or b"&Action=" in entry.body[:4096]:
        form = entry.body.split(b"Action=", 1)[1].split(b"&", 1)[0]
        return f"{service}:{form.decode()}"
    return f"{service}:{entry.environ['REQUEST_METHOD']}"


def is_read(action: str) -> bool:
    """Tell whether a request changes nothing."""
    name = action.split(":")[-1]
    if name in WRITING_READS:
        return False
    return name in SAFE_METHODS or name.startswith(READ_VERBS)


def _build_entry(request: AWSPreparedRequest) -> Entry:
    url = urlsplit(request.url)
    body = request.body or b""
    if not isinstance(body, bytes | str):
        body = body.read()
    environ = {
        "REQUEST_METHOD": request.method,
        "SCRIPT_NAME": "",
        "PATH_INFO": unquote(url.path).encode().decode("latin-1"),
        "QUERY_STRING": url.query,
        "RAW_URI": f"{url.path}?{url.query}" if url.query else url.path,
        "REQUEST_URI": f"{url.path}?{url.query}" if url.query else url.path,
        "SERVER_NAME": url.hostname or "",
        "SERVER_PORT": str(url.port or 80),
        "SERVER_PROTOCOL": "HTTP/1.1",
        "HTTP_HOST": url.netloc,
    }
    for name, value in request.headers.items():
        text = value.decode() if isinstance(value, bytes) else str(value)
        key = name.upper().replace("-", "_")
        environ[key if key in {"CONTENT_TYPE", "CONTENT_LENGTH"} else f"HTTP_{key}"] = text
    return Entry(environ, body.encode() if isinstance(body, str) else body)


def _read_body(environ: WSGIEnvironment, length: int) -> bytes:
    source = environ["wsgi.input"]
    if environ.get("wsgi.input_terminated"):
        return bytes(source.read())
    return bytes(source.read(length)) if length else b""
