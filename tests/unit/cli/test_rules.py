"""`tidegate rules` on the real pack, the real OPA and recorded inputs."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
import yaml

from tidegate.opa.pack import find_pack, load_rules

EXPORT = Path(__file__).resolve().parents[2] / "policies" / "data" / "ways" / "export.json"
RULE = "storage/rule_of_mine"


@pytest.fixture
def pack(three_rules, tmp_path):
    """Return a pack to write in."""
    return Path(shutil.copytree(three_rules, tmp_path / "pack"))


@pytest.fixture
def mine(tidegate, pack):
    """Return the folder of a rule that was just scaffolded."""
    code, out, err = tidegate(
        *("rules", "new", "TG-STO-007", "--title", "Rule of mine", "--category", "storage"),
        *("--pack", pack),
    )
    assert (code, len(out.splitlines())) == (0, 4)
    assert err == f"now: tidegate rules test {pack / 'rules' / RULE}\n"
    return pack / "rules" / RULE


def run_tests(tidegate, folder):
    code, out, _ = tidegate("rules", "test", folder, "--format", "json")
    document = json.loads(out)
    return code, document, [fault["fault"] for fault in document["faults"]]


def test_list_and_show_tell_of_each_rule(tidegate):
    code, out, _ = tidegate("rules", "list", "--format", "json")
    assert (code, [each["id"] for each in json.loads(out)]) == (
        0,
        list(load_rules(find_pack()).ids),
    )
    code, out, _ = tidegate("rules", "list")
    assert (code, out.count("TG-")) == (0, len(load_rules(find_pack()).ids))


def test_show_names_parameters_with_their_defaults(tidegate):
    code, out, _ = tidegate("rules", "show", "TG-LBL-001", "--page", "--format", "json")
    shown = json.loads(out)
    assert code == 0
    assert shown["parameters"]["aliases"]["default"] == {}
    assert shown["page"].startswith("# TG-LBL-001")
    code, out, _ = tidegate("rules", "show", "TG-LBL-001", "--page")
    assert code == 0
    assert "    aliases (object): " in out
    assert "## Rationale" in out


def test_a_misspelt_rule_is_named_with_its_nearest(tidegate):
    for command in ("show", "explain"):
        code, out, err = tidegate("rules", command, "TG-LBL-01")
        assert (code, out) == (2, "")
        assert "is no rule of this pack (did you mean 'TG-LBL-001'?)" in err


def test_a_new_rule_passes_its_tests_at_once(tidegate, mine):
    code, document, faults = run_tests(tidegate, mine)
    assert (code, faults) == (0, [])
    assert (document["rules"], document["testsPassed"], document["cases"]) == (1, 4, 1)
    code, out, _ = tidegate("rules", "test", mine)
    assert (code, out) == (0, "1 rule, 4 tests passed, 1 case: all hold\n")


def test_a_new_rule_is_formatted_compiles_strictly_and_judges(tidegate, mine, pack):
    import subprocess

    from tidegate.opa.program import find_opa

    for arguments in (("fmt", "--fail", "--list", mine), ("check", "--strict", pack / "lib", mine)):
        assert subprocess.run([find_opa(), *arguments], check=False).returncode == 0
    code, out, _ = tidegate(
        *("check", "--export", EXPORT, "--pack", pack, "--format", "json", "--fail-level", "never")
    )
    said = [
        each for each in json.loads(out)["stacks"][0]["verdicts"] if each["rule"] == "TG-STO-007"
    ]
    assert (code, {each["outcome"] for each in said}) == (0, {"fail"})


def test_the_tests_of_a_whole_pack_run(tidegate, mine, pack):
    code, document, faults = run_tests(tidegate, pack)
    assert (code, faults, document["rules"]) == (0, [], 4)


def change(path, old, new):
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


@pytest.mark.parametrize(
    ("file", "old", "new", "said"),
    [
        (
            "rule_of_mine_test.rego",
            '"found": "nothing"',
            '"found": "something"',
            "test_fail_without_a_value fails",
        ),
        (
            "rule_of_mine_test.rego",
            "test_fail_without_a_value",
            "tset_fail_without_a_test_value",
            "nothing runs tset_fail_without_a_test_value",
        ),
        (
            "rule_of_mine_test.rego",
            "test_fail_without_a_value",
            "todo_test_fail_without_a_value",
            "todo_test_fail_without_a_value is skipped",
        ),
        (
            "cases.yaml",
            "  - {resource: unsaid, outcome: fail, property: forceDestroy, found: nothing}\n",
            "",
            "found and not expected: fail on unsaid",
        ),
        (
            "cases.yaml",
            "  - {resource: unsaid,",
            "  - {resource: said, outcome: fail}\n  - {resource: unsaid,",
            "expected and not found: fail on said",
        ),
    ],
)
def test_what_is_not_matched_either_way_fails(tidegate, mine, file, old, new, said):
    change(mine / file, old, new)
    code, _, faults = run_tests(tidegate, mine)
    assert code == 1
    assert any(said in fault for fault in faults)


def test_a_line_that_no_test_reaches_fails(tidegate, mine):
    test = mine / "rule_of_mine_test.rego"
    test.write_text(test.read_text().partition("test_unknown_on")[0])
    code, _, (fault,) = run_tests(tidegate, mine)
    assert code == 1
    assert "rule_of_mine.rego: no test reaches what is found in line" in fault


def test_a_rule_without_a_test_fails(tidegate, mine):
    (mine / "rule_of_mine_test.rego").write_text("package tidegate.rules.storage.x_test\n")
    code, _, faults = run_tests(tidegate, mine)
    assert (code, faults[0]) == (1, "it has no test")


def test_a_case_may_be_a_recorded_file(tidegate, mine):
    shutil.copy(EXPORT, mine / "export.json")
    case = {"name": "recorded", "export": "export.json", "expect": []}
    (mine / "cases.yaml").write_text(yaml.safe_dump({"cases": [case]}))
    code, _, faults = run_tests(tidegate, mine)
    assert code == 1
    assert any("found and not expected: fail on bare" in fault for fault in faults)


@pytest.mark.parametrize(
    ("file", "text", "said"),
    [
        ("rule_of_mine.rego", "\nverdicts contains nonsense(\n", "OPA could not run the tests"),
        ("cases.yaml", "- {name: x, expects: []}\n", "did you mean 'expect'?"),
        ("cases.yaml", "  parameters: {typos: []}\n", "did you mean 'types'?"),
        ("cases.yaml", "  : [", "is no YAML"),
        ("stray.rego", "package stray\n", "is a Rego file that is no rule and no test"),
    ],
)
def test_what_cannot_be_run_ends_with_2(tidegate, mine, file, text, said):
    path = mine / file
    path.write_text((path.read_text() if path.exists() else "") + text)
    code, out, err = tidegate("rules", "test", mine)
    assert (code, out) == (2, "")
    assert said in err


def test_a_folder_of_no_pack_ends_with_2(tidegate, tmp_path, pack):
    assert tidegate("rules", "test", tmp_path / "nowhere")[0] == 2
    code, _, err = tidegate("rules", "test", pack / "rules" / "nothing")
    assert code == 2
    assert "holds no rule" in err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("TG-LBL-001",), "is that of labels/mandatory_cost_labels; expected TG-LBL-002"),
        (("sto-1",), "is no rule id"),
        (("TG-STO-007", "--name", "../x"), "is no name of a folder"),
    ],
)
def test_a_new_rule_that_would_not_do_is_not_written(tidegate, pack, arguments, said):
    before = sorted(pack.rglob("*"))
    code, out, err = tidegate("rules", "new", *arguments, "--pack", pack)
    assert (code, out) == (2, "")
    assert said in err
    assert sorted(pack.rglob("*")) == before


def test_a_failure_is_explained_with_parameters_and_inputs(tidegate, tmp_path):
    config = tmp_path / "config.json"
    nearer = {"requiredKeys": ["owner", "team"], "enforcementLevel": "advisory"}
    entry = {"byEnvironment": {"dev": nearer}}
    config.write_text(json.dumps({"TG-LBL-001": entry}))
    options = ("--export", EXPORT, "--policy-config", config)
    code, out, _ = tidegate("rules", "explain", "TG-LBL-001", "bare", *options, "--format", "json")
    (found,) = json.loads(out)
    assert code == 0
    assert [(each["outcome"], each["level"]) for each in found["verdicts"]] == [
        ("fail", "advisory")
    ]
    assert found["verdicts"][0]["message"].endswith("lacks cost labels: team")
    assert found["parameters"] == [
        {"name": "requiredKeys", "value": ["owner", "team"], "from": "byEnvironment.dev"},
        {"name": "aliases", "value": {}, "from": "default"},
    ]
    assert found["labelSites"][0]["labels"] == {"owner": "ml-platform"}
    assert found["properties"] == {"tags": {"owner": "ml-platform"}}
    code, out, _ = tidegate("rules", "explain", "TG-LBL-001", "bare", *options)
    assert code == 0
    assert '    requiredKeys = ["owner", "team"] (byEnvironment.dev)' in out
    assert "  right would be: Add the missing keys" in out


def test_a_pass_and_a_rule_without_a_word_are_explained(tidegate):
    code, out, _ = tidegate("rules", "explain", "TG-TEL-001", "bare", "--export", EXPORT)
    assert code == 0
    assert "it says:   nothing: the resource is none of those that it is about" in out


def test_without_a_name_all_that_does_not_pass_is_explained(tidegate):
    code, out, _ = tidegate("rules", "explain", "TG-SCL-001", "--export", EXPORT)
    assert (code, out.count("  of:        urn:")) == (0, out.count("  it says:   fail"))
    assert "gpu-idle" in out


def test_a_resource_that_is_not_there_ends_with_2(tidegate):
    code, out, err = tidegate("rules", "explain", "TG-LBL-001", "bear", "--export", EXPORT)
    assert (code, out) == (2, "")
    assert "is no resource of it (did you mean 'bare'?)" in err


def test_a_bundle_is_written_with_its_revision(tidegate, tmp_path):
    code, out, _ = tidegate("policies", "bundle", tmp_path / "b.tar.gz", "--format", "json")
    assert (code, (tmp_path / "b.tar.gz").stat().st_size > 0) == (0, True)
    again = tidegate("policies", "bundle", tmp_path / "c.tar.gz", "--format", "json")[1]
    assert json.loads(out)["revision"] == json.loads(again)["revision"]


def test_a_bundle_that_cannot_be_written_ends_with_2(tidegate, mine, pack, tmp_path):
    code, _, err = tidegate("policies", "bundle", tmp_path / "no" / "b.tar.gz")
    assert code == 2
    assert "there is no such folder" in err
    rego = mine / "rule_of_mine.rego"
    rego.write_text(f"{rego.read_text()}\nverdicts contains nothing_here\n")
    code, _, err = tidegate("policies", "bundle", tmp_path / "b.tar.gz", "--pack", pack)
    assert code == 2
    assert "rule_of_mine.rego" in err


def test_the_explanation_of_a_program_names_the_line(tidegate, tmp_path):
    (tmp_path / "Pulumi.yaml").write_text("name: vision\nruntime: python\n")
    (tmp_path / "__main__.py").write_text("import pulumi_aws as aws\n\naws.s3.Bucket('bare')\n")
    code, out, _ = tidegate("rules", "explain", "TG-LBL-001", "--program", tmp_path)
    assert code == 0
    urn = "urn:pulumi:dev::vision::aws:s3/bucket:Bucket::bare"
    assert f"  of:        {urn} (__main__.py:3)\n" in out
