"""Stopping and resuming runs, by what is asked of a server; a real one is asked elsewhere."""

from __future__ import annotations

import httpx
import pytest

from tidegate.sources.config import PolyaxonSource
from tidegate.sources.polyaxon_control import PolyaxonControl
from tidegate.vocabulary.reports import SourceFault

RUN = "acme/vision/8f2b"


def control(answer, **settings):
    """Return what controls one server's runs, and what that is asked for."""
    asked = []

    def handle(request):
        asked.append((request.method, request.url.path, request.headers.get("authorization")))
        if isinstance(answer, Exception):
            raise answer
        return answer

    given = {"kind": "polyaxon", "name": "plx", "url": "http://plx/", "owner": "acme"}
    server = PolyaxonSource(**{**given, "projects": ["vision"], **settings})
    return PolyaxonControl([server], httpx.Client(transport=httpx.MockTransport(handle))), asked


def test_a_run_is_stopped_resumed_and_looked_at_by_its_path(monkeypatch):
    monkeypatch.setenv("PLX_TOKEN", "s3cret")
    runs, asked = control(
        httpx.Response(200, json={"status": "stopped"}), token_environment="PLX_TOKEN"
    )

    runs.stop(RUN)
    runs.resume(RUN)

    assert runs.fetch_status(RUN) == "stopped"
    path = "/api/v1/acme/vision/runs/8f2b"
    assert asked == [
        ("POST", f"{path}/stop", "Token s3cret"),
        ("POST", f"{path}/resume", "Token s3cret"),
        ("GET", path, "Token s3cret"),
    ]


@pytest.mark.parametrize(
    ("run", "known"), [(RUN, True), ("acme/other/1", False), ("x/vision/1", False)]
)
def test_only_runs_of_listed_projects_are_controlled(run, known):
    runs, asked = control(httpx.Response(200, json={}))

    assert runs.controls(run) is known
    if not known:
        with pytest.raises(SourceFault, match="no server"):
            runs.stop(run)
    assert asked == []


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (httpx.Response(500, text="away"), "answers 500: away"),
        (httpx.ConnectError("refused"), "does not answer: ConnectError"),
        (httpx.Response(200, json={"state": "x"}), "told without a status"),
        (httpx.Response(200, text="<html>"), "told without a status"),
    ],
)
def test_a_server_that_does_not_answer_as_one_is_a_fault(answer, says):
    runs, _ = control(answer)

    with pytest.raises(SourceFault, match=says):
        runs.fetch_status(RUN)


def test_a_token_that_is_named_and_missing_is_told(monkeypatch):
    monkeypatch.delenv("PLX_TOKEN", raising=False)
    runs, asked = control(httpx.Response(200, json={}), token_environment="PLX_TOKEN")

    with pytest.raises(SourceFault, match="PLX_TOKEN holds no token"):
        runs.stop(RUN)
    assert asked == []
