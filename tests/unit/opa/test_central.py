"""A central OPA: the real one with a bundle and a token, and everything that can be wrong."""

from __future__ import annotations

import socket
import subprocess
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar

import pytest

from tidegate.opa.bundle import build_bundle, compute_revision
from tidegate.opa.central import CentralOpa, read_central_opa
from tidegate.opa.opening import open_rule_engine
from tidegate.opa.pack import find_pack, load_rules
from tidegate.opa.program import find_opa
from tidegate.policy.check import StackCheck
from tidegate.policy.graph import Resource, ResourceGraph, StackFacts
from tidegate.ports import RuleEngineError
from tidegate.vocabulary.problems import InvalidInput

PACK = find_pack()
URL = "https://opa.example.com"
AUTHZ = 'package system.authz\n\ndefault allow := false\n\nallow if input.identity == "letmein"\n'
BUCKET = Resource("urn:b", "aws:s3/bucket:Bucket", "b", {})
GRAPH = ResourceGraph(StackFacts("vision", "prod", "prod"), (BUCKET,), complete=True)


def judge(central: CentralOpa, seconds: float = 20.0):
    rules = load_rules(PACK)
    with open_rule_engine(PACK, rules, seconds, central) as engine:
        return StackCheck(rules, engine).judge_graph(GRAPH)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@pytest.fixture(scope="module")
def bundle(tmp_path_factory):
    path = tmp_path_factory.mktemp("bundle") / "bundle.tar.gz"
    return path, build_bundle(PACK, path)


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    """Return (certificate, key) of a server on 127.0.0.1."""
    folder = tmp_path_factory.mktemp("tls")
    made, key = folder / "cert.pem", folder / "key.pem"
    subprocess.run(
        [
            *("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"),
            *("-nodes", "-keyout", key, "-out", made, "-days", "2", "-subj", "/CN=opa"),
            *("-addext", "subjectAltName=IP:127.0.0.1"),
        ],
        check=True,
        capture_output=True,
    )
    return made, key


@pytest.fixture(scope="module")
def central(bundle, certificate, tmp_path_factory):
    """A real OPA under TLS that loads the bundle and asks for a token."""
    folder = tmp_path_factory.mktemp("central")
    (folder / "authz.rego").write_text(AUTHZ)
    (folder / "config.yaml").write_text(
        f"bundles:\n  tidegate:\n    resource: file://{bundle[0]}\n"
    )
    port = free_port()
    process = subprocess.Popen(
        [
            *(find_opa(), "run", "--server", f"--addr=127.0.0.1:{port}", "--skip-version-check"),
            *("--authentication=token", "--authorization=basic", "--log-level=error"),
            *(f"--config-file={folder / 'config.yaml'}", f"--tls-cert-file={certificate[0]}"),
            *(f"--tls-private-key-file={certificate[1]}", str(folder / "authz.rego")),
        ],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    found = CentralOpa(f"https://127.0.0.1:{port}", "letmein", certificate[0], bundle="tidegate")
    try:
        wait_for(found)
        yield found
    finally:
        process.kill()
        process.wait()


def wait_for(central: CentralOpa) -> None:
    deadline = time.monotonic() + 20
    while True:
        try:
            judge(central)
        except RuleEngineError:
            assert time.monotonic() < deadline
            time.sleep(0.05)
        else:
            return


def change(central: CentralOpa, **others: object) -> CentralOpa:
    from dataclasses import replace

    return replace(central, **others)


def test_a_central_opa_answers_as_our_own_does(central):
    rules = load_rules(PACK)
    with open_rule_engine(PACK, rules, 20.0) as engine:
        own = StackCheck(rules, engine).judge_graph(GRAPH)
    assert judge(central) == own
    assert any(verdict.rule == "TG-LBL-001" for verdict in own)


def test_the_revision_that_is_wanted_is_the_one_that_answers(central, bundle):
    assert bundle[1] == compute_revision(PACK)
    assert judge(change(central, revision=bundle[1]))


@pytest.mark.parametrize(
    ("others", "said"),
    [
        ({"token": "wrong"}, "HTTP 401: it wants another token"),
        ({"token": ""}, "HTTP 401: it wants another token"),
        ({"ca": None}, "is not trusted: certificate verify failed"),
        ({"path": "acme/main/answers"}, "has no rule data.acme.main.answers"),
        ({"bundle": "acme"}, "has no bundle 'acme' (it has tidegate)"),
        ({"revision": "abc"}, "of bundle 'tidegate', and 'abc' is wanted"),
        ({"url": "https://127.0.0.1:1"}, "cannot be reached"),
    ],
)
def test_what_is_wrong_with_it_is_said_and_nothing_judged(central, others, said):
    with pytest.raises(RuleEngineError) as caught:
        judge(change(central, **others))
    assert said in str(caught.value)
    assert "letmein" not in str(caught.value)


def test_a_netrc_and_certificates_of_the_environment_replace_nothing(
    central, monkeypatch, tmp_path
):
    (tmp_path / "netrc").write_text("machine 127.0.0.1 login me password wrong\n")
    monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(tmp_path / "netrc"))
    assert judge(central)


