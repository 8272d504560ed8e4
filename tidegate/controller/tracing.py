"""OpenTelemetry traces, when they are asked for; otherwise a span costs a look at one variable."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any
from urllib.parse import urlsplit

from tidegate.controller.logs import hide_secrets
from tidegate.vocabulary.problems import Unavailable, refuse

TRACES_PATH = "/v1/traces"
EXPORT_SECONDS = 5.0
Attribute = str | int | float | bool

_TRACER: ContextVar[Any] = ContextVar("tidegate_tracer", default=None)
"""A context's own, so that two controllers of one process do not write into each other's traces."""


class Span:
    """One piece of a turn; where nothing is traced, it takes what it is told and forgets it."""

    def __init__(self, span: Any = None) -> None:
        self._span = span

    def note(self, **attributes: Attribute) -> None:
        """Add what is known only at the end."""
        if self._span is not None:
            self._span.set_attributes(_name(attributes))

    def fail(self, why: str) -> None:
        """Say that it was not done; nothing happens where `why` is empty."""
        if self._span is not None and why:
            from opentelemetry.trace import Status, StatusCode

            self._span.set_status(Status(StatusCode.ERROR, hide_secrets(why)))


SILENT = Span()


@contextmanager
def span(name: str, **attributes: Attribute) -> Iterator[Span]:
    """Trace a block, within the block around it."""
    tracer = _TRACER.get()
    if tracer is None:
        yield SILENT
        return
    # Exceptions are told in our own words: a trace with its frames may hold anything.
    with tracer.start_as_current_span(
        name, attributes=_name(attributes), record_exception=False, set_status_on_exception=False
    ) as made:
        found = Span(made)
        try:
            yield found
        except Exception as error:
            found.fail(f"{type(error).__name__}: {error}")
            raise


def _name(attributes: dict[str, Attribute]) -> dict[str, Attribute]:
    return {
        f"tidegate.{key}": hide_secrets(value) if isinstance(value, str) else value
        for key, value in attributes.items()
    }


def start_tracing(endpoint: str, holder: str) -> Callable[[], None]:
    """Send traces to a collector from now on; return what sends the last ones and ends it.

    Args:
        endpoint: The collector's URL for OTLP over HTTP, with or without /v1/traces. Headers, as
            for its access, are taken from OTEL_EXPORTER_OTLP_HEADERS.
        holder: What this controller calls itself.

    Raises:
        InvalidInput: The endpoint is no URL.
        Unavailable: The SDK is not installed.
    """
    url = parse_endpoint(endpoint)
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    except ModuleNotFoundError as error:
        text = f"traces need {error.name}: install tidegate[controller]"
        raise Unavailable(text) from error
    resource = {"service.name": "tidegate-controller", "service.instance.id": holder}
    provider = TracerProvider(resource=Resource.create(resource))
    exporter = OTLPSpanExporter(endpoint=url, timeout=EXPORT_SECONDS)
    provider.add_span_processor(BatchSpanProcessor(exporter))
    before = _TRACER.set(provider.get_tracer("tidegate"))

    def stop() -> None:
        _TRACER.reset(before)
        provider.shutdown()

    return stop


def parse_endpoint(text: str) -> str:
    """Return the full URL of a collector's traces.

    Raises:
        InvalidInput: It is no URL of HTTP.
    """
    parts = urlsplit(text)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        expected = "http://HOST:4318"
        raise refuse("controller", "--otlp", hide_secrets(text), "is no URL of HTTP", expected)
    path = parts.path.rstrip("/")
    if not path.endswith(TRACES_PATH):
        path += TRACES_PATH
    return parts._replace(path=path).geturl()
