"""A check for people at a terminal."""

from __future__ import annotations

from tidegate.policy.judgement import Finding, Standing
from tidegate.policy.messages import render_violation
from tidegate.report.check_report import CheckReport, name_stack, say_remarks, say_totals
from tidegate.report.cost_sections import render_costs

_HEADS = {
    Standing.VIOLATION: "FAIL",
    Standing.ADVICE: "note",
    Standing.WAIVED: "waived",
    Standing.BASELINE: "known",
    Standing.FINE: "pass",
}


def render_table(report: CheckReport) -> str:
    """Return the findings of each stack, the worst first, its cost, and a line that sums up."""
    lines: list[str] = []
    for judgement in report.judgements:
        lines.append(f"{name_stack(judgement)}: {judgement.source}")
        for shown, finding in report.shown():
            if shown is judgement:
                lines += _render_finding(report, finding)
    lines += render_costs(report)
    lines += [f"note: {remark}" for remark in say_remarks(report)]
    lines.append(say_totals(report))
    return "\n".join(lines) + "\n"


def _render_finding(report: CheckReport, finding: Finding) -> list[str]:
    text = render_violation(finding.verdict, report.rule_of(finding)).splitlines()
    verdict = finding.verdict
    head = f"{_HEADS[finding.standing]:<6} {verdict.severity.value:<8} {text[0]}"
    lines = [head, f"  resource: {verdict.urn}"] if verdict.urn else [head]
    if verdict.source is not None:
        lines.append(f"  source:   {report.path_of(finding)}:{verdict.source.line}")
    lines += text[1:]
    if finding.waiver is not None:
        waiver = finding.waiver
        lines.append(f"  waiver:   {waiver.owner} until {waiver.expires}: {waiver.reason}")
    return lines
