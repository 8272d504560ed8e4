"""A check as JUnit XML: a suite a stack, a case for each rule on each resource."""

from __future__ import annotations

from xml.sax.saxutils import escape, quoteattr

from tidegate.policy.judgement import Finding, Judgement, Standing
from tidegate.policy.messages import render_violation
from tidegate.report.check_report import CheckReport, name_stack, say_remarks
from tidegate.vocabulary.verdicts import Outcome


def render_junit(report: CheckReport) -> str:
    """Return the document. What nobody judged, and what is not known, is skipped, never passed."""
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', '<testsuites name="tidegate">']
    for judgement in report.judgements:
        lines += _render_suite(report, judgement)
    lines.append("</testsuites>")
    return "\n".join(lines) + "\n"


def _render_suite(report: CheckReport, judgement: Judgement) -> list[str]:
    cases = [
        finding
        for finding in judgement.findings
        if finding.verdict.outcome is not Outcome.NOT_APPLICABLE
    ]
    failures = sum(finding.standing is Standing.VIOLATION for finding in cases)
    skipped = sum(_is_skipped(finding) for finding in cases) + len(judgement.not_covered)
    total = len(cases) + len(judgement.not_covered)
    counts = f'tests="{total}" failures="{failures}" errors="0" skipped="{skipped}"'
    lines = [f"  <testsuite name={_attribute(name_stack(judgement))} {counts}>"]
    for finding in cases:
        lines += _render_case(report, finding)
    for resource in judgement.not_covered:
        lines += [
            f'    <testcase classname="not covered" name={_attribute(resource.urn)}>',
            f"      <skipped message={_attribute(f'no rule covers {resource.type}')}/>",
            "    </testcase>",
        ]
    remarks = "\n".join(say_remarks(report))
    if remarks:
        lines.append(f"    <system-out>{_text(remarks)}</system-out>")
    lines.append("  </testsuite>")
    return lines


def _render_case(report: CheckReport, finding: Finding) -> list[str]:
    verdict = finding.verdict
    name = f"{verdict.urn or 'stack'} {verdict.property}".strip()
    place = ""
    if verdict.source is not None:
        path = _attribute(report.path_of(finding))
        place = f' file={path} line="{verdict.source.line}"'
    head = f"    <testcase classname={_attribute(verdict.rule)} name={_attribute(name)}{place}"
    text = render_violation(verdict, report.rule_of(finding))
    message = _attribute(verdict.message)
    if finding.standing is Standing.VIOLATION:
        body = f"<failure message={message} type={_attribute(verdict.rule)}>{_text(text)}</failure>"
    elif _is_skipped(finding):
        body = f"<skipped message={_attribute(f'{finding.standing.value}: {verdict.message}')}/>"
    else:
        return [f"{head}/>"]
    return [f"{head}>", f"      {body}", "    </testcase>"]


def _is_skipped(finding: Finding) -> bool:
    return finding.standing in (Standing.ADVICE, Standing.WAIVED, Standing.BASELINE)


def _attribute(text: str) -> str:
    return quoteattr(_printable(text))


def _text(text: str) -> str:
    return escape(_printable(text))


def _printable(text: str) -> str:
    """Return a text without what XML 1.0 cannot carry."""
    return "".join(letter if letter in "\t\n\r" or letter >= " " else "\ufffd" for letter in text)
