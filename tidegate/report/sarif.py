"""A check as SARIF 2.1.0 (OASIS), which code scanning and editors read."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from tidegate.policy.judgement import Finding, Standing
from tidegate.policy.rule_set import Rule
from tidegate.report.check_report import CheckReport, say_remarks
from tidegate.vocabulary.verdicts import Outcome, Severity

SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
_INFORMATION = "https://pypi.org/project/tidegate/"
# GitHub sorts security results by this number; others ignore it.
_SCORES = {
    Severity.LOW: "3.0",
    Severity.MEDIUM: "5.5",
    Severity.HIGH: "8.0",
    Severity.CRITICAL: "9.5",
}
_KINDS = {Outcome.PASS: "pass", Outcome.UNKNOWN: "review", Outcome.NOT_APPLICABLE: "notApplicable"}


def render_sarif(report: CheckReport) -> str:
    """Return one run with a result for each finding that is for people to read.

    What is not known yet is of kind `review`, and what is waived or in the baseline carries a
    suppression, so that no reader takes either for a pass.
    """
    shown = list(report.shown())
    rules = sorted(report.rules.rules, key=lambda rule: rule.id)
    index = {rule.id: number for number, rule in enumerate(rules)}
    run = {
        "tool": {
            "driver": {
                "name": "tidegate",
                "semanticVersion": report.tool_version,
                "informationUri": _INFORMATION,
                "rules": [_rule(rule) for rule in rules],
            }
        },
        "columnKind": "utf16CodeUnits",
        "originalUriBaseIds": {"SRCROOT": {"description": {"text": "The repository's root."}}},
        "invocations": [
            {
                "executionSuccessful": True,
                "toolExecutionNotifications": [
                    {"level": "note", "message": {"text": remark}} for remark in say_remarks(report)
                ],
            }
        ],
        "results": [_result(report, finding, index[finding.verdict.rule]) for finding in shown],
    }
    document = {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def _rule(rule: Rule) -> dict[str, Any]:
    return {
        "id": rule.id,
        "name": "".join(word.capitalize() for word in rule.path.rpartition("/")[2].split("_")),
        "shortDescription": {"text": rule.title},
        "fullDescription": {"text": rule.description},
        "help": {"text": f"{rule.remediation} See {rule.docs}."},
        "defaultConfiguration": {
            "level": "error" if rule.level.value == "mandatory" else "warning"
        },
        "properties": {"security-severity": _SCORES[rule.severity], "tags": ["cost"]},
    }


def _result(report: CheckReport, finding: Finding, rule_index: int) -> dict[str, Any]:
    verdict = finding.verdict
    kind = _KINDS.get(verdict.outcome, "fail")
    result: dict[str, Any] = {
        "ruleId": verdict.rule,
        "ruleIndex": rule_index,
        "kind": kind,
        "level": _level(finding) if kind == "fail" else "none",
        "message": {"text": verdict.message},
        "locations": [_location(report, finding)],
        # Lines move; what is wrong where does not.
        "partialFingerprints": {"tidegate/v1": _fingerprint(finding)},
        "properties": {
            "outcome": verdict.outcome.value,
            "standing": finding.standing.value,
            "property": verdict.property,
            "expected": verdict.expected,
            "found": verdict.found,
        },
    }
    if suppression := _suppression(finding):
        result["suppressions"] = [suppression]
    return result


def _level(finding: Finding) -> str:
    return "error" if finding.verdict.level.value == "mandatory" else "warning"


def _location(report: CheckReport, finding: Finding) -> dict[str, Any]:
    verdict = finding.verdict
    place: dict[str, Any] = {}
    if verdict.urn:
        name = verdict.urn.rsplit("::", 1)[-1]
        place["logicalLocations"] = [
            {"name": name, "fullyQualifiedName": verdict.urn, "kind": "resource"}
        ]
    if verdict.source is not None:
        place["physicalLocation"] = {
            "artifactLocation": {
                "uri": _encode(report.path_of(finding)),
                "uriBaseId": "SRCROOT",
            },
            "region": {"startLine": verdict.source.line},
        }
    return place


def _encode(path: str) -> str:
    """Return a path as a relative URI: RFC 3986 leaves few characters as they are."""
    kept = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/"
    return "".join(
        letter if letter in kept else "".join(f"%{byte:02X}" for byte in letter.encode())
        for letter in path
    )


def _fingerprint(finding: Finding) -> str:
    verdict = finding.verdict
    identity = (verdict.rule, verdict.urn, verdict.property)
    return hashlib.sha256("\0".join(identity).encode()).hexdigest()[:32]


def _suppression(finding: Finding) -> dict[str, str] | None:
    if finding.waiver is not None:
        waiver = finding.waiver
        words = f"{waiver.owner} until {waiver.expires}: {waiver.reason}"
        return {"kind": "external", "justification": words}
    if finding.standing is Standing.BASELINE:
        return {"kind": "external", "justification": "in the baseline"}
    return None
