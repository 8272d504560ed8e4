"""Secrets planted wherever a controller gets some: none comes out of the real program anywhere.

Clouds and servers answer with an error that repeats every header they got, the worst they can do.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

import httpx
import pytest
from support.answering import answering
from support.collector import Collector, run_collector
from support.controller import declare, declare_pool
from support.programs import free_port, wait_until

from tidegate.manifest.build import dump_manifest

PROGRAM = [sys.executable, "-c", "from tidegate.cli.main import run; run()", "controller"]
PLANTED = {
    name: f"planted-{number}-Zq9x-Kw7v"
    for number, name in enumerate(
        [
            "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN",
            "AZURE_CLIENT_SECRET", "GOOGLE_CREDENTIALS", "PULUMI_CONFIG_PASSPHRASE",
            "PULUMI_ACCESS_TOKEN", "TIDEGATE_CONTROLLER_TOKEN", "METRICS_READER", "url", "output",
            "hidden output", "header",
        ]
    )
}  # fmt: skip
"""Where it stands → what stands there; names in capitals are variables."""


@dataclass
class Echo:
    """What repeats all that it gets in its errors."""

    port: int = 0
    got: list[str] = field(default_factory=list)


@contextmanager
def run_echo() -> Iterator[Echo]:
    found = Echo()

    class Handler(BaseHTTPRequestHandler):
        def answer(self) -> None:
            self.rfile.read(int(self.headers.get("Content-Length", 0)))
            said = "; ".join(f"{name}: {value}" for name, value in self.headers.items())
            found.got.append(said)
            if "/api/v1/" in self.path:
                body = json.dumps({"status": "error", "error": f"bad request of {said}"})
            else:
                told = f"<Code>ValidationError</Code><Message>bad {escape(said)}</Message>"
                body = f"<ErrorResponse><Error>{told}</Error></ErrorResponse>"
            self.send_response(400)
            self.end_headers()
            self.wfile.write(body.encode())

        do_GET = do_POST = answer  # noqa: N815 - the base class looks for these names

        def log_message(self, *_: Any) -> None:
            """Quiet."""

    with answering(Handler) as found.port:
        yield found


@dataclass
class Place:
    """A folder with a stack and its sources, and the environment of whoever works there."""

    folder: Path
    environment: dict[str, str]

    def ask(self, *arguments: str) -> str:
        """Run a command to its end, and return all that it printed."""
        done = subprocess.run(
            [*PROGRAM, *arguments], cwd=self.folder, env=self.environment,
            capture_output=True, text=True, timeout=120, check=False,
        )  # fmt: skip
        return done.stdout + done.stderr


def prepare(folder: Path, echo: Echo, collector: Collector) -> Place:
    pools = [declare_pool("train"), declare_pool("serve")]
    bindings = {name: {"autoScalingGroup": name} for name in ("train", "serve")}
    outputs = {
        "capacity": dump_manifest(declare(*pools)),
        "bindings": {"pools": bindings},
        "databasePassword": PLANTED["output"],
        "kubeconfig": {"users": [{"token": PLANTED["hidden output"]}]},
    }
    (folder / "outputs.json").write_text(json.dumps(outputs))
    source = {
        "kind": "prometheus", "name": "queue", "query": "q", "pool": "train",
        "url": f"http://127.0.0.1:{echo.port}",
        "tokenEnvironment": "METRICS_READER",
        "work": {"accelerators": [{"accelerator": "h100-80gb", "perWorker": 8}]},
    }  # fmt: skip
    with_password = f"http://ana:{PLANTED['url']}@127.0.0.1:{echo.port}"
    other = {**source, "name": "other", "url": with_password}
    del other["tokenEnvironment"]
    (folder / "sources.yaml").write_text(json.dumps({"sources": [source, other]}))
    variables = {name: value for name, value in PLANTED.items() if name.isupper()}
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "PYTHONPATH") if name in os.environ}
    return Place(
        folder,
        {
            **kept,
            **variables,
            "AWS_ENDPOINT_URL": f"http://127.0.0.1:{echo.port}",
            "AWS_MAX_ATTEMPTS": "1",
            "OTEL_EXPORTER_OTLP_ENDPOINT": collector.url,
            "OTEL_EXPORTER_OTLP_HEADERS": f"x-key={PLANTED['header']}",
        },
    )


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Return all that comes out of a controller that takes turns: place → text."""
    folder = tmp_path_factory.mktemp("planted")
    inputs = ("--outputs", "outputs.json", "--sources", "sources.yaml")
    with run_echo() as echo, run_collector() as collector:
        place = prepare(folder, echo, collector)
        port = free_port()
        arguments = ["run", *inputs, "--interval", "1", "--listen", f"127.0.0.1:{port}"]
        log = folder / "log"
        with log.open("w") as output:
            process = subprocess.Popen(
                [*PROGRAM, *arguments], cwd=folder, env=place.environment,
                stdout=output, stderr=output,
            )  # fmt: skip
        url = f"http://127.0.0.1:{port}"
        access = {"Authorization": f"Bearer {PLANTED['TIDEGATE_CONTROLLER_TOKEN']}"}
        try:
            wait_until(lambda: has_turned(url, access), process, log)
            found = {
                path: str(answer.headers) + answer.text
                for path in ("/", "/api/status", "/metrics", "/readyz", "/none")
                for answer in [httpx.get(url + path, headers=access, trust_env=False)]
            }
            found["refused"] = httpx.get(url, headers={"Authorization": "x"}, trust_env=False).text
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(60)
        found["log"] = log.read_text()
        for command in (["status"], ["status", "--format", "json"], ["explain", "fleet"]):
            found[" ".join(command)] = place.ask(*command)
        found["plan"] = place.ask("plan", *inputs, "--format", "json")
        for name in ("controller.db", "controller.db-wal"):
            path = folder / ".tidegate" / name
            found[name] = path.read_bytes().decode("latin-1") if path.exists() else ""
        found["traces"] = b"".join(collector.bodies).decode("latin-1")
        found["echo"] = "\n".join(echo.got)
        found["collector"] = str(collector.requests)
    return found


