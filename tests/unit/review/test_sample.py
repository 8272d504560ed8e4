from __future__ import annotations

from datetime import timedelta

import pytest
from support.review_inputs import TODAY, build_pool, build_stack

from tidegate.catalog.load import load_catalog
from tidegate.manifest.read import read_manifest
from tidegate.review.commitments import ReviewInputs, build_commitment_review
from tidegate.review.sample import build_sample_usage, render_usage_csv
from tidegate.review.settings import ReviewSettings
from tidegate.review.usage_rows import parse_usage_csv
from tidegate.vocabulary.problems import InvalidInput


def test_a_review_of_the_sample_finds_what_was_put_into_it():
    manifest = read_manifest("stack", build_stack())
    used = build_sample_usage(manifest, TODAY, 6)
    settings = ReviewSettings(today=TODAY)
    found = build_commitment_review(
        ReviewInputs("sample", used, [manifest]), load_catalog(), settings
    )
    assert {each.id for each in found.inventory.findings} >= {
        "ending:ends-soon",
        "undeclared-use:undeclared-lab",
    }
    assert any(each.id.startswith("idle:") for each in found.inventory.findings)
    assert found.usage.simulated
    assert found.outlook is not None
    assert found.outlook.forecast.has_trend
    serve = found.outlook.forecast.rows["serve/g6.12xlarge"]
    assert 0.01 < serve.growth_a_week < 0.03
    assert serve.spread > 0
    assert serve.weekend_share == pytest.approx(0.6, abs=0.01)


def test_the_sample_has_whole_weeks_growth_and_a_weekly_shape():
    pool = build_pool("serve", "g6.12xlarge", declaredNodes="4")
    manifest = read_manifest("stack", build_stack(pools=[pool], commitments=[]))
    by_hour = {
        hour: nodes
        for hour, place, nodes in build_sample_usage(manifest, TODAY, 2).rows()
        if place.pool == "serve"
    }
    assert len(by_hour) == 336
    assert max(by_hour).date() == TODAY
    # TODAY is a Monday, so that the sample begins with a Tuesday.
    monday = min(by_hour) + timedelta(days=6, hours=12)
    assert monday.weekday() == 0
    assert by_hour[monday - timedelta(days=1)] < by_hour[monday]
    assert by_hour[monday] != by_hour[monday + timedelta(days=7)]


def test_no_pool_of_the_sample_is_larger_than_declared():
    pool = build_pool("serve", "g6.12xlarge", declaredNodes="4", maxNodes=4)
    manifest = read_manifest("stack", build_stack(pools=[pool], commitments=[]))
    rows = build_sample_usage(manifest, TODAY, 2).rows()
    assert max(nodes for _, place, nodes in rows if place.pool == "serve") == 4_000_000


def test_the_file_of_a_sample_states_the_sample():
    manifest = read_manifest("stack", build_stack())
    used = build_sample_usage(manifest, TODAY, 1)
    read, remarks = parse_usage_csv("sample", render_usage_csv(used))
    assert sorted(read.rows(), key=str) == sorted(used.rows(), key=str)
    assert (read.simulated, remarks) == (True, [])


def test_a_stack_without_pools_has_no_sample():
    manifest = read_manifest("stack", build_stack(pools=[], commitments=[]))
    with pytest.raises(InvalidInput, match="declares no pool to use"):
        build_sample_usage(manifest, TODAY, 1)
