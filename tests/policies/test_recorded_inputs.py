"""What the engine really shows, recorded, through the pack's own reading to its verdicts."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from google.protobuf import json_format
from pulumi.runtime.proto import analyzer_pb2
from support.ways_in import load_adapter

from tidegate.policy.check import StackCheck

ROOT = Path(__file__).resolve().parents[2]
RECORDED = json.loads(Path(__file__).with_name("data").joinpath("preview.json").read_text())
REQUESTS = {
    "Analyze": analyzer_pb2.AnalyzeRequest,
    "AnalyzeStack": analyzer_pb2.AnalyzeStackRequest,
    "ConfigureStack": analyzer_pb2.AnalyzerStackConfigureRequest,
}
MARK = "plaintext-of-a-secret"


class Listening:
    """The real engine, with every document that it was given."""

    def __init__(self, engine) -> None:
        self._engine = engine
        self.documents: list[Mapping[str, Any]] = []

    def evaluate(self, document):
        self.documents.append(document)
        return self._engine.evaluate(document)


@pytest.fixture
def played(rules, engine):
    """Play the recording to the pack's servicer; return (what it said, the documents)."""
    listening = Listening(engine)
    check = StackCheck(rules, listening)
    adapter = load_adapter()
    policies = {rule.id: adapter._build_policy(rule) for rule in rules.rules}
    servicer = adapter._build_servicer(check, rules, policies)(
        "tidegate", "0.1.0", list(policies.values()), adapter.EnforcementLevel.ADVISORY
    )
    said = []
    for call in RECORDED["calls"]:
        request = json_format.ParseDict(call["request"], REQUESTS[call["call"]]())
        response = getattr(servicer, call["call"])(request, None)
        said += getattr(response, "diagnostics", [])
    return said, listening.documents


# ruff: noqa: E501 - one verdict a line
EXPECTED = """
ADVISORY TG-BGT-001: nobody is told what the cost centre cc-100 spends
ADVISORY TG-LBL-001: not known yet: run-logs (aws:cloudwatch/logGroup:LogGroup) may lack cost labels: owner
ADVISORY TG-LBL-003: scratch (gcp:storage/bucket:Bucket) carries labels that nobody declared: run-id
ADVISORY TG-SPT-001: gpu (azure-native:containerservice:AgentPool) buys on demand what training work could have as spot
ADVISORY TG-SPT-001: gpu-from-zero (aws:eks/nodeGroup:NodeGroup) buys on demand what training work could have as spot
ADVISORY TG-SPT-001: gpu-idle (aws:eks/nodeGroup:NodeGroup) buys on demand what training work could have as spot
ADVISORY TG-STO-001: bare (aws:s3/bucket:Bucket) has no lifecycle, so that it only grows
ADVISORY TG-STO-001: by-provider (aws:s3/bucket:Bucket) has no lifecycle, so that it only grows
ADVISORY TG-STO-001: secret (aws:s3/bucket:Bucket) has no lifecycle, so that it only grows
ADVISORY TG-STO-006: bare (aws:s3/bucket:Bucket) keeps the parts of unfinished uploads for ever
ADVISORY TG-STO-006: by-provider (aws:s3/bucket:Bucket) keeps the parts of unfinished uploads for ever
ADVISORY TG-STO-006: data (aws:s3/bucket:Bucket) keeps the parts of unfinished uploads for ever
ADVISORY TG-STO-006: scratch (gcp:storage/bucket:Bucket) keeps the parts of unfinished uploads for ever
ADVISORY TG-STO-006: secret (aws:s3/bucket:Bucket) keeps the parts of unfinished uploads for ever
ADVISORY TG-TEL-002: not known yet: how much some streams of dev take in is not known
MANDATORY TG-BGT-002: silent (aws:budgets/budget:Budget) tells nobody
MANDATORY TG-CMT-001: endless (aws:ec2/capacityReservation:CapacityReservation) is paid for whether it is used or not, and nobody has acknowledged it
MANDATORY TG-CMT-002: endless (aws:ec2/capacityReservation:CapacityReservation) can be deleted by a change of the program, and bought again by the next
MANDATORY TG-CMT-003: endless (aws:ec2/capacityReservation:CapacityReservation) has no end
MANDATORY TG-IDL-001: idle (gcp:workbench/instance:Instance) runs on when nobody works in it
MANDATORY TG-LBL-001: bare (aws:s3/bucket:Bucket) lacks cost labels: environment, business-unit, platform-project, workload-class, cost-center
MANDATORY TG-LBL-001: gpu-unlabelled (gcp:container/nodePool:NodePool) lacks cost labels on its nodes: environment, owner, business-unit, platform-project, workload-class, cost-center
MANDATORY TG-LBL-001: group (azure-native:resources:ResourceGroup) lacks cost labels: environment, business-unit, platform-project, workload-class, cost-center
MANDATORY TG-SCL-001: gpu (azure-native:containerservice:AgentPool) keeps accelerated nodes running when nobody uses them
MANDATORY TG-SCL-001: gpu-idle (aws:eks/nodeGroup:NodeGroup) keeps accelerated nodes running when nobody uses them
MANDATORY TG-SCL-003: spot-serving (gcp:container/nodePool:NodePool) may grow larger than its environment allows
MANDATORY TG-SPT-002: spot-serving (gcp:container/nodePool:NodePool) runs on spot capacity what must not be interrupted
MANDATORY TG-STO-002: scratch (gcp:storage/bucket:Bucket) keeps scratch data for longer than it is worth
MANDATORY TG-STO-004: scratch (gcp:storage/bucket:Bucket) deletes objects whatever their age
MANDATORY TG-TEL-001: for-ever (aws:cloudwatch/logGroup:LogGroup) keeps platform-logs for ever
MANDATORY TG-TEL-001: gcp-run-logs (gcp:logging/projectBucketConfig:ProjectBucketConfig) keeps run-logs for 365 days, longer than they are worth
"""


def test_the_recording_gives_these_verdicts(played):
    said, _ = played
    found = [
        f"{analyzer_pb2.EnforcementLevel.Name(each.enforcementLevel)} {each.message.splitlines()[1]}"
        for each in said
    ]
    assert sorted(found) == EXPECTED.strip().splitlines()


def test_the_recording_holds_a_secret_and_nothing_sent_to_opa_does(played):
    said, documents = played
    assert MARK in json.dumps(RECORDED)
    assert MARK not in json.dumps(documents)
    assert MARK not in "".join(each.message for each in said)


def test_every_resource_of_the_recording_reaches_the_rules_at_the_end(played):
    _, documents = played
    whole = documents[-1]
    assert whole["complete"] is True
    assert {
        each["name"]: each["dependencies"].get("launchTemplate") for each in whole["resources"]
    }["gpu-from-zero"] == ["urn:pulumi:dev::recorded::aws:ec2/launchTemplate:LaunchTemplate::gpu"]


def test_the_manifest_that_a_stack_exports_reaches_the_rules_at_the_end(played):
    _, documents = played
    assert {json.dumps(document["manifest"]) for document in documents[:-1]} == {"null"}
    assert documents[-1]["manifest"]["version"] == "tidegate/capacity/v1"
