"""A check as Markdown, for a job summary or a comment: verdicts grouped by rule."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from tidegate.policy.judgement import Finding, Standing
from tidegate.policy.rule_set import Rule
from tidegate.policy.waivers import Waiver
from tidegate.report.check_report import CheckReport, name_stack, say_remarks, say_totals
from tidegate.report.cost_sections import render_costs
from tidegate.report.escaping import plain_text

_WORDS = {
    Standing.VIOLATION: "violation",
    Standing.ADVICE: "advisory",
    Standing.WAIVED: "waived",
    Standing.BASELINE: "in the baseline",
    Standing.FINE: "passes, with a remark",
}


def render_markdown(report: CheckReport, most_rows: int | None = None) -> str:
    """Return a heading, a section for each rule that has something to say, waivers and the cost.

    Args:
        report: The check.
        most_rows: Of each rule, how many findings are shown, the worst first; None for all.
    """
    verdict = "fails" if report.failed else "passes"
    names = ", ".join(plain_text(name_stack(each)) for each in report.judgements)
    lines = [f"## Tidegate check {verdict}: {names}", "", f"{say_totals(report)}.", ""]
    shown = [finding for _, finding in report.shown()]
    for rule in sorted(report.rules.rules, key=lambda rule: rule.id):
        of_rule = [finding for finding in shown if finding.verdict.rule == rule.id]
        if of_rule:
            lines += _render_rule(report, rule, of_rule, most_rows)
    lines += _render_waivers(report, most_rows)
    lines += render_costs(report, as_markdown=True)
    remarks = say_remarks(report)
    if remarks:
        lines += ["### Remarks", ""]
        lines += [f"- {plain_text(remark)}" for remark in remarks[:most_rows]]
        lines += [*_say_left_out(len(remarks), most_rows), ""]
    return "\n".join(lines)


def _render_rule(
    report: CheckReport, rule: Rule, findings: Sequence[Finding], most_rows: int | None
) -> list[str]:
    # Of several stacks the worst of all comes first.
    ordered = sorted(findings, key=lambda finding: list(_WORDS).index(finding.standing))
    counts = Counter(_WORDS[finding.standing] for finding in ordered)
    said = ", ".join(f"{count} × {word}" for word, count in counts.items())
    lines = [
        f"### {rule.id}: {plain_text(rule.title)} ({rule.severity.value})",
        "",
        f"{said}. {plain_text(rule.remediation)}",
        "",
    ]
    rows = [_render_row(report, finding) for finding in ordered[:most_rows]]
    if rows:
        lines += ["| | resource | what | found | source |", "| --- | --- | --- | --- | --- |"]
    return [*lines, *rows, *_say_left_out(len(ordered), most_rows), ""]


def _render_waivers(report: CheckReport, most_rows: int | None) -> list[str]:
    waived: dict[Waiver, int] = {}
    for judgement in report.judgements:
        for finding in judgement.of(Standing.WAIVED):
            if finding.waiver is not None:
                waived[finding.waiver] = waived.get(finding.waiver, 0) + 1
    if not waived:
        return []
    ordered = sorted(waived, key=lambda waiver: (waiver.expires, waiver.rule, waiver.urn))
    rows = [_render_waiver(report, waiver, waived[waiver]) for waiver in ordered[:most_rows]]
    head = "| rule | covers | owner | days left | until | waives | reason |"
    lines = ["### Waivers", ""]
    if rows:
        lines += [head, "| --- | --- | --- | ---: | --- | ---: | --- |", *rows]
    return [*lines, *_say_left_out(len(ordered), most_rows), ""]


def _render_waiver(report: CheckReport, waiver: Waiver, count: int) -> str:
    days = "not known" if report.today is None else str(waiver.days_left(report.today))
    target = waiver.urn.rsplit("::", 1)[-1]
    cells = (waiver.rule, target, waiver.owner, days, str(waiver.expires), str(count))
    return f"| {' | '.join(plain_text(cell) for cell in (*cells, waiver.reason))} |"


def _say_left_out(count: int, most_rows: int | None) -> list[str]:
    left = 0 if most_rows is None else max(0, count - most_rows)
    return ["", f"…and {left} more."] if left else []


def _render_row(report: CheckReport, finding: Finding) -> str:
    verdict = finding.verdict
    name = verdict.urn.rsplit("::", 1)[-1] or "the stack"
    word = _WORDS[finding.standing]
    if finding.waiver is not None:
        waiver = finding.waiver
        word = f"waived by {waiver.owner} until {waiver.expires}: {waiver.reason}"
    elif verdict.outcome.value == "unknown":
        word = f"{word}, not known yet"
    source = f"{report.path_of(finding)}:{verdict.source.line}" if verdict.source else ""
    cells = (word, name, verdict.message, verdict.found, source)
    return f"| {' | '.join(plain_text(cell) for cell in cells)} |"
