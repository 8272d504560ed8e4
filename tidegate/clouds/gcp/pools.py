"""Sizes of GKE node pools and Compute Engine managed instance groups.

Calls return once Google accepted them; whether machines came is seen at the next look.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from typing import Any

from tidegate.clouds.gcp.refusals import explain, explain_errors, refusing
from tidegate.vocabulary.capacity import split_purchase
from tidegate.vocabulary.fleet_state import (
    CloudRefused,
    Machine,
    MachinePhase,
    PoolState,
    RefusalKind,
    Shortfall,
)

CALLS = {
    "get_node_pool": "container.clusters.get",
    "get_operation": "container.operations.get",
    "set_node_pool_size": "container.clusters.update",
    "get": "compute.instanceGroupManagers.get",
    "list_managed_instances": "compute.instanceGroupManagers.get",
    "list_errors": "compute.instanceGroupManagers.get",
    "resize_unary": "compute.instanceGroupManagers.update",
    "delete_instances_unary": "compute.instanceGroupManagers.update",
}
"""Each method of the SDKs that is called here → the permission that it needs."""

PHASES = {
    "RUNNING": MachinePhase.RUNNING,
    "PROVISIONING": MachinePhase.STARTING,
    "STAGING": MachinePhase.STARTING,
    "REPAIRING": MachinePhase.STARTING,
    "PENDING": MachinePhase.STARTING,
    "PENDING_STOP": MachinePhase.LEAVING,
    "STOPPING": MachinePhase.LEAVING,
    "SUSPENDING": MachinePhase.LEAVING,
    "DEPROVISIONING": MachinePhase.LEAVING,
    "STOPPED": MachinePhase.STOPPED,
    "TERMINATED": MachinePhase.STOPPED,
    "SUSPENDED": MachinePhase.STOPPED,
}
"""Status of an instance → phase."""
LEAVING_ACTIONS = frozenset({"DELETING", "ABANDONING", "STOPPING", "SUSPENDING"})
TIMEOUT_SECONDS = 20.0
DONE = "DONE"


class InstanceGroup:
    """One managed instance group, of a region or of a zone."""

    def __init__(self, place: Mapping[str, str], name: str, regional: Any, zonal: Any) -> None:
        """Name the group.

        Args:
            place: `project`, and `region` or `zone`.
            name: The group's name.
            regional: The client of regional groups.
            zonal: The client of zonal ones.
        """
        self.name = name
        self._client = zonal if "zone" in place else regional
        self._names = {**place, "instance_group_manager": name}

    def fetch_target(self) -> int:
        """Return the size that the group works towards."""
        return int(self._client.get(**self._names, timeout=TIMEOUT_SECONDS).target_size)

    def fetch_machines(self) -> list[Machine]:
        """Return the machines that are there."""
        found = self._client.list_managed_instances(**self._names, timeout=TIMEOUT_SECONDS)
        return [_build_machine(each) for each in found if each.instance]

    def explain_shortfall(self) -> Shortfall | None:
        """Return what the group's last errors say of stock and quota."""
        return explain_errors(
            list(self._client.list_errors(**self._names, timeout=TIMEOUT_SECONDS))
        )

    def resize(self, wanted: int) -> None:
        """Set the size."""
        self._client.resize_unary(**self._names, size=wanted, timeout=TIMEOUT_SECONDS)

    def delete(self, urls: Sequence[str]) -> None:
        """Delete machines and lower the size by as many."""
        field = (
            "region_instance_group_managers_delete_instances_request_resource"
            if "region" in self._names
            else "instance_group_managers_delete_instances_request_resource"
        )
        body = {"instances": list(urls), "skip_instances_on_validation_error": True}
        self._client.delete_instances_unary(**self._names, **{field: body}, timeout=TIMEOUT_SECONDS)


class SpotGroup:
    """A pool of one group of spot machines, and of one bought on demand where it has a floor."""

    can_choose = True

    def __init__(
        self, pool: str, spot: InstanceGroup, floor: InstanceGroup | None, base: int, percent: int
    ) -> None:
        """Name the groups.

        Args:
            pool: The pool's id.
            spot: The group of spot machines, or the only one.
            floor: The group of machines bought on demand; None without one.
            base: The first nodes, which are bought on demand.
            percent: The share of those above them that is as well.
        """
        self.pool = pool
        self._spot, self._floor = spot, floor
        self._base, self._percent = base, percent

    def fetch_state(self) -> PoolState:
        """Return the sizes and machines of both groups together."""
        groups = self._groups()
        with refusing(f"reading instance group {self._spot.name}"):
            target, machines = _observe(groups)
            shortfall = _explain_shortfall(groups) if target > len(machines) else None
        return PoolState(self.pool, target, machines, shortfall)

    def apply_size(self, wanted: int) -> None:
        """Set the sizes: the floor first, so that it is there when spot is short."""
        with refusing(f"resizing instance group {self._spot.name}"):
            if self._floor is None:
                self._spot.resize(wanted)
                return
            kept, spot = split_purchase(Decimal(wanted), self._base, self._percent)
            self._floor.resize(int(kept))
            self._spot.resize(int(spot))

    def apply_removal(self, machines: Sequence[str]) -> None:
        """Delete machines, each from its own group."""
        with refusing(f"deleting machines of instance group {self._spot.name}"):
            for group in self._groups():
                own = {machine.id for machine in group.fetch_machines()} & set(machines)
                if own:
                    group.delete(sorted(own))

    def _groups(self) -> list[InstanceGroup]:
        return [group for group in (self._floor, self._spot) if group is not None]


