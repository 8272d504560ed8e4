"""EKS: references and sizes, the Auto Scaling group behind a node group, updates.

Moto takes any role, subnet and size, and names an Auto Scaling group that does not exist.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from tidegate.localclouds.aws.corrections.eks_checks import (
    check_network,
    check_node_group,
    check_role,
    check_scaling,
)
from tidegate.localclouds.aws.corrections.node_groups import (
    delete_scaling_group,
    make_scaling_group,
    read_desired_size,
    resize_scaling_group,
)
from tidegate.localclouds.aws.corrections.patching import add, wrap

# AMI types: botocore service model of EKS, read on 2026-11-30; which one is the default, and the
# versions: general vendor documentation, not verified.
KUBERNETES_VERSION = "1.34"
RELEASE_VERSION = "1.34.1-20251112"
PLATFORM_VERSION = "eks.9"
AMI_TYPE = "AL2023_x86_64_STANDARD"
GPU_AMI_TYPE = "AL2023_x86_64_NVIDIA"
CLUSTER_EXTRAS = {
    "accessConfig": "access_config",
    "upgradePolicy": "upgrade_policy",
    "zonalShiftConfig": "zonal_shift_config",
    "computeConfig": "compute_config",
    "storageConfig": "storage_config",
    "deletionProtection": "deletion_protection",
}
UPDATE_PATHS = (
    "{0}/clusters/(?P<name>[^/]+)/updates$",
    "{0}/clusters/(?P<name>[^/]+)/updates/(?P<updateId>[^/]+)$",
    "{0}/clusters/(?P<name>[^/]+)/node-groups/(?P<nodegroupName>[^/]+)/update-version$",
)


def correct_eks() -> None:
    """Apply the corrections of this module."""
    from moto.eks import models, urls
    from moto.eks.models import EKSBackend
    from moto.eks.responses import EKSResponse

    models.DEFAULT_KUBERNETES_VERSION = KUBERNETES_VERSION
    models.DEFAULT_RELEASE_VERSION = RELEASE_VERSION
    models.DEFAULT_PLATFORM_VERSION = PLATFORM_VERSION
    models.DEFAULT_AMI_TYPE = AMI_TYPE
    models.DEFAULT_REMOTE_ACCESS = None  # type: ignore[assignment]
    for path in UPDATE_PATHS:
        urls.url_paths[path] = urls.response.dispatch
    wrap(EKSBackend, "create_cluster", _check_cluster)
    wrap(EKSBackend, "list_nodegroups", _refuse_absent_cluster)
    wrap(EKSBackend, "create_nodegroup", _make_node_group)
    wrap(EKSBackend, "describe_nodegroup", _sync_node_group)
    wrap(EKSBackend, "update_nodegroup_config", _change_node_group)
    wrap(EKSBackend, "delete_nodegroup", _drop_node_group)
    for name in ("tag_resource", "untag_resource", "list_tags_for_resource"):
        wrap(EKSBackend, name, _tag_node_groups_too)
    wrap(EKSResponse, "create_cluster", _keep_cluster_extras)
    wrap(EKSResponse, "update_cluster_config", _answer_cluster_update)
    wrap(EKSResponse, "create_nodegroup", _keep_node_group_extras)
    add(
        EKSResponse,
        describe_update=_describe_update,
        list_updates=_list_updates,
        update_cluster_version=_update_cluster_version,
        update_nodegroup_version=_update_node_group_version,
    )


def _check_cluster(original: Callable[..., Any]) -> Callable[..., Any]:
    def create_cluster(self: Any, *args: Any, **kwargs: Any) -> Any:
        check_role(kwargs["role_arn"], self.account_id, self.region_name)
        network = kwargs["resources_vpc_config"]
        vpc_id = check_network(network, self.account_id, self.region_name)
        filled = {
            "endpointPublicAccess": True,
            "endpointPrivateAccess": False,
            "publicAccessCidrs": ["0.0.0.0/0"],
            "securityGroupIds": [],
            **network,
            "vpcId": vpc_id,
        }
        cluster = original(self, *args, **{**kwargs, "resources_vpc_config": filled})
        _give_addresses(cluster, self.region_name)
        return cluster

    return create_cluster


def _refuse_absent_cluster(original: Callable[..., Any]) -> Callable[..., Any]:
    def list_nodegroups(self: Any, cluster_name: str, *args: Any, **kwargs: Any) -> Any:
        self.describe_cluster(cluster_name)
        return original(self, cluster_name, *args, **kwargs)

    return list_nodegroups


def _give_addresses(cluster: Any, region: str) -> None:
    """Give a cluster addresses of its own; moto's are those of the process, for all of them."""
    mark = hashlib.sha256(cluster.arn.encode()).hexdigest()[:32].upper()
    cluster.endpoint = f"https://{mark}.gr7.{region}.eks.amazonaws.com"
    cluster.identity = {"oidc": {"issuer": f"https://oidc.eks.{region}.amazonaws.com/id/{mark}"}}


