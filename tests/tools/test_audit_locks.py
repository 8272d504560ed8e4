"""The audit of locked dependencies: real pip-audit against a database of OSV's form."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

TOOL = Path(__file__).resolve().parents[2] / "tools" / "audit" / "audit_locks.py"
HASH = f"--hash=sha256:{'0' * 64}"
LOCK = f"idna==3.6 {HASH}\nyarl==1.25.1 {HASH}\n"


def tell(name: str, version: str) -> dict[str, Any]:
    """Return a vulnerability as OSV tells it."""
    events = [{"introduced": "0"}, {"fixed": version}]
    affected = {
        "package": {"name": name, "ecosystem": "PyPI"},
        "ranges": [{"type": "ECOSYSTEM", "events": events}],
    }
    return {
        "id": f"GHSA-{name}",
        "aliases": ["CVE-2026-1"],
        "summary": "of a test",
        "affected": [affected],
    }


@pytest.fixture
def serve() -> Iterator[Any]:
    """Serve a database that knows some versions, and return its URL; None breaks it off."""
    servers = []

    def start(known: dict[str, dict[str, Any] | None]) -> str:
        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                found = known.get(f"{asked['package']['name']}=={asked['version']}", {})
                body = json.dumps({"vulns": [found]} if found else {}).encode()
                self.send_response(500 if found is None else 200)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, format: str, *args: object) -> None:
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=server.serve_forever).start()
        servers.append(server)
        return f"http://127.0.0.1:{server.server_address[1]}/v1/query"

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


@pytest.fixture
def audit(tmp_path):
    def run(url: str, lock: str = LOCK) -> tuple[int, str]:
        path = tmp_path / "lock.txt"
        path.write_text(lock, encoding="utf-8")
        done = subprocess.run(
            [sys.executable, str(TOOL), str(path)],
            env={**os.environ, "TIDEGATE_OSV_URL": url, "NO_PROXY": "127.0.0.1"},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.stderr == ""
        return done.returncode, done.stdout

    return run


PUBLIC = {"jinja2==2.4.1": tell("jinja2", "2.7")}


def test_a_known_vulnerability_fails_and_is_named_with_what_fixes_it(serve, audit):
    code, told = audit(serve({**PUBLIC, "idna==3.6": tell("idna", "3.7")}))

    assert (code, told) == (1, "lock.txt: idna 3.6: CVE-2026-1, GHSA-idna; fixed in 3.7\n")


def test_without_one_it_says_what_was_audited(serve, audit):
    assert audit(serve(PUBLIC)) == (0, "no known vulnerability in lock.txt\n")


def test_without_a_database_one_line_says_that_nothing_was_audited(audit):
    code, told = audit("http://127.0.0.1:9/v1/query")

    assert code == 77
    assert told.startswith("skipped: no database of vulnerabilities can be reached: it does not")
    assert told.count("\n") == 1


@pytest.mark.parametrize(
    ("url", "words"), [("http://osv.example/", "is not https"), ("ftp://x", "is not https")]
)
def test_a_database_is_asked_over_https_alone(audit, url, words):
    assert words in audit(url)[1]


def test_a_database_that_knows_nothing_is_none(serve, audit):
    code, told = audit(serve({}))

    assert (code, told.partition(": ")[0]) == (77, "skipped")
    assert "does not know a vulnerability" in told


def test_an_audit_that_breaks_off_fails(serve, audit):
    code, told = audit(serve({**PUBLIC, "yarl==1.25.1": None}))

    assert code == 1
    assert told.startswith("lock.txt: the audit did not come to its end: ")


def test_a_lock_that_is_none_fails(serve, audit):
    code, told = audit(serve(PUBLIC), "idna>=3\n")

    assert code == 1
    assert "did not come to its end" in told


@pytest.mark.parametrize("name", ["dev.txt", "polyaxon.txt", "uv.txt", "run.txt", "controller.txt"])
def test_every_lock_is_in_a_form_that_can_be_audited_whole(serve, audit, name):
    lock = (TOOL.parents[2] / "requirements" / name).read_text("utf-8")

    assert audit(serve(PUBLIC), lock) == (0, "no known vulnerability in lock.txt\n")
