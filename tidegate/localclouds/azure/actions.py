"""What the azure-mgmt SDKs ask for by POST, and lists of what is kept within a resource.

Each row is a resource type with the action or list, and what answers; the face knows nothing else
of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from tidegate.localclouds.azure.aks import delete_machines, machines_of
from tidegate.localclouds.azure.arm import Arm, shown
from tidegate.localclouds.azure.credentials import ROLES, give_credentials
from tidegate.localclouds.azure.evictions import evict
from tidegate.localclouds.azure.ids import ArmId, identify
from tidegate.localclouds.azure.kinds import FLEET_VM, MACHINE, SCALE_SET_VM
from tidegate.localclouds.azure.machines import (
    VIRTUAL_MACHINE,
    find_virtual_machine,
    list_fleet_machines,
    list_instances,
    list_virtual_machines,
)
from tidegate.localclouds.azure.ml_logic import STATES, list_nodes, set_idle_shutdown, set_state
from tidegate.localclouds.azure.scale_sets import delete_instances
from tidegate.localclouds.bodies import Body

Asked = Mapping[str, Any]
AKS = "Microsoft.ContainerService/managedClusters"
COMPUTE = "Microsoft.MachineLearningServices/workspaces/computes"


@dataclass(frozen=True, slots=True)
class Action:
    """One action.

    Attributes:
        run: Does it and returns the answer's body, None for an empty one.
        status: What it answers with; 202 comes with an operation to poll.
    """

    run: Callable[[Arm, ArmId, Asked], Body | None]
    status: int = 200


def _delete_machines(arm: Arm, id: ArmId, asked: Asked) -> None:
    delete_machines(arm, id, list(asked.get("machineNames") or []))


def _delete_instances(arm: Arm, id: ArmId, asked: Asked) -> None:
    delete_instances(arm, id, [str(item) for item in asked.get("instanceIds") or []])


def _evict(arm: Arm, id: ArmId, asked: Asked) -> None:
    del asked
    evict(arm, find_virtual_machine(arm, id))


def _set_state(action: str, arm: Arm, id: ArmId, asked: Asked) -> None:
    del asked
    set_state(arm, id, action)


def _list_keys(arm: Arm, id: ArmId, asked: Asked) -> Body:
    del asked
    arm.get(id)
    keys = [
        {"keyName": name, "value": identify(f"{id}/{name}"), "permissions": "FULL"}
        for name in ("key1", "key2")
    ]
    return {"keys": keys}


def _list_agent_machines(arm: Arm, collection: ArmId) -> list[Body]:
    pool = collection.parent()
    arm.get(pool)
    return [shown(machine) for machine in machines_of(arm, pool)]


ACTIONS: Mapping[tuple[str, str], Action] = {
    (kind.lower(), name.lower()): action
    for kind, name, action in (
        (MACHINE.rpartition("/")[0], "deleteMachines", Action(_delete_machines, 202)),
        (SCALE_SET_VM.rpartition("/")[0], "delete", Action(_delete_instances, 202)),
        (SCALE_SET_VM, "simulateEviction", Action(_evict, 204)),
        (VIRTUAL_MACHINE, "simulateEviction", Action(_evict, 204)),
        ("Microsoft.Storage/storageAccounts", "listKeys", Action(_list_keys)),
        *(
            (AKS, f"listCluster{word}Credential", Action(partial(give_credentials, role)))
            for word, role in ROLES.items()
        ),
        (COMPUTE, "listNodes", Action(list_nodes)),
        (COMPUTE, "updateIdleShutdownSetting", Action(set_idle_shutdown)),
        *((COMPUTE, word, Action(partial(_set_state, word), 202)) for word in STATES),
    )
}

LISTS: Mapping[str, Callable[[Arm, ArmId], list[Body]]] = {
    FLEET_VM.lower(): list_fleet_machines,
    MACHINE.lower(): _list_agent_machines,
    SCALE_SET_VM.lower(): list_instances,
    VIRTUAL_MACHINE.lower(): list_virtual_machines,
}
