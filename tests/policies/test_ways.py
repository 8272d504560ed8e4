"""One program, recorded from the real engine in each way: pass and fail never swap."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest
from google.protobuf import json_format
from pulumi.runtime.proto import analyzer_pb2
from support.ways_in import load_adapter

from tidegate.engine.collecting import Settings, collect_program
from tidegate.engine.config import read_project
from tidegate.policy.check import StackCheck
from tidegate.policy.collected import read_collected
from tidegate.policy.event_log import read_event_log
from tidegate.policy.export import read_export
from tidegate.policy.graph import STACK_TYPE
from tidegate.policy.preview import read_preview
from tidegate.vocabulary.verdicts import Outcome

HERE = Path(__file__).resolve().parent
WAYS = HERE / "data" / "ways"
MARK = "plaintext-of-a-secret"
REQUESTS = {
    "Analyze": analyzer_pb2.AnalyzeRequest,
    "AnalyzeStack": analyzer_pb2.AnalyzeStackRequest,
    "ConfigureStack": analyzer_pb2.AnalyzerStackConfigureRequest,
}

FAILS = {
    ("TG-LBL-001", "archive-bucket"),
    ("TG-LBL-001", "bare"),
    ("TG-LBL-001", "gpu"),
    ("TG-LBL-001", "gpu-unlabelled"),
    ("TG-LBL-001", "group"),
    ("TG-SCL-001", "gpu-idle"),
    ("TG-TEL-001", "for-ever"),
    ("TG-TEL-001", "gcp-run-logs"),
}
UNKNOWN_BEFORE = {("TG-LBL-001", "all-secret"), ("TG-LBL-001", "run-logs")}
"""The whole map is a secret, and a label is the id of a bucket that does not exist yet."""

UNKNOWN_AFTER = {("TG-LBL-001", "all-secret")}
"""What is secret stays so; the bucket exists."""


class Listening:
    """The real engine, with every document that it was given."""

    def __init__(self, engine):
        self._engine = engine
        self.documents = []

    def evaluate(self, document):
        self.documents.append(document)
        return self._engine.evaluate(document)


def collect(folder):
    (folder / "Pulumi.yaml").write_text("name: recorded\nruntime: python\n")
    (folder / "Pulumi.dev.yaml").write_text(
        "config:\n  aws:region: us-east-1\n  gcp:project: p\n  recorded:environment: prod\n"
    )
    shutil.copy(HERE / "recorder" / "ways_program.py", folder / "__main__.py")
    return collect_program(read_project(folder), Settings("dev"), os.environ)


def load(name):
    return json.loads((WAYS / name).read_text())


def read(way, folder):
    if way == "program":
        return read_collected(way, collect(folder))
    if way.startswith("preview"):
        return read_preview(way, load(f"{way}.json")).graph
    if way.startswith("events"):
        return read_event_log(way, (WAYS / f"{way}.jsonl").read_text()).graph
    return read_export(way, load(f"{way}.json"), "prod")


def split(verdicts):
    said = {}
    for verdict in verdicts:
        key = (verdict.rule, verdict.urn.rsplit("::", 1)[-1])
        said.setdefault(verdict.outcome, set()).add(key)
    return said


def of_three_rules(said):
    """Return what the first rules say: it stays as more are written."""
    return {key for key in said if key[0] in {rule for rule, _ in FAILS}}


@pytest.mark.parametrize("way", ["program", "preview_new", "events_preview_new"])
def test_before_it_exists_every_way_says_the_same(way, rules, engine, tmp_path):
    said = split(StackCheck(rules, engine).judge_graph(read(way, tmp_path)))
    assert of_three_rules(said[Outcome.FAIL]) == FAILS
    assert of_three_rules(said[Outcome.UNKNOWN]) == UNKNOWN_BEFORE


@pytest.mark.parametrize("way", ["events_up", "export", "preview_same", "events_preview_same"])
def test_once_it_exists_unknowns_resolve_and_nothing_else_changes(way, rules, engine, tmp_path):
    said = split(StackCheck(rules, engine).judge_graph(read(way, tmp_path)))
    assert of_three_rules(said[Outcome.FAIL]) == FAILS
    assert of_three_rules(said[Outcome.UNKNOWN]) == UNKNOWN_AFTER


@pytest.mark.parametrize("way", ["preview_new", "events_preview_new"])
def test_a_program_and_its_preview_pass_in_the_same_places(way, rules, engine, tmp_path):
    check = StackCheck(rules, engine)
    program = split(check.judge_graph(read("program", tmp_path)))
    assert split(check.judge_graph(read(way, tmp_path))) == program


@pytest.mark.parametrize("way", ["events_up", "export", "preview_same", "events_preview_same"])
def test_no_rule_swaps_pass_and_fail_once_it_exists(way, rules, engine, tmp_path):
    check = StackCheck(rules, engine)
    before = split(check.judge_graph(read("program", tmp_path)))
    after = split(check.judge_graph(read(way, tmp_path)))
    assert not before[Outcome.FAIL] & (after[Outcome.PASS] - after[Outcome.FAIL])
    assert not (before[Outcome.PASS] - before[Outcome.FAIL]) & after[Outcome.FAIL]


@pytest.mark.parametrize("way", ["preview_new", "events_preview_new"])
def test_every_way_shows_the_same_inputs_but_for_what_providers_fill_in(way, tmp_path):
    filled_in = {"name", "bucket", "tagsAll", "version", "workspaceName", "resourceGroupName"}
    program = read("program", tmp_path).by_urn
    other = read(way, tmp_path)
    declared = {
        resource.urn: resource for resource in other.resources if "default_" not in resource.urn
    }
    assert declared.keys() == program.keys()
    for urn, resource in declared.items():
        mine = program[urn]
        for key in (mine.properties.keys() | resource.properties.keys()) - filled_in:
            if not is_known_to_provider(mine.properties.get(key), resource.properties.get(key)):
                assert mine.properties.get(key) == resource.properties.get(key), key
        assert (mine.protect, mine.parent) == (resource.protect, resource.parent)
        if way == "preview_new":  # an event log tells neither
            assert mine.ignore_changes == resource.ignore_changes
            # Where a stack is said as a whole only a program tells.
            assert mine.source == resource.source or resource.type == STACK_TYPE


def is_known_to_provider(mine, theirs):
    return mine == {"$unknown": True} and isinstance(theirs, str)


def play(calls, rules, engine):
    """Return what the pack says (resource and stack calls together) and the documents."""
    adapter = load_adapter()
    listening = Listening(engine)
    policies = {rule.id: adapter._build_policy(rule) for rule in rules.rules}
    servicer = adapter._build_servicer(StackCheck(rules, listening), rules, policies)(
        "tidegate", "0.1.0", list(policies.values()), adapter.EnforcementLevel.ADVISORY
    )
    said = {"fail": set(), "unknown": set()}
    for call in calls:
        request = json_format.ParseDict(call["request"], REQUESTS[call["call"]]())
        for each in getattr(getattr(servicer, call["call"])(request, None), "diagnostics", ()):
            line = each.message.splitlines()[1]
            if ": passes, but " not in line:
                kind = "unknown" if ": not known yet: " in line else "fail"
                said[kind].add((each.policyName, each.urn.rsplit("::", 1)[-1]))
    return said, listening.documents


@pytest.mark.parametrize(
    ("recording", "unknown"),
    [("pack_preview_new", UNKNOWN_BEFORE), ("pack_preview_same", UNKNOWN_AFTER)],
)
def test_the_pack_says_the_same(recording, unknown, rules, engine):
    calls = [json.loads(line) for line in (WAYS / f"{recording}.jsonl").read_text().splitlines()]
    said, documents = play(calls, rules, engine)
    found = {kind: of_three_rules(keys) for kind, keys in said.items()}
    assert found == {"fail": FAILS, "unknown": unknown}
    assert MARK in json.dumps(calls)
    assert MARK not in json.dumps(documents)


def test_a_preview_without_show_sames_is_recognised():
    preview = read_preview("p", load("preview_changes_only.json"))
    assert preview.hidden == 18
    assert not preview.graph.complete


def test_the_same_input_is_judged_in_the_same_order(rules, engine, tmp_path):
    check = StackCheck(rules, engine)
    graph = read("preview_new", tmp_path)
    assert check.judge_graph(graph) == check.judge_graph(graph)
