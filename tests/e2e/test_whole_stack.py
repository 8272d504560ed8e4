"""Every component on every cloud, up and down again; what was bought outlives the stack."""

from __future__ import annotations

import pytest
import tidegate_components
from support.workspace import Workspace

from tidegate.engine.stack import Options

pytestmark = pytest.mark.slow

STACK = "prod"
COMMITMENTS = {
    "aws:ec2/capacityReservation:CapacityReservation",
    "gcp:compute/reservation:Reservation",
    "azure-native:compute:CapacityReservationGroup",
    "azure-native:compute:CapacityReservation",
}


def test_every_component_comes_up_on_every_cloud(workspace: Workspace) -> None:
    result = workspace.up(STACK)

    assert result.succeeded, result.explain()
    assert [found.message for found in result.violations if found.level == "mandatory"] == []
    clouds: dict[str, set[str]] = {}
    for resource in workspace.runner.export(STACK)["deployment"]["resources"]:
        component = resource["type"].rpartition(":")[2]
        if resource["type"].startswith("tidegate:") and component != "ExistingPool":
            (bound, *_) = [*resource["outputs"]["bindings"].values()]
            clouds.setdefault(component, set()).add(bound["cloud"])
    assert clouds == {
        name: {"aws", "gcp", "azure"}
        for name in tidegate_components.__all__
        # The one declares nothing in any cloud; the other needs an image and a token of one's own.
        if name not in ("ExistingPool", "Controller")
    }


def test_a_second_up_changes_nothing(workspace: Workspace) -> None:
    result = workspace.up(STACK)

    assert result.succeeded, result.explain()
    assert set(result.changes) == {"same"}


def test_a_destroy_leaves_what_was_bought_and_nothing_else(workspace: Workspace) -> None:
    result = workspace.runner.destroy(STACK, Options(exclude_protected=True))

    assert result.succeeded, result.explain()
    left = {resource["type"] for resource in workspace.custom_resources(STACK)}
    assert left >= COMMITMENTS
    assert left - COMMITMENTS <= {"azure-native:resources:ResourceGroup"}
