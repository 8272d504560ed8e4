"""Pools and offerings of a manifest, priced by the catalog."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from decimal import Decimal

from tidegate.catalog.catalog import Catalog
from tidegate.catalog.model import InstanceType, UnknownPrice
from tidegate.manifest.model import Commitment, Manifest, Pool, Quota
from tidegate.pricing.nodes import price_of
from tidegate.scaling.fleet import BoundsSchedule, PoolSupply, TimeWindow
from tidegate.scaling.offerings import CommittedCapacity, NodeRoom, Offering, Offerings
from tidegate.vocabulary.capacity import CapacityType
from tidegate.vocabulary.problems import InvalidInput

EVICTING = frozenset({"capacity-block"})
"""Commitments whose nodes are taken away when they end."""
SPOT_TAINTS = frozenset({"cloud.google.com/gke-spot", "kubernetes.azure.com/scalesetpriority"})
ISOLATION_LABEL = "tidegate.dev/isolation"


def build_pools(manifest: Manifest, catalog: Catalog) -> tuple[PoolSupply, ...]:
    """Return the declared pools as supply."""
    return tuple(_build_pool(pool, catalog) for pool in manifest.pools)


def build_offerings(
    manifest: Manifest,
    catalog: Catalog,
    interruptions_per_hour: Mapping[str, Decimal] | None = None,
    currency: str = "USD",
) -> Offerings:
    """Return what the pools can be filled with, with declared quotas and commitments.

    Args:
        manifest: What was declared.
        catalog: Prices and machine types.
        interruptions_per_hour: Offering id → its rate, where one is known.
        currency: Of every price; one in another currency counts as unknown.
    """
    build = _Builder(manifest, catalog, interruptions_per_hour or {}, currency)
    found = [
        build.offering(pool, name, zone)
        for pool in manifest.pools
        for name in pool.instance_types
        for zone in pool.zones or [""]
    ]
    return Offerings(
        offerings=tuple(found),
        currency=currency,
        quotas={quota_id(quota): quota.limit for quota in manifest.quotas},
        commitments=tuple(
            committed
            for entry in manifest.commitments
            if (committed := _build_commitment(entry)) is not None
        ),
    )


def _build_pool(pool: Pool, catalog: Catalog) -> PoolSupply:
    budget = pool.disruption_budget
    return PoolSupply(
        id=pool.id,
        cloud=pool.cloud.value,
        region=pool.region,
        domain=f"{pool.cloud.value}/{pool.account}/{pool.region}/{pool.cluster}",
        min_nodes=pool.min_nodes,
        max_nodes=pool.max_nodes,
        scaler=pool.scaler,
        workload_classes=frozenset(pool.workload_classes),
        node_labels=dict(pool.node_labels),
        taints=_taints(pool, catalog),
        isolation=pool.node_labels.get(ISOLATION_LABEL, ""),
        service_level=pool.service_level,
        nodes_at_once=pool.nodes_at_once,
        max_disrupted=None if budget is None else budget.max_unavailable_nodes,
        windows=tuple(TimeWindow(w.cron, w.time_zone, w.duration_seconds) for w in pool.windows),
        schedules=tuple(
            BoundsSchedule(s.cron, s.time_zone, s.min_nodes, s.max_nodes) for s in pool.schedules
        ),
    )


def _taints(pool: Pool, catalog: Catalog) -> tuple[str, ...]:
    """Return the taints that work must tolerate by itself.

    Kubernetes adds the toleration for a requested accelerator, and whoever may be interrupted
    tolerates the clouds' spot taints; interruption is a constraint of its own.
    """
    chip = catalog.accelerators.get(pool.accelerator)
    given = {*SPOT_TAINTS, chip.kubernetes_resource if chip else ""}
    hard = [taint.key for taint in pool.taints if taint.effect != "PreferNoSchedule"]
    return tuple(key for key in hard if key not in given)


@dataclass(frozen=True, slots=True)
class _Builder:
    manifest: Manifest
    catalog: Catalog
    rates: Mapping[str, Decimal]
    currency: str

    def offering(self, pool: Pool, name: str, zone: str) -> Offering:
        """Return one machine type of a pool in one zone."""
        offering_id = "/".join(filter(None, (pool.id, name, zone)))
        # Nodes beyond a reservation are bought on demand.
        reserved = pool.capacity_type is CapacityType.RESERVED
        listed = CapacityType.ON_DEMAND if reserved else pool.capacity_type
        amount, assumed = self._price(pool, name, listed)
        on_demand, od_assumed = self._on_demand_part(pool, name)
        known = {entry.id: entry for entry in self.manifest.commitments}
        commitment = known.get(pool.reservation)
        return Offering(
            id=offering_id,
            pool=pool.id,
            instance_type=name,
            capacity_type=pool.capacity_type,
            room=build_room(pool, find_machine(self.catalog, pool, name)),
            per_hour=_blend(amount, on_demand, pool.on_demand_percent_above_base),
            boot_seconds=pool.boot_seconds,
            zone=zone,
            interruptions_per_hour=self.rates.get(offering_id),
            quota=self._quota(pool, name, listed),
            commitment=commitment.id if commitment else "",
            commitment_weight=_weight(commitment, pool, amount),
            assumed=assumed or od_assumed,
            base_nodes=pool.on_demand_base_nodes,
            base_per_hour=on_demand,
        )

    def _on_demand_part(self, pool: Pool, name: str) -> tuple[Decimal | None, bool]:
        """Return the price of what a spot pool buys on demand; None where it buys nothing so."""
        if not (pool.on_demand_base_nodes or pool.on_demand_percent_above_base):
            return None, False
        return self._price(pool, name, CapacityType.ON_DEMAND)

    def _price(self, pool: Pool, name: str, listed: CapacityType) -> tuple[Decimal | None, bool]:
        place = (pool.cloud, pool.region, name, listed)
        price = price_of(self.catalog, *place, pool.accelerator, pool.accelerators_per_node)
        if isinstance(price, UnknownPrice) or price.per_hour.currency != self.currency:
            return None, False
        return price.per_hour.amount, price.assumed

    def _quota(self, pool: Pool, name: str, listed: CapacityType) -> str:
        """Return the declared quota that a machine counts against; "" where none is declared."""
        for quota in self.manifest.quotas:
            place = (quota.cloud, quota.region, quota.capacity_type)
            same = place == (pool.cloud, pool.region, listed)
            if same and quota.account in ("", pool.account) and is_of_family(name, quota.family):
                return quota_id(quota)
        return ""


def find_machine(catalog: Catalog, pool: Pool, name: str) -> InstanceType | None:
    """Return the catalog's machine; None where it has no such type."""
    try:
        return catalog.instance_type(pool.cloud, name)
    except InvalidInput:
        return None