def has_turned(url: str, access: dict[str, str]) -> bool:
    try:
        answer = httpx.get(f"{url}/api/status", headers=access, trust_env=False)
    except httpx.TransportError:
        return False
    return bool(answer.is_success and answer.json()["snapshot"])


def test_the_secrets_were_used_and_came_back_in_errors(told):
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SESSION_TOKEN", "METRICS_READER"):
        assert PLANTED[name] in told["echo"]
    assert PLANTED["header"] in told["collector"]
    for place in ("/", "/api/status", "log", "status", "plan", "controller.db", "traces"):
        assert "bad" in told[place], f"the errors are not told in {place}"
        assert "***" in told[place]


@pytest.mark.parametrize("name", PLANTED)
def test_no_planted_secret_comes_out(told, name):
    places = [place for place in told if place not in ("echo", "collector")]
    assert [place for place in places if PLANTED[name] in told[place]] == []


def test_what_clouds_sign_with_is_hidden_too(told):
    for place, text in told.items():
        if place not in ("echo", "collector"):
            assert "Signature=" not in text.replace("Signature=***", ""), place


@pytest.mark.parametrize(
    "arguments",
    [
        ["status", "--database", f"postgresql://tests:{PLANTED['url']}@127.0.0.1:1/none"],
        ["status", "--database", f"mysql://tests:{PLANTED['url']}@127.0.0.1:1/none"],
        ["run", "--listen", "", "--otlp", f"ftp://tests:{PLANTED['url']}@127.0.0.1:1"],
    ],
    ids=["away", "of no kind", "collector"],
)
def test_wrong_input_is_told_without_its_password(tmp_path, arguments):
    with run_echo() as echo, run_collector() as collector:
        place = prepare(tmp_path, echo, collector)
        more = ["--outputs", "outputs.json"] if arguments[0] == "run" else []
        said = place.ask(*arguments, *more)

    assert "error: " in said
    assert PLANTED["url"] not in said
