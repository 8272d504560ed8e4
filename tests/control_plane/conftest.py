"""One stack over three clouds and three real clusters: what a user has, without the invoice."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import patch

import pytest
from support.control_plane import find_programs, run_clusters
from support.stage import Stage, Story, open_stage
from support.workspace import open_workspace

from tidegate.localclouds.lifecycle import stop_local_clouds

CLOUDS = ("aws", "gcp", "azure")


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    """Declare a small stack on local clouds, and start a cluster on each."""
    find_programs()
    workspace = open_workspace(tmp_path_factory.mktemp("project"))
    try:
        with (
            run_clusters(tmp_path_factory.mktemp("clusters"), CLOUDS) as clusters,
            patch.dict(os.environ),  # the controller points SDKs at the local clouds
        ):
            yield open_stage(workspace, clusters)
    finally:
        stop_local_clouds(workspace.root / ".tidegate" / "local")


@pytest.fixture
def story(stage: Stage, tmp_path: Path) -> Iterator[Story]:
    """A controller with a memory of its own; pools and clusters are empty again afterwards."""
    with Story(stage, tmp_path / "controller.db") as told:
        yield told
    stage.clear()
