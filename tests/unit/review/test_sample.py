from __future__ import annotations

from datetime import timedelta
from decimal import Decimal

import pytest
from support.review_inputs import TODAY, build_pool, build_stack

from tidegate.catalog.load import load_catalog
from tidegate.manifest.read import read_manifest
from tidegate.review.commitments import ReviewSettings, build_commitment_review
from tidegate.review.sample import build_sample_usage
from tidegate.review.usage_rows import parse_usage_csv
from tidegate.vocabulary.problems import InvalidInput


def test_a_review_of_the_sample_finds_what_was_put_into_it():
    manifest = read_manifest("stack", build_stack())
    rows, remarks = parse_usage_csv("sample", build_sample_usage(manifest, TODAY, 6))
    settings = ReviewSettings(today=TODAY)
    found = build_commitment_review("sample", rows, [manifest], load_catalog(), settings, remarks)
    assert {each.id for each in found.inventory.findings} >= {
        "ending:ends-soon",
        "undeclared-use:undeclared-lab",
    }
    assert any(each.id.startswith("idle:") for each in found.inventory.findings)
    assert found.usage.simulated
    assert found.outlook is not None
    assert found.outlook.forecast.has_trend
    assert found.outlook.forecast.rows["serve/g6.12xlarge"].slope > 0


def test_the_sample_has_whole_weeks_growth_and_a_weekly_shape():
    manifest = read_manifest(
        "stack",
        build_stack(pools=[build_pool("serve", "g6.12xlarge", declaredNodes="4")], commitments=[]),
    )
    rows, _ = parse_usage_csv("sample", build_sample_usage(manifest, TODAY, 2))
    serve = [row for row in rows if row.pool == "serve"]
    assert len(serve) == 336
    assert serve[-1].hour.date() == TODAY
    by_hour = {row.hour: row.nodes or Decimal(0) for row in serve}
    # TODAY is a Monday, so that the sample begins with a Tuesday.
    monday = serve[0].hour + timedelta(days=6, hours=12)
    assert monday.weekday() == 0
    assert by_hour[monday - timedelta(days=1)] < by_hour[monday]
    assert by_hour[monday] < by_hour[monday + timedelta(days=7)]


def test_a_stack_without_pools_has_no_sample():
    manifest = read_manifest("stack", build_stack(pools=[], commitments=[]))
    with pytest.raises(InvalidInput, match="declares no pool to use"):
        build_sample_usage(manifest, TODAY, 1)
