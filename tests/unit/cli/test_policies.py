from __future__ import annotations

import json
from pathlib import Path

from typer.testing import CliRunner

from tidegate.cli.policies import app
from tidegate.opa.pack import find_pack, load_rules

PACK = Path(__file__).resolve().parents[3] / "policies"


def test_path_prints_the_packs_directory_and_nothing_else():
    result = CliRunner().invoke(app, ["path"])
    assert (result.exit_code, result.stdout) == (0, f"{PACK}\n")


def test_list_as_json_names_each_rule():
    result = CliRunner().invoke(app, ["list", "--format", "json"])
    assert result.exit_code == 0
    assert next(each for each in json.loads(result.stdout) if each["id"] == "TG-LBL-001") == {
        "id": "TG-LBL-001",
        "severity": "high",
        "level": "mandatory",
        "title": "Mandatory cost labels",
        "docs": "policies/rules/labels/mandatory_cost_labels/README.md",
    }


def test_list_as_a_table_has_a_line_a_rule():
    result = CliRunner().invoke(app, ["list"])
    assert result.exit_code == 0
    listed = [word for word in result.stdout.split() if word.startswith("TG-")]
    assert listed == list(load_rules(find_pack()).ids)
