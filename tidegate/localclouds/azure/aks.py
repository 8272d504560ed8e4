"""AKS on this machine: what clusters and agent pools fill in, make and refuse."""

from __future__ import annotations

from typing import Any

from tidegate.localclouds.azure import places
from tidegate.localclouds.azure.aks_rules import SPOT_LABEL, SPOT_TAINT
from tidegate.localclouds.azure.arm import Arm, Logic
from tidegate.localclouds.azure.arm_checks import refuse_changes
from tidegate.localclouds.azure.errors import invalid_parameter, refused
from tidegate.localclouds.azure.identities import user_assigned
from tidegate.localclouds.azure.identity_logic import may_change
from tidegate.localclouds.azure.ids import ArmId, digits_of, identify, now, parse_id
from tidegate.localclouds.azure.kinds import AGENT_POOL, MACHINE, RESERVATION, RESERVATION_GROUP
from tidegate.localclouds.bodies import Body, fill_defaults
from tidegate.localclouds.refusals import CloudError

KUBERNETES_VERSION = "1.34.1"
NODE_IMAGE = "AKSUbuntu-2204gen2containerd-202611.10.0"
DEFAULT_SIZE = "Standard_DS2_v2"

# What AKS never changes in a cluster or a pool, as terraform-provider-azurerm documents it of
# azurerm_kubernetes_cluster and azurerm_kubernetes_cluster_node_pool ("forces a new resource",
# or a pool of another name in between), read on 2026-11-30; Azure/AKS#5436 for the reservation
# group. Of gatewayProfile, gpuProfile, podIPAllocationMode and type: general vendor
# documentation, not verified.
FIXED_IN_CLUSTERS = (
    "apiServerAccessProfile.enablePrivateCluster",
    "diskEncryptionSetID",
    "dnsPrefix",
    "enableRBAC",
    "fqdnSubdomain",
    "nodeResourceGroup",
)
FIXED_IN_POOLS = (
    "availabilityZones",
    "capacityReservationGroupID",
    "enableEncryptionAtHost",
    "enableNodePublicIP",
    "enableUltraSSD",
    "gatewayProfile",
    "gpuInstanceProfile",
    "gpuProfile",
    "hostGroupID",
    "kubeletConfig",
    "kubeletDiskType",
    "linuxOSConfig",
    "maxPods",
    "nodePublicIPPrefixID",
    "osDiskSizeGB",
    "osDiskType",
    "osType",
    "podIPAllocationMode",
    "podSubnetID",
    "proximityPlacementGroupID",
    "scaleSetEvictionPolicy",
    "scaleSetPriority",
    "spotMaxPrice",
    "type",
    "vmSize",
    "vnetSubnetID",
    "windowsProfile",
)


class ManagedClusterLogic(Logic):
    """`Microsoft.ContainerService/managedClusters`."""

    def settle(self, arm: Arm, id: ArmId, old: Body | None, body: Body) -> None:
        """Fill the cluster in."""
        for pool in body["properties"].get("agentPoolProfiles") or []:
            check_reservation(arm, body, pool)
        properties = body["properties"]
        refuse_changes(old, body, FIXED_IN_CLUSTERS)
        prefix = properties.get("dnsPrefix") or properties.get("fqdnSubdomain")
        version = properties.get("kubernetesVersion") or KUBERNETES_VERSION
        host = f"{prefix}-{identify(str(id))[:8]}.hcp.{body['location']}.azmk8s.io"
        properties["powerState"] = {"code": "Running"}
        body["systemData"] = (old or {}).get("systemData") or {"createdAt": now()}
        fill_defaults(
            properties,
            {
                "azurePortalFQDN": f"portal-{host}",
                "currentKubernetesVersion": version,
                "enableRBAC": True,
                "fqdn": host,
                "kubernetesVersion": version,
                "maxAgentPools": 100,
                "networkProfile": {
                    "networkPlugin": "azure",
                    "serviceCidr": "10.0.0.0/16",
                    "dnsServiceIP": "10.0.0.10",
                    "loadBalancerSku": "standard",
                },
                "nodeResourceGroup": f"MC_{id.group}_{id.name}_{body['location']}",
                "resourceUID": digits_of(str(id), 24),
                "supportPlan": "KubernetesOfficial",
            },
        )
        properties["currentKubernetesVersion"] = properties["kubernetesVersion"]
        fill_defaults(body, {"sku": {"name": "Base", "tier": "Free"}})

    def after_put(self, arm: Arm, id: ArmId, body: Body, *, is_new: bool) -> None:
        """Put the pools that were given inline; pools that others made stay."""
        del is_new
        pools = body["properties"].pop("agentPoolProfiles", None) or []
        arm.keep(id, body)
        for pool in pools:
            inner = {key: part for key, part in pool.items() if key != "name"}
            arm.put(id.child("agentPools", pool["name"]), {"properties": inner})

    def show(self, arm: Arm, id: ArmId, body: Body) -> None:
        """Show every pool of the cluster."""
        prefix = f"{id.key}/agentpools/"
        body["properties"]["agentPoolProfiles"] = [
            {"name": pool["name"], **pool["properties"]}
            for pool in arm.shelf.find(AGENT_POOL.type, prefix)
        ]

    def before_delete(self, arm: Arm, id: ArmId, body: Body) -> None:
        """End the machines of all pools."""
        del body
        for key, _ in arm.shelf.items(MACHINE, f"{id.key}/"):
            arm.shelf.delete(MACHINE, key)

    def grows(self, old: Body | None, body: Body) -> bool:
        """A new cluster asks for machines."""
        del body
        return old is None


