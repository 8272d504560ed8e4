"""One workspace a module: an `up` of the example takes long enough to be shared."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from support.workspace import Workspace, open_workspace

from tidegate.localclouds.lifecycle import stop_local_clouds


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    opened = open_workspace(tmp_path_factory.mktemp("project"))
    yield opened
    stop_local_clouds(opened.root / ".tidegate" / "local")
