"""What is asked of a cluster, held against the list from which the controller's role is built."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest
from kubernetes import client
from support.answering import answering

import tidegate.sources
from tidegate.catalog.cluster_rights import load_cluster_rights
from tidegate.sources.kubernetes import Cluster
from tidegate.sources.lease import KubernetesLease
from tidegate.sources.pods import Chips

LISTED = {(each.group, each.resource, each.verb) for each in load_cluster_rights()}
PATH = re.compile(
    r"/(?:api/v1|apis/(?P<group>[^/]+)/[^/]+)(?:/namespaces/[^/]+)?"
    r"/(?P<resource>[a-z]+)(?:/(?P<name>[^/]+))?(?:/(?P<part>[a-z]+))?"
)
VERBS = {"GET": "get", "PATCH": "patch", "POST": "create", "PUT": "update", "DELETE": "delete"}


def right_of(method: str, path: str) -> tuple[str, str, str]:
    """Return the right that the API server asks for before it answers a request."""
    found = PATH.fullmatch(path)
    assert found is not None, path
    resource = "/".join(filter(None, (found["resource"], found["part"])))
    verb = "list" if method == "GET" and not found["name"] else VERBS[method]
    return found["group"] or "", resource, verb


@pytest.fixture
def asked():
    """Return a cluster's client whose server keeps leases, and what was asked of it."""
    heard: list[tuple[str, str, str]] = []
    kept: dict[str, bytes] = {}

    class Handler(BaseHTTPRequestHandler):
        def answer(self) -> None:
            given = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            path = self.path.partition("?")[0]
            heard.append(right_of(self.command, path))
            if heard[-1][1] == "leases" and self.command in ("POST", "PUT"):
                kept[path if self.command == "PUT" else f"{path}/lead"] = given
            is_absent = heard[-1][2] == "get" and path not in kept
            body = kept.get(path) or json.dumps({"items": [], "metadata": {}}).encode()
            self.send_response(404 if is_absent else 200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_GET = do_PATCH = do_POST = do_PUT = answer  # noqa: N815 - the names of http.server

        def log_message(self, format: str, *args: object) -> None:
            pass

    with answering(Handler) as port:
        host = f"http://127.0.0.1:{port}"
        with client.ApiClient(client.Configuration(host=host)) as api:
            yield api, heard


def test_what_a_cluster_is_asked_for_is_what_the_role_allows(asked):
    api, heard = asked
    cluster = Cluster("ml", api, Chips({}, ()))

    cluster.fetch()
    cluster.close("node-1")
    cluster.reopen("node-1")
    cluster.start_drain("node-1", ["ml/job"], datetime(2026, 11, 30, tzinfo=UTC), closed_by_us=True)
    cluster.evict("node-1", {"ml/job": None})
    lease = KubernetesLease(api, "tidegate", "lead")
    assert lease.take("me", 0.0, 0) == 1
    assert lease.take("me", 1.0, 0) == 1

    assert set(heard) == LISTED


def test_every_path_that_the_code_names_is_of_a_listed_resource():
    code = [each.read_text("utf-8") for each in Path(tidegate.sources.__path__[0]).glob("*.py")]
    named = {path for text in code for path in re.findall(r'f?"(/apis?/[^"]*)"', text)}
    # What stands in braces is filled in: names, as a path has them.
    named = {re.sub(r"\{[^{}]*\}", "x", path) for path in named}

    resources = {right_of("GET", path)[:2] for path in named}
    assert resources
    assert resources <= {(group, resource) for group, resource, _ in LISTED}
