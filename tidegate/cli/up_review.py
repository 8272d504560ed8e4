"""The commitment review at the end of the main job: what the stack declares, on sample use."""

from __future__ import annotations

from datetime import date
from pathlib import Path

from tidegate.catalog.catalog import Catalog
from tidegate.manifest.model import Manifest

PAGE = "commitments.html"
USAGE = "sample-usage.csv"
WEEKS = 8


def write_sample_review(
    manifest: Manifest, catalog: Catalog, folder: Path, today: date
) -> Path | None:
    """Write the review of a stack on use made from what it declares; return its page.

    None where the stack declares no pool, or `tidegate[review]` is not installed. The use lies
    beside the page, so that `tidegate review explain` shows what is behind its numbers.
    """
    if not manifest.pools:
        return None
    try:
        from tidegate.report.commitments import render_review_html
        from tidegate.review.commitments import ReviewInputs, build_commitment_review
        from tidegate.review.sample import build_sample_usage, render_usage_csv
        from tidegate.review.settings import ReviewSettings
    except ModuleNotFoundError:
        return None
    used = build_sample_usage(manifest, today, WEEKS)
    inputs = ReviewInputs(str(folder / USAGE), used, [manifest])
    review = build_commitment_review(inputs, catalog, ReviewSettings(today=today))
    folder.mkdir(parents=True, exist_ok=True)
    _write(folder / USAGE, "".join(render_usage_csv(used)))
    _write(folder / PAGE, render_review_html(review))
    return folder / PAGE


def _write(path: Path, text: str) -> None:
    """Replace a file as a whole, so that nobody reads half of it."""
    draft = path.with_suffix(".draft")
    draft.write_text(text, encoding="utf-8")
    draft.replace(path)
