"""A deliberately bad program: one thing wrong for each rule, with its file and line."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from policies.recorder import record_ways
from pydantic_sarif.model import StaticAnalysisResultsFormatSarifVersion210JsonSchema as Sarif
from typer.testing import CliRunner

from tidegate.cli import main

BAD = Path(__file__).resolve().parents[2] / "examples" / "bad"
CHANGE = BAD / "change"
NEEDS_AN_OPERATION = "TG-CMT-005"
"""Whether something is replaced is seen in a preview or an event log alone."""

OF_THE_STACK = {"TG-SCL-005", "TG-TEL-002", "TG-BGT-001"}
"""What a stack comes to as a whole is placed where the program says what the stack exports."""


def check(folder, output):
    """Return what `tidegate check` prints of the program in a folder, and its exit code."""
    return read("--program", folder, output)


def read(way, path, output="json"):
    """Return what `tidegate check` prints of what one way in reads, and its exit code."""
    arguments = ["check", way, str(path), "--policy-config", str(BAD / "rules.json")]
    done = CliRunner().invoke(main.app, [*arguments, "--format", output])
    return done.exit_code, json.loads(done.stdout)


def list_fails(document):
    """Return the verdicts of a report of one stack that are failures."""
    (stack,) = document["stacks"]
    return [verdict for verdict in stack["verdicts"] if verdict["outcome"] == "fail"]


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
    fails = list_fails(document)
    assert code == 1
    assert {verdict["rule"] for verdict in fails} == {*rules.ids} - {NEEDS_AN_OPERATION}
    lines = (BAD / "__main__.py").read_text().splitlines()
    for verdict in fails:
        assert verdict["source"]["path"] == "__main__.py"
        # The line is where the resource's declaration begins.
        assert "(" in lines[verdict["source"]["line"] - 1]
    exported = lines.index('pulumi.export("labels", LABELS)') + 1
    of_the_stack = [each for each in fails if each["rule"] in OF_THE_STACK]
    assert {each["rule"] for each in of_the_stack} == OF_THE_STACK
    assert {each["source"]["line"] for each in of_the_stack} == {exported}


def test_a_change_shows_the_rule_that_needs_an_operation_with_file_and_line():
    code, document = read("--preview", CHANGE / "preview.json")
    (found,) = [each for each in list_fails(document) if each["rule"] == NEEDS_AN_OPERATION]
    lines = (CHANGE / "__main__.py").read_text().splitlines()
    assert code == 1
    assert found["found"] == "replace"
    assert found["source"]["path"] == "__main__.py"
    assert lines[found["source"]["line"] - 1] == "aws.ec2.CapacityReservation("


@pytest.mark.slow
def test_the_preview_of_the_change_is_what_the_engine_says_of_it_now(tmp_path):
    record_ways.record_change(tmp_path)
    steps = [
        [
            (step["op"], step["urn"], step.get("replaceReasons"), step["newState"].get("inputs"))
            for step in json.loads((folder / "preview.json").read_text())["steps"]
        ]
        for folder in (CHANGE, tmp_path)
    ]
    assert steps[0] == steps[1]


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
    assert placed == len(found[0])
