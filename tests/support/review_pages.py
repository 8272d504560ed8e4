"""A commitment review to draw, of as many pools as wanted."""

from __future__ import annotations

from functools import cache
from io import StringIO

from support.focus import build_charge, read_charges, render_charges
from support.review_inputs import TODAY, build_pool, build_stack, build_usage_csv

from tidegate.catalog.load import load_catalog
from tidegate.manifest.read import read_manifest
from tidegate.review.commitments import CommitmentReview, ReviewInputs, build_commitment_review
from tidegate.review.sample import build_sample_usage
from tidegate.review.settings import ReviewSettings
from tidegate.review.usage_rows import parse_usage_csv


@cache
def build_small_review() -> CommitmentReview:
    """Return a review with charges, findings, assumed discounts and use of no stack."""
    used, remarks = parse_usage_csv("u.csv", StringIO(build_usage_csv()))
    charges = [build_charge(hour, CommitmentDiscountId="sp-9") for hour in range(48)]
    billed, _ = read_charges(render_charges(charges))
    manifest = read_manifest("stack", build_stack())
    inputs = ReviewInputs("u.csv", used, [manifest], billed, remarks=remarks)
    return build_commitment_review(inputs, load_catalog(), ReviewSettings(today=TODAY))


def build_short_review() -> CommitmentReview:
    """Return a review of three hours of one pool, of which nothing can be forecast."""
    lines = build_usage_csv(1).splitlines(keepends=True)[:13]
    used, remarks = parse_usage_csv("u.csv", lines)
    inputs = ReviewInputs("u.csv", used, remarks=remarks)
    return build_commitment_review(inputs, load_catalog(), ReviewSettings(today=TODAY))


def build_wide_review(pools: int) -> CommitmentReview:
    """Return a review of half a year of many pools, as wide as names may be."""
    declared = [
        build_pool(f"serve-a-model-with-a-long-name-{index:02}", "g6.12xlarge", declaredNodes="4")
        for index in range(pools)
    ]
    manifest = read_manifest("stack", build_stack(pools=declared, commitments=[]))
    used = build_sample_usage(manifest, TODAY, 26)
    inputs = ReviewInputs("u.csv", used, [manifest])
    return build_commitment_review(inputs, load_catalog(), ReviewSettings(today=TODAY))
