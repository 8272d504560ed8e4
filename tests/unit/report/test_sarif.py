from __future__ import annotations

import json
from dataclasses import replace

import pytest
from pydantic import ValidationError
from pydantic_sarif.model import StaticAnalysisResultsFormatSarifVersion210JsonSchema as Sarif

from tidegate.report.check_report import CheckReport
from tidegate.report.sarif import render_sarif
from tidegate.vocabulary.verdicts import SourceLine


def results_of(report):
    return json.loads(render_sarif(report))["runs"][0]["results"]


def test_the_document_is_valid_by_the_official_schema(report):
    document = json.loads(render_sarif(report))
    Sarif.model_validate(document)
    assert document["version"] == "2.1.0"


def test_the_schema_refuses_what_is_no_sarif(report):
    document = json.loads(render_sarif(report))
    document["runs"][0]["results"][0]["surprise"] = 1
    with pytest.raises(ValidationError):
        Sarif.model_validate(document)


def test_a_result_says_rule_place_and_what_became_of_it(report):
    first = results_of(report)[0]
    assert first == {
        "ruleId": "TG-LBL-001",
        "ruleIndex": 0,
        "kind": "fail",
        "level": "error",
        "message": {"text": "bare lacks <labels>, 100% & more"},
        "locations": [
            {
                "logicalLocations": [
                    {
                        "name": "bare",
                        "fullyQualifiedName": "urn:pulumi:prod::vision::aws:s3/bucket:Bucket::bare",
                        "kind": "resource",
                    }
                ],
                "physicalLocation": {
                    "artifactLocation": {"uri": "infra/src/a%20b.py", "uriBaseId": "SRCROOT"},
                    "region": {"startLine": 12},
                },
            }
        ],
        "partialFingerprints": first["partialFingerprints"],
        "properties": {
            "outcome": "fail",
            "standing": "violation",
            "property": "tags",
            "expected": "owner",
            "found": "no labels",
        },
    }


def test_what_is_unknown_waived_or_known_is_never_a_plain_result(report):
    found = {
        each["properties"]["standing"]: (each["kind"], each["level"], each.get("suppressions"))
        for each in results_of(report)
    }
    waived = {
        "kind": "external",
        "justification": "ml until 2027-01-31: moves|soon",
    }
    known = {"kind": "external", "justification": "in the baseline"}
    assert found == {
        "violation": ("fail", "error", None),
        "advice": ("review", "none", None),
        "waived": ("fail", "error", [waived]),
        "baseline": ("fail", "error", [known]),
        "fine": ("pass", "none", None),
    }


def test_a_line_that_moved_keeps_its_fingerprint(report):
    (judgement,) = report.judgements
    finding = judgement.findings[0]
    moved = replace(finding, verdict=replace(finding.verdict, source=SourceLine("src/a b.py", 22)))
    after = replace(judgement, findings=(moved, *judgement.findings[1:]))
    old, new = results_of(report)[0], results_of(replace(report, judgements=(after,)))[0]
    assert new["partialFingerprints"] == old["partialFingerprints"]
    assert new["locations"][0]["physicalLocation"]["region"] == {"startLine": 22}


def test_a_check_that_found_nothing_is_a_run_without_results(report):
    (judgement,) = report.judgements
    empty = replace(report, judgements=(replace(judgement, findings=()),))
    assert isinstance(empty, CheckReport)
    Sarif.model_validate(json.loads(render_sarif(empty)))
    assert results_of(empty) == []
