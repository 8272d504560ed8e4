"""Scale sets and fleets by Azure's own SDKs: their machines, priorities and sizes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from azure.core.exceptions import HttpResponseError
from azure.mgmt.compute import ComputeManagementClient
from azure.mgmt.computefleet import ComputeFleetMgmtClient
from support.azure_types import (
    FLEET,
    GPU_SIZE,
    GROUP,
    INPUTS,
    SCALE_SET,
    SCALE_SET_ID,
    SETTINGS,
    SUBSCRIPTION,
    TAGS,
    build_on,
    change,
)

from tidegate.localclouds.azure.cloud import build_azure_cloud
from tidegate.localclouds.contracts import Cloud, World


@pytest.fixture
def cloud(world: World) -> Cloud:
    return build_azure_cloud(world)


@pytest.fixture
def options(
    cloud: Cloud,
    serve: Callable[[Cloud], str],
    build_azure_options: Callable[..., dict[str, Any]],
) -> dict[str, Any]:
    return build_azure_options(serve(cloud), SUBSCRIPTION)


@pytest.fixture
def engine(cloud: Cloud, world: World, make_engine: Any) -> Any:
    made = make_engine(cloud, world, SETTINGS)
    made.up(GROUP, {"resourceGroupName": "ml"}, "group")
    return made


def make(engine: Any, token: str) -> Any:
    """Make a type and what it stands on."""
    build_on(engine, token)
    return engine.up(token, INPUTS[token])


def test_priority_mix_keeps_its_floor_regular(options: dict[str, Any], engine: Any) -> None:
    made = make(engine, SCALE_SET)
    compute = ComputeManagementClient(**options)
    sets, machines = compute.virtual_machine_scale_sets, compute.virtual_machines
    mixes = {}
    for capacity in (1, 2, 5, 3, 0):
        sets.begin_update("ml", "spot", {"sku": {"capacity": capacity}}).result()
        found = list(machines.list("ml"))
        instances = list(compute.virtual_machine_scale_set_vms.list("ml", "spot"))
        assert [each.instance_id for each in instances] == [each.name for each in found]
        priorities = [each.priority for each in found]
        mixes[capacity] = (priorities.count("Regular"), priorities.count("Spot"))
    # A base of 1, and half of what is above it.
    assert mixes == {0: (0, 0), 1: (1, 0), 2: (2, 0), 3: (2, 1), 5: (3, 2)}
    assert engine.refresh(SCALE_SET, made)["sku"]["capacity"] == 0


def test_flexible_machines_are_virtual_machines(options: dict[str, Any], engine: Any) -> None:
    build_on(engine, SCALE_SET)
    sku = {"name": GPU_SIZE, "capacity": 2}
    engine.up(SCALE_SET, change(SCALE_SET, sku=sku, priorityMixPolicy=None))
    compute = ComputeManagementClient(**options)
    first, second = list(compute.virtual_machines.list("ml"))
    read = compute.virtual_machines.get("ml", first.name)
    assert (read.priority, read.eviction_policy, read.hardware_profile.vm_size) == (
        "Spot",
        "Delete",
        GPU_SIZE,
    )
    assert read.virtual_machine_scale_set.id == SCALE_SET_ID
    assert [each.zones for each in (first, second)] == [["1"], ["2"]]
    assert len(list(compute.virtual_machines.list_all())) == 2


def test_instance_mix_takes_the_first_by_rank(options: dict[str, Any], engine: Any) -> None:
    build_on(engine, SCALE_SET)
    sizes = [{"name": "Standard_NC48ads_A100_v4", "rank": 1}, {"name": GPU_SIZE, "rank": 0}]
    mix = {"allocationStrategy": "Prioritized", "vmSizes": sizes}
    inputs = change(SCALE_SET, sku={"name": "Mix", "capacity": 1}, skuProfile=mix)
    made = engine.up(SCALE_SET, inputs)
    assert engine.refresh(SCALE_SET, made) == made.inputs
    compute = ComputeManagementClient(**options)
    profile = compute.virtual_machine_scale_sets.get("ml", "spot").sku_profile
    assert (profile.allocation_strategy, profile.vm_sizes[1].rank) == ("Prioritized", 0)
    (machine,) = compute.virtual_machines.list("ml")
    assert machine.hardware_profile.vm_size == GPU_SIZE


def test_fleets(options: dict[str, Any], engine: Any) -> None:
    made = make(engine, FLEET)
    fleets = ComputeFleetMgmtClient(**options).fleets
    read = fleets.get("ml", "train")
    assert (read.zones, read.tags) == (["1"], TAGS)
    spot = read.properties.spot_priority_profile
    assert (spot.capacity, spot.min_capacity, spot.maintain) == (3, 1, False)
    assert read.properties.vm_sizes_profile[0].name == GPU_SIZE
    machines = list(fleets.list_virtual_machines("ml", "train"))
    assert sorted(each.priority for each in machines) == ["Regular", "Spot", "Spot", "Spot"]
    patch = {"properties": {"spotPriorityProfile": {"capacity": 1}}}
    fleets.begin_update("ml", "train", patch).result()
    assert len(list(fleets.list_virtual_machines("ml", "train"))) == 2
    assert engine.refresh(FLEET, made)["spotPriorityProfile"]["capacity"] == 1
    least = {"properties": {"spotPriorityProfile": {"minCapacity": 0}}}
    with pytest.raises(HttpResponseError, match="minCapacity"):
        fleets.begin_update("ml", "train", least).result()
