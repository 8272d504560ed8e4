"""What Azure refuses of fleets and of mixes of sizes and priorities, at the wrong property."""

from __future__ import annotations

from typing import Any

import pytest
from support.azure_types import FLEET, GPU_SIZE, SCALE_SET, SETTINGS, change, inside

from tidegate.localclouds.azure.cloud import build_azure_cloud
from tidegate.localclouds.contracts import World


@pytest.fixture
def engine(world: World, make_engine: Any) -> Any:
    return make_engine(build_azure_cloud(world), world, SETTINGS)


MIX = {"sku": {"name": "Mix", "capacity": 0}}
SIZES = [{"name": GPU_SIZE}, {"name": "Standard_NC48ads_A100_v4"}]

RULES: dict[str, tuple[str, dict[str, Any], str, str]] = {
    "fleet-without-priority": (
        FLEET, change(FLEET, spotPriorityProfile=None, regularPriorityProfile=None),
        "spotPriorityProfile", "needs a spot or a regular"),
    "fleet-below-its-least": (
        FLEET, inside(FLEET, "spotPriorityProfile", capacity=0), "spotPriorityProfile.minCapacity",
        "more than the capacity 0"),
    "fleet-of-an-unknown-size": (
        FLEET, change(FLEET, vmSizesProfile=[{"name": "Standard_NC25ads_A100_v4"}]),
        "vmSizesProfile[0].name", "not known"),
    "fleet-of-one-size-twice": (
        FLEET, change(FLEET, vmSizesProfile=[SIZES[0], SIZES[0]]), "vmSizesProfile[1].name",
        "given twice"),
    "fleet-rank": (
        FLEET, change(FLEET, vmSizesProfile=[{"name": GPU_SIZE, "rank": 1}]),
        "vmSizesProfile[0].rank", "Prioritized"),
    "mix-without-sizes": (SCALE_SET, change(SCALE_SET, **MIX), "skuProfile", "needs skuProfile"),
    "sizes-without-mix": (
        SCALE_SET, change(SCALE_SET, skuProfile={"vmSizes": SIZES}), "sku.name", "size Mix"),
    "mix-of-six": (
        SCALE_SET, change(SCALE_SET, **MIX, skuProfile={"vmSizes": SIZES * 3}),
        "skuProfile.vmSizes", "1 to 5 sizes"),
    "mix-rank": (
        SCALE_SET, change(SCALE_SET, **MIX, skuProfile={
            "vmSizes": [{"name": GPU_SIZE, "rank": 1}], "allocationStrategy": "LowestPrice"}),
        "skuProfile.vmSizes[0].rank", "Prioritized"),
    "priority-mix-of-regular": (
        SCALE_SET, change(SCALE_SET, virtualMachineProfile={"priority": "Regular"}),
        "priorityMixPolicy", "priority Spot"),
    "priority-mix-of-uniform": (
        SCALE_SET, change(SCALE_SET, orchestrationMode="Uniform"), "priorityMixPolicy",
        "orchestrationMode Flexible"),
    "share-above-all": (
        SCALE_SET, inside(SCALE_SET, "priorityMixPolicy", regularPriorityPercentageAboveBase=101),
        "priorityMixPolicy.regularPriorityPercentageAboveBase", "0 to 100"),
    "restore-of-regular": (
        SCALE_SET, change(SCALE_SET, priorityMixPolicy=None, spotRestorePolicy={"enabled": True},
                          virtualMachineProfile={"priority": "Regular"}),
        "spotRestorePolicy", "priority Spot"),
}  # fmt: skip


@pytest.mark.parametrize(("token", "inputs", "place", "words"), RULES.values(), ids=RULES)
def test_refused_at_the_property_that_is_wrong(
    engine: Any, token: str, inputs: dict[str, Any], place: str, words: str
) -> None:
    assert words in engine.refusals(token, inputs)[place]
