from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tidegate.opa.pack import find_pack, load_rules
from tidegate.opa.program import find_opa
from tidegate.ports import RuleEngineError
from tidegate.vocabulary.labels import REQUIRED_KEYS
from tidegate.vocabulary.problems import InvalidInput

CHECKOUT = Path(__file__).resolve().parents[3]
RULE = Path("rules/labels/mandatory_cost_labels")


@pytest.fixture
def pack(tmp_path: Path) -> Path:
    return Path(shutil.copytree(CHECKOUT / "policies", tmp_path / "policies"))


def problems_of(pack: Path) -> str:
    with pytest.raises(InvalidInput) as caught:
        load_rules(pack)
    return str(caught.value)


def test_the_checkouts_pack_comes_before_an_installed_copy():
    assert find_pack() == CHECKOUT / "policies"


def test_an_installed_pack_is_found_without_a_checkout(monkeypatch, tmp_path, pack):
    site = tmp_path / "site"
    shutil.copytree(pack, site / "tidegate_policies")
    monkeypatch.syspath_prepend(str(site))
    monkeypatch.setattr("tidegate.opa.pack.__file__", str(tmp_path / "a/b/c/pack.py"))
    assert find_pack() == site / "tidegate_policies"


def test_no_pack_anywhere_is_an_error(monkeypatch, tmp_path):
    monkeypatch.setattr("tidegate.opa.pack.__file__", str(tmp_path / "a/b/c/pack.py"))
    monkeypatch.setattr("tidegate.opa.pack._PACKAGED", "nowhere_to_be_found")
    with pytest.raises(RuleEngineError, match="policy pack was found neither"):
        find_pack()


def test_loads_every_rule_of_the_pack():
    pack = CHECKOUT / "policies"
    rules = load_rules(pack)
    folders = {f"{path.parent.name}/{path.name}" for path in (pack / "rules").glob("*/*")}
    assert {rule.path for rule in rules.rules} == folders
    assert len(rules.ids) == len(folders) > 30


def test_every_page_that_a_rule_names_exists_and_names_the_rule():
    for rule in load_rules(CHECKOUT / "policies").rules:
        page = CHECKOUT / rule.docs
        assert page.read_text().startswith(f"# {rule.id}: ")
        headings = [line for line in page.read_text().splitlines() if line.startswith("## ")]
        assert headings == [
            "## Avoid",
            "## Prefer",
            "## Rationale",
            "## Exceptions",
            "## Configuration",
        ]
        assert all(f"`{name}`" in page.read_text() for name in rule.parameters)


def test_the_required_keys_are_the_vocabularys():
    rule = load_rules(CHECKOUT / "policies").rule("TG-LBL-001")
    assert tuple(rule.parameters["requiredKeys"]["default"]) == REQUIRED_KEYS


@pytest.mark.parametrize("name", ["README.md", "mandatory_cost_labels_test.rego"])
def test_a_rule_without_page_or_test_is_refused(pack, name):
    (pack / RULE / name).unlink()
    assert f"{name}: is missing from the rule's folder" in problems_of(pack)


def test_a_misspelt_rule_file_is_refused(pack):
    (pack / RULE / "mandatory_cost_labels.rego").rename(pack / RULE / "mandatory_cost_lables.rego")
    found = problems_of(pack)
    assert "mandatory_cost_labels.rego: is missing" in found
    assert "mandatory_cost_lables.rego: is a Rego file that is no rule and no test" in found


def test_a_stray_file_beside_the_rules_is_refused(pack):
    (pack / "rules" / "labels" / "stray.rego").write_text("package stray\n")
    assert "rule labels/stray.rego: is no folder" in problems_of(pack)


def test_every_problem_of_every_rule_is_told_at_once(pack):
    (pack / RULE / "README.md").unlink()
    (pack / "rules/scaling/scale_to_zero/README.md").unlink()
    assert problems_of(pack).count("README.md: is missing") == 2


def test_opa_comes_from_the_path_first(monkeypatch, tmp_path):
    program = tmp_path / "opa"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert find_opa() == program


def test_opa_comes_from_the_tools_of_the_working_directory_else(monkeypatch, tmp_path):
    program = tmp_path / "work/.tools/bin/opa"
    program.parent.mkdir(parents=True)
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path / "empty"))
    monkeypatch.setattr("tidegate.opa.program.__file__", str(tmp_path / "a/b/c/program.py"))
    below = tmp_path / "work/stacks/deep"
    below.mkdir(parents=True)
    monkeypatch.chdir(below)
    assert find_opa() == program


def test_no_opa_anywhere_says_what_to_do(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("tidegate.opa.program.__file__", str(tmp_path / "a/b/c/program.py"))
    monkeypatch.chdir(tmp_path)
    with pytest.raises(RuleEngineError, match=r"neither on PATH nor in .*\./scripts/setup"):
        find_opa()
