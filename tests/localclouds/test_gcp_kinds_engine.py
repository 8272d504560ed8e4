"""Google's kinds as the engine meets them: no change twice, replacements, drift, no end."""

from __future__ import annotations

from typing import Any

import pytest

from tests.localclouds import gcp_inputs as given
from tidegate.localclouds.contracts import World
from tidegate.localclouds.gcp.cloud import build_gcp_cloud


@pytest.fixture
def engine(world: World, make_engine: Any) -> Any:
    made = make_engine(build_gcp_cloud(world), world, given.SETTINGS)
    given.declare_base(made)
    return made


@pytest.mark.parametrize("case", sorted(given.EVERY_KIND))
def test_second_up_and_refresh_show_no_change(engine: Any, case: str) -> None:
    token, inputs = given.EVERY_KIND[case]
    made = engine.up(token, inputs)
    assert engine.refresh(token, made) == made.inputs
    assert engine.diff(token, made, inputs).changes == []
    engine.destroy(token, made)
    assert engine.refresh(token, made) is None
