"""A marker in every secret position: neither OPA nor any report nor any log shows it."""

from __future__ import annotations

import json

import pytest
from pulumi.runtime.rpc import _special_secret_sig, _special_sig_key

from tidegate.cli import main
from tidegate.opa import opening
from tidegate.opa.rule_engine import OpaRuleEngine
from tidegate.report.formats import RENDERERS

MARK = "plaintext-of-a-secret"
HEAD = "urn:pulumi:dev::kept::"
PROVIDER = f"{HEAD}pulumi:providers:aws::own"


def secret(value, key="value"):
    return {_special_sig_key: _special_secret_sig, key: value}


def state(name, token="aws:s3/bucket:Bucket", **others):
    return {"urn": f"{HEAD}{token}::{name}", "type": token, "custom": True, **others}


def states(key, wrap=lambda value: value):
    """Return resources that hide the marker wherever a secret may stand."""

    def hide(value):
        return secret(wrap(value), key)

    tags = {"owner": "a", "token": hide(MARK)}
    provider = {"accessKey": hide(MARK), "defaultTags": hide(json.dumps({"tags": {"x": MARK}}))}
    return [
        {"urn": PROVIDER, "type": "pulumi:providers:aws", "id": "i", "inputs": provider},
        state("label", inputs={"tags": tags, "tagsAll": {"owner": "a", "token": MARK}}),
        state("map", inputs={"tags": hide({"owner": MARK})}),
        state("copy", inputs={"bucket": hide(MARK), "tags": {"owner": MARK}}),
        state("deep", inputs={"rules": [{"with": [hide({"a": [MARK]})]}], "tags": {"owner": MARK}}),
        state("key", inputs={"tags": {"owner": "a"}}, provider=f"{PROVIDER}::i"),
        state("named", inputs={"bucket": hide(MARK)}, id=MARK, outputs={"arn": MARK, "name": MARK}),
        state("given", inputs={}, id="g", outputs={"name": hide(MARK), "arn": MARK}),
        state("other", "docker:index/image:Image", inputs={"registry": {"password": hide(MARK)}}),
        state("logs", "aws:cloudwatch/logGroup:LogGroup", inputs={"retentionInDays": hide(MARK)}),
        state(
            "machines",
            "aws:eks/nodeGroup:NodeGroup",
            inputs={
                "instanceTypes": [hide(MARK)],
                "scalingConfig": {"minSize": hide(MARK)},
                "launchTemplate": {"id": hide(MARK)},
            },
        ),
    ]


def export_of(key="value", wrap=lambda value: value):
    return json.dumps({"version": 3, "deployment": {"resources": states(key, wrap)}})


def preview_of():
    steps = [{"op": "create", "urn": each["urn"], "newState": each} for each in states("value")]
    config = {"aws:secretKey": "[secret]", "kept:environment": "prod"}
    return json.dumps({"config": config, "steps": steps, "changeSummary": {"create": 1}})


def events_of():
    events = [
        {"preludeEvent": {"config": {"kept:token": "[secret]"}}},
        {"diagnosticEvent": {"severity": "info", "message": f"made {MARK}"}},
        *(
            {"resourcePreEvent": {"metadata": {"op": "create", "urn": each["urn"], "new": each}}}
            for each in states("value")
        ),
        {"summaryEvent": {"result": "succeeded"}},
    ]
    return "\n".join(map(json.dumps, events))


PROGRAM = f"""
import sys
import pulumi
import pulumi_aws as aws
secret = pulumi.Output.secret("{MARK}")
print("{MARK}")
print("{MARK}", file=sys.stderr)
own = aws.Provider("own", access_key=secret, default_tags={{"tags": {{"token": secret}}}})
by_own = pulumi.ResourceOptions(provider=own)
aws.s3.Bucket("label", tags={{"owner": "a", "token": secret}}, opts=by_own)
aws.s3.Bucket("map", tags=pulumi.Output.secret({{"owner": "{MARK}"}}))
aws.s3.Bucket("copy", bucket=secret, tags={{"owner": "{MARK}"}})
aws.cloudwatch.LogGroup("logs", name=secret, retention_in_days=pulumi.Output.secret(7))
pulumi.export("token", secret)
"""

WAYS = {
    "export": export_of,
    "export-shown": lambda: export_of("plaintext", json.dumps),
    "preview": preview_of,
    "events": events_of,
}


@pytest.fixture
def documents(monkeypatch):
    """Return every document that OPA is asked with."""
    seen = []

    class Listening(OpaRuleEngine):
        def evaluate(self, document):
            seen.append(document)
            return super().evaluate(document)

    monkeypatch.setattr(opening, "OpaRuleEngine", Listening)
    return seen


def check(monkeypatch, tmp_path, capfd, *arguments):
    reports = [f"--report={name}={tmp_path / name}" for name in RENDERERS]
    baseline = f"--write-baseline={tmp_path / 'baseline'}"
    monkeypatch.setattr("sys.argv", ["tidegate", "check", *arguments, *reports, baseline])
    with pytest.raises(SystemExit) as ended:
        main.run()
    shown = capfd.readouterr()
    written = {name: (tmp_path / name).read_text() for name in (*RENDERERS, "baseline")}
    return ended.value.code or 0, {**written, "stdout": shown.out, "stderr": shown.err}


