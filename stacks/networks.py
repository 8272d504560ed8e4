"""Networks for machines outside Kubernetes; declared when a group uses one."""

from __future__ import annotations

from typing import Any

from tidegate.sdks.imports import narrow_imports

RANGE = "10.80.0.0/16"


def declare_gcp_subnetwork(name: str, project: str, region: str) -> Any:
    """Declare a network with one subnetwork; neither takes labels."""
    with narrow_imports("pulumi_gcp.compute"):
        from pulumi_gcp.compute.network import Network
        from pulumi_gcp.compute.subnetwork import Subnetwork
    network = Network(f"{name}-vms", project=project, auto_create_subnetworks=False)
    return Subnetwork(
        f"{name}-vms",
        project=project,
        region=region,
        network=network.id,
        ip_cidr_range=RANGE,
        private_ip_google_access=True,
    )


def declare_azure_subnet(name: str, group: Any, labels: dict[str, str]) -> Any:
    """Declare a virtual network with one subnet."""
    with narrow_imports("pulumi_azure_native.network"):
        from pulumi_azure_native.network.subnet import Subnet
        from pulumi_azure_native.network.virtual_network import VirtualNetwork
    network = VirtualNetwork(
        f"{name}-vms",
        virtual_network_name=f"{name}-vms",
        resource_group_name=group.name,
        location=group.location,
        address_space={"address_prefixes": [RANGE]},
        tags=labels,
    )
    return Subnet(
        f"{name}-vms",
        subnet_name="machines",
        resource_group_name=group.name,
        virtual_network_name=network.name,
        address_prefix=RANGE,
    )
