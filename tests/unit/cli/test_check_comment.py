"""The comment through the command: kept up to date, or in the job's summary, never a leak."""

from __future__ import annotations

import json

import pytest
from support.forge import SOMEBODY, TOKEN, Reply, StandIn, serve_forge

HEAD = "urn:pulumi:dev::recorded::"
GOOD = f"{HEAD}aws:s3/bucket:Bucket::data"
BARE = f"{HEAD}aws:s3/bucket:Bucket::bare"
MARKER = "<!-- tidegate-check: recorded/dev -->\n"
EVENT = {"number": 7, "pull_request": {"number": 7, "head": {"repo": {"fork": True}}}}
FORGES = ("GITHUB_", "CI_", "GITLAB_", "GH_", "TIDEGATE_")


@pytest.fixture
def forge():
    with serve_forge(StandIn()) as stand_in:
        yield stand_in


@pytest.fixture
def no_forge(monkeypatch):
    import os

    for name in list(os.environ):
        if name.startswith(FORGES):
            monkeypatch.delenv(name)


@pytest.fixture
def job(forge, no_forge, monkeypatch, tmp_path):
    """Set what GitHub tells a job of pull request 7; return the file of its summary."""
    event = tmp_path / "event.json"
    event.write_text(json.dumps(EVENT))
    summary = tmp_path / "summary.md"
    for name, value in {
        "GITHUB_REPOSITORY": "acme/vision",
        "GITHUB_EVENT_PATH": str(event),
        "GITHUB_API_URL": forge.url,
        "GITHUB_TOKEN": TOKEN,
        "GITHUB_STEP_SUMMARY": str(summary),
    }.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr("tidegate.cli.check_comment.time.sleep", lambda seconds: None)
    return summary


@pytest.fixture
def check(tidegate, export_of, tmp_path):
    def run(*urns):
        return tidegate("check", "--export", export_of(tmp_path / "e.json", *urns), "--comment")

    return run


def test_three_runs_leave_one_comment_and_the_exit_code_is_the_verdicts(check, job, forge):
    forge.write("a human says something", SOMEBODY)
    runs = [check(GOOD, BARE), check(GOOD), check(GOOD)]
    assert [code for code, _, _ in runs] == [1, 0, 0]
    page = "https://github.com/acme/vision/pull/7#issuecomment-1002"
    assert [err for _, _, err in runs] == [
        f"comment {done} {page}\n" for done in ("created", "updated", "unchanged")
    ]
    _, ours = forge.comments
    assert ours["body"].startswith(f"{MARKER}## Tidegate check passes: recorded/dev\n")
    assert not job.exists()


def test_a_fork_without_permission_gets_the_summary(check, job, forge):
    forge.may_write = False
    code, _, err = check(GOOD, BARE)
    assert code == 1
    assert "the summary of the job has it, no comment: " in err
    assert "Resource not accessible by integration" in err
    assert job.read_text().startswith(f"{MARKER}## Tidegate check fails: recorded/dev\n")
    assert forge.comments == []


@pytest.mark.parametrize(
    ("variable", "value", "said"),
    [
        ("GITHUB_TOKEN", "", "there is no token in TIDEGATE_COMMENT_TOKEN"),
        ("GITHUB_TOKEN", "wrong", "answered 401 Unauthorized: Bad credentials"),
        ("GITHUB_EVENT_PATH", "/nowhere", "the job is of no pull request"),
        ("GITHUB_API_URL", "http://127.0.0.1:9", "gave no answer (ConnectError)"),
        ("GITHUB_REPOSITORY", "acme/other", "answered 404 Not Found: Not Found"),
    ],
)
def test_whatever_is_missing_or_down_the_summary_has_it(
    check, job, monkeypatch, variable, value, said
):
    monkeypatch.setenv(variable, value)
    code, _, err = check(GOOD)
    assert code == 0
    assert said in err
    assert job.read_text().startswith(MARKER)


def test_without_a_summary_either_it_is_said(check, job, monkeypatch):
    monkeypatch.delenv("GITHUB_STEP_SUMMARY")
    monkeypatch.delenv("GITHUB_TOKEN")
    code, _, err = check(GOOD)
    assert (code, err.startswith("no comment was written: there is no token")) == (0, True)


def test_a_summary_that_cannot_be_written_changes_no_verdict(check, job, forge, monkeypatch):
    forge.may_write = False
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(job.parent))
    code, _, err = check(GOOD)
    assert (code, err.startswith("neither comment nor summary was written")) == (0, True)


@pytest.mark.usefixtures("no_forge")
def test_outside_of_any_job_it_is_refused_before_anything_is_judged(check):
    code, out, err = check(GOOD)
    assert (code, out) == (2, "")
    assert "--comment" in err


def test_a_merge_request_of_gitlab_gets_a_note(check, forge, no_forge, monkeypatch):
    forge.user = {**SOMEBODY, "id": 99, "login": "project_42_bot"}
    for name, value in {
        "CI_PROJECT_ID": "42",
        "CI_MERGE_REQUEST_IID": "7",
        "CI_API_V4_URL": forge.url,
        "GITLAB_TOKEN": TOKEN,
    }.items():
        monkeypatch.setenv(name, value)
    assert [check(GOOD)[2] for _ in range(2)] == ["comment created\n", "comment unchanged\n"]
    assert len(forge.comments) == 1


@pytest.mark.usefixtures("job")
def test_the_token_is_in_no_report_and_no_log(tidegate, export_of, forge, tmp_path, caplog):
    caplog.set_level("DEBUG")
    forge.failures = [("GET", Reply(502)), ("POST", Reply(429, {"Retry-After": "1"}))]
    export = export_of(tmp_path / "e.json", GOOD, BARE)
    _, out, err = tidegate(
        "check", "--export", export, "--comment", "--report", f"json={tmp_path / 'r.json'}"
    )
    said = [out, err, caplog.text, (tmp_path / "r.json").read_text(), forge.comments[0]["body"]]
    assert not [text for text in said if TOKEN in text]
