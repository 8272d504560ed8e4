"""Receiving the engine's events while it runs.

`--event-log tcp://…` makes the CLI send each event over gRPC (`pulumirpc.Events`). A file would
do for one phase only: the CLI truncates it between the preview and the update of one `up`.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

import grpc
from google.protobuf import empty_pb2
from pulumi.runtime.proto import events_pb2, events_pb2_grpc

Receive = Callable[[Mapping[str, Any]], None]


class EventStream:
    """A server for one run of the CLI; `address` goes into `--event-log`.

    Every event but the engine's debug messages is handed to `receive`, one at a time, and
    appended to `record` as a line of JSON where a path is given.
    """

    def __init__(self, receive: Receive, record: Path | None = None) -> None:
        self._receive = receive
        self._lock = threading.Lock()
        self._record: IO[str] | None = None
        if record is not None:
            record.parent.mkdir(parents=True, exist_ok=True)
            self._record = record.open("w", encoding="utf-8")
        self._server = grpc.server(
            ThreadPoolExecutor(4), options=[("grpc.max_receive_message_length", -1)]
        )
        events_pb2_grpc.add_EventsServicer_to_server(_Servicer(self._take), self._server)
        self.address = f"tcp://127.0.0.1:{self._server.add_insecure_port('127.0.0.1:0')}"

    def __enter__(self) -> Self:
        self._server.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        # The CLI closes its stream before it ends, so by now everything has arrived.
        self._server.stop(grace=1).wait()
        if self._record is not None:
            self._record.close()

    def _take(self, text: str) -> None:
        raw = json.loads(text)
        if raw.get("diagnosticEvent", {}).get("severity") == "debug":
            return
        with self._lock:
            if self._record is not None:
                self._record.write(text.rstrip() + "\n")
                self._record.flush()
            self._receive(raw)


class _Servicer(events_pb2_grpc.EventsServicer):
    def __init__(self, take: Callable[[str], None]) -> None:
        self._take = take

    def StreamEvents(  # noqa: N802 - the protocol's name
        self, request_iterator: Iterator[events_pb2.EventRequest], _context: grpc.ServicerContext
    ) -> empty_pb2.Empty:
        for request in request_iterator:
            self._take(request.event)
        return empty_pb2.Empty()
