"""The cost of a change through the command, whichever way in tells the two states."""

from __future__ import annotations

import json
from decimal import Decimal

import pytest
from support import changes

from tidegate.cli.check_inputs import NOT_DECLARED
from tidegate.policy.stack_cost import EXPORTED_NONE, NOT_COMPARED, NOT_SHOWN

BEFORE, AFTER = changes.manifest(), changes.manifest(declaredNodes="3", maxNodes=8)
PROGRAM = """
import json
import pulumi
import pulumi_aws as aws

aws.s3.Bucket("data", tags=json.loads({labels!r}))
pulumi.export("capacity", json.loads({capacity!r}))
"""


@pytest.fixture
def written(tmp_path):
    def write(name, text):
        path = tmp_path / name
        path.write_text(text if isinstance(text, str) else json.dumps(text))
        return path

    return write


@pytest.fixture
def program(tmp_path):
    folder = tmp_path / "program"
    folder.mkdir()
    (folder / "Pulumi.yaml").write_text("name: vision\nruntime: python\n")
    (folder / "Pulumi.prod.yaml").write_text("config: {}\n")
    texts = {"labels": json.dumps(changes.LABELS), "capacity": json.dumps(AFTER)}
    (folder / "__main__.py").write_text(PROGRAM.format(**texts))
    return folder


@pytest.fixture
def cost_of(tidegate):
    def ask(*arguments):
        code, out, err = tidegate("check", *arguments, "--format", "json")
        assert (code, err) == (0, "")
        (stack,) = json.loads(out)["stacks"]
        return stack["cost"]

    return ask


@pytest.fixture
def ways(written, program):
    export = ("--before", written("export.json", changes.export(BEFORE)))
    preview = written("preview.json", changes.preview(BEFORE))
    return {
        "events": ("--events", written("events.jsonl", changes.events(BEFORE, AFTER))),
        "program and export": ("--program", program, *export),
        "program and preview": ("--program", program, "--before", preview),
        "program and manifest": ("--program", program, "--before", written("b.json", BEFORE)),
        "preview and program": ("--preview", preview, "--declared", program),
        "preview and manifest": ("--preview", preview, "--declared", written("a.json", AFTER)),
        "export and outputs": (
            *("--export", written("after.json", changes.export(AFTER))),
            *("--before", written("outputs.json", {"capacity": BEFORE})),
        ),
    }


def test_every_way_to_tell_the_two_states_comes_to_the_same_cost(ways, cost_of):
    found = {name: cost_of(*arguments) for name, arguments in ways.items()}
    first = found["events"]
    assert {name: cost == first for name, cost in found.items()} == dict.fromkeys(found, True)
    total = {key: Decimal(value) for key, value in first["totals"]["USD"]["change"].items()}
    node = Decimal(first["totals"]["USD"]["after"]["expected"]) / 3
    assert total == {
        "minimum": 0,
        "expected": node,
        "maximum": 4 * node,
        "allOnDemand": node,
    }


def test_a_new_stack_costs_all_of_itself_more(written, cost_of):
    cost = cost_of("--events", written("e.jsonl", changes.events(None, AFTER)))
    assert cost["totals"]["USD"]["change"] == cost["totals"]["USD"]["after"]


def test_an_empty_export_is_a_stack_that_costs_nothing_yet(program, written, cost_of):
    for resources in ({}, {"resources": None}, {"resources": []}):
        empty = written("empty.json", {"version": 3, "deployment": resources})
        cost = cost_of("--program", program, "--before", empty)
        assert cost["totals"]["USD"]["change"] == cost["totals"]["USD"]["after"]


def test_an_export_of_a_part_is_of_a_stack_that_exists(program, written, cost_of):
    part = {"deployment": {"resources": changes.states(BEFORE)[1:]}}
    cost = cost_of("--program", program, "--before", written("part.json", part))
    assert (cost["compared"], cost["reason"]) == (False, EXPORTED_NONE)


def test_what_is_missing_is_said_and_fails_nothing(program, written, cost_of):
    alone = cost_of("--program", program)
    assert (alone["compared"], alone["reason"]) == (False, NOT_COMPARED)
    preview = cost_of("--preview", written("preview.json", changes.preview(BEFORE)))
    assert preview == {"known": False, "reason": NOT_SHOWN}


