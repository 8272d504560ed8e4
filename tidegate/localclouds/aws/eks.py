"""EKS: clusters and managed node groups."""

# ruff: noqa: ARG002 - every behaviour has the contract's signature, used or not

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tidegate.localclouds.aws.api_type import ApiType, compare_tags, tags_of
from tidegate.localclouds.aws.autoscaling import check_bounds
from tidegate.localclouds.aws.convert import from_response, from_structure, to_request
from tidegate.localclouds.aws.corrections.offerings import is_known_type
from tidegate.localclouds.aws.naming import choose_name
from tidegate.localclouds.aws.tags import split_live_tags
from tidegate.localclouds.contracts import Call, CheckFailure, Created, Values
from tidegate.localclouds.refusals import CloudError, NotFoundError
from tidegate.localclouds.schema import load_schema
from tidegate.localclouds.store import Record

CLUSTER_ALIASES = {"vpcConfig": "resourcesVpcConfig"}
NODE_GROUP_ALIASES = {
    "nodeRoleArn": "nodeRole",
    "subnetIds": "subnets",
    "nodeGroupName": "nodegroupName",
}
# LogType in the botocore service model of EKS, read on 2026-11-30.
LOG_TYPES = ("api", "audit", "authenticator", "controllerManager", "scheduler")


class Cluster(ApiType):
    """`aws.eks.Cluster`."""

    service = "eks"

    def create(self, inputs: Values, call: Call) -> Created:
        """Create the cluster; role and subnets must exist."""
        client = self.client(call, inputs)
        arguments = self._arguments(inputs, client, "CreateCluster")
        cluster = client.create_cluster(**arguments)["cluster"]
        return Created(cluster["name"], self._outputs(cluster, inputs, call))

    def _arguments(self, inputs: Values, client: Any, operation: str) -> Values:
        plain = {
            key: value for key, value in inputs.items() if key not in {"tags", "encryptionConfig"}
        }
        arguments: Values = to_request(client.input_shape(operation), plain, CLUSTER_ALIASES)
        if tags_of(inputs):
            arguments["tags"] = tags_of(inputs)
        if inputs.get("encryptionConfig"):
            arguments["encryptionConfig"] = [inputs["encryptionConfig"]]
        if "enabledClusterLogTypes" in inputs:
            arguments["logging"] = _to_logging(inputs["enabledClusterLogTypes"])
        return arguments

    def _outputs(self, cluster: Values, inputs: Values, call: Call) -> Values:
        schema = load_schema(call.type_token)
        known: Values = from_structure(schema.inputs, cluster, CLUSTER_ALIASES)
        issuer = (cluster.get("identity") or {}).get("oidc", {}).get("issuer")
        logging = (cluster.get("logging") or {}).get("clusterLogging") or []
        enabled = [kind for part in logging if part.get("enabled") for kind in part["types"]]
        computed = {
            "arn": cluster["arn"],
            "endpoint": cluster["endpoint"],
            "certificateAuthority": {"data": cluster["certificateAuthority"]["data"]},
            "createdAt": cluster["createdAt"].strftime("%Y-%m-%dT%H:%M:%SZ"),
            "identities": [{"oidcs": [{"issuer": issuer}]}],
            "platformVersion": cluster["platformVersion"],
            "status": cluster["status"],
            "enabledClusterLogTypes": enabled or inputs.get("enabledClusterLogTypes"),
        }
        return {**known, **computed, **split_live_tags(cluster.get("tags") or {}, inputs, call)}

    def read(self, record: Record, call: Call) -> Values | None:
        """Return the cluster as it is live."""
        try:
            cluster = self.client(call, record.inputs).describe_cluster(name=record.id)["cluster"]
        except NotFoundError:
            return None
        return self._outputs(cluster, record.inputs, call)

    def update(self, record: Record, old: Values, new: Values, call: Call) -> Values:
        """Change network access, logging, version and tags."""
        client = self.client(call, new)
        arguments = self._arguments(new, client, "UpdateClusterConfig")
        changed = {key: value for key, value in arguments.items() if key != "name"}
        if _without(old, {"tags", "tagsAll", "version"}) != _without(
            new, {"tags", "tagsAll", "version"}
        ):
            client.update_cluster_config(name=record.id, **_without(changed, {"tags"}))
        if new.get("version") not in (None, old.get("version")):
            client.update_cluster_version(name=record.id, version=new["version"])
        cluster = client.describe_cluster(name=record.id)["cluster"]
        _set_tags(client, cluster["arn"], cluster.get("tags") or {}, new)
        return self._outputs(client.describe_cluster(name=record.id)["cluster"], new, call)

    def delete(self, record: Record, call: Call) -> None:
        """Delete the cluster; refused while it has node groups."""
        with self.ignore_missing():
            self.client(call, record.inputs).delete_cluster(name=record.id)


