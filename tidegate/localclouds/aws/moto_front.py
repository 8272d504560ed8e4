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
import logging
import os
import time
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from botocore.awsrequest import AWSPreparedRequest, AWSResponse  # type: ignore[import-untyped]

from tidegate.localclouds.aws.actions import (
    Answer,
    name_action,
    only_reads,
    render_error,
)
from tidegate.localclouds.aws.corrections.offerings import load_moto_without_offerings
from tidegate.localclouds.aws.interruptions import answer_interruption, find_interruptions
from tidegate.localclouds.aws.journal import Entry, Journal
from tidegate.localclouds.aws.kept.services import KeptServices
from tidegate.localclouds.aws.moto_clock import MotoClock
from tidegate.localclouds.faults import FaultKind, Faults, judge
from tidegate.localclouds.store import Store

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

LOG = logging.getLogger(__name__)
NOT_IMPLEMENTED = "501"
BEFALLING = frozenset({FaultKind.INTERRUPTION})  # instances, not calls
SERVER_ERROR = 500
NO_ROUTE = b"<!doctype html>\n<html lang=en>\n<title>404"


class MotoFront:
    """A WSGI application and an in-process transport over one moto."""

    def __init__(self, store: Store, faults: Faults, correct: Callable[[], None]) -> None:
        """Load moto, correct it, and bring it to where the journal says it was.

        Args:
            store: Holds the journal.
            faults: What to fail on command, by action ("eks:CreateNodegroup").
            correct: Called when moto is loaded and before anything is replayed.
        """
        os.environ["MOTO_IAM_LOAD_MANAGED_POLICIES"] = "true"
        self._store = store
        self._faults = faults
        self._journal = Journal(store)
        self._kept = KeptServices()
        self._application = _load_moto()
        self._clock = MotoClock()
        correct()
        self._replay()

    def __call__(self, environ: WSGIEnvironment, start: StartResponse) -> Iterable[bytes]:
        """Answer one HTTP request of a cloud SDK."""
        length = int(environ.get("CONTENT_LENGTH") or 0)
        body = _read_body(environ, length)
        kept = {key: value for key, value in environ.items() if isinstance(value, str)}
        entry = Entry(kept, body)
        for interruption in find_interruptions(self._faults):
            self.handle(interruption)
        status, headers, content = self._fail_on_command(entry) or self.handle(entry)
        start(status, headers)
        return [content]

    def send(self, service: str, region: str, request: AWSPreparedRequest) -> AWSResponse:
        """Answer a boto3 client of this process, which does not sign what it sends."""
        scope = f"AWS4-HMAC-SHA256 Credential=local/20260101/{region}/{service}/aws4_request"
        status, headers, content = self.handle(_build_entry(request, scope))
        raw = _Raw(content)
        return AWSResponse(request.url, int(status.split()[0]), dict(headers), raw)

    def _fail_on_command(self, entry: Entry) -> Answer | None:
        """Return the error that a fault asks for, after its latency."""
        if not self._faults.list():
            return None
        wait, error = judge(self._faults.take("aws", name_action(entry), BEFALLING), "aws")
        time.sleep(wait)
        if error is None:
            return None
        return render_error(entry, error.code, error.message, error.status)

    def handle(self, entry: Entry) -> Answer:
        """Handle one request; keep it when it may have changed something."""
        with self._store.transaction():
            if only_reads(entry):
                return self._answer(entry)
            entry = entry.stamped(seed=time.time_ns(), at=time.time())
            answer = self._replay_one(entry)
            if not answer[0].startswith(NOT_IMPLEMENTED):
                self._journal.append(entry)
            return answer

    def _answer(self, entry: Entry) -> Answer:
        """Ask moto; what it lacks or stumbles over becomes an error that an SDK reads."""
        try:
            answer = answer_interruption(entry) or self._kept.answer(entry) or self._ask(entry)
            return _refuse_unknown(entry) if answer[2].startswith(NO_ROUTE) else answer
        except NotImplementedError:
            return _refuse_unknown(entry)
        except Exception as error:
            LOG.exception("moto: %s", name_action(entry))
            words = f"fault in the local clouds: {type(error).__name__}: {error}"
            return render_error(entry, "InternalFailure", words, SERVER_ERROR)

    def _replay(self) -> None:
        for entry in self._journal.read():
            self._replay_one(entry)

    def _replay_one(self, entry: Entry) -> Answer:
        with self._clock.fixed(entry.seed, entry.at):
            return self._answer(entry)

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


def _refuse_unknown(entry: Entry) -> Answer:
    words = f"{name_action(entry)} is not emulated by the local clouds"
    return render_error(entry, "NotImplemented", words, int(NOT_IMPLEMENTED))


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
    load_moto_without_offerings()
    from moto.moto_server.werkzeug_app import DomainDispatcherApplication, create_backend_app

    class Dispatcher(DomainDispatcherApplication):
        """Moto's dispatcher, which looks through its folders and patterns only once a host."""

        def __init__(self) -> None:
            super().__init__(create_backend_app)
            self._backends: dict[str | None, Any] = {}

        def get_backend_for_host(self, host: str | None) -> Any:
            if host not in self._backends:
                self._backends[host] = super().get_backend_for_host(host)
            return self._backends[host]

    return Dispatcher()


def _build_entry(request: AWSPreparedRequest, authorization: str) -> Entry:
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
        "HTTP_AUTHORIZATION": authorization,
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
