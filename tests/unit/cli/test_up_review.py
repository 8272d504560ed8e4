from __future__ import annotations

import sys
from pathlib import Path

import pytest
from support.review_inputs import TODAY, build_stack

from tidegate.catalog.load import load_catalog
from tidegate.cli.review_inputs import read_usage
from tidegate.cli.up_review import PAGE, USAGE, write_sample_review
from tidegate.manifest.read import read_manifest


def test_the_page_and_the_use_behind_it_are_written(tmp_path: Path):
    folder = tmp_path / "reviews"
    manifest = read_manifest("stack", build_stack())
    page = write_sample_review(manifest, load_catalog(), folder, TODAY)
    assert page == folder / PAGE
    text = page.read_text(encoding="utf-8")
    for part in ("The use is simulated", "idle:", "ending:ends-soon", "undeclared-use:"):
        assert part in text
    used, remarks = read_usage(folder / USAGE)
    assert (used.simulated, remarks) == (True, [])
    assert sorted(path.name for path in folder.iterdir()) == [PAGE, USAGE]


def test_without_the_extra_there_is_no_review(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "tidegate.report.commitments", None)
    manifest = read_manifest("stack", build_stack())
    assert write_sample_review(manifest, load_catalog(), tmp_path, TODAY) is None
    assert list(tmp_path.iterdir()) == []


def test_a_stack_without_pools_has_no_review(tmp_path: Path):
    manifest = read_manifest("stack", build_stack(pools=[], commitments=[]))
    assert write_sample_review(manifest, load_catalog(), tmp_path, TODAY) is None
    assert list(tmp_path.iterdir()) == []
