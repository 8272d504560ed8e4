"""The look-ups by which programs get the kubeconfig of an AKS cluster."""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import yaml

from tidegate.localclouds.azure.arm import Arm
from tidegate.localclouds.azure.ids import parse_id, subscription_of
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
    """Return the kubeconfig of a cluster, whose server is the address that Azure gave it.

    Raises:
        NotFoundError: When there is no such cluster.
    """
    group, name = arguments["resourceGroupName"], arguments["resourceName"]
    cluster = arm.get(
        parse_id(
            f"/subscriptions/{subscription_of(settings)}/resourceGroups/{group}"
            f"/providers/Microsoft.ContainerService/managedClusters/{name}"
        )
    )
    user = f"{role}_{group}_{name}"
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
