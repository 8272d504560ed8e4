"""A change of a stack whose manifest declares facts: where it is not shown, they are unknown."""

from __future__ import annotations

import json
import os
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from google.protobuf import json_format
from pulumi.runtime.proto import analyzer_pb2
from support.ways_in import load_adapter

from tidegate.catalog.load import load_catalog
from tidegate.engine.collecting import Settings, collect_program
from tidegate.engine.config import read_project
from tidegate.policy.check import StackCheck
from tidegate.policy.collected import read_collected
from tidegate.policy.event_log import read_event_log
from tidegate.policy.export import read_export
from tidegate.policy.preview import read_preview
from tidegate.vocabulary.verdicts import Outcome

HERE = Path(__file__).resolve().parent
RECORDED = HERE / "data" / "declared"
WAYS = ("program", "events_preview", "events_up", "export")

FAILS = {
    ("TG-SPT-001", "lingers"),
    ("TG-SPT-002", "suffers"),
    ("TG-SPT-003", "forgets"),
    ("TG-SCL-002", "unowned"),
    ("TG-SCL-005", "recorded-dev"),
    ("TG-STO-002", "tmp-parts"),
    ("TG-CMT-003", "endless"),
}
PASSES = {
    ("TG-SPT-001", "base"),
    ("TG-SPT-003", "saves"),
    ("TG-SCL-002", "chat"),
    ("TG-CMT-003", "kept"),
    ("TG-TEL-002", "recorded-dev"),
}
SILENT = {("TG-SPT-002", "bears-it"), ("TG-STO-002", "tmp-corpus")}
"""What the manifest takes out of a rule's reach."""


@pytest.fixture(scope="module")
def said(rules, engine, tmp_path_factory):
    """Return what tells, of a way, the outcome of each rule on each resource."""
    check = StackCheck(rules, engine, load_catalog(), "2026-11-30")
    return lambda graph: classify(check.judge_graph(graph))


def classify(verdicts):
    found = {}
    for verdict in verdicts:
        key = (verdict.rule, verdict.urn.rsplit("::", 1)[-1])
        found.setdefault(key, set()).add(verdict.outcome)
    return found


def having(said, outcome):
    return {key for key, outcomes in said.items() if outcome in outcomes}


def read(way, folder):
    if way == "program":
        (folder / "Pulumi.yaml").write_text("name: recorded\nruntime: python\n")
        config = "config:\n  aws:region: us-east-1\n  gcp:project: p\n  recorded:most: 3\n"
        (folder / "Pulumi.dev.yaml").write_text(config + "  recorded:environment: prod\n")
        shutil.copy(HERE / "recorder" / "declared_program.py", folder / "__main__.py")
        document = collect_program(read_project(folder), Settings("dev"), os.environ)
        return read_collected(way, document)
    if way == "preview":
        return read_preview(way, json.loads((RECORDED / "preview.json").read_text())).graph
    if way.startswith("events"):
        return read_event_log(way, (RECORDED / f"{way}.jsonl").read_text()).graph
    return read_export(way, json.loads((RECORDED / "export.json").read_text()), "prod")


@pytest.mark.parametrize("way", WAYS)
def test_what_the_manifest_declares_is_judged_where_it_is_shown(way, said, tmp_path):
    found = said(read(way, tmp_path))
    told = FAILS | PASSES | SILENT
    assert having(found, Outcome.FAIL) & told == FAILS
    assert having(found, Outcome.PASS) & told == PASSES
    assert having(found, Outcome.UNKNOWN) & told == set()


def test_a_preview_that_hides_the_manifest_fails_and_passes_none_of_it(said, tmp_path):
    found = said(read("preview", tmp_path))
    told = FAILS | PASSES | SILENT
    assert having(found, Outcome.UNKNOWN) & told == told


def test_a_preview_with_the_manifest_says_what_an_event_log_does(said, tmp_path):
    events = read("events_preview", tmp_path)
    preview = replace(read("preview", tmp_path), manifest=events.manifest, manifest_hidden=False)
    assert said(preview) == said(events)


@pytest.mark.parametrize("way", WAYS)
def test_no_rule_swaps_pass_and_fail_between_a_preview_and(way, said, tmp_path):
    preview, other = said(read("preview", tmp_path)), said(read(way, tmp_path))
    for one, two in ((preview, other), (other, preview)):
        assert not having(one, Outcome.FAIL) & (
            having(two, Outcome.PASS) - having(two, Outcome.FAIL)
        )
        assert having(one, Outcome.FAIL) <= having(two, Outcome.FAIL) | having(two, Outcome.UNKNOWN)


def test_the_pack_says_the_same_at_the_end_of_a_preview(rules, engine):
    check, adapter = StackCheck(rules, engine, load_catalog(), "2026-11-30"), load_adapter()
    check.configure_stack("recorded", "dev", "prod")
    verdicts = []
    for line in (RECORDED / "pack_preview.jsonl").read_text().splitlines():
        call = json.loads(line)
        if call["call"] == "Analyze":
            request = json_format.ParseDict(call["request"], analyzer_pb2.AnalyzeRequest())
            verdicts += check.judge_resource(adapter._read_resource(request))
        elif call["call"] == "AnalyzeStack":
            stack = json_format.ParseDict(call["request"], analyzer_pb2.AnalyzeStackRequest())
            verdicts += check.judge_stack(map(adapter._read_resource, stack.resources))
    found, told = classify(verdicts), FAILS | PASSES | SILENT
    assert having(found, Outcome.FAIL) & told == FAILS
    assert having(found, Outcome.UNKNOWN) & told == set()
