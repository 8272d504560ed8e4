"""`tidegate local` from up to reset."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from tidegate.cli.local import app
from tidegate.localclouds.lifecycle import reset_local_clouds
from tidegate.vocabulary.problems import InvalidInput


@pytest.fixture
def run(tmp_path):
    state = tmp_path / "local"

    def invoke(*arguments):
        result = CliRunner().invoke(app, [*arguments, "--state-dir", str(state)])
        if isinstance(result.exception, InvalidInput):
            raise result.exception
        return result

    yield invoke
    reset_local_clouds(state)


def test_says_what_to_do_when_nothing_runs(run):
    for command in ("status", "env", "kubeconfig"):
        result = run(command)
        assert result.exit_code == 1
        assert "start them with: tidegate local up" in result.stderr
    assert run("down").stdout == "not running\n"


def test_a_session(run, monkeypatch):
    monkeypatch.setenv("AWS_PROFILE", "prod")

    up = json.loads(run("up", "--format", "json").stdout)
    status = json.loads(run("status", "--format", "json").stdout)
    table = run("status").stdout
    environment = json.loads(run("env", "--format", "json").stdout)
    exports = run("env").stdout
    added = json.loads(
        run(
            "fault", "add", "latency", "--seconds", "0.5", "--count", "0", "--format", "json"
        ).stdout
    )
    listed = json.loads(run("fault", "list", "--format", "json").stdout)
    again = json.loads(run("up", "--format", "json").stdout)

    assert again == up
    assert {key: status[key] for key in up} == up
    backing = {item["type"]: item["backing"] for item in status["types"]}
    assert backing["aws:s3/bucket:Bucket"] == "api"
    assert "every other type of the installed SDKs is validated and stored" in table
    assert environment["set"]["AWS_ENDPOINT_URL"] == up["awsUrl"]
    assert "AWS_PROFILE" in environment["unset"]
    assert "unset AWS_PROFILE\n" in exports
    assert f"export AWS_ENDPOINT_URL={up['awsUrl']}\n" in exports
    assert listed == added
    assert added[0]["count"] is None
    with pytest.raises(InvalidInput, match="is no cluster of the local clouds"):
        run("kubeconfig", "--cluster", "aws/ml.us-east-1")
    with pytest.raises(InvalidInput, match="latency needs a time"):
        run("fault", "add", "latency")
    assert run("fault", "clear").stdout == "1 faults cleared\n"
    with pytest.raises(InvalidInput, match="nobody is there to ask"):
        run("reset")
    assert run("down").stdout == "stopped\n"
    assert run("reset", "--yes").stdout == "forgotten\n"
