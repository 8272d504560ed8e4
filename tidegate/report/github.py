"""A check as workflow commands, which GitHub Actions shows beside the changed lines."""

from __future__ import annotations

from tidegate.policy.judgement import Finding, Standing
from tidegate.policy.messages import render_violation
from tidegate.report.check_report import CheckReport, say_remarks, say_totals
from tidegate.vocabulary.verdicts import Outcome


def render_github(report: CheckReport) -> str:
    """Return a command a line: errors fail the check, the rest is said."""
    lines = [_render(report, finding) for finding in report.shown()]
    lines += [f"::notice title=tidegate::{_escape(remark)}" for remark in say_remarks(report)]
    lines.append(say_totals(report))
    return "\n".join(lines) + "\n"


def _render(report: CheckReport, finding: Finding) -> str:
    verdict = finding.verdict
    properties = []
    if verdict.source is not None:
        properties.append(f"file={_escape_property(report.path_of(finding))}")
        properties.append(f"line={verdict.source.line}")
    title = f"{verdict.rule} {report.rule_of(finding).title}"
    properties.append(f"title={_escape_property(title)}")
    text = render_violation(verdict, report.rule_of(finding))
    return f"::{_command(finding)} {','.join(properties)}::{_escape(text)}"


def _command(finding: Finding) -> str:
    if finding.standing is Standing.VIOLATION:
        return "error"
    failed = finding.verdict.outcome in (Outcome.FAIL, Outcome.UNKNOWN)
    return "warning" if finding.standing is Standing.ADVICE and failed else "notice"


def _escape(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _escape_property(text: str) -> str:
    return _escape(text).replace(":", "%3A").replace(",", "%2C")
