"""The rules' own checks: they compile strictly, are formatted, and their tests run every line."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest

from tidegate.catalog.load import load_catalog
from tidegate.opa.program import find_opa
from tidegate.opa.rego_tests import run_rego_tests
from tidegate.opa.rule_cases import read_cases, run_cases

ROOT = Path(__file__).resolve().parents[2]
PACK = ROOT / "policies"
TEST_MODULES = sorted(PACK.rglob("*_test.rego"))
DEFINED = re.compile(r"^(?:default )?([a-z_]\w*)(?=[\s(\[])", re.MULTILINE)


def opa(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [find_opa(), *arguments], cwd=PACK, capture_output=True, text=True, check=False
    )


def test_rules_compile_strictly():
    result = opa("check", "--strict", "lib", "rules")
    assert (result.returncode, result.stdout + result.stderr) == (0, "")


def test_rules_are_formatted():
    result = opa("fmt", "--list", "--fail", "lib", "rules")
    assert (result.returncode, result.stdout) == (0, "")


def test_tests_of_rules_pass_and_run_every_line():
    result = opa("test", "--coverage", "--threshold", "100", "--format", "json", "lib", "rules")
    assert result.returncode == 0, result.stdout + result.stderr
    report = json.loads(result.stdout)
    uncovered = {name for name, file in report["files"].items() if file.get("not_covered")}
    assert (report["coverage"], uncovered) == (100, set())


def test_every_rule_holds_by_its_own_tests_and_cases(rules, engine):
    catalog = load_catalog()
    assert run_rego_tests(PACK, [rule.path for rule in rules.rules]).faults == {}
    ran = 0
    for rule in rules.rules:
        folder = PACK / "rules" / rule.path
        cases = read_cases(folder)
        ran += len(cases)
        assert run_cases(rule, folder, cases, rules, engine, catalog) == ()
    assert ran >= 6


def test_every_test_of_every_module_is_run():
    result = opa("test", "--verbose", "--format", "json", "lib", "rules")
    ran = {entry["name"] for entry in json.loads(result.stdout)}
    written = {
        name
        for module in TEST_MODULES
        for name in DEFINED.findall(module.read_text())
        if "test" in name
    }
    assert written == ran
    assert len(ran) > 100


@pytest.mark.parametrize("module", TEST_MODULES, ids=lambda path: path.stem)
def test_nothing_in_a_test_module_is_written_and_never_used(module):
    # aws-cloudformation/cloudformation-guard PR#285: a test whose name nothing runs
    text = module.read_text()
    everywhere = text + "".join(other.read_text() for other in TEST_MODULES if other != module)
    unused = {
        name
        for name in set(DEFINED.findall(text)) - {"package", "import"}
        if not name.startswith("test_")
        and len(re.findall(rf"\b{name}\b", everywhere))
        == len(re.findall(rf"^{name}\b", text, re.MULTILINE))
    }
    assert unused == set()
