from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal

import pytest

from tidegate.catalog.load import load_catalog
from tidegate.manifest.model import Manifest
from tidegate.scaling.offerings import CommittedCapacity, NodeRoom
from tidegate.scaling.supply import build_offerings, build_pools, is_of_family
from tidegate.vocabulary.capacity import CapacityType

POOL = {
    "id": "train",
    "cloud": "gcp",
    "region": "us-central1",
    "zones": ["us-central1-a", "us-central1-c"],
    "kind": "gke-node-pool",
    "cluster": "main",
    "accelerator": "h100-80gb",
    "accelerators_per_node": 8,
    "instance_types": ["a3-highgpu-8g"],
    "capacity_type": "spot",
    "min_nodes": 0,
    "max_nodes": 4,
    "boot_seconds": 300,
    "labels": {},
    "interruption_tolerance": "tolerant",
    "workload_classes": ["training"],
    "scaler": "tidegate",
}


@pytest.fixture(scope="module")
def catalog():
    return load_catalog()


def manifest(*pools, **sections) -> Manifest:
    return Manifest.model_validate(
        {"project": "p", "stack": "s", "catalog_digest": "sha256:0", "pools": pools, **sections}
    )


def test_a_pool_offers_each_machine_in_each_zone_at_its_catalog_price(catalog):
    found = build_offerings(manifest(POOL), catalog)
    price = catalog.price("gcp", "us-central1", "a3-highgpu-8g", "spot")
    assert [(o.id, o.zone, o.per_hour, o.boot_seconds) for o in found.offerings] == [
        ("train/a3-highgpu-8g/us-central1-a", "us-central1-a", price.per_hour.amount, 300),
        ("train/a3-highgpu-8g/us-central1-c", "us-central1-c", price.per_hour.amount, 300),
    ]


def test_the_declared_shape_is_what_a_node_has(catalog):
    machine = catalog.instance_type("gcp", "a3-highgpu-8g")
    (room,) = {o.room for o in build_offerings(manifest(POOL), catalog).offerings}
    memory = int(machine.memory_gib * 1024)
    assert room == NodeRoom("h100-80gb", 8, machine.vcpus * 1000, memory)


def test_shared_accelerators_count_for_each_client(catalog):
    sharing = {"strategy": "mig", "partition": "1g.10gb", "clients_per_accelerator": 7}
    found = build_offerings(manifest(POOL | {"sharing": sharing}), catalog)
    assert found.offerings[0].room.accelerators == 56


def test_a_machine_that_the_catalog_does_not_know_has_no_price_and_no_size(catalog):
    (found,) = build_offerings(
        manifest(POOL | {"instance_types": ["a9-giga"], "zones": []}), catalog
    ).offerings
    assert found.per_hour is None
    assert found.room == NodeRoom("h100-80gb", 8, None, None)


def test_a_price_in_another_currency_is_unknown(catalog):
    found = build_offerings(manifest(POOL), catalog, currency="EUR")
    assert {o.per_hour for o in found.offerings} == {None}


def test_reserved_nodes_cost_on_demand_beyond_their_commitment(catalog):
    reserved = POOL | {"capacity_type": "reserved", "reservation": "block", "zones": []}
    block = {
        "id": "block",
        "cloud": "gcp",
        "kind": "capacity-block",
        "units": 2,
        "end": "2027-01-01",
        "labels": {},
    }
    found = build_offerings(manifest(reserved, commitments=[block]), catalog)
    (offered,) = found.offerings
    price = catalog.price("gcp", "us-central1", "a3-highgpu-8g", "on-demand")
    assert (offered.per_hour, offered.commitment) == (price.per_hour.amount, "block")
    assert (offered.capacity_type, offered.commitment_weight) == (CapacityType.RESERVED, 1)
    end = datetime(2027, 1, 1, tzinfo=UTC)
    assert found.commitments == (CommittedCapacity("block", Decimal(2), end, evicts=True),)


