"""What the documentation shows works as it says."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import yaml

from tidegate.opa.central import VARIABLES
from tidegate.opa.pack import load_rules
from tidegate.opa.program import find_opa
from tidegate.opa.rule_engine import OpaRuleEngine
from tidegate.opa.server import OpaServer
from tidegate.policy.cases import parse_cases
from tidegate.policy.check import StackCheck
from tidegate.policy.configuration import parse_configuration
from tidegate.policy.document import build_document
from tidegate.policy.graph import ResourceGraph, StackFacts
from tidegate.policy.parameters import build_parameters

ROOT = Path(__file__).resolve().parents[2]
GUIDE = (ROOT / "docs/policies.md").read_text()
AUTHORS = (ROOT / "docs/policies-authors.md").read_text()
INPUT = (ROOT / "docs/policies-input.md").read_text()


def test_the_rule_of_the_guide_runs(tmp_path, make):
    pack = Path(shutil.copytree(ROOT / "policies", tmp_path / "policies"))
    folder = pack / "rules/storage/bucket_owner"
    folder.mkdir(parents=True)
    (folder / "bucket_owner.rego").write_text(re.search(r"```rego\n(.*?)```", GUIDE, re.DOTALL)[1])
    (folder / "bucket_owner_test.rego").write_text("package x_test\n")
    (folder / "README.md").write_text("# TG-XMP-001: buckets have owners\n")
    rules = load_rules(pack)
    with OpaServer(find_opa(), [pack / "lib", pack / "rules"]) as server:
        check = StackCheck(rules, OpaRuleEngine(server.client(30.0), rules))
        said = check.judge_resource(make("aws:s3/bucket:Bucket", {"tags": {"team": "a"}}))
    assert [each.message for each in said if each.rule == "TG-XMP-001"] == [
        "it (aws:s3/bucket:Bucket) has no owner"
    ]


def test_every_configuration_of_the_guide_is_one(rules):
    shown = re.findall(r"```json\n(.*?)```", GUIDE, re.DOTALL)
    assert len(shown) > 2
    for text in shown:
        parse_configuration("guide", json.loads(text), rules)


def test_the_cases_of_the_authors_guide_are_cases():
    (shown,) = re.findall(r"```yaml\n(.*?)```", AUTHORS, re.DOTALL)
    assert [case.source for case in parse_cases("guide", yaml.safe_load(shown))] == [
        "resources",
        "preview",
    ]


def test_every_setting_of_a_central_opa_is_told():
    assert set(re.findall(r"`(TIDEGATE_OPA_\w+?)`", AUTHORS)) - {"TIDEGATE_OPA_"} == set(VARIABLES)


def test_the_configuration_of_every_page_fits_its_rule(rules):
    for rule in rules.rules:
        page = (ROOT / rule.docs).read_text()
        (shown,) = re.findall(r"```json\n(.*?)```", page, re.DOTALL)
        given = json.loads(shown)[rule.id]
        assert build_parameters(rule.id, rule.parameters, given).items() >= given.items()


def test_the_input_is_described_whole(make):
    bucket = make("aws:s3/bucket:Bucket", {"tags": {"owner": "a"}})
    document = build_document(ResourceGraph(StackFacts(), (bucket,), complete=True), {})
    (resource,) = document["resources"]
    (site,) = resource["labelSites"]
    for key in [*document, *resource, *site]:
        assert f"`{key}`" in INPUT


def test_every_rule_is_listed(rules):
    for rule in rules.rules:
        row = f"| {rule.id} | {rule.level.value} | {rule.severity.value} | "
        assert f"{row}[{rule.title.lower()}](../{rule.docs}) |" in GUIDE
