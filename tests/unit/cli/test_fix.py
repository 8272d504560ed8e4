"""`tidegate fix` on programs that are run, and the text of stack configurations."""

from __future__ import annotations

import json

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from tidegate.cli.fix_config import add_labels_to_config
from tidegate.vocabulary.problems import InvalidInput

AWS = ("aws:defaultTags", "tags")
GCP = ("gcp:defaultLabels",)
LABELS = {"cost-center": "cc-1", "owner": "yes"}

PROGRAM = """import pulumi
import pulumi_aws as aws

aws.s3.Bucket("data", tags={"owner": "ml"})
aws.autoscaling.Group("group", max_size=1, min_size=0)
"""
CONFIG = """# ours
config:
    aws:region: us-east-1  # here
    vision:environment: prod
    vision:labels: {business-unit: r, platform-project: v, workload-class: training, CostCentre: c1}

# the end
"""


@pytest.fixture
def project(tmp_path):
    (tmp_path / "Pulumi.yaml").write_text("name: vision\nruntime: python\n")
    (tmp_path / "__main__.py").write_text(PROGRAM)
    (tmp_path / "Pulumi.prod.yaml").write_text(CONFIG)
    return tmp_path


@pytest.fixture
def fix(tidegate, project, three_rules):
    """Return what fixes the project: (exit code, the document of its only stack)."""

    def run(*options):
        arguments = ("--program", project, "--pack", three_rules, "--format", "json")
        code, out, err = tidegate("fix", *arguments, *options)
        assert err == ""
        (document,) = json.loads(out)
        return code, document

    return run


def test_a_change_is_shown_and_nothing_written(fix, project, tidegate, three_rules):
    code, document = fix()
    assert (code, document["written"]) == (1, False)
    assert document["additions"] == {
        "aws:defaultTags.tags": {
            "environment": "prod",
            "business-unit": "r",
            "platform-project": "v",
            "workload-class": "training",
            "cost-center": "c1",
        }
    }
    assert [each["urn"].rpartition("::")[2] for each in document["mended"]] == ["data"]
    assert (project / "Pulumi.prod.yaml").read_text() == CONFIG
    code, out, _ = tidegate("fix", "--program", project, "--pack", three_rules)
    assert code == 1
    assert "+    aws:defaultTags:\n+        tags:" not in out
    assert "+    aws:defaultTags:\n+      tags:\n+        environment: prod\n" in out
    assert out.endswith("left; Pulumi.prod.yaml: not written: --write does it\n")


def test_what_is_written_mends_and_leaves_the_rest_of_the_file(fix, project, tidegate, three_rules):
    code, document = fix("--write")
    assert document["written"]
    text = (project / "Pulumi.prod.yaml").read_text()
    assert [line for line in CONFIG.splitlines() if line not in text.splitlines()] == []
    assert text.endswith("\n# the end\n")
    code, again = fix("--write")
    assert (again["diff"], again["written"], again["mended"]) == ("", False, [])
    assert code == 1
    assert {each["urn"].rpartition("::")[2] for each in again["left"]} == {"group"}
    check = ("check", "--program", project, "--pack", three_rules, "--format", "json")
    _, out, _ = tidegate(*check)
    failing = [
        each["urn"].rpartition("::")[2]
        for each in json.loads(out)["stacks"][0]["verdicts"]
        if each["outcome"] == "fail"
    ]
    assert set(failing) == {"group"}


def test_what_is_left_says_why(fix):
    _, document = fix()
    left = {(tuple(each["keys"]), each["reason"]) for each in document["left"]}
    assert (
        ("owner",),
        "the stack's own labels do not give owner; nothing is invented",
    ) in left
    assert any("default labels do not reach tags" in reason for _, reason in left)


def test_a_stack_on_which_nothing_fails_is_well(fix, project):
    (project / "__main__.py").write_text("import pulumi\n")
    assert fix()[0] == 0


