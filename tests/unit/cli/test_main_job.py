"""The main job's own small decisions."""

from __future__ import annotations

from pathlib import Path

from tidegate.cli.main_job import find_overlay, read_outputs
from tidegate.engine.config import read_project


def write_project(folder: Path, config: str) -> Path:
    (folder / "Pulumi.yaml").write_text("name: shop\nruntime: python\n")
    (folder / "Pulumi.dev.yaml").write_text(config)
    return folder


def test_a_stack_is_priced_with_the_overlay_that_its_configuration_names(tmp_path: Path) -> None:
    write_project(tmp_path, "config:\n  shop:catalogOverlay: prices/ours.yaml\n")
    assert find_overlay(read_project(tmp_path), "dev") == tmp_path / "prices" / "ours.yaml"


def test_a_stack_without_an_overlay_is_priced_with_the_shipped_catalog(tmp_path: Path) -> None:
    write_project(tmp_path, "config:\n  other:catalogOverlay: prices.yaml\n")
    assert find_overlay(read_project(tmp_path), "dev") is None


def test_outputs_are_those_of_the_stack_itself() -> None:
    resources = [
        {"type": "aws:s3/bucket:Bucket", "outputs": {"arn": "a"}},
        {"type": "pulumi:pulumi:Stack", "outputs": {"capacity": {"pools": []}}},
    ]
    assert read_outputs({"deployment": {"resources": resources}}) == {"capacity": {"pools": []}}
    assert read_outputs({"deployment": {}}) == {}