def test_a_spot_pool_s_on_demand_part_is_priced_as_such(catalog):
    mixed = POOL | {"on_demand_base_nodes": 2, "on_demand_percent_above_base": 25, "zones": []}
    (found,) = build_offerings(manifest(mixed), catalog).offerings
    spot = catalog.price("gcp", "us-central1", "a3-highgpu-8g", "spot").per_hour.amount
    full = catalog.price("gcp", "us-central1", "a3-highgpu-8g", "on-demand").per_hour.amount
    assert found.per_hour == (spot * 75 + full * 25) / 100
    assert [found.price_of(place) for place in (0, 1, 2)] == [full, full, found.per_hour]


def test_a_commitment_of_an_amount_is_used_up_by_price(catalog):
    reserved = POOL | {"capacity_type": "reserved", "reservation": "plan", "zones": []}
    plan = {
        "id": "plan",
        "cloud": "gcp",
        "kind": "savings-plan",
        "hourly_amount": "100",
        "labels": {},
    }
    found = build_offerings(manifest(reserved, commitments=[plan]), catalog)
    assert found.offerings[0].commitment_weight == found.offerings[0].per_hour
    assert found.commitments == (CommittedCapacity("plan", Decimal(100)),)


def test_a_declared_quota_bounds_the_machines_of_its_family_and_purchase_option(catalog):
    quota = {
        "cloud": "gcp",
        "region": "us-central1",
        "family": "a3-highgpu",
        "capacity_type": "spot",
        "limit": 8,
    }
    on_demand = POOL | {"id": "od", "capacity_type": "on-demand"}
    found = build_offerings(manifest(POOL, on_demand, quotas=[quota]), catalog)
    assert found.quotas == {"gcp/us-central1/a3-highgpu/spot": 8}
    assert {(o.pool, o.quota) for o in found.offerings} == {
        ("train", "gcp/us-central1/a3-highgpu/spot"),
        ("od", ""),
    }


@pytest.mark.parametrize(
    ("machine", "family", "belongs"),
    [
        ("p5.48xlarge", "p5", True),
        ("p5en.48xlarge", "p5", False),
        ("a3-highgpu-8g", "a3-highgpu", True),
        ("a3-megagpu-8g", "a3-highgpu", False),
        ("Standard_ND96isr_H100_v5", "standardNDSH100v5Family", True),
        ("Standard_ND96asr_v4", "standardNDSH100v5Family", False),
        ("Standard_NC24ads_A100_v4", "StandardNCADSA100v4Family", True),
        ("Standard_NC24ads_A100_v4", "standardNDSH100v5Family", False),
    ],
)
def test_families_are_read_as_each_cloud_spells_them(machine, family, belongs):
    assert is_of_family(machine, family) is belongs


def test_what_a_pool_declares_reaches_the_decision(catalog):
    declared = POOL | {
        "taints": [
            {"key": "nvidia.com/gpu", "value": "present", "effect": "NoSchedule"},
            {"key": "cloud.google.com/gke-spot", "value": "true", "effect": "NoSchedule"},
            {"key": "team", "value": "a", "effect": "NoSchedule"},
            {"key": "soft", "value": "a", "effect": "PreferNoSchedule"},
        ],
        "node_labels": {"tidegate.dev/isolation": "dedicated"},
        "disruption_budget": {"max_unavailable_nodes": 2},
        "windows": [{"cron": "0 22 * * *", "time_zone": "UTC", "duration_seconds": 60}],
        "schedules": [{"cron": "0 8 * * *", "time_zone": "UTC", "min_nodes": 1, "max_nodes": 2}],
    }
    (found,) = build_pools(manifest(declared), catalog)
    assert (found.id, found.domain) == ("train", "gcp//us-central1/main")
    assert (found.taints, found.isolation, found.max_disrupted) == (("team",), "dedicated", 2)
    assert [(w.cron, w.duration_seconds) for w in found.windows] == [("0 22 * * *", 60)]
    assert [(s.min_nodes, s.max_nodes) for s in found.schedules] == [(1, 2)]