def _keep_cluster_extras(original: Callable[..., Any]) -> Callable[..., Any]:
    def create_cluster(self: Any) -> Any:
        answer = original(self)
        cluster = answer.result["cluster"]
        for name, attribute in CLUSTER_EXTRAS.items():
            value = self._get_param(name)
            if value is not None:
                setattr(cluster, attribute, value)
        return answer

    return create_cluster


def _answer_cluster_update(original: Callable[..., Any]) -> Callable[..., Any]:
    """Lay what was given over what was (moto replaces it), and answer an update."""

    def update_cluster_config(self: Any) -> Any:
        from moto.core.responses import ActionResult

        cluster = self.eks_backend.describe_cluster(name=self._get_param("name"))
        before = dict(cluster.resources_vpc_config)
        original(self)
        cluster.resources_vpc_config = {**before, **(self._get_param("resourcesVpcConfig") or {})}
        for name, attribute in CLUSTER_EXTRAS.items():
            value = self._get_param(name)
            if value is not None:
                setattr(cluster, attribute, value)
        update = _record_update(self.eks_backend, cluster.name, "", "ConfigUpdate")
        return ActionResult({"update": update})

    return update_cluster_config


def _make_node_group(original: Callable[..., Any]) -> Callable[..., Any]:
    def create_nodegroup(self: Any, **kwargs: Any) -> Any:
        check_node_group(self, kwargs)
        group = original(self, **kwargs)
        if not kwargs.get("ami_type"):
            types = kwargs.get("instance_types") or []
            group.ami_type = GPU_AMI_TYPE if types and _all_have_gpus(types) else AMI_TYPE
        if kwargs.get("launch_template"):
            group.disk_size = None
            group.instance_types = kwargs.get("instance_types")
        if not kwargs.get("remote_access"):
            group.resources.pop("remoteAccessSecurityGroup", None)
        cluster = self.clusters[kwargs["cluster_name"]]
        group.version = kwargs.get("version") or cluster.version
        make_scaling_group(group, self.account_id)
        return group

    return create_nodegroup


def _all_have_gpus(types: list[str]) -> bool:
    from moto.ec2.models.instance_types import INSTANCE_TYPES

    return all("GpuInfo" in INSTANCE_TYPES.get(name, {}) for name in types)


def _keep_node_group_extras(original: Callable[..., Any]) -> Callable[..., Any]:
    def create_nodegroup(self: Any) -> Any:
        answer = original(self)
        group = answer.result["nodegroup"]
        group.update_config = self._get_param("updateConfig") or {"maxUnavailable": 1}
        group.node_repair_config = self._get_param("nodeRepairConfig")
        return answer

    return create_nodegroup


def _sync_node_group(original: Callable[..., Any]) -> Callable[..., Any]:
    """Show the size that an autoscaler gave the Auto Scaling group, as EKS does."""

    def describe_nodegroup(self: Any, cluster_name: str, nodegroup_name: str) -> Any:
        group = original(self, cluster_name, nodegroup_name)
        desired = read_desired_size(group, self.account_id)
        if desired is not None:
            group.scaling_config = {**group.scaling_config, "desiredSize": desired}
        return group

    return describe_nodegroup


