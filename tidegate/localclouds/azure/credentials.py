"""The kubeconfig of an AKS cluster, for programs (a look-up) and for Azure's SDK (an action)."""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import yaml

from tidegate.localclouds.azure.arm import Arm
from tidegate.localclouds.azure.ids import ArmId, parse_id, subscription_of
from tidegate.localclouds.bodies import Body
from tidegate.localclouds.contracts import Values

Lookup = Callable[[Values, Mapping[str, Any]], Values]
ROLES = {"User": "clusterUser", "Admin": "clusterAdmin"}


def build_lookups(arm: Arm) -> dict[str, Lookup]:
    """Return the look-ups by Pulumi's token."""
    return {
        f"azure-native:containerservice:listManagedCluster{role}Credentials": partial(
            _list_credentials, arm, name
        )
        for role, name in ROLES.items()
    }


def _list_credentials(
    arm: Arm, role: str, arguments: Values, settings: Mapping[str, Any]
) -> Values:
    group, name = arguments["resourceGroupName"], arguments["resourceName"]
    cluster = parse_id(
        f"/subscriptions/{subscription_of(settings)}/resourceGroups/{group}"
        f"/providers/Microsoft.ContainerService/managedClusters/{name}"
    )
    return give_credentials(role, arm, cluster, {})


def give_credentials(role: str, arm: Arm, id: ArmId, asked: Mapping[str, Any]) -> Body:
    """Return the kubeconfig of a cluster, whose server is the address that Azure gave it.

    Raises:
        NotFoundError: When there is no such cluster.
    """
    del asked
    cluster, name = arm.get(id), id.name
    user = f"{role}_{id.group}_{name}"
    document = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [
            {
                "name": name,
                "cluster": {"server": f"https://{cluster['properties']['fqdn']}:443"},
            }
        ],
        "users": [{"name": user, "user": {"token": "local"}}],
        "contexts": [{"name": name, "context": {"cluster": name, "user": user}}],
        "current-context": name,
    }
    encoded = base64.b64encode(yaml.safe_dump(document).encode()).decode()
    return {"kubeconfigs": [{"name": role, "value": encoded}]}