def test_rules_without_the_manifest_of_a_preview_are_said_to_have_judged_so(
    ways, written, tidegate
):
    preview = written("preview.json", changes.preview(BEFORE))
    _, out, _ = tidegate("check", "--preview", preview)
    assert f"note: prod: {NOT_DECLARED}" in out
    new = json.loads(changes.preview(BEFORE))
    pool = f"{changes.STACK.rpartition('pulumi:pulumi')[0]}tidegate:index:GpuNodePool::train"
    new["steps"] = [
        {"op": "create", "urn": state["urn"], "newState": state}
        for state in (*changes.states(None), {"urn": pool, "type": "tidegate:index:GpuNodePool"})
    ]
    assert NOT_DECLARED in tidegate("check", "--preview", written("new.json", new))[1]
    for name in ("preview and program", "preview and manifest", "events"):
        assert NOT_DECLARED not in tidegate("check", *ways[name])[1]


def test_nobody_has_to_see_the_cost(ways, cost_of):
    assert cost_of(*ways["events"], "--no-cost") is None


def test_prices_of_ones_own_go_first(ways, written, cost_of):
    overlay = written(
        "prices.yaml",
        "version: tidegate/prices/v1\nprices:\n"
        "- {cloud: gcp, region: us-central1, instanceType: a3-highgpu-8g, "
        "capacityType: on-demand, perHour: '10', origin: contract, asOf: 2026-11-01}\n",
    )
    cost = cost_of(*ways["events"], "--overlay", overlay)
    assert cost["totals"]["USD"]["change"]["expected"] == "7300"
    assert [(each["origin"], each["negotiated"]) for each in cost["prices"]] == [("contract", True)]


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("none.json", "[]", "tells no state of a stack"),
        ("none.json", {"version": "tidegate/other/v1"}, "tells no state of a stack"),
        ("cut.json", changes.export(BEFORE)[:90], "is truncated"),
        ("steps.json", {"changeSummary": {}}, "shows no step of the stack itself"),
        ("odd.json", {"changeSummary": {}, "steps": 5}, "shows no step of the stack itself"),
        ("other.json", {**BEFORE, "stack": "dev"}, "is of no stack of the check"),
    ],
)
def test_a_state_before_that_is_none_is_refused(program, written, tidegate, name, text, said):
    code, out, err = tidegate("check", "--program", program, "--before", written(name, text))
    assert (code, out) == (2, "")
    assert said in err


def test_a_stack_is_not_told_twice(program, written, tidegate):
    before = written("b.json", BEFORE)
    code, _, err = tidegate("check", "--program", program, "--before", before, "--before", before)
    assert (code, "is told twice" in err) == (2, True)


@pytest.mark.parametrize(
    ("declared", "said"),
    [
        ({**AFTER, "stack": "dev"}, "is of another stack"),
        ({"other": 1}, "tells no manifest"),
        ("[]", "tells no manifest"),
    ],
)
def test_a_manifest_behind_a_preview_that_is_none_is_refused(written, tidegate, declared, said):
    preview = written("preview.json", changes.preview(BEFORE))
    path = written("declared.json", declared)
    code, out, err = tidegate("check", "--preview", preview, "--declared", path)
    assert (code, out) == (2, "")
    assert said in err


def test_a_program_behind_a_preview_is_of_its_project(program, written, tidegate):
    (program / "Pulumi.yaml").write_text("name: other\nruntime: python\n")
    preview = written("preview.json", changes.preview(BEFORE))
    code, _, err = tidegate("check", "--preview", preview, "--declared", program)
    assert (code, "is another project" in err) == (2, True)


def test_a_program_needs_nothing_behind_it(program, written, tidegate):
    path = written("a.json", AFTER)
    code, _, err = tidegate("check", "--program", program, "--declared", path)
    assert (code, "a program shows its own" in err) == (2, True)


def test_machines_of_plain_resources_are_priced_where_there_is_no_manifest(written, cost_of):
    urn = "urn:pulumi:prod::vision::aws:ec2/instance:Instance::box"
    kind = {"urn": urn, "type": "aws:ec2/instance:Instance", "custom": True}

    def box(name):
        return {**kind, "inputs": {"instanceType": name, "tags": changes.LABELS}}

    stack = {"urn": changes.STACK, "type": "pulumi:pulumi:Stack"}
    steps = [
        {"op": "same", "urn": changes.STACK, "oldState": stack, "newState": stack},
        {"op": "update", "urn": urn, "oldState": box("g6.xlarge"), "newState": box("g6.2xlarge")},
    ]
    document = {"config": {"aws:region": "us-east-1"}, "steps": steps, "changeSummary": {}}
    path = written("plain.json", document)
    cost = cost_of("--preview", path, "--fail-level", "never")
    (line,) = cost["lines"]
    assert (line["id"], line["changed"], cost["compared"]) == ("Instance box", True, True)
    assert Decimal(line["change"]["expected"]) > 0
    assert "only machines are priced" in cost["notes"][0]