@pytest.mark.parametrize("way", sorted(WAYS))
def test_no_marker_leaves_a_file_that_is_read(way, documents, monkeypatch, tmp_path, capfd):
    path = tmp_path / "given"
    path.write_text(WAYS[way]())
    option = f"--{way.partition('-')[0]}={path}"
    code, texts = check(monkeypatch, tmp_path, capfd, option)
    assert code == 0
    assert MARK in path.read_text()
    assert len(documents[0]["resources"]) >= len(states("value"))
    assert MARK not in json.dumps(documents)
    assert {name for name, text in texts.items() if MARK in text} == set()
    assert "[secret]" in texts["json"]


def test_no_marker_leaves_a_program(documents, monkeypatch, tmp_path, capfd):
    program = tmp_path / "program"
    program.mkdir()
    (program / "Pulumi.yaml").write_text("name: kept\nruntime: python\n")
    (program / "__main__.py").write_text(PROGRAM)
    code, texts = check(monkeypatch, tmp_path, capfd, f"--program={program}")
    assert code == 0
    assert len(documents[0]["resources"]) == 6
    assert MARK not in json.dumps(documents)
    assert {name for name, text in texts.items() if MARK in text} == set()
    assert "[secret]" in texts["json"]


def test_a_refused_program_quotes_no_marker(monkeypatch, tmp_path, capfd):
    (tmp_path / "Pulumi.yaml").write_text("name: kept\nruntime: python\n")
    (tmp_path / "__main__.py").write_text(f"{PROGRAM}\nraise ValueError('bad {MARK}')\n")
    monkeypatch.setattr("sys.argv", ["tidegate", "check", f"--program={tmp_path}"])
    with pytest.raises(SystemExit) as ended:
        main.run()
    shown = capfd.readouterr()
    assert ended.value.code == 2
    assert "failed with ValueError: bad [secret]" in shown.err
    assert MARK not in shown.out + shown.err


def run(monkeypatch, capfd, *arguments):
    monkeypatch.setattr("sys.argv", ["tidegate", *map(str, arguments)])
    with pytest.raises(SystemExit) as ended:
        main.run()
    shown = capfd.readouterr()
    return ended.value.code or 0, shown.out, shown.err


@pytest.mark.parametrize("rule", ["TG-LBL-001", "TG-LBL-002", "TG-TEL-001", "TG-SCL-001"])
@pytest.mark.parametrize("form", ["table", "json"])
def test_an_explanation_shows_no_marker(rule, form, documents, monkeypatch, tmp_path, capfd):
    path = tmp_path / "given"
    path.write_text(export_of())
    for name in ("label", "map", "copy", "deep", "named", "given", "logs", "machines"):
        arguments = ("rules", "explain", rule, name, "--export", path, "--format", form)
        code, out, err = run(monkeypatch, capfd, *arguments)
        assert (code, err) == (0, "")
        assert rule in out
        assert MARK not in out
    assert MARK not in json.dumps(documents)


CONFIG = """config:
  kept:environment: prod
  kept:labels: {cost-center: cc-1, team: {secure: v1:plaintext-of-a-secret}}
  kept:token: {secure: v1:plaintext-of-a-secret}
"""


@pytest.mark.parametrize("form", ["table", "json"])
def test_a_fix_shows_and_writes_no_marker(form, documents, monkeypatch, tmp_path, capfd):
    (tmp_path / "Pulumi.yaml").write_text("name: kept\nruntime: python\n")
    (tmp_path / "Pulumi.prod.yaml").write_text(f"config:\n  kept:environment: prod\n{'#' * 9}\n")
    (tmp_path / "__main__.py").write_text(PROGRAM)
    arguments = ("fix", "--program", tmp_path, "--write", "--format", form)
    code, out, err = run(monkeypatch, capfd, *arguments)
    assert (code, err) == (1, "")
    assert "environment" in out
    assert MARK not in out + (tmp_path / "Pulumi.prod.yaml").read_text()
    assert MARK not in json.dumps(documents)


def test_encrypted_labels_are_given_to_nothing(documents, monkeypatch, tmp_path, capfd):
    (tmp_path / "Pulumi.yaml").write_text("name: kept\nruntime: python\n")
    (tmp_path / "Pulumi.prod.yaml").write_text(CONFIG)
    (tmp_path / "__main__.py").write_text("import pulumi_aws as aws\naws.s3.Bucket('bare')\n")
    arguments = ("fix", "--program", tmp_path, "--format", "json")
    (document,) = json.loads(run(monkeypatch, capfd, *arguments)[1])
    assert document["additions"] == {"aws:defaultTags.tags": {"environment": "prod"}}
    assert MARK not in json.dumps(documents)


def test_a_central_opa_is_sent_no_marker(monkeypatch, tmp_path, capfd):
    import threading
    from http.server import BaseHTTPRequestHandler, HTTPServer

    bodies = []

    class Face(BaseHTTPRequestHandler):
        def do_POST(self):
            bodies.append(self.rfile.read(int(self.headers["Content-Length"])).decode())
            self.send_response(500)
            self.end_headers()
            self.wfile.write(b'{"message": "no"}')

        def log_message(self, *_):
            pass

    path = tmp_path / "given"
    path.write_text(export_of())
    with HTTPServer(("127.0.0.1", 0), Face) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        url = f"http://127.0.0.1:{server.server_port}"
        code, out, err = run(monkeypatch, capfd, "check", "--export", path, "--opa-url", url)
        server.shutdown()
        thread.join()
    assert (code, out) == (2, "")
    assert err == f"error: the OPA at {url} refused: no\n"
    assert bodies
    assert "urn:pulumi:dev::kept::" in bodies[0]
    assert MARK not in "".join(bodies)
