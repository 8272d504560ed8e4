"""What the policy pack says of a program that declares the controller, run by itself."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tidegate.opa.program import find_opa
from tidegate.ports import RuleEngineError

ROOT = Path(__file__).resolve().parents[3]
PAGE = ROOT / "docs" / "components" / "controller.md"


@pytest.fixture
def program(tmp_path):
    """Return a folder with the program of the component's page, which exports its manifest."""
    (code,) = re.findall(r"```python\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    exports = 'pulumi.export("capacity", dump_manifest(manifest))\n'
    (tmp_path / "__main__.py").write_text(f"{code}\n{exports}", encoding="utf-8")
    (tmp_path / "Pulumi.yaml").write_text("name: own\nruntime: python\n", encoding="utf-8")
    config = {"config": {"aws:region": "us-east-2", "own:environment": "prod"}}
    (tmp_path / "Pulumi.prod.yaml").write_text(json.dumps(config), encoding="utf-8")
    return tmp_path


def test_no_rule_of_the_pack_fails_on_the_controller(program):
    try:
        find_opa()
    except RuleEngineError as error:
        pytest.skip(str(error))
    tidegate = [sys.executable, "-c", "from tidegate.cli.main import run; run()"]

    done = subprocess.run(
        [*tidegate, "check", "--program", str(program), "--stack", "prod", "--format", "json"],
        capture_output=True,
        text=True,
        check=False,
        cwd=program,
    )

    assert done.returncode == 0, done.stdout + done.stderr
    (stack,) = json.loads(done.stdout)["stacks"]
    judged = {each["urn"]: each["outcome"] for each in stack["verdicts"]}
    own = {urn: outcome for urn, outcome in judged.items() if "index:Controller$" in urn}
    assert any("Namespace" in urn for urn in own)
    assert set(own.values()) <= {"pass", "not-applicable"}
