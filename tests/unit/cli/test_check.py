"""The command: what it reads, how it ends, and every bad input."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import yaml
from typer.testing import CliRunner

from tidegate.cli import main
from tidegate.report.formats import RENDERERS

WAYS = Path(__file__).resolve().parents[2] / "policies" / "data" / "ways"
EXPORT = WAYS / "export.json"
HEAD = "urn:pulumi:dev::recorded::"
BARE = f"{HEAD}aws:s3/bucket:Bucket::bare"
BUCKETS = (f"{HEAD}aws:s3/bucket:Bucket::data", BARE)


def waive(path, urn=BARE, days=30, **others):
    last_day = datetime.now(UTC).date() + timedelta(days=days)
    entry = {"rule": "TG-LBL-001", "urn": urn, "owner": "ml", "reason": "why", "expires": last_day}
    path.write_text(yaml.safe_dump({"waivers": [{**entry, **others}]}))
    return path


def test_a_clean_stack_ends_with_0(export_of, tidegate, tmp_path):
    code, out, err = tidegate("check", "--export", export_of(tmp_path / "e.json", BUCKETS[0]))
    assert (code, err) == (0, "")
    assert out.splitlines()[-1].startswith("1 resources, 0 violations")


def test_violations_end_with_1(export_of, tidegate, tmp_path):
    code, out, _ = tidegate("check", "--export", export_of(tmp_path / "e.json", *BUCKETS))
    assert code == 1
    assert "FAIL   high     TG-LBL-001: bare (aws:s3/bucket:Bucket) lacks cost labels" in out


@pytest.mark.parametrize(
    ("options", "code"),
    [
        (["--fail-level", "never"], 0),
        (["--severity", "critical"], 0),
        (["--severity", "high"], 1),
        (["--fail-level", "advisory"], 1),
    ],
)
def test_options_say_what_makes_it_fail(export_of, tidegate, tmp_path, options, code):
    assert tidegate("check", "--export", export_of(tmp_path / "e.json", BARE), *options)[0] == code


def test_what_is_not_known_fails_where_it_is_asked_to(export_of, tidegate, tmp_path):
    export = export_of(tmp_path / "e.json", f"{HEAD}aws:s3/bucket:Bucket::all-secret")
    assert tidegate("check", "--export", export)[0] == 0
    assert tidegate("check", "--export", export, "--unknown-fails")[0] == 1


def test_every_way_in_reads_its_file(tidegate):
    for way, name in (
        ("--preview", "preview_new.json"),
        ("--export", "export.json"),
        ("--events", "events_up.jsonl"),
    ):
        code, out, _ = tidegate(
            "check", way, WAYS / name, "--environment", "prod", "--format", "json"
        )
        document = json.loads(out)
        assert (code, document["violations"]) == (1, 8)
        assert document["stacks"][0]["source"] == f"{way[2:]} {WAYS / name}"


@pytest.mark.usefixtures("tidegate")
def test_standard_input_is_read(export_of, tmp_path):
    result = CliRunner().invoke(
        main.app,
        ["check", "--export", "-", "--format", "json"],
        input=export_of(tmp_path / "e.json", BUCKETS[0]).read_text(),
    )
    assert result.exit_code == 0
    assert json.loads(result.stdout)["stacks"][0]["resources"] == 1


def test_a_program_is_checked_for_each_stack_that_has_a_file(tidegate, tmp_path):
    (tmp_path / "Pulumi.yaml").write_text("name: theirs\nruntime: python\n")
    for stack in ("dev", "prod"):
        (tmp_path / f"Pulumi.{stack}.yaml").write_text(f"config:\n  tag: {stack}\n")
    (tmp_path / "__main__.py").write_text(
        "import pulumi\nimport pulumi_aws as aws\n"
        "aws.s3.Bucket('a', tags={'environment': pulumi.Config().require('tag')})\n"
    )
    code, out, _ = tidegate("check", "--program", tmp_path, "--format", "json", "--folder", "infra")
    stacks = json.loads(out)["stacks"]
    assert code == 1
    assert [(s["stack"], s["verdicts"][0]["found"]) for s in stacks] == [
        ("dev", "environment=dev"),
        ("prod", "environment=prod"),
    ]
    assert stacks[0]["verdicts"][0]["source"] == {"path": "infra/__main__.py", "line": 3}
    code, out, _ = tidegate("check", "--program", tmp_path, "--stack", "prod", "--format", "json")
    assert [each["stack"] for each in json.loads(out)["stacks"]] == ["prod"]


def test_reports_are_written_beside_what_is_printed(export_of, tidegate, tmp_path):
    export = export_of(tmp_path / "e.json", *BUCKETS)
    wanted = [f"--report={name}={tmp_path / name}" for name in RENDERERS]
    code, out, _ = tidegate("check", "--export", export, *wanted)
    assert code == 1
    assert (tmp_path / "table").read_text() == out
    assert json.loads((tmp_path / "sarif").read_text())["version"] == "2.1.0"


def test_a_baseline_lets_through_what_was_there_and_nothing_new(export_of, tidegate, tmp_path):
    before = export_of(tmp_path / "before.json", BARE)
    baseline = tmp_path / "baseline.json"
    assert tidegate("check", "--export", before, "--write-baseline", baseline)[0] == 0
    assert tidegate("check", "--export", before, "--baseline", baseline)[0] == 0
    after = export_of(
        tmp_path / "after.json", BARE, f"{HEAD}azure-native:resources:ResourceGroup::group"
    )
    assert tidegate("check", "--export", after, "--baseline", baseline)[0] == 1
    fixed = export_of(tmp_path / "fixed.json", BUCKETS[0])
    code, out, _ = tidegate("check", "--export", fixed, "--baseline", baseline)
    assert code == 0
    assert "note: dev: 1 of the baseline no longer occur(s)" in out


def test_a_waiver_lets_a_failure_through_and_says_who_answers(export_of, tidegate, tmp_path):
    export = export_of(tmp_path / "e.json", *BUCKETS)
    waivers = waive(tmp_path / "w.yaml")
    code, out, _ = tidegate("check", "--export", export, "--waivers", waivers)
    assert code == 0
    assert "  waiver:   ml until " in out


def test_an_expired_waiver_is_said_and_waives_nothing(export_of, tidegate, tmp_path):
    export = export_of(tmp_path / "e.json", *BUCKETS)
    code, out, _ = tidegate(
        "check", "--export", export, "--waivers", waive(tmp_path / "w.yaml", days=-1)
    )
    assert code == 1
    assert f"note: the waiver of TG-LBL-001 for {BARE} expired on " in out


def test_a_waiver_that_is_not_needed_is_said(export_of, tidegate, tmp_path):
    export = export_of(tmp_path / "e.json", BUCKETS[0])
    waivers = waive(tmp_path / "w.yaml", BUCKETS[0])
    code, out, _ = tidegate("check", "--export", export, "--waivers", waivers)
    assert code == 0
    assert f"note: the waiver of TG-LBL-001 for {BUCKETS[0]} waives nothing any more" in out


def test_a_waiver_for_nothing_is_an_error(export_of, tidegate, tmp_path):
    export = export_of(tmp_path / "e.json", *BUCKETS)
    waivers = waive(tmp_path / "w.yaml", f"{BARE}-no-more")
    code, out, err = tidegate("check", "--export", export, "--waivers", waivers)
    assert (code, out) == (2, "")
    assert "covers no resource of the stacks that were checked" in err


def test_a_waiver_is_not_for_nothing_where_the_preview_hides_its_resource(tidegate, tmp_path):
    preview = WAYS / "preview_changes_only.json"
    code, out, _ = tidegate("check", "--preview", preview, "--waivers", waive(tmp_path / "w.yaml"))
    assert code == 0
    assert "made without --show-sames: 18 unchanged resources are not in it" in out


def test_rules_are_configured_as_pulumi_configures_them(export_of, tidegate, tmp_path):
    export = export_of(tmp_path / "e.json", BARE)
    config = tmp_path / "c.json"
    config.write_text(json.dumps({"TG-LBL-001": {"requiredKeys": ["owner"]}}))
    assert tidegate("check", "--export", export, "--policy-config", config)[0] == 0
    config.write_text(json.dumps({"all": "advisory"}))
    assert tidegate("check", "--export", export, "--policy-config", config)[0] == 0


def test_help_shows_an_example(tidegate):
    code, out, _ = tidegate("check", "--help")
    assert code == 0
    assert "Example: tidegate check --program infra" in out


def test_levels_and_parameters_can_differ_by_stack_and_environment(tidegate, export_of, tmp_path):
    export = export_of(tmp_path / "e.json", "urn:pulumi:dev::recorded::aws:s3/bucket:Bucket::bare")
    config = tmp_path / "config.json"
    for entry, code in (
        ({"byStack": {"recorded/dev": "advisory"}}, 0),
        ({"byStack": {"recorded/prod": "advisory"}}, 1),
        ({"byEnvironment": {"prod": {"requiredKeys": ["owner"]}}}, 0),
        ({"byEnvironment": {"prod": "disabled"}, "byStack": {"dev": "mandatory"}}, 1),
    ):
        config.write_text(json.dumps({"TG-LBL-001": entry}))
        options = ("--export", export, "--environment", "prod", "--policy-config", config)
        assert tidegate("check", *options)[0] == code
