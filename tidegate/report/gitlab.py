"""A check as GitLab's code quality report (the Code Climate format that GitLab reads)."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from tidegate.policy.judgement import Finding, Standing
from tidegate.report.check_report import CheckReport
from tidegate.vocabulary.verdicts import Outcome, Severity

_SEVERITIES = {
    Severity.LOW: "minor",
    Severity.MEDIUM: "major",
    Severity.HIGH: "critical",
    Severity.CRITICAL: "blocker",
}


def render_gitlab(report: CheckReport) -> str:
    """Return an entry for each failure, unknown and remark that nobody waived.

    GitLab shows no entry without a file: where the way in tells no source line, the program's
    project file stands for it.
    """
    entries = [
        _entry(report, finding)
        for finding in report.shown()
        if finding.standing not in (Standing.WAIVED, Standing.BASELINE)
    ]
    return json.dumps(entries, indent=2, ensure_ascii=False) + "\n"


def _entry(report: CheckReport, finding: Finding) -> dict[str, Any]:
    verdict = finding.verdict
    source = verdict.source
    project = f"{report.folder}/Pulumi.yaml" if report.folder else "Pulumi.yaml"
    identity = (verdict.rule, verdict.urn, verdict.property, verdict.outcome.value)
    return {
        "description": verdict.message,
        "check_name": verdict.rule,
        "fingerprint": hashlib.sha256("\0".join(identity).encode()).hexdigest(),
        "severity": _severity(finding),
        "location": {
            "path": report.path_of(finding) or project,
            "lines": {"begin": 1 if source is None else source.line},
        },
    }


def _severity(finding: Finding) -> str:
    if finding.verdict.outcome is Outcome.FAIL:
        return _SEVERITIES[finding.verdict.severity]
    return "info"
