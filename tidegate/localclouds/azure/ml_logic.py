"""Azure Machine Learning on this machine: workspaces, computes, online endpoints, deployments."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tidegate.localclouds.azure.arm import Arm, Logic
from tidegate.localclouds.azure.arm_checks import refuse_changes
from tidegate.localclouds.azure.errors import invalid_parameter, refused
from tidegate.localclouds.azure.ids import ArmId, identify, now
from tidegate.localclouds.azure.ml_rules import check_idle_time
from tidegate.localclouds.bodies import Body, fill_defaults, look

# Of a cluster Azure changes the scale settings alone: it accepts another size and keeps the old one
# (hashicorp/terraform-provider-azurerm#15825, Azure/azure-rest-api-specs#18889). Of an instance it
# changes nothing by a put, idle shutdown and schedules included (Azure/bicep-types-az#2543): idle
# shutdown has an action of its own. Both are refused here rather than lost.
FIXED_IN_CLUSTERS = tuple(
    f"properties.{word}"
    for word in (
        "enableNodePublicIp",
        "isolatedNetwork",
        "osType",
        "remoteLoginPortPublicAccess",
        "subnet",
        "userAccountCredentials.adminUserName",
        "vmPriority",
        "vmSize",
    )
)
FIXED_IN_INSTANCES = tuple(
    f"properties.{word}"
    for word in (
        "applicationSharingPolicy",
        "computeInstanceAuthorizationType",
        "enableNodePublicIp",
        "idleTimeBeforeShutdown",
        "personalComputeInstanceSettings",
        "schedules",
        "setupScripts",
        "sshSettings",
        "subnet",
        "vmSize",
    )
)
CLUSTER_DEFAULTS: Mapping[str, Any] = {
    "enableNodePublicIp": True,
    "isolatedNetwork": False,
    "osType": "Linux",
    "remoteLoginPortPublicAccess": "NotSpecified",
    "scaleSettings": {"minNodeCount": 0, "nodeIdleTimeBeforeScaleDown": "PT120S"},
    "vmPriority": "Dedicated",
}
INSTANCE_DEFAULTS: Mapping[str, Any] = {
    "applicationSharingPolicy": "Shared",
    "computeInstanceAuthorizationType": "personal",
    "enableNodePublicIp": True,
    "sshSettings": {"sshPublicAccess": "Disabled"},
}
STATES = {"start": "Running", "stop": "Stopped", "restart": "Running"}
OPERATIONS = {"start": "Start", "stop": "Stop", "restart": "Restart"}


class WorkspaceLogic(Logic):
    """`Microsoft.MachineLearningServices/workspaces`."""

    def settle(self, arm: Arm, id: ArmId, old: Body | None, body: Body) -> None:
        """Fill the workspace in."""
        del arm
        host = f"{body['location']}.api.azureml.ms"
        body["sku"] = {"name": "Basic", "tier": "Basic", **(body.get("sku") or {})}
        body["kind"] = body.get("kind") or "Default"
        before = (old or {}).get("properties") or {}
        fill_defaults(
            body["properties"],
            {
                "discoveryUrl": f"https://{host}/discovery",
                "friendlyName": id.name,
                "mlFlowTrackingUri": f"azureml://{host}/mlflow/v1.0{id}",
                "tenantId": identify(id.subscription),
                "workspaceId": before.get("workspaceId") or identify(f"{id}/{now()}"),
            },
        )


class ComputeLogic(Logic):
    """`…/workspaces/computes`."""

    def settle(self, arm: Arm, id: ArmId, old: Body | None, body: Body) -> None:
        """Refuse what cannot change, and fill the compute in."""
        del arm, id
        properties = body["properties"]
        kind = properties["computeType"]
        _settle_scale(properties)
        refuse_changes(old, body, FIXED_IN_CLUSTERS if kind == "AmlCompute" else FIXED_IN_INSTANCES)
        time = now()
        fill_defaults(
            properties,
            {
                "computeLocation": body["location"],
                "createdOn": look(old, "properties.createdOn") or time,
                "disableLocalAuth": False,
                "isAttachedCompute": kind not in ("AmlCompute", "ComputeInstance"),
            },
        )
        properties["modifiedOn"] = time
        if kind == "AmlCompute":
            fill_defaults(properties["properties"], dict(CLUSTER_DEFAULTS))
            _count_nodes(properties["properties"], time)
        if kind == "ComputeInstance":
            inner = {"state": "Running", "lastOperation": _operate("Create", time)}
            fill_defaults(properties["properties"], {**INSTANCE_DEFAULTS, **inner})

    def grows(self, old: Body | None, body: Body) -> bool:
        """Tell whether a cluster is to keep more nodes, or an instance is new."""
        if look(body, "properties.computeType") == "ComputeInstance":
            return old is None
        place = "properties.properties.scaleSettings.minNodeCount"
        return int(look(body, place) or 0) > int(look(old, place) or 0)


def _settle_scale(properties: Body) -> None:
    """Put scale settings where they belong: earlier API versions patch them one level out."""
    given = properties.pop("scaleSettings", None)
    if given is not None:
        inner = properties["properties"]
        inner["scaleSettings"] = {**inner.get("scaleSettings", {}), **given}


def _count_nodes(cluster: Body, time: str) -> None:
    """Say that a cluster without jobs has the nodes that it always keeps."""
    count = int(cluster["scaleSettings"]["minNodeCount"])
    cluster.update(
        allocationState="Steady",
        allocationStateTransitionTime=time,
        currentNodeCount=count,
        targetNodeCount=count,
        nodeStateCounts={
            "idleNodeCount": count,
            "leavingNodeCount": 0,
            "preemptedNodeCount": 0,
            "preparingNodeCount": 0,
            "runningNodeCount": 0,
            "unusableNodeCount": 0,
        },
    )


def list_nodes(arm: Arm, id: ArmId, asked: Mapping[str, Any]) -> Body:
    """Answer which nodes a cluster has."""
    del asked
    body = arm.get(id)
    count = int(look(body, "properties.properties.currentNodeCount") or 0)
    nodes = [
        {"nodeId": identify(f"{id}/{serial}"), "nodeState": "idle", "port": 50000 + serial}
        for serial in range(count)
    ]
    return {"nodes": nodes, "nextLink": None}


def set_state(arm: Arm, id: ArmId, action: str) -> None:
    """Start, stop or restart a compute instance."""
    body = arm.get(id)
    _refuse_others(id, body)
    inner = body["properties"]["properties"]
    inner["state"] = STATES[action]
    inner["lastOperation"] = _operate(OPERATIONS[action], now())
    arm.keep(id, body)


def set_idle_shutdown(arm: Arm, id: ArmId, asked: Mapping[str, Any]) -> None:
    """Change after what time without use a compute instance stops."""
    body = arm.get(id)
    _refuse_others(id, body)
    text = asked.get("idleTimeBeforeShutdown")
    for failure in check_idle_time(text):
        raise invalid_parameter("idleTimeBeforeShutdown", failure.reason)
    body["properties"]["properties"]["idleTimeBeforeShutdown"] = text
    arm.keep(id, body)


def _operate(name: str, time: str) -> Body:
    return {"operationName": name, "operationTime": time, "operationStatus": "Succeeded"}


def _refuse_others(id: ArmId, body: Body) -> None:
    kind = body["properties"]["computeType"]
    if kind != "ComputeInstance":
        raise refused("InvalidComputeType", f"'{id.name}' is no compute instance but {kind}.")


class EndpointLogic(Logic):
    """`…/workspaces/onlineEndpoints`."""

    def settle(self, arm: Arm, id: ArmId, old: Body | None, body: Body) -> None:
        """Refuse traffic to deployments that do not exist, and fill the endpoint in."""
        del old
        properties = body["properties"]
        for word in ("traffic", "mirrorTraffic"):
            for name in properties.get(word) or {}:
                if arm.find(id.child("deployments", name)) is None:
                    raise refused(
                        "UserError",
                        f"Traffic cannot go to deployment '{name}': it does not exist in endpoint "
                        f"'{id.name}'. Create the endpoint without traffic first.",
                    )
        host = f"https://{id.name}.{body['location']}.inference.ml.azure.com"
        body["kind"] = body.get("kind") or "Managed"
        properties.update(scoringUri=f"{host}/score", swaggerUri=f"{host}/swagger.json")


class DeploymentLogic(Logic):
    """`…/onlineEndpoints/deployments`."""

    def settle(self, arm: Arm, id: ArmId, old: Body | None, body: Body) -> None:
        """Fill the deployment in."""
        del arm, id
        created = look(old, "systemData.createdAt") or now()
        body["systemData"] = {"createdAt": created, "lastModifiedAt": now()}
        is_managed = body["properties"]["endpointComputeType"] == "Managed"
        body["sku"] = {"name": "Default", "capacity": 1, **(body.get("sku") or {})}
        body["kind"] = body.get("kind") or body["properties"]["endpointComputeType"]
        scale = "Default" if is_managed else "TargetUtilization"
        fill_defaults(body["properties"], {"scaleSettings": {"scaleType": scale}})
        if is_managed:
            fill_defaults(body["properties"], {"instanceType": "Standard_F4s_v2"})

    def before_delete(self, arm: Arm, id: ArmId, body: Body) -> None:
        """Take it out of its endpoint's traffic."""
        del body
        endpoint = id.parent()
        live = arm.find(endpoint)
        for word in ("traffic", "mirrorTraffic"):
            if live and id.name in (live["properties"].get(word) or {}):
                live["properties"][word].pop(id.name)
                arm.keep(endpoint, live)

    def grows(self, old: Body | None, body: Body) -> bool:
        """Tell whether more instances are asked for."""
        before = int(look(old, "sku.capacity") or 0)
        return int(look(body, "sku.capacity") or 1) > before