class NodePool:
    """One GKE node pool. GKE chooses which nodes go when it shrinks."""

    can_choose = False

    def __init__(
        self,
        pool: str,
        names: Mapping[str, str],
        container: Any,
        most: int,
        build_group: Callable[[str], InstanceGroup],
    ) -> None:
        """Name the pool.

        Args:
            pool: The pool's id.
            names: Its binding: project, location, cluster, nodePool.
            container: The client of GKE.
            most: Its declared maximum, over all zones.
            build_group: Makes the instance group of a URL.
        """
        self.pool = pool
        self._parent = f"projects/{names['project']}/locations/{names['location']}"
        self._name = f"{self._parent}/clusters/{names['cluster']}/nodePools/{names['nodePool']}"
        self._container = container
        self._most = most
        self._build_group = build_group
        self._operation = ""

    def fetch_state(self) -> PoolState:
        """Return the size over all zones, and the machines of the groups behind the pool."""
        with refusing(f"reading node pool {self._name}"):
            groups = self._read_groups()
            target, machines = _observe(groups)
            shortfall = self._explain_operation()
            if target > len(machines) and shortfall is None:
                shortfall = _explain_shortfall(groups)
        return PoolState(self.pool, target, machines, shortfall)

    def apply_size(self, wanted: int) -> None:
        """Set the size: GKE takes it for each zone, so it is rounded up, never above the maximum.

        Raises:
            CloudRefused: Also where no equal size of the zones comes closer to what is wanted.
        """
        with refusing(f"resizing node pool {self._name}"):
            zones = max(1, len(self._read_groups()))
            each = -(-wanted // zones)
            if each * zones > self._most:
                each = self._most // zones
            if wanted and not each:
                text = f"GKE sizes each of {zones} zones alike, and {zones} exceeds the maximum"
                raise CloudRefused(RefusalKind.INVALID, text)
            started = self._container.set_node_pool_size(
                request={"name": self._name, "node_count": each}, timeout=TIMEOUT_SECONDS
            )
            refused = _explain_failure(started)
            self._operation = "" if refused else f"{self._parent}/operations/{started.name}"
            if refused is not None:
                raise CloudRefused(refused.kind, refused.message)

    def apply_removal(self, machines: Sequence[str]) -> None:
        """Refuse: GKE would take others."""
        del machines
        raise CloudRefused(RefusalKind.INVALID, "GKE chooses itself which nodes of a pool go")

    def _explain_operation(self) -> Shortfall | None:
        """Return why the last change of size failed, once it did."""
        if not self._operation:
            return None
        found = self._container.get_operation(name=self._operation, timeout=TIMEOUT_SECONDS)
        if found.status.name == DONE:
            self._operation = ""
        return _explain_failure(found)

    def _read_groups(self) -> list[InstanceGroup]:
        found = self._container.get_node_pool(name=self._name, timeout=TIMEOUT_SECONDS)
        return [self._build_group(url) for url in found.instance_group_urls]


def _observe(groups: Sequence[InstanceGroup]) -> tuple[int, tuple[Machine, ...]]:
    """Return the size that groups together work towards, and their machines."""
    target = sum(group.fetch_target() for group in groups)
    return target, tuple(each for group in groups for each in group.fetch_machines())


def _explain_shortfall(groups: Sequence[InstanceGroup]) -> Shortfall | None:
    """Return why the first of the groups that tells it is short of machines."""
    told = (group.explain_shortfall() for group in groups)
    return next((said for said in told if said), None)


def _explain_failure(operation: Any) -> Shortfall | None:
    """Return why an operation failed; None when it did not, or has not ended."""
    message = operation.error.message
    if not message:
        return None
    return explain(message) or Shortfall(RefusalKind.TRANSIENT, message)


def parse_group_url(url: str) -> tuple[dict[str, str], str]:
    """Return the place and the name in a group's URL (…/projects/P/zones/Z/…/NAME)."""
    parts = url.split("/")
    scope = "zone" if "zones" in parts else "region"
    place = {
        "project": parts[parts.index("projects") + 1],
        scope: parts[parts.index(f"{scope}s") + 1],
    }
    return place, parts[-1]


def parse_location(names: Mapping[str, str]) -> dict[str, str]:
    """Return where a bound group stands; a zone has a letter after its region's number."""
    where = names.get("location") or names.get("zone") or names["region"]
    scope = "zone" if where.count("-") > 1 else "region"
    return {"project": names["project"], scope: where}


def _build_machine(managed: Any) -> Machine:
    parts = managed.instance.split("/")
    phase = PHASES.get(managed.instance_status, MachinePhase.STARTING)
    if managed.current_action in LEAVING_ACTIONS:
        phase = MachinePhase.LEAVING
    machine = managed.properties_from_flexibility_policy.machine_type
    zone = parts[parts.index("zones") + 1] if "zones" in parts else ""
    return Machine(id=managed.instance, phase=phase, zone=zone, instance_type=machine)
