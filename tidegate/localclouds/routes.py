"""A small WSGI application for a cloud's REST API: a table of routes, JSON in and out."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from werkzeug.wrappers import Request, Response

from tidegate.localclouds.refusals import CloudError

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment


@dataclass(frozen=True, slots=True)
class Asked:
    """One request.

    Attributes:
        method: "GET", "PUT" …
        path: The decoded path.
        query: Query parameters, the last value of each.
        body: The JSON body; empty when none was sent.
        url: Scheme, host and port that the client used, without a trailing slash.
        raw: The body's bytes, for what is no JSON.
        headers: The request's headers, names in lower case.
    """

    method: str
    path: str
    query: Mapping[str, str]
    body: Any
    url: str
    raw: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Answer:
    """One response; a body of None is an empty one."""

    body: Any = None
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)


Handler = Callable[..., Answer]


@dataclass(frozen=True, slots=True)
class Route:
    """A method, a path template and what answers.

    In the template `{word}` matches one path segment without a colon, `{word...}` all the rest.
    """

    method: str
    template: str
    handler: Handler

    def pattern(self) -> re.Pattern[str]:
        """Return the template as a regular expression."""
        text = re.escape(self.template)
        text = re.sub(r"\\\{(\w+)\\\.\\\.\\\.\\\}", r"(?P<\1>.+)", text)
        return re.compile(re.sub(r"\\\{(\w+)\\\}", r"(?P<\1>[^/:]+)", text))


class Face:
    """The WSGI application over a table of routes.

    Args:
        routes: Tried in order; the first whose method and whole path match answers.
        render: Turns an error into the cloud's own error body and headers.
        absent: Makes the error for a path that no route knows.
    """

    def __init__(
        self,
        routes: Iterable[Route],
        render: Callable[[CloudError], Answer],
        absent: Callable[[Asked], CloudError],
    ) -> None:
        self._routes = [(route.method, route.pattern(), route.handler) for route in routes]
        self._render = render
        self._absent = absent

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """Answer one WSGI request."""
        request = Request(environ)
        try:
            answer = self.answer(parse_request(request))
        except CloudError as error:
            answer = self._render(error)
        return render_response(answer)(environ, start_response)

    def answer(self, asked: Asked) -> Answer:
        """Dispatch one request; an error leaves as `CloudError`."""
        for method, pattern, handler in self._routes:
            match = pattern.fullmatch(asked.path) if method == asked.method else None
            if match:
                return handler(asked, **match.groupdict())
        raise self._absent(asked)


def parse_request(request: Request) -> Asked:
    """Read a request's JSON.

    Raises:
        CloudError: When the body claims to be JSON and is not.
    """
    raw = request.get_data()
    body: Any = {}
    if raw and request.mimetype in {"", "application/json", "text/json"}:
        try:
            body = json.loads(raw)
        except ValueError as error:
            words = f"Invalid JSON payload received. {error}"
            raise CloudError("INVALID_ARGUMENT", words, 400) from error
    headers = {name.lower(): value for name, value in request.headers.items()}
    return Asked(
        request.method,
        request.path,
        request.args.to_dict(),
        body,
        request.host_url.rstrip("/"),
        raw,
        headers,
    )


def render_response(answer: Answer) -> Response:
    """Write an answer as a WSGI response."""
    if answer.body is None:
        return Response(status=answer.status, headers=dict(answer.headers))
    text = json.dumps(answer.body)
    return Response(
        text, status=answer.status, headers=dict(answer.headers), mimetype="application/json"
    )
