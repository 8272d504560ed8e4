"""Every bad input ends with exit code 2 and a clear message, never with "0 failures"."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

from tidegate.opa.pack import find_pack

WAYS = Path(__file__).resolve().parents[2] / "policies" / "data" / "ways"
EXPORT = WAYS / "export.json"
BARE = "urn:pulumi:dev::recorded::aws:s3/bucket:Bucket::bare"


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("--preview", "", "is empty"),
        ("--preview", '{"config": {', "is truncated: its JSON has no end"),
        ("--preview", "Previewing update", "is no JSON"),
        ("--preview", "{}", "is no preview"),
        ("--preview", '{"deployment": {"resources": []}}', "is no preview"),
        ("--preview", '{"resource_changes": []}', "is no preview"),
        ("--export", '{"steps": []}', "is no stack export"),
        ("--export", "[]", "is no stack export"),
        ("--events", "{}", "is no event log"),
        ("--events", '{"preludeEvent": {}}', "the log is truncated"),
        ("--events", '{"preludeEvent": {', "is no JSON"),
        ("--waivers", "waivers: 1", "is no list of waivers"),
        ("--waivers", "waivers: [", "is no YAML"),
        ("--baseline", "{}", "is no baseline"),
        ("--policy-config", '{"TG-LBL-01": "advisory"}', "is no rule (did you mean 'TG-LBL-001'?)"),
        ("--policy-config", '{"TG-LBL-001": {"requiredKey": []}}', "is no parameter of this rule"),
        ("--answers", "functions: 1", "is no mapping of mappings"),
    ],
)
def test_a_bad_file_ends_with_2_and_one_clear_message(
    export_of, tidegate, tmp_path, name, text, said
):
    path = tmp_path / "given"
    path.write_text(text)
    options = ["check", name, path]
    if name == "--answers":
        (tmp_path / "Pulumi.yaml").write_text("name: theirs\nruntime: python\n")
        options += ["--program", tmp_path]
    elif name in ("--waivers", "--baseline", "--policy-config"):
        options += ["--export", export_of(tmp_path / "e.json", BARE)]
    code, out, err = tidegate(*options)
    assert (code, out) == (2, "")
    assert said in err
    assert len(err.splitlines()) == 1


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--preview", "/nowhere/plan.json"], "cannot be read"),
        (["--program", "/nowhere"], "there is no such file"),
        (["--export", EXPORT, "--preview", EXPORT], "was given --preview, --export"),
        (["--export", EXPORT, "--stack", "dev"], "which is of one stack already"),
        (["--export", EXPORT, "--report", "pdf=x"], "is no format"),
        (["--export", EXPORT, "--report", "sarif"], "is no pair"),
        (["--export", EXPORT, "--report", "sarif=/nowhere/x"], "cannot be written"),
        (["--export", EXPORT, "--pack", "/nowhere"], "is no policy pack"),
        (["--config", "x", "--export", EXPORT], "is no pair"),
    ],
)
def test_a_bad_option_ends_with_2(tidegate, options, said):
    code, _, err = tidegate("check", *options)
    assert code == 2
    assert said in err


@pytest.fixture
def pack(tmp_path):
    """Return a copy of the pack, to spoil."""
    return shutil.copytree(find_pack(), tmp_path / "pack")


def judge_with(tidegate, pack):
    return tidegate("check", "--export", EXPORT, "--pack", pack)


def rego_of(pack):
    return next((pack / "rules").glob("labels/*/mandatory_cost_labels.rego"))


def test_a_rule_that_does_not_compile_ends_with_2(tidegate, pack):
    rego = rego_of(pack)
    rego.write_text(rego.read_text() + "\nverdicts contains nonsense(\n")
    code, out, err = judge_with(tidegate, pack)
    assert (code, out) == (2, "")
    assert "OPA did not start" in err
    assert "mandatory_cost_labels.rego" in err


def test_a_rule_that_nobody_runs_ends_with_2(tidegate, pack):
    rego = rego_of(pack)
    rego.write_text(rego.read_text().replace("package tidegate.rules", "package tidegate.rulez"))
    code, _, err = judge_with(tidegate, pack)
    assert code == 2
    assert "is not its folder's package, so that nothing would run it" in err


def test_a_rule_without_verdicts_ends_with_2(tidegate, pack):
    rego = rego_of(pack)
    rego.write_text(rego.read_text().replace("verdicts contains", "verdictz contains"))
    code, _, err = judge_with(tidegate, pack)
    assert code == 2
    assert "no `verdicts` is defined there" in err


@pytest.mark.parametrize(
    ("program", "said"),
    [
        ("#!/bin/sh\nexit 1\n", "OPA did not start: it said nothing"),
        ("#!/bin/sh\necho broken >&2\nexit 1\n", "OPA did not start: broken"),
        ("not a program\n", "OPA could not be run"),
    ],
)
def test_an_opa_that_is_down_ends_with_2(tidegate, tmp_path, monkeypatch, program, said):
    opa = tmp_path / "opa"
    opa.write_text(program)
    opa.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    code, out, err = tidegate("check", "--export", EXPORT)
    assert (code, out) == (2, "")
    assert said in err


FAKE = """#!{python}
import http.server, sys, time
address = next(each for each in sys.argv if each.startswith("--addr=")).rpartition(":")[2]
class Face(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200); self.end_headers(); self.wfile.write(b"{{}}")
    def do_PUT(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(204); self.end_headers()
    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        {act}
        self.send_response(200); self.end_headers(); self.wfile.write(b'{body}')
    def log_message(self, *_): pass
http.server.HTTPServer(("127.0.0.1", int(address)), Face).serve_forever()
"""


@pytest.mark.parametrize(
    ("act", "body", "said"),
    [
        ("pass", "{}", "OPA has no rule data.tidegate.main.answers"),
        ("pass", '{"result": {}}', "OPA has no answer for"),
        ("pass", "<html>", "OPA answered no JSON"),
        ("time.sleep(30)", "{}", "OPA did not answer in time"),
        ("sys.exit()", "{}", "OPA cannot be reached"),
    ],
)
def test_an_opa_that_answers_badly_ends_with_2(tidegate, tmp_path, monkeypatch, act, body, said):
    opa = tmp_path / "opa"
    opa.write_text(FAKE.format(python=sys.executable, act=act, body=body))
    opa.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    monkeypatch.setattr("tidegate.cli.check_run.ANSWER_SECONDS", 1.0)
    code, out, err = tidegate("check", "--export", EXPORT)
    assert (code, out) == (2, "")
    assert said in err


@pytest.mark.parametrize(
    ("way", "name"), [("--preview", "preview_new.json"), ("--export", "export.json")]
)
def test_a_document_that_is_cut_off_anywhere_is_said_to_be(tidegate, tmp_path, way, name):
    text = (WAYS / name).read_text().rstrip()
    path = tmp_path / "cut.json"
    for length in range(1, len(text), len(text) // 12):
        path.write_text(text[:length])
        code, out, err = tidegate("check", way, path)
        assert (code, out) == (2, "")
        assert "is truncated" in err or "is no JSON" in err


def test_an_event_log_that_is_cut_off_anywhere_is_refused(tidegate, tmp_path):
    text = (WAYS / "events_up.jsonl").read_text().rstrip()
    end = text.index('"summaryEvent"')
    path = tmp_path / "cut.jsonl"
    for length in range(1, end, end // 12):
        path.write_text(text[:length])
        code, out, _ = tidegate("check", "--events", path)
        assert (code, out) == (2, "")


def test_a_central_opa_that_is_down_ends_with_2(tidegate):
    code, out, err = tidegate("check", "--export", EXPORT, "--opa-url", "http://127.0.0.1:1")
    assert (code, out) == (2, "")
    assert err == ("error: the OPA at http://127.0.0.1:1 cannot be reached; it is not running\n")


def test_a_misspelt_setting_of_the_central_opa_ends_with_2(tidegate, monkeypatch):
    monkeypatch.setenv("TIDEGATE_OPA_URI", "http://127.0.0.1:1")
    code, out, err = tidegate("check", "--export", EXPORT)
    assert (code, out) == (2, "")
    assert "TIDEGATE_OPA_URI: is not known (did you mean 'TIDEGATE_OPA_URL'?)" in err