class Fake(BaseHTTPRequestHandler):
    body = b"{}"
    status = 200
    wait = 0.0
    asked: ClassVar[list[str]] = []

    def do_POST(self):
        self.asked.append(self.path)
        self.rfile.read(int(self.headers["Content-Length"]))
        time.sleep(self.wait)
        self.send_response(self.status)
        if self.status == 307:
            self.send_header("Location", "/elsewhere")
        self.end_headers()
        self.wfile.write(self.body)

    def log_message(self, *_):
        pass


@pytest.fixture
def fake():
    """Return what starts a server that answers as told: (its URL, the paths it was asked)."""
    servers = []

    def start(**answer):
        handler = type("Answering", (Fake,), {**answer, "asked": []})
        server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        servers.append((server, thread))
        return f"http://127.0.0.1:{server.server_port}", handler.asked

    yield start
    for server, thread in servers:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ({"body": b"{}"}, "has no rule data.tidegate.main.answers"),
        ({"body": b'{"result": {}}'}, "has no answer for"),
        ({"body": b'{"result": []}'}, "has no rule data.tidegate.main.answers"),
        ({"body": b"<html>"}, "answered no JSON"),
        ({"body": b"[]"}, "has no rule data.tidegate.main.answers"),
        ({"status": 500, "body": b"oops"}, "refused: HTTP 500"),
        ({"status": 500, "body": b"[]"}, "refused: HTTP 500"),
        ({"status": 307}, "sends on to another place"),
        ({"wait": 2.0}, "did not answer in time"),
    ],
)
def test_an_answer_that_is_none_is_an_error(fake, answer, said):
    url, _ = fake(**answer)
    with pytest.raises(RuleEngineError, match=f"the OPA at {url} .*{said}"):
        judge(CentralOpa(url, answer_seconds=0.5))


def test_a_path_below_the_address_is_kept(fake):
    url, asked = fake()
    with pytest.raises(RuleEngineError):
        judge(read_central_opa({"TIDEGATE_OPA_URL": f"{url}/team/opa/"}))
    assert asked == ["/team/opa/v1/data/tidegate/main/answers?strict-builtin-errors=true"]


def test_no_variable_is_no_central_opa():
    assert read_central_opa({"PATH": "/bin", "TIDEGATE_OPA_URL": ""}) is None


def test_all_that_can_be_said(tmp_path, certificate):
    (tmp_path / "token").write_text("letmein\n")
    environment = {
        "TIDEGATE_OPA_URL": f"{URL}:8181/",
        "TIDEGATE_OPA_TOKEN_FILE": str(tmp_path / "token"),
        "TIDEGATE_OPA_CA": str(certificate[0]),
        "TIDEGATE_OPA_PATH": "/acme/main/answers",
        "TIDEGATE_OPA_BUNDLE": "acme@r7",
        "TIDEGATE_OPA_CONNECT_SECONDS": "1.5",
        "TIDEGATE_OPA_SECONDS": "30",
    }
    found = read_central_opa(environment)
    expected = CentralOpa(
        f"{URL}:8181", "letmein", Path(certificate[0]), "acme/main/answers", "acme", "r7", 1.5, 30.0
    )
    assert found == expected
    assert "letmein" not in repr(found)


def test_the_command_line_goes_before_the_environment():
    found = read_central_opa({"TIDEGATE_OPA_URL": "https://other"}, URL)
    assert found == CentralOpa(URL)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"URI": URL}, "TIDEGATE_OPA_URI: is not known (did you mean 'TIDEGATE_OPA_URL'?)"),
        ({"TOKEN": "x"}, "TIDEGATE_OPA_URL: is missing beside the others"),
        ({"URL": "opa.example.com"}, "is no address"),
        ({"URL": "ftp://opa.example.com"}, "is no address"),
        ({"URL": "https://opa:x1"}, "is no address"),
        ({"URL": f"{URL}?a=b"}, "is no address"),
        ({"URL": "https://me:letmein@opa"}, "holds a user or password"),
        ({"URL": "http://opa", "TOKEN": "x"}, "would carry the token unencrypted"),
        ({"URL": URL, "CA": "/nowhere"}, "cannot be read"),
        ({"URL": URL, "CA": __file__}, "holds no certificate"),
        ({"URL": URL, "TOKEN_FILE": "/nowhere"}, "cannot be read"),
        ({"URL": URL, "TOKEN_FILE": "/dev/null"}, "is empty"),
        ({"URL": URL, "PATH": "answers"}, "is no path of a package's rule"),
        ({"URL": URL, "PATH": "a/../b"}, "is no path of a package's rule"),
        ({"URL": URL, "SECONDS": "soon"}, "is no time in seconds"),
        ({"URL": URL, "SECONDS": "nan"}, "is no time in seconds"),
        ({"URL": URL, "CONNECT_SECONDS": "0"}, "is no time in seconds"),
    ],
)
def test_a_setting_that_does_not_fit_is_refused(given, said):
    with pytest.raises(InvalidInput) as caught:
        read_central_opa({f"TIDEGATE_OPA_{key}": text for key, text in given.items()})
    assert said in str(caught.value)
    assert "letmein" not in str(caught.value)
