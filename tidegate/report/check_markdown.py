"""A check as Markdown, for a job summary or a comment: verdicts grouped by rule."""

from __future__ import annotations

from collections.abc import Sequence

from tidegate.policy.judgement import Finding, Standing
from tidegate.policy.rule_set import Rule
from tidegate.report.check_report import CheckReport, say_remarks, say_totals

_WORDS = {
    Standing.VIOLATION: "violation",
    Standing.ADVICE: "advisory",
    Standing.WAIVED: "waived",
    Standing.BASELINE: "in the baseline",
    Standing.FINE: "passes, with a remark",
}


def render_markdown(report: CheckReport) -> str:
    """Return a heading, a section for each rule that has something to say, and the remarks."""
    verdict = "fails" if report.failed else "passes"
    lines = [f"## Tidegate check {verdict}", "", f"{say_totals(report)}.", ""]
    shown = [finding for _, finding in report.shown()]
    for rule in sorted(report.rules.rules, key=lambda rule: rule.id):
        of_rule = [finding for finding in shown if finding.verdict.rule == rule.id]
        if of_rule:
            lines += _render_rule(report, rule, of_rule)
    remarks = say_remarks(report)
    if remarks:
        lines += ["### Remarks", "", *(f"- {_text(remark)}" for remark in remarks), ""]
    return "\n".join(lines)


def _render_rule(report: CheckReport, rule: Rule, findings: Sequence[Finding]) -> list[str]:
    lines = [
        f"### {rule.id}: {_text(rule.title)} ({rule.severity.value})",
        "",
        "| | resource | what | found | source |",
        "| --- | --- | --- | --- | --- |",
    ]
    lines += [_render_row(report, finding) for finding in findings]
    return [*lines, "", f"{_text(rule.remediation)}", ""]


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
    return f"| {' | '.join(_text(cell) for cell in cells)} |"


def _text(text: str) -> str:
    """Return a text that neither Markdown nor HTML reads anything into."""
    for letter, written in (
        ("\\", "\\\\"),
        ("&", "&amp;"),
        ("<", "&lt;"),
        (">", "&gt;"),
        ("|", "\\|"),
        ("`", "\\`"),
        ("*", "\\*"),
        ("_", "\\_"),
        ("[", "\\["),
        ("]", "\\]"),
        ("@", "@\u200b"),  # names nobody: a comment must not notify strangers
        ("\n", " "),
        ("\r", " "),
    ):
        text = text.replace(letter, written)
    return text
