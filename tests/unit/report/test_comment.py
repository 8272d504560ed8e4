"""The comment is found again, and it fits."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tidegate.policy.graph import StackFacts
from tidegate.report.check_markdown import render_markdown
from tidegate.report.comment import build_marker, render_comment

MARKER = "<!-- tidegate-check: vision/prod -->"


def with_stacks(report, *stacks):
    (judgement,) = report.judgements
    judgements = tuple(replace(judgement, stack=StackFacts(*stack)) for stack in stacks)
    return replace(report, judgements=judgements)


def test_it_begins_with_its_marker_and_says_what_markdown_says(report):
    assert render_comment(report, 65_536) == f"{MARKER}\n{render_markdown(report)}"


def test_the_marker_is_of_the_stacks_in_any_order(report):
    one = with_stacks(report, ("vision", "prod"), ("vision", "dev"))
    other = with_stacks(report, ("vision", "dev"), ("vision", "prod"))
    marker = "<!-- tidegate-check: vision/dev, vision/prod -->"
    assert build_marker(one) == build_marker(other) == marker


def test_no_name_of_a_stack_ends_the_marker(report):
    odd = with_stacks(report, ("vi-->sion", "<b>--prod"))
    assert build_marker(odd) == "<!-- tidegate-check: vi-sion/-b-prod -->"


@pytest.mark.parametrize("findings", [10, 1000, 20_000])
def test_it_is_never_longer_than_the_forge_takes_and_keeps_the_count(report, findings):
    (judgement,) = report.judgements
    (first, *others) = judgement.findings
    long = replace(first, verdict=replace(first.verdict, message="ü" * 300))
    many = replace(judgement, findings=(*[long] * findings, *others))
    body = render_comment(replace(report, judgements=(many,)), 65_536)
    assert len(body.encode()) <= 65_536
    assert body.startswith(MARKER)
    assert f"{findings} × violation" in body


def test_what_cannot_fit_at_all_is_cut_and_says_so(report):
    body = render_comment(report, 200)
    assert len(body.encode()) <= 200
    assert body.startswith(MARKER)
    assert body.endswith("…the rest does not fit into a comment.\n")