def test_what_is_waived_is_left_alone(fix, project):
    waiver = {
        "rule": "TG-LBL-001",
        "urn": "urn:pulumi:prod::vision::*",
        "owner": "o",
        "reason": "r",
        "expires": "2999-01-01",
    }
    text = yaml.safe_dump({"waivers": [waiver]}).replace("'2999-01-01'", "2999-01-01")
    (project / "waivers.yaml").write_text(text)
    code, document = fix()
    assert (code, document["additions"], document["left"]) == (0, {}, [])


def test_encrypted_configuration_gives_no_label(fix, project):
    (project / "Pulumi.prod.yaml").write_text(
        "config:\n  vision:labels:\n    cost-center: {secure: v1:abc}\n    team: a\n"
    )
    _, document = fix()
    assert document["additions"] == {}


def test_a_file_that_cannot_be_added_to_ends_with_2(tidegate, project, three_rules):
    (project / "Pulumi.prod.yaml").write_text(
        CONFIG.replace("aws:region: us-east-1  # here", "aws:defaultTags: '{}'")
    )
    code, out, err = tidegate("fix", "--program", project, "--pack", three_rules, "--write")
    assert (code, out) == (2, "")
    assert "is written in a way that text cannot be added to" in err


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--stack", "prod", "--opa-url", "http://127.0.0.1:1"), "cannot be reached"),
        (("--config", "x"), "is no pair"),
        (("--stack", "prd"), "there is no Pulumi.prd.yaml; expected 'prod'"),
        (("--pack", "/nowhere"), "is no policy pack"),
        (("--program", "/nowhere"), "there is no such file"),
    ],
)
def test_what_cannot_be_judged_ends_with_2(tidegate, project, options, said):
    code, out, err = tidegate("fix", "--program", project, *options)
    assert (code, out) == (2, "")
    assert said in err


@pytest.mark.parametrize(
    "text",
    [
        "",
        "config:\n",
        "# only a word\n",
        "encryptionsalt: v1:abc\n",
        "config:\n  a:b: c\n",
        "config:\n  a:b: c\n\n# about the salt\nencryptionsalt: v1:abc\n",
        "config:\n  aws:defaultTags:\n    tags:\n      team: a # ours\n\n  z:y: x\n",
        "config:\n  aws:defaultTags: # ours\n    keyPrefixes: [a]\n",
        'config:\n    "aws:defaultTags":\n        tags:\n            team: a\n    z:y: x\n',
        "config:\n  gcp:defaultLabels:\n    team: a\n  aws:region: b\nsecretsprovider: p\n",
    ],
)
def test_labels_are_added_and_every_line_stays(text):
    added = add_labels_to_config("f", text, {AWS: LABELS, GCP: LABELS})
    before, after = yaml.safe_load(text) or {}, yaml.safe_load(added)
    assert after["config"]["aws:defaultTags"]["tags"].items() >= LABELS.items()
    assert after["config"]["gcp:defaultLabels"].items() >= LABELS.items()
    kept = iter(added.splitlines())
    assert all(any(line == other for other in kept) for line in text.splitlines())
    assert after.keys() == {*before, "config"}


@pytest.mark.parametrize(
    "text",
    [
        "config: {a:b: c}\n",
        "config:\n  aws:defaultTags: '{\"tags\": {}}'\n",
        "config:\n  aws:defaultTags: {tags: {a: b}}\n",
        "config:\n  aws:defaultTags:\n  - a\n",
        "- a\n",
        "config: [\n",
    ],
)
def test_what_is_written_otherwise_is_refused(text):
    with pytest.raises(InvalidInput):
        add_labels_to_config("f", text, {AWS: LABELS})


WORDS = st.text("ab:#-'\" {}", min_size=1, max_size=6)
VALUES = st.one_of(WORDS, st.dictionaries(WORDS, WORDS, min_size=1))


@given(st.dictionaries(WORDS, VALUES, min_size=1))
def test_whatever_the_file_says_it_goes_on_saying(config):
    text = yaml.safe_dump({"config": config}, default_flow_style=False)
    added = add_labels_to_config("f", text, {AWS: LABELS})
    assert yaml.safe_load(added)["config"] == {**config, AWS[0]: {"tags": LABELS}}
