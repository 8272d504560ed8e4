"""A stack that is put to the rules in portions is judged as if it were put to them at once."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tidegate.catalog.load import load_catalog
from tidegate.engine.collecting import Settings, collect_program
from tidegate.engine.config import read_project
from tidegate.policy.answers import order_verdicts, parse_verdicts
from tidegate.policy.collected import read_collected
from tidegate.policy.document import build_shared
from tidegate.policy.export import read_export
from tidegate.policy.graph import ResourceGraph, StackFacts
from tidegate.policy.parameters import build_parameters
from tidegate.policy.portions import build_questions
from tidegate.policy.preview import read_preview

ROOT = Path(__file__).resolve().parents[2]
WAYS = Path(__file__).resolve().parent / "data" / "ways"
WHOLE = 10_000
TODAY = "2026-11-30"
LIFECYCLE = "aws:s3/bucketLifecycleConfiguration:BucketLifecycleConfiguration"
VERSIONING = "aws:s3/bucketVersioning:BucketVersioning"
TEMPLATE = "aws:ec2/launchTemplate:LaunchTemplate"
AFAR = {"tags": {"dataset": "images"}}


@pytest.fixture(scope="module")
def judge_by(rules, engine):
    """Return what judges a graph in questions of so many resources."""
    catalog = load_catalog()
    parameters = {rule.id: build_parameters(rule.id, rule.parameters, {}) for rule in rules.rules}
    shared = build_shared(parameters, catalog=catalog)

    def judge(graph, portion):
        questions = list(build_questions(graph, rules, shared, catalog, TODAY, portion))
        said = [
            verdict
            for question in questions
            for verdict in parse_verdicts(engine.evaluate(question), rules, graph)
        ]
        return order_verdicts(said), len(questions)

    return judge


def read(name):
    document = json.loads((WAYS / name).read_text())
    if name.startswith("preview"):
        return read_preview(name, document).graph
    return read_export(name, document, "prod")


@pytest.mark.parametrize("name", ["preview_new.json", "preview_same.json", "export.json"])
@pytest.mark.parametrize("portion", [1, 3])
def test_a_recorded_stack_is_judged_the_same(judge_by, name, portion):
    graph = read(name)
    said, questions = judge_by(graph, portion)
    assert questions > 2
    assert said == judge_by(graph, WHOLE)[0]


def test_our_own_stack_is_judged_the_same(judge_by):
    collected = collect_program(read_project(ROOT), Settings("prod"), os.environ)
    graph = read_collected("stacks", collected)
    said, questions = judge_by(graph, 7)
    assert questions > 10
    assert said == judge_by(graph, WHOLE)[0]


def refer(make):
    """Return resources of which each pair is judged by what stands in the other."""

    def urn(resource):
        return (resource.urn,)

    bucket = make("aws:s3/bucket:Bucket", {"bucket": "b", **AFAR}, "scratch-data")
    other = make("aws:s3/bucket:Bucket", {"bucket": "c"}, "other")
    reserved = make("aws:ec2/capacityReservation:CapacityReservation", {"instanceCount": 2}, "held")
    template = make(
        TEMPLATE,
        {"capacityReservationSpecification": {"capacityReservationTarget": {}}},
        "template",
        dependencies={"capacityReservationSpecification": urn(reserved)},
    )
    space = make("kubernetes:core/v1:Namespace", {"metadata": {"name": "team"}}, "team")
    wide = "azure-native:operationalinsights:Workspace"
    return (
        make("pulumi:pulumi:Stack", {}, "vision-prod"),
        bucket,
        make(
            LIFECYCLE,
            {"bucket": "b", "rules": [{"status": "Enabled", "expiration": {"days": 7}}]},
            "ends",
        ),
        make(
            VERSIONING,
            {"bucket": "?", "versioningConfiguration": {"status": "Enabled"}},
            "versions",
            dependencies={"bucket": urn(other)},
        ),
        other,
        make(
            "aws:eks/nodeGroup:NodeGroup",
            {
                "scalingConfig": {"minSize": 2, "maxSize": 4},
                "instanceTypes": ["p5.48xlarge"],
                **AFAR,
            },
            "gpu",
            {"region": "eu-west-1"},
            dependencies={"launchTemplate": urn(template)},
        ),
        template,
        reserved,
        space,
        make("kubernetes:core/v1:ResourceQuota", {"metadata": {"namespace": "team"}}, "quota"),
        make("kubernetes:core/v1:Namespace", {"metadata": {"name": "lone"}}, "lone"),
        make(wide, {"workspaceName": "w", "retentionInDays": 365}, "space"),
        make("azure-native:operationalinsights:Table", {"workspaceName": "w"}, "table"),
        make("aws:cloudwatch/logGroup:LogGroup", {"tags": {"cost-center": "cc-1"}}, "logs"),
        make("aws:budgets/budget:Budget", {"costFilters": [{"name": "TagKeyValue"}]}, "budget"),
    )


@pytest.mark.parametrize("portion", [1, 2, 5, 14])
def test_what_one_resource_says_of_another_is_never_lost(judge_by, make, portion):
    graph = ResourceGraph(StackFacts("vision", "prod", "prod"), refer(make), complete=True)
    said = judge_by(graph, portion)[0]
    assert said == judge_by(graph, WHOLE)[0]
    # Each of these looks at more than its own resource.
    looked = {"TG-BGT-001", "TG-KUB-001", "TG-PLC-003", "TG-STO-001", "TG-TEL-001", "TG-TEL-002"}
    assert looked <= {verdict.rule for verdict in said}
    # One namespace has its quota, one has none.
    assert len({verdict.outcome for verdict in said if verdict.rule == "TG-KUB-001"}) == 2
