"""Sizes of AKS agent pools and virtual machine scale sets.

Calls return once Azure accepted them; whether machines came is seen at the next look.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tidegate.clouds.azure.refusals import refusing
from tidegate.vocabulary.fleet_state import (
    CloudRefused,
    Machine,
    MachinePhase,
    PoolState,
    RefusalKind,
    Shortfall,
)

AGENT_POOLS = "Microsoft.ContainerService/managedClusters/agentPools"
SCALE_SETS = "Microsoft.Compute/virtualMachineScaleSets"
CALLS = {
    "agent_pools.get": f"{AGENT_POOLS}/read",
    "agent_pools.begin_create_or_update": f"{AGENT_POOLS}/write",
    "agent_pools.begin_delete_machines": f"{AGENT_POOLS}/deleteMachines/action",
    "machines.list": f"{AGENT_POOLS}/machines/read",
    "virtual_machine_scale_sets.get": f"{SCALE_SETS}/read",
    "virtual_machine_scale_sets.begin_update": f"{SCALE_SETS}/write",
    "virtual_machine_scale_sets.begin_delete_instances": f"{SCALE_SETS}/delete/action",
    "virtual_machine_scale_set_vms.list": f"{SCALE_SETS}/virtualMachines/read",
}
"""Each method of the SDKs that is called here → the action that its role must allow."""

PHASES = {
    "creating": MachinePhase.STARTING,
    "updating": MachinePhase.RUNNING,
    "succeeded": MachinePhase.RUNNING,
    "deleting": MachinePhase.LEAVING,
    "failed": MachinePhase.FAILED,
}
"""Provisioning state, in lower case → phase."""
STOPPED = frozenset({"PowerState/deallocated", "PowerState/deallocating", "PowerState/stopped"})
BUSY = "Updating"
REFUSAL_SECONDS = 5.0
"""How long a change is watched at once: what Azure cannot do it often says within seconds."""


class Change:
    """The last change of a pool, which Azure works at after it has accepted it."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._poller: Any = None

    def watch(self, poller: Any) -> None:
        """Follow a change; raise what it says within its first seconds.

        Raises:
            CloudRefused: It failed already.
        """
        with refusing(self._what):
            poller.wait(REFUSAL_SECONDS)
        self._poller = poller

    def explain(self) -> Shortfall | None:
        """Return why the change failed, once it did; it is told once."""
        refusal = self._take_refusal()
        return None if refusal is None else Shortfall(refusal.kind, str(refusal))

    def _take_refusal(self) -> CloudRefused | None:
        if self._poller is None or not self._poller.done():
            return None
        ended, self._poller = self._poller, None
        try:
            with refusing(self._what):
                ended.result()
        except CloudRefused as refusal:
            return refusal
        return None


class AgentPool:
    """One agent pool of an AKS cluster."""

    can_choose = True

    def __init__(self, pool: str, names: Mapping[str, str], containers: Any) -> None:
        self.pool = pool
        self._cluster = (names["resourceGroup"], names["cluster"])
        self._name = names["agentPool"]
        self._containers = containers
        self._change = Change(f"resizing agent pool {self._name}")

    def fetch_state(self) -> PoolState:
        """Return the pool's count; AKS counts what it works towards."""
        with refusing(f"reading agent pool {self._name}"):
            found = self._read()
            machines = self._list_machines()
        return PoolState(self.pool, int(found.count or 0), machines, self._change.explain())

    def apply_size(self, wanted: int) -> None:
        """Set the count, which AKS takes with the whole pool.

        Raises:
            CloudRefused: Also CONFLICT while another change of the pool goes on.
        """
        with refusing(f"resizing agent pool {self._name}"):
            found = self._read()
            if found.provisioning_state == BUSY:
                text = f"agent pool {self._name} is being changed"
                raise CloudRefused(RefusalKind.CONFLICT, text)
            found.count = wanted
            poller = self._containers.agent_pools.begin_create_or_update(
                *self._cluster, self._name, found
            )
        self._change.watch(poller)

    def apply_removal(self, machines: Sequence[str]) -> None:
        """Delete machines by name; the count follows."""
        with refusing(f"deleting machines of agent pool {self._name}"):
            there = {machine.id for machine in self._list_machines()}
            names = sorted(there & set(machines))
            if names:
                self._containers.agent_pools.begin_delete_machines(
                    *self._cluster, self._name, {"machineNames": names}
                )

    def _read(self) -> Any:
        return self._containers.agent_pools.get(*self._cluster, self._name)

    def _list_machines(self) -> tuple[Machine, ...]:
        found = self._containers.machines.list(*self._cluster, self._name)
        return tuple(_build_agent(machine) for machine in found)


class ScaleSet:
    """One virtual machine scale set."""

    can_choose = True

    def __init__(self, pool: str, names: Mapping[str, str], compute: Any) -> None:
        self.pool = pool
        self._names = (names["resourceGroup"], names["scaleSet"])
        self._compute = compute
        self._change = Change(f"resizing scale set {self._names[1]}")

    def fetch_state(self) -> PoolState:
        """Return the set's capacity and its machines."""
        with refusing(f"reading scale set {self._names[1]}"):
            found = self._compute.virtual_machine_scale_sets.get(*self._names)
            machines = self._list_machines()
        capacity = int(found.sku.capacity or 0)
        return PoolState(self.pool, capacity, machines, self._change.explain())

    def apply_size(self, wanted: int) -> None:
        """Set the capacity, and nothing else of the set."""
        with refusing(f"resizing scale set {self._names[1]}"):
            poller = self._compute.virtual_machine_scale_sets.begin_update(
                *self._names, {"sku": {"capacity": wanted}}
            )
        self._change.watch(poller)

    def apply_removal(self, machines: Sequence[str]) -> None:
        """Delete machines by their instance ids; the capacity follows."""
        with refusing(f"deleting machines of scale set {self._names[1]}"):
            there = {machine.id for machine in self._list_machines()}
            own = sorted(there & set(machines))
            if own:
                self._compute.virtual_machine_scale_sets.begin_delete_instances(
                    *self._names, {"instanceIds": own}
                )

    def _list_machines(self) -> tuple[Machine, ...]:
        found = self._compute.virtual_machine_scale_set_vms.list(
            *self._names, expand="instanceView"
        )
        return tuple(_build_instance(machine) for machine in found)


def _build_agent(machine: Any) -> Machine:
    """AKS lists machines without a state; whether one works is seen at its node."""
    zone = next(iter(machine.zones or ()), "")
    return Machine(id=machine.name, phase=MachinePhase.RUNNING, zone=zone)


def _build_instance(machine: Any) -> Machine:
    phase = PHASES.get(str(machine.provisioning_state or "").lower(), MachinePhase.RUNNING)
    view = machine.instance_view
    statuses = {status.code for status in (view.statuses or ())} if view else set()
    if statuses & STOPPED:
        phase = MachinePhase.STOPPED
    return Machine(
        id=str(machine.instance_id),
        phase=phase,
        zone=next(iter(machine.zones or ()), ""),
        instance_type=machine.sku.name if machine.sku else "",
    )
