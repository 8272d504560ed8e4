"""A stand-in of the REST interfaces of GitHub and GitLab, with the payloads that they answer.

It speaks real HTTP on the loopback interface: statuses, headers, `Link`s and bodies are in the
shape of GitHub's REST API (2022-11-28) and GitLab's (v4), as their references document them.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

TOKEN = "ghs_16C7e42F292c6912E7710c838347Ae178B4a"
BOT = {
    "login": "github-actions[bot]",
    "id": 41898282,
    "node_id": "MDM6Qm90NDE4OTgyODI=",
    "type": "Bot",
    "site_admin": False,
}
SOMEBODY = {"login": "octocat", "id": 1, "node_id": "MDQ6VXNlcjE=", "type": "User"}
DOCS = "https://docs.github.com/rest/issues/comments"


@dataclass
class Reply:
    """What is answered instead of the real thing, once."""

    status: int
    headers: dict[str, str] = field(default_factory=dict)
    body: Any = None
    does_it: bool = False
    """Whether what was asked for is done all the same, before the connection fails."""


@dataclass
class StandIn:
    """One pull request at one forge.

    `comments` are its comments; `failures` are answered first, each once, to requests whose
    method is theirs; `requests` are what was asked, with the headers.
    """

    user: dict[str, Any] = field(default_factory=lambda: dict(BOT))
    page_size: int | None = None
    may_write: bool = True
    comments: list[dict[str, Any]] = field(default_factory=list)
    failures: list[tuple[str, Reply]] = field(default_factory=list)
    requests: list[tuple[str, str, dict[str, str]]] = field(default_factory=list)
    url: str = ""

    def write(self, body: str, user: dict[str, Any] | None = None) -> dict[str, Any]:
        """Add a comment as GitHub shows it."""
        number = 1001 + len(self.comments)
        page = f"https://github.com/acme/vision/pull/7#issuecomment-{number}"
        comment = {
            "url": f"{self.url}/repos/acme/vision/issues/comments/{number}",
            "html_url": page,
            "issue_url": f"{self.url}/repos/acme/vision/issues/7",
            "id": number,
            "node_id": f"IC_kwDO{number}",
            "user": dict(user or self.user),
            "author": {"id": (user or self.user)["id"], "username": (user or self.user)["login"]},
            "system": False,
            "created_at": "2026-11-30T10:00:00Z",
            "updated_at": "2026-11-30T10:00:00Z",
            "author_association": "NONE",
            "body": body,
            "performed_via_github_app": None,
        }
        self.comments.append(comment)
        return comment

    def asked(self, method: str) -> list[str]:
        """Return the paths asked for by a method."""
        return [path for each, path, _ in self.requests if each == method]


@contextmanager
def serve_forge(stand_in: StandIn) -> Iterator[StandIn]:
    """Serve a stand-in for as long as the block runs."""
    server = ThreadingHTTPServer(
        ("127.0.0.1", 0), type("Handler", (_Handler,), {"stand_in": stand_in})
    )
    server.daemon_threads = True
    stand_in.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield stand_in
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


_LIST = re.compile(r"/repos/acme/vision/issues/7/comments|/projects/42/merge_requests/7/notes")
_ONE = re.compile(
    r"(?:/repos/acme/vision/issues/comments|/projects/42/merge_requests/7/notes)/(\d+)"
)


class _Handler(BaseHTTPRequestHandler):
    stand_in: StandIn
    protocol_version = "HTTP/1.1"
    wbufsize = 65_536  # headers and body in one packet

    def log_message(self, format: str, *args: Any) -> None:
        pass

    def _serve(self) -> None:
        length = int(self.headers.get("Content-Length") or 0)
        sent = json.loads(self.rfile.read(length)) if length else None
        self.stand_in.requests.append((self.command, self.path, dict(self.headers)))
        for index, (method, reply) in enumerate(self.stand_in.failures):
            if method == self.command:
                del self.stand_in.failures[index]
                if reply.does_it:
                    self._route(sent)
                if reply.status == 0:
                    self.close_connection = True
                    return
                self._answer(reply.status, reply.body, reply.headers)
                return
        self._answer(*self._route(sent))

    do_GET = do_POST = do_PATCH = do_PUT = do_DELETE = _serve  # noqa: N815

    def _route(self, sent: Any) -> tuple[int, Any, dict[str, str]]:
        parts = urlsplit(self.path)
        if self._token() != TOKEN:
            return 401, {"message": "Bad credentials", "status": "401"}, {}
        if parts.path == "/user":
            return self._show_user()
        if _LIST.fullmatch(parts.path):
            if self.command == "GET":
                return self._show_page(parts.path, parse_qs(parts.query))
            return self._create(sent)
        found = _ONE.fullmatch(parts.path)
        if found:
            return self._change(int(found[1]), sent)
        return 404, {"message": "Not Found", "documentation_url": DOCS, "status": "404"}, {}

    def _token(self) -> str:
        bearer = self.headers.get("Authorization", "").removeprefix("Bearer ")
        return self.headers.get("PRIVATE-TOKEN", bearer)

    def _show_user(self) -> tuple[int, Any, dict[str, str]]:
        if self.stand_in.user["type"] == "Bot":
            message = "Resource not accessible by integration"
            return 403, {"message": message, "status": "403"}, {}
        return 200, self.stand_in.user, {}

    def _show_page(self, path: str, query: dict[str, list[str]]) -> tuple[int, Any, dict[str, str]]:
        size = self.stand_in.page_size or int(query.get("per_page", ["30"])[0])
        page = int(query.get("page", ["1"])[0])
        shown = self.stand_in.comments[(page - 1) * size : page * size]
        last = max(1, -(-len(self.stand_in.comments) // size))
        headers = {}
        if page < last:
            links = [("next", page + 1), ("last", last)]
            headers["Link"] = ", ".join(
                f'<{self.stand_in.url}{path}?per_page={size}&page={number}>; rel="{name}"'
                for name, number in links
            )
        return 200, shown, headers

    def _create(self, sent: Any) -> tuple[int, Any, dict[str, str]]:
        refusal = self._refuse(sent)
        if refusal:
            return refusal
        comment = self.stand_in.write(sent["body"])
        return 201, comment, {"Location": comment["url"]}

    def _change(self, number: int, sent: Any) -> tuple[int, Any, dict[str, str]]:
        found = [each for each in self.stand_in.comments if each["id"] == number]
        if not found:
            return 404, {"message": "Not Found", "status": "404"}, {}
        refusal = self._refuse(sent or {"body": ""})
        if refusal:
            return refusal
        if self.command == "DELETE":
            self.stand_in.comments.remove(found[0])
            return 204, None, {}
        found[0]["body"] = sent["body"]
        return 200, found[0], {}

    def _refuse(self, sent: Any) -> tuple[int, Any, dict[str, str]] | None:
        if not self.stand_in.may_write:
            message = "Resource not accessible by integration"
            documentation = f"{DOCS}#create-an-issue-comment"
            body = {"message": message, "documentation_url": documentation, "status": "403"}
            return 403, body, {}
        if len(sent["body"]) > 65_536:
            message = "Body is too long (maximum is 65536 characters)"
            error = {"resource": "IssueComment", "code": "unprocessable", "field": "data"}
            errors = [{**error, "message": message}]
            return 422, {"message": "Validation Failed", "errors": errors}, {}
        return None

    def _answer(self, status: int, body: Any, headers: dict[str, str]) -> None:
        data = b"" if body is None else json.dumps(body).encode()
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        if status != 204:
            self.send_header("Content-Type", "application/json; charset=utf-8")
            self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)
