"""A floor that a commitment pays for passes, one above it does not: by the real CLI and pack.

The tests of this module share one stack and build on each other in the order of the file.
"""

from __future__ import annotations

from typing import Any

import pytest
from support.workspace import Workspace

from tidegate.engine.results import Outcome

pytestmark = pytest.mark.slow

STACK = "dev"
UNITS = 1
RULE = "TG-SCL-001"
COMMITMENT = {
    "cloud": "aws",
    "zone": "us-east-1b",
    "instanceType": "g6.12xlarge",
    "units": UNITS,
    "acknowledge": {"hourlyAmount": "6", "currency": "USD", "endDate": "2027-06-30"},
    "workloadClass": "inference",
}
POOL = {
    "cloud": "aws",
    "accelerator": "l4",
    "instanceTypes": ["g6.12xlarge"],
    "zones": ["us-east-1b"],
    "capacityType": "reserved",
    "reservation": "kept-aws-l4",
    "maxNodes": 2,
    "scaler": "tidegate",
    "workloadClass": "inference",
}


def keep(workspace: Workspace, nodes: int) -> None:
    """Declare a reserved pool that never has fewer nodes."""

    def change(config: dict[str, Any]) -> None:
        config["tidegate:hourlyCeiling"]["amount"] = "100"
        config["tidegate:commitments"] = {"kept-aws-l4": COMMITMENT}
        floor = {"minNodes": nodes, "declaredNodes": nodes}
        config["tidegate:pools"]["serve"] = {**POOL, **floor}

    workspace.configure(STACK, change)


def test_a_floor_above_the_commitment_is_refused(workspace: Workspace) -> None:
    keep(workspace, UNITS + 1)
    result = workspace.up(STACK)
    assert result.outcome is Outcome.POLICY_VIOLATION, result.explain()
    (found,) = [found for found in result.violations if found.policy == RULE]
    assert (found.level, found.urn.rsplit("::", 1)[-1]) == ("mandatory", "serve")
    assert "more accelerated nodes running than its reservation pays for" in found.message
    assert workspace.custom_resources(STACK) == []


def test_a_floor_within_the_commitment_passes_before_and_after_it_exists(
    workspace: Workspace,
) -> None:
    keep(workspace, UNITS)
    for run in (workspace.preview, workspace.up, workspace.up):
        result = run(STACK)
        assert result.succeeded, result.explain()
        assert [found.message for found in result.violations if found.policy == RULE] == []
    assert set(result.changes) == {"same"}
