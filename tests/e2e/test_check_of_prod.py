"""The example stacks by `tidegate check`, with every rule of the pack: nothing is left to say."""

from __future__ import annotations

import json

import pytest
from support.workspace import REPOSITORY
from typer.testing import CliRunner

from tidegate.cli.main import app


@pytest.mark.parametrize("name", ["prod", "dev"])
def test_an_example_stack_has_no_failure_and_nothing_unknown(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(REPOSITORY)

    result = CliRunner().invoke(app, ["check", "--stack", name, "--format", "json"])

    (stack,) = json.loads(result.stdout)["stacks"]
    said = [each for each in stack["verdicts"] if each["outcome"] not in ("pass", "not-applicable")]
    assert (result.exit_code, said, stack["notCovered"]) == (0, [], [])
    assert stack["outcomes"]["pass"] > len(stack["verdicts"]) / 2
