"""A small collector of traces: it takes OTLP over HTTP, and keeps what came."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from typing import Any

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)
from support.answering import answering


@dataclass
class Collector:
    """What came: spans as protobuf has them, the process's attributes, and the requests."""

    port: int = 0
    spans: list[Any] = field(default_factory=list)
    resource: dict[str, str] = field(default_factory=dict)
    requests: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    bodies: list[bytes] = field(default_factory=list)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def named(self, name: str) -> list[Any]:
        return [span for span in self.spans if span.name == name]

    def take(self, body: bytes) -> None:
        """Take one export."""
        self.bodies.append(body)
        for group in ExportTraceServiceRequest.FromString(body).resource_spans:
            self.resource = {
                each.key: each.value.string_value for each in group.resource.attributes
            }
            for scope in group.scope_spans:
                self.spans.extend(scope.spans)


def attributes(span: Any) -> dict[str, Any]:
    """Return a span's attributes by name."""
    return {
        each.key: getattr(each.value, each.value.WhichOneof("value")) for each in span.attributes
    }


@contextmanager
def run_collector() -> Iterator[Collector]:
    """Listen on loopback until the block ends."""
    found = Collector()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            if self.headers.get("Content-Encoding") == "gzip":
                body = gzip.decompress(body)
            found.requests.append((self.path, dict(self.headers)))
            found.take(body)
            self.send_response(200)
            self.send_header("Content-Type", "application/x-protobuf")
            self.end_headers()
            self.wfile.write(ExportTraceServiceResponse().SerializeToString())

        def log_message(self, *_: Any) -> None:
            """Quiet."""

    with answering(Handler) as found.port:
        yield found