def _change_node_group(original: Callable[..., Any]) -> Callable[..., Any]:
    def update_nodegroup_config(self: Any, **kwargs: Any) -> Any:
        cluster_name, name = kwargs["cluster_name"], kwargs["nodegroup_name"]
        group = self.describe_nodegroup(cluster_name, name)
        asked = kwargs.get("scaling_config")
        if asked:
            kwargs["scaling_config"] = {**group.scaling_config, **asked}
            check_scaling(kwargs["scaling_config"])
        update = original(self, **kwargs)
        if asked:
            resize_scaling_group(group, self.account_id)
        recorded = _record_update(self, cluster_name, name, "ConfigUpdate")
        return {**update, "id": recorded["id"], "status": recorded["status"]}

    return update_nodegroup_config


def _drop_node_group(original: Callable[..., Any]) -> Callable[..., Any]:
    def delete_nodegroup(self: Any, cluster_name: str, nodegroup_name: str) -> Any:
        group = original(self, cluster_name, nodegroup_name)
        delete_scaling_group(group, self.account_id)
        return group

    return delete_nodegroup


def _tag_node_groups_too(original: Callable[..., Any]) -> Callable[..., Any]:
    """Moto tags clusters only: show it the node group of the ARN as if it were one."""

    def call(self: Any, resource_arn: str, *args: Any, **kwargs: Any) -> Any:
        groups = {
            group.arn: group
            for cluster in self.clusters.values()
            for group in cluster.nodegroups.values()
        }
        if resource_arn not in groups:
            return original(self, resource_arn, *args, **kwargs)
        stand_in = SimpleNamespace(clusters={"": groups[resource_arn]})
        return original(stand_in, resource_arn, *args, **kwargs)

    return call


def _record_update(backend: Any, cluster_name: str, group_name: str, kind: str) -> dict[str, Any]:
    from moto.core.utils import utcnow
    from moto.moto_api._internal import mock_random

    update = {
        "id": str(mock_random.uuid4()),
        "status": "Successful",
        "type": kind,
        "params": [],
        "createdAt": utcnow(),
        "errors": [],
    }
    updates = backend.__dict__.setdefault("updates", {})
    updates.setdefault((cluster_name, group_name), []).append(update)
    return update


def _find_updates(self: Any) -> list[dict[str, Any]]:
    name, group = self._get_param("name"), self._get_param("nodegroupName") or ""
    self.eks_backend.describe_cluster(name=name)
    updates: dict[Any, list[dict[str, Any]]] = self.eks_backend.__dict__.get("updates", {})
    return updates.get((name, group), [])


def _describe_update(self: Any) -> Any:
    from moto.core.responses import ActionResult
    from moto.eks.exceptions import ResourceNotFoundException

    wanted = self._get_param("updateId")
    found = [update for update in _find_updates(self) if update["id"] == wanted]
    if not found:
        raise ResourceNotFoundException(message=f"No update found for ID: {wanted}")
    return ActionResult({"update": found[0]})


def _list_updates(self: Any) -> Any:
    from moto.core.responses import ActionResult

    return ActionResult({"updateIds": [update["id"] for update in _find_updates(self)]})


def _update_cluster_version(self: Any) -> Any:
    from moto.core.responses import ActionResult

    cluster = self.eks_backend.describe_cluster(name=self._get_param("name"))
    cluster.version = self._get_param("version")
    update = _record_update(self.eks_backend, cluster.name, "", "VersionUpdate")
    return ActionResult({"update": update})


def _update_node_group_version(self: Any) -> Any:
    from moto.core.responses import ActionResult

    cluster_name, name = self._get_param("name"), self._get_param("nodegroupName")
    group = self.eks_backend.describe_nodegroup(cluster_name, name)
    for parameter, attribute in (("version", "version"), ("releaseVersion", "release_version")):
        value = self._get_param(parameter)
        if value:
            setattr(group, attribute, value)
    template = self._get_param("launchTemplate")
    if template:
        group.launch_template = {**(group.launch_template or {}), **template}
    update = _record_update(self.eks_backend, cluster_name, name, "VersionUpdate")
    return ActionResult({"update": update})