class NodeGroup(ApiType):
    """`aws.eks.NodeGroup`. Its id is "cluster:group"."""

    service = "eks"

    def check(self, inputs: Values, call: Call) -> Iterable[CheckFailure]:
        """Refuse contradicting sizes, unknown instance types, an ambiguous launch template."""
        types = inputs.get("instanceTypes")
        for index, name in enumerate(types if isinstance(types, list) else []):
            if isinstance(name, str) and not is_known_type(name):
                reason = f"Invalid value '{name}' for InstanceType."
                yield CheckFailure(f"instanceTypes[{index}]", reason)
        scaling = inputs.get("scalingConfig")
        if isinstance(scaling, dict):
            sizes = (scaling.get("minSize"), scaling.get("desiredSize"), scaling.get("maxSize"))
            yield from check_bounds("scalingConfig", *sizes, ("minSize", "desiredSize"))
        template = inputs.get("launchTemplate")
        if isinstance(template, dict) and ("id" in template) == ("name" in template):
            yield CheckFailure("launchTemplate", "exactly one of id, name must be specified")

    def create(self, inputs: Values, call: Call) -> Created:
        """Create the node group with its Auto Scaling group."""
        client = self.client(call, inputs)
        plain = {key: value for key, value in inputs.items() if key != "tags"}
        plain["nodeGroupName"] = choose_name(inputs, "nodeGroupName")
        arguments: Values = to_request(
            client.input_shape("CreateNodegroup"), plain, NODE_GROUP_ALIASES
        )
        if tags_of(inputs):
            arguments["tags"] = tags_of(inputs)
        group = client.create_nodegroup(**arguments)["nodegroup"]
        key = f"{group['clusterName']}:{group['nodegroupName']}"
        return Created(key, self._outputs(group, inputs, call))

    def _outputs(self, group: Values, inputs: Values, call: Call) -> Values:
        schema = load_schema(call.type_token)
        known: Values = from_structure(schema.inputs, group, NODE_GROUP_ALIASES)
        names = [part["name"] for part in group["resources"].get("autoScalingGroups", [])]
        security_group = group["resources"].get("remoteAccessSecurityGroup")
        computed = {
            "arn": group["nodegroupArn"],
            "status": group["status"],
            "resources": [
                {
                    "autoscalingGroups": [{"name": name} for name in names],
                    "remoteAccessSecurityGroupId": security_group or "",
                }
            ],
        }
        if not group.get("taints") and "taints" not in inputs:
            known.pop("taints", None)
        return {**known, **computed, **split_live_tags(group.get("tags") or {}, inputs, call)}

    def read(self, record: Record, call: Call) -> Values | None:
        """Return the node group as it is live, its Auto Scaling group's size included."""
        client = self.client(call, record.inputs)
        try:
            group = client.describe_nodegroup(**_keys(record.id))["nodegroup"]
        except NotFoundError:
            return None
        return self._outputs(group, record.inputs, call)

    def update(self, record: Record, old: Values, new: Values, call: Call) -> Values:
        """Change sizes, labels, taints, version, template version and tags."""
        client, keys = self.client(call, new), _keys(record.id)
        group = client.describe_nodegroup(**keys)["nodegroup"]
        change = self._config_change(old, new, client)
        if change:
            client.update_nodegroup_config(**keys, **change)
        versions = ("version", "releaseVersion", "launchTemplate")
        if any(new.get(name) != old.get(name) for name in versions):
            shape = client.input_shape("UpdateNodegroupVersion")
            given = {name: new[name] for name in versions if new.get(name)}
            client.update_nodegroup_version(**keys, **to_request(shape, given))
        _set_tags(client, group["nodegroupArn"], group.get("tags") or {}, new)
        return self._outputs(client.describe_nodegroup(**keys)["nodegroup"], new, call)

    def _config_change(self, old: Values, new: Values, client: Any) -> Values:
        shape = client.input_shape("UpdateNodegroupConfig")
        names = ("scalingConfig", "updateConfig", "nodeRepairConfig")
        plain = {name: new[name] for name in names if new.get(name) != old.get(name)}
        change: Values = to_request(shape, plain)
        labels = compare_tags(old.get("labels") or {}, new.get("labels") or {})
        if labels.added or labels.removed:
            change["labels"] = {
                **({"addOrUpdateLabels": labels.added} if labels.added else {}),
                **({"removeLabels": labels.removed} if labels.removed else {}),
            }
        before, after = old.get("taints") or [], new.get("taints") or []
        gone = [taint for taint in before if _taint_key(taint) not in map(_taint_key, after)]
        changed = [taint for taint in after if taint not in before]
        if gone or changed:
            change["taints"] = {
                **({"addOrUpdateTaints": changed} if changed else {}),
                **({"removeTaints": gone} if gone else {}),
            }
        return change

    def delete(self, record: Record, call: Call) -> None:
        """Delete the node group with its Auto Scaling group."""
        with self.ignore_missing():
            self.client(call, record.inputs).delete_nodegroup(**_keys(record.id))

    def adopt(self, id: str, call: Call) -> Values | None:
        """Import a node group by "cluster:group"."""
        try:
            group = self.client(call, {}).describe_nodegroup(**_keys(id))["nodegroup"]
        except (CloudError, ValueError):
            return None
        form = load_schema(call.type_token).inputs
        return {
            key: value
            for key, value in from_response(form, group, NODE_GROUP_ALIASES).items()
            if value not in (None, {}, [])
        }


def _keys(id: str) -> dict[str, str]:
    cluster, group = id.split(":", 1)
    return {"clusterName": cluster, "nodegroupName": group}


def _taint_key(taint: Values) -> tuple[Any, Any]:
    return taint.get("key"), taint.get("effect")


def _to_logging(enabled: list[str]) -> Values:
    disabled = [kind for kind in LOG_TYPES if kind not in enabled]
    parts = ((list(enabled), True), (disabled, False))
    return {"clusterLogging": [{"types": kinds, "enabled": on} for kinds, on in parts if kinds]}


def _without(values: Values, names: set[str]) -> Values:
    return {key: value for key, value in values.items() if key not in names}


def _set_tags(client: Any, arn: str, live: dict[str, str], inputs: Values) -> None:
    change = compare_tags(live, tags_of(inputs))
    if change.removed:
        client.untag_resource(resourceArn=arn, tagKeys=change.removed)
    if change.added:
        client.tag_resource(resourceArn=arn, tags=change.added)