class AgentPoolLogic(Logic):
    """`Microsoft.ContainerService/managedClusters/agentPools`."""

    def settle(self, arm: Arm, id: ArmId, old: Body | None, body: Body) -> None:
        """Refuse what cannot change or does not exist, and fill the pool in."""
        cluster = arm.find(id.parent())
        assert cluster is not None  # a pool without its cluster was refused before
        properties = body["properties"]
        size = properties.get("vmSize")
        for reason in places.check_size(size, cluster["location"]) if size else ():
            raise refused("InvalidParameter", reason)
        self._check_mode(arm, id, old, properties)
        refuse_changes(old, body, FIXED_IN_POOLS)
        fill_pool(properties, cluster["properties"]["kubernetesVersion"])
        check_reservation(arm, cluster, properties)

    def _check_mode(self, arm: Arm, id: ArmId, old: Body | None, properties: Body) -> None:
        was_system = old is not None and old["properties"]["mode"] == "System"
        if was_system and properties.get("mode") == "User" and not _other_system_pools(arm, id):
            raise refused(
                "OperationNotAllowed", "There has to be at least one system agent pool.", 400
            )

    def after_put(self, arm: Arm, id: ArmId, body: Body, *, is_new: bool) -> None:
        """Start or end machines until there are as many as asked for."""
        del is_new
        set_machines(arm, id, body)

    def before_delete(self, arm: Arm, id: ArmId, body: Body) -> None:
        """Refuse to delete the last system pool, and end the machines."""
        if body["properties"]["mode"] == "System" and not _other_system_pools(arm, id):
            raise refused(
                "OperationNotAllowed", "There has to be at least one system agent pool.", 400
            )
        for key, _ in arm.shelf.items(MACHINE, f"{id.key}/"):
            arm.shelf.delete(MACHINE, key)

    def grows(self, old: Body | None, body: Body) -> bool:
        """Tell whether more nodes are asked for."""
        before = old["properties"]["count"] if old else 0
        return int((body.get("properties") or {}).get("count") or 0) > before


def check_reservation(arm: Arm, cluster: Body, properties: Body) -> None:
    """Refuse a capacity reservation group that does not exist, holds other sizes or is forbidden.

    AKS needs a user-assigned identity with Contributor over the group (Microsoft Learn, "Assign
    capacity reservation groups to AKS node pools", 2026-11-30).
    """
    given = properties.get("capacityReservationGroupID")
    if not given:
        return
    group = parse_id(given)
    place = "agentPoolProfile.capacityReservationGroupID"
    if group.kind.lower() != RESERVATION_GROUP.type.lower() or arm.find(group) is None:
        raise invalid_parameter(place, f"Capacity reservation group '{given}' was not found.")
    size = properties.get("vmSize") or DEFAULT_SIZE
    held = arm.shelf.find(RESERVATION.type, f"{group.key}/")
    if size.lower() not in {str(item["sku"]["name"]).lower() for item in held}:
        raise invalid_parameter(
            place, f"Capacity reservation group '{group.name}' has no reservation of size {size}."
        )
    if not any(may_change(arm, principal, group) for principal in user_assigned(cluster)):
        raise refused(
            "ResourceMissingPermissionError",
            "The cluster needs a user-assigned identity with the role Contributor over the "
            f"capacity reservation group '{group.name}' to use it.",
            403,
        )