def build_room(pool: Pool, machine: InstanceType | None) -> NodeRoom:
    """Return what a node has as declared; what the pool leaves open is the machine's own."""
    chip, count = pool.accelerator, pool.accelerators_per_node
    if machine is not None and not chip:
        chip, count = machine.accelerator, machine.accelerators_per_node or 0
    if pool.sharing is not None:
        count *= pool.sharing.clients_per_accelerator
    vcpus = None if machine is None else machine.vcpus
    memory = None if machine is None else machine.memory_gib
    return NodeRoom(
        accelerator=chip,
        accelerators=count,
        vcpus_milli=None if vcpus is None else vcpus * 1000,
        memory_mib=None if memory is None else int(memory * 1024),
    )


def _blend(spot: Decimal | None, on_demand: Decimal | None, percent: int) -> Decimal | None:
    """Return what one more node costs on average, where a share of them is bought on demand."""
    if not percent:
        return spot
    if spot is None or on_demand is None:
        return None
    return (spot * (100 - percent) + on_demand * percent) / 100


def _weight(commitment: Commitment | None, pool: Pool, price: Decimal | None) -> Decimal:
    """Return what one node uses of a commitment: an amount, accelerators, or itself."""
    if commitment is None:
        return Decimal(1)
    if commitment.units is None and commitment.hourly_amount is not None:
        return price or Decimal(0)
    if pool.accelerator and pool.accelerator in commitment.covers:
        return Decimal(max(pool.accelerators_per_node, 1))
    return Decimal(1)


def _build_commitment(entry: Commitment) -> CommittedCapacity | None:
    """Return what a commitment pays for; None where it states no size."""
    size = entry.units if entry.units is not None else entry.hourly_amount
    if size is None:
        return None
    return CommittedCapacity(
        id=entry.id,
        capacity=Decimal(size),
        ends=None if entry.end is None else _start_of(entry.end),
        evicts=entry.kind in EVICTING,
    )


def _start_of(day: date) -> datetime:
    return datetime.combine(day, time(0), UTC)


def quota_id(quota: Quota) -> str:
    """Return what a declared quota is called; its limit counts nodes."""
    place = (quota.cloud.value, quota.account, quota.region, quota.family)
    return "/".join(filter(None, (*place, quota.capacity_type.value)))


def is_of_family(instance_type: str, family: str) -> bool:
    """Return whether a machine belongs to a quota's family, as its cloud spells families.

    AWS: what stands before the dot ("p5"). Google Cloud: the first two parts ("a3-highgpu").
    Azure: the family's name begins with the series and has each further part of the size's name
    ("standardNDSH100v5Family" for Standard_ND96isr_H100_v5).
    """
    if family in (instance_type.split(".")[0], "-".join(instance_type.split("-")[:2])):
        return True
    size = _AZURE_SIZE.fullmatch(instance_type)
    if size is None:
        return False
    plain = re.sub("[^a-z0-9]", "", family.lower()).removeprefix("standard").removesuffix("family")
    parts = [part.lower() for part in (size["rest"] or "").split("_") if part]
    return plain.startswith(size["series"].lower()) and all(part in plain for part in parts)


_AZURE_SIZE = re.compile(r"Standard_(?P<series>[A-Z]+)\d+[a-z]*(?P<rest>(_[A-Za-z0-9]+)*)")
