"""What people and their tools read of a check."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import date
from xml.etree import ElementTree as ET

import pytest

from tidegate.policy.judgement import Standing
from tidegate.report.check_markdown import render_markdown
from tidegate.report.formats import RENDERERS
from tidegate.report.github import render_github
from tidegate.report.gitlab import render_gitlab
from tidegate.report.json_report import render_json
from tidegate.report.junit import render_junit
from tidegate.report.table import render_table

HEAD = "urn:pulumi:prod::vision::aws:s3/bucket:Bucket::"
TOTALS = (
    "8 resources, 1 violations, 1 advisory or not known yet, 1 waived, 1 in the baseline, "
    "1 not covered"
)
REMARKS = (
    "prod: the preview was made without --show-sames",
    (
        "prod: 1 resources are of providers that no rule covers and were not judged: "
        "random:index/id:Id"
    ),
    f"the waiver of TG-LBL-001 for {HEAD}late expired on 2026-01-01",
)


def test_the_table_shows_the_worst_first_and_what_was_not_judged(report):
    lines = render_table(report).splitlines()
    heads = [line for line in lines if not line.startswith(" ")]
    assert heads == [
        "vision/prod: preview plan.json",
        "FAIL   high     TG-LBL-001: bare lacks <labels>, 100% & more",
        "note   high     TG-LBL-001: not known yet: later lacks <labels>, 100% & more",
        "waived high     TG-LBL-001: waived: old lacks <labels>, 100% & more",
        "known  high     TG-LBL-001: ancient lacks <labels>, 100% & more",
        "pass   high     TG-LBL-001: passes, but spelt spells owner as Owner",
        *(f"note: {remark}" for remark in REMARKS),
        TOTALS,
    ]
    assert "  source:   infra/src/a b.py:12" in lines
    assert "  waiver:   ml until 2027-01-31: moves|soon" in lines


def test_json_holds_every_verdict_and_what_nobody_judged(report):
    document = json.loads(render_json(report))
    (stack,) = document["stacks"]
    assert (document["failed"], document["violations"]) == (True, 1)
    assert stack["outcomes"] == {
        "pass": 2,
        "fail": 2,
        "unknown": 1,
        "not-applicable": 1,
        "waived": 1,
    }
    assert [verdict["standing"] for verdict in stack["verdicts"]] == [
        *("violation", "advice", "waived", "baseline", "fine", "fine", "fine")
    ]
    assert stack["notCovered"] == [
        {"urn": "urn:pulumi:prod::vision::random:index/id:Id::r", "type": "random:index/id:Id"}
    ]
    assert stack["verdicts"][0]["source"] == {"path": "infra/src/a b.py", "line": 12}
    assert stack["verdicts"][1]["source"] is None
    assert stack["verdicts"][2]["waiver"]["expires"] == "2027-01-31"
    assert document["waivers"]["expired"][0]["urn"] == f"{HEAD}late"


def test_junit_fails_on_violations_alone_and_skips_what_is_not_known(report):
    root = ET.fromstring(render_junit(report))
    (suite,) = root
    counts = {key: suite.get(key) for key in ("name", "tests", "failures", "errors", "skipped")}
    assert counts == {
        "name": "vision/prod",
        "tests": "7",
        "failures": "1",
        "errors": "0",
        "skipped": "4",
    }
    outcomes = [
        (case.get("name").rsplit("::", 1)[-1], [child.tag for child in case])
        for case in suite.iter("testcase")
    ]
    assert outcomes == [
        ("bare tags", ["failure"]),
        ("later tags", ["skipped"]),
        ("old tags", ["skipped"]),
        ("ancient tags", ["skipped"]),
        ("spelt tags", []),
        ("fine tags", []),
        ("r", ["skipped"]),
    ]
    failure = suite.find("testcase/failure")
    assert failure.get("message") == "bare lacks <labels>, 100% & more"
    assert suite.find("system-out").text.splitlines() == list(REMARKS)


def test_junit_carries_no_letter_that_xml_forbids(report):
    (judgement,) = report.judgements
    finding = judgement.findings[0]
    odd = replace(finding, verdict=replace(finding.verdict, message="a\x00b\x1b[31m"))
    changed = replace(report, judgements=(replace(judgement, findings=(odd,)),))
    failure = ET.fromstring(render_junit(changed)).find("testsuite/testcase/failure")
    assert failure.get("message") == "a\ufffdb\ufffd[31m"


def test_github_gets_a_command_a_line_with_everything_escaped(report):
    lines = render_github(report).splitlines()
    commands = [line.split(" ", 1)[0].removeprefix("::") for line in lines[:-1]]
    assert commands == [
        *("error", "warning", "notice", "notice", "notice"),
        *("notice", "notice", "notice"),
    ]
    assert lines[0].startswith(
        "::error file=infra/src/a b.py,line=12,title=TG-LBL-001 Cost <labels>::"
        "TG-LBL-001: bare lacks <labels>, 100%25 & more%0A  property: tags%0A"
    )
    assert lines[-1] == TOTALS


def test_gitlab_gets_what_nobody_waived_with_a_file_always(report):
    entries = json.loads(render_gitlab(report))
    shown = [(each["severity"], each["location"]) for each in entries]
    assert shown == [
        ("critical", {"path": "infra/src/a b.py", "lines": {"begin": 12}}),
        ("info", {"path": "infra/Pulumi.yaml", "lines": {"begin": 1}}),
        ("info", {"path": "infra/src/a b.py", "lines": {"begin": 12}}),
    ]
    assert len({each["fingerprint"] for each in entries}) == 3
    assert {tuple(each) for each in entries} == {
        ("description", "check_name", "fingerprint", "severity", "location")
    }


def test_markdown_groups_by_rule_and_reads_nothing_into_texts(report):
    text = render_markdown(report)
    assert text.splitlines()[:3] == ["## Tidegate check fails: vision/prod", "", f"{TOTALS}."]
    assert "### TG-LBL-001: Cost &lt;labels&gt; (high)" in text
    assert (
        "1 × violation, 1 × advisory, 1 × waived, 1 × in the baseline, 1 × passes, with a remark. "
        "Add them &amp; go."
    ) in text
    assert "TG-TEL-001" not in text
    assert (
        "| violation | bare | bare lacks &lt;labels&gt;, 100% &amp; more | no labels | "
        "infra/src/a b.py:12 |"
    ) in text
    assert "| waived by ml until 2027-01-31: moves\\|soon | old |" in text
    assert "| advisory, not known yet | later |" in text


def test_markdown_says_how_many_days_waivers_have_left(report):
    text = render_markdown(replace(report, today=date(2026, 11, 30)))
    heading = text.splitlines().index("### Waivers")
    assert text.splitlines()[heading + 2 : heading + 5] == [
        "| rule | covers | owner | days left | until | waives | reason |",
        "| --- | --- | --- | ---: | --- | ---: | --- |",
        "| TG-LBL-001 | old | ml | 62 | 2027-01-31 | 1 | moves\\|soon |",
    ]
    assert "| not known | 2027-01-31 |" in render_markdown(report)


@pytest.mark.parametrize(("rows", "left"), [(2, 3), (0, 5)])
def test_markdown_says_how_many_findings_it_leaves_out(report, rows, left):
    text = render_markdown(report, rows)
    of_rule = text.split("### TG-LBL-001")[1].split("###")[0]
    assert f"…and {left} more." in of_rule
    assert sum("infra/src" in line or "later" in line for line in of_rule.splitlines()) == rows


def test_markdown_calls_nobody(report):
    (judgement,) = report.judgements
    finding = judgement.findings[0]
    odd = replace(
        finding, verdict=replace(finding.verdict, message="@everyone [x](http://y) `z` $a$")
    )
    changed = replace(report, judgements=(replace(judgement, findings=(odd,)),))
    assert "@\u200beveryone \\[x\\](http://y) \\`z\\` \\$a\\$" in render_markdown(changed)


@pytest.mark.parametrize("name", sorted(RENDERERS))
def test_every_format_says_that_a_check_passes_without_a_violation(name, report):
    (judgement,) = report.judgements
    kept = tuple(f for f in judgement.findings if f.standing is not Standing.VIOLATION)
    passing = replace(report, judgements=(replace(judgement, findings=kept),))
    assert not passing.failed
    text = RENDERERS[name](passing)
    assert text.endswith("\n")
    assert "bare" not in text