def fill_pool(properties: Body, version: str) -> None:
    """Fill in what AKS fills in; filling twice changes nothing."""
    fill_defaults(
        properties,
        {
            "count": 1,
            "enableAutoScaling": False,
            "enableEncryptionAtHost": False,
            "enableFIPS": False,
            "enableNodePublicIP": False,
            "enableUltraSSD": False,
            "kubeletDiskType": "OS",
            "maxPods": 110,
            "mode": "User",
            "nodeImageVersion": NODE_IMAGE,
            "nodeLabels": {},
            "nodeTaints": [],
            "orchestratorVersion": version,
            "osDiskSizeGB": 128,
            "osDiskType": "Managed",
            "osSKU": "Ubuntu",
            "osType": "Linux",
            "powerState": {"code": "Running"},
            "scaleDownMode": "Delete",
            "type": "VirtualMachineScaleSets",
            "vmSize": DEFAULT_SIZE,
        },
    )
    properties["currentOrchestratorVersion"] = properties["orchestratorVersion"]
    if places.has_gpu(properties["vmSize"]):
        fill_defaults(properties, {"gpuProfile": {"driver": "Install"}})
    if properties.get("scaleSetPriority") == "Spot":
        fill_defaults(properties, {"scaleSetEvictionPolicy": "Delete", "spotMaxPrice": -1})
        properties["nodeLabels"] = {**properties["nodeLabels"], **SPOT_LABEL}
        if SPOT_TAINT not in properties["nodeTaints"]:
            properties["nodeTaints"] = [*properties["nodeTaints"], SPOT_TAINT]
    else:
        fill_defaults(properties, {"upgradeSettings": {"maxSurge": "10%"}})


def set_machines(arm: Arm, id: ArmId, body: Body) -> None:
    """Start or end machines until the pool has its count; the youngest end first."""
    machines = machines_of(arm, id)
    count = int(body["properties"]["count"])
    for machine in machines[count:]:
        arm.shelf.delete(MACHINE, parse_id(machine["id"]).key)
    made = int(body.get("x-local-made", 0))
    digits = digits_of(str(id.parent()))
    for serial in range(made, made + max(0, count - len(machines))):
        machine_id = id.child("machines", f"aks-{id.name}-{digits}-vmss{serial:06d}")
        arm.shelf.put(
            MACHINE,
            machine_id.key,
            {
                "id": str(machine_id),
                "name": machine_id.name,
                "type": MACHINE,
                "properties": {
                    "resourceId": f"{id}/machines/{machine_id.name}",
                    "network": {"ipAddresses": []},
                    "provisioningState": "Succeeded",
                },
                "x-local-serial": serial,
            },
        )
        body["x-local-made"] = serial + 1
    arm.keep(id, body)


def machines_of(arm: Arm, id: ArmId) -> list[Body]:
    """Return a pool's machines, the oldest first."""
    found = arm.shelf.find(MACHINE, f"{id.key}/machines/")
    return sorted(found, key=lambda machine: int(machine["x-local-serial"]))


def delete_machines(arm: Arm, id: ArmId, names: list[Any]) -> None:
    """Delete named machines of a pool and lower its count by as many."""
    with arm.world.store.transaction():
        body = arm.get(id)
        known = {machine["name"]: machine for machine in machines_of(arm, id)}
        unknown = [name for name in names if name not in known]
        if unknown:
            raise CloudError(
                "InvalidParameter", f"Machine '{unknown[0]}' is not in agent pool '{id.name}'."
            )
        count = body["properties"]["count"] - len(set(names))
        if body["properties"]["mode"] == "System" and count < 1:
            raise refused("OperationNotAllowed", "System agent pools need at least 1 node.")
        for name in set(names):
            arm.shelf.delete(MACHINE, parse_id(known[name]["id"]).key)
        body["properties"]["count"] = count
        arm.keep(id, body)


def _other_system_pools(arm: Arm, id: ArmId) -> bool:
    pools = arm.shelf.items(AGENT_POOL.type, f"{id.parent().key}/agentpools/")
    return any(key != id.key and pool["properties"]["mode"] == "System" for key, pool in pools)
