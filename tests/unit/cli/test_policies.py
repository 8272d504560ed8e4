from __future__ import annotations

import json
from pathlib import Path

from typer.testing import CliRunner

from tidegate.cli.policies import app

PACK = Path(__file__).resolve().parents[3] / "policies"


def test_path_prints_the_packs_directory_and_nothing_else():
    result = CliRunner().invoke(app, ["path"])
    assert (result.exit_code, result.stdout) == (0, f"{PACK}\n")


def test_list_as_json_names_each_rule():
    result = CliRunner().invoke(app, ["list", "--format", "json"])
    assert result.exit_code == 0
    assert json.loads(result.stdout)[0] == {
        "id": "TG-LBL-001",
        "severity": "high",
        "level": "mandatory",
        "title": "Mandatory cost labels",
        "docs": "policies/rules/labels/mandatory_cost_labels/README.md",
    }


def test_list_as_a_table_has_a_line_a_rule():
    result = CliRunner().invoke(app, ["list"])
    assert result.exit_code == 0
    assert [word for word in result.stdout.split() if word.startswith("TG-")] == [
        "TG-LBL-001",
        "TG-SCL-001",
        "TG-TEL-001",
    ]
