"""A deliberately bad program: one thing wrong for each rule, with its file and line."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from pydantic_sarif.model import StaticAnalysisResultsFormatSarifVersion210JsonSchema as Sarif
from typer.testing import CliRunner

from tidegate.cli import main

BAD = Path(__file__).resolve().parents[2] / "examples" / "bad"
NEEDS_AN_OPERATION = "TG-CMT-005"
"""Whether something is replaced is seen in a preview or an event log alone."""

OF_THE_STACK = {"TG-SCL-005", "TG-TEL-002", "TG-BGT-001"}
"""What a stack comes to as a whole has no line."""


def check(folder, output):
    """Return what `tidegate check` prints of the program in a folder, and its exit code."""
    arguments = ["check", "--program", str(folder), "--policy-config", str(BAD / "rules.json")]
    done = CliRunner().invoke(main.app, [*arguments, "--format", output])
    return done.exit_code, json.loads(done.stdout)


@pytest.fixture(scope="module")
def copies(tmp_path_factory):
    """Return the program twice: as it is, and with everything ten lines further down."""
    folder = tmp_path_factory.mktemp("bad")
    interpreter = (BAD / "Pulumi.yaml").read_text().replace("../../.venv", str(BAD / "../../.venv"))
    for name, above in (("as-it-is", ""), ("moved", "\n" * 10)):
        shutil.copytree(BAD, folder / name)
        (folder / name / "Pulumi.yaml").write_text(interpreter)
        program = folder / name / "__main__.py"
        program.write_text(above + program.read_text())
    return folder / "as-it-is", folder / "moved"


def test_every_rule_finds_its_fault_with_file_and_line(rules):
    code, document = check(BAD, "json")
    (stack,) = document["stacks"]
    fails = [verdict for verdict in stack["verdicts"] if verdict["outcome"] == "fail"]
    assert code == 1
    assert {verdict["rule"] for verdict in fails} == {*rules.ids} - {NEEDS_AN_OPERATION}
    lines = (BAD / "__main__.py").read_text().splitlines()
    placed = {verdict["rule"] for verdict in fails if verdict["source"] is not None}
    assert placed == {verdict["rule"] for verdict in fails} - OF_THE_STACK
    for verdict in fails:
        if verdict["source"] is not None:
            assert verdict["source"]["path"] == "__main__.py"
            # The line is where the resource's declaration begins.
            assert "(" in lines[verdict["source"]["line"] - 1]


def test_what_moves_ten_lines_moves_its_region_by_ten_and_stays_the_same_finding(copies):
    before, after = (check(folder, "sarif")[1] for folder in copies)
    for document in (before, after):
        Sarif.model_validate(document)
    found = [document["runs"][0]["results"] for document in (before, after)]
    assert len(found[0]) == len(found[1]) > 40
    placed = 0
    for old, new in zip(*found, strict=True):
        assert (old["ruleId"], old["partialFingerprints"]) == (
            new["ruleId"],
            new["partialFingerprints"],
        )
        regions = [
            [place["physicalLocation"]["region"]["startLine"] for place in places]
            for places in (
                [place for place in each.get("locations", []) if "physicalLocation" in place]
                for each in (old, new)
            )
        ]
        assert [line + 10 for line in regions[0]] == regions[1]
        placed += len(regions[0])
    assert placed > 35
