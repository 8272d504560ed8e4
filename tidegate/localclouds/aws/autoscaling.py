"""Auto Scaling groups and tags set on them."""

# ruff: noqa: ARG002 - every behaviour has the contract's signature, used or not

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tidegate.localclouds.aws.api_type import ApiType
from tidegate.localclouds.aws.convert import from_structure, to_request
from tidegate.localclouds.aws.naming import choose_name
from tidegate.localclouds.contracts import Call, CheckFailure, Created, Values
from tidegate.localclouds.refusals import CloudError
from tidegate.localclouds.rules import find_values
from tidegate.localclouds.schema import load_schema
from tidegate.localclouds.store import Record

ALIASES = {
    "name": "AutoScalingGroupName",
    "protectFromScaleIn": "NewInstancesProtectedFromScaleIn",
    "targetGroupArns": "TargetGroupARNs",
    "serviceLinkedRoleArn": "ServiceLinkedRoleARN",
    "loadBalancers": "LoadBalancerNames",
    "launchConfiguration": "LaunchConfigurationName",
}
MAXIMUM_HEALTHY_SPREAD = 100  # Auto Scaling API reference, InstanceMaintenancePolicy
# Set by calls of their own, or read by the provider alone.
SEPARATE = frozenset(
    {"tags", "launchTemplate", "vpcZoneIdentifiers", "namePrefix", "enabledMetrics", "warmPool"}
    | {"suspendedProcesses", "initialLifecycleHooks", "instanceRefresh"}
)


def check_bounds(
    place: str, low: Any, wanted: Any, high: Any, names: tuple[str, str]
) -> Iterable[CheckFailure]:
    """Say where minimum, desired and maximum size contradict each other."""
    prefix = f"{place}." if place else ""
    minimum, desired = names
    if isinstance(low, int) and isinstance(high, int) and low > high:
        yield CheckFailure(f"{prefix}{minimum}", f"{low} is above the maximum size {high}")
    if isinstance(wanted, int) and isinstance(low, int) and wanted < low:
        yield CheckFailure(f"{prefix}{desired}", f"{wanted} is below the minimum size {low}")
    if isinstance(wanted, int) and isinstance(high, int) and wanted > high:
        yield CheckFailure(f"{prefix}{desired}", f"{wanted} is above the maximum size {high}")


def _check_mix(inputs: Values) -> Iterable[CheckFailure]:
    """Say which overrides are not emulated, and where healthy percentages are too far apart."""
    place = "mixedInstancesPolicy.launchTemplate.overrides[].instanceRequirements"
    for where, _ in find_values(inputs, place):
        yield CheckFailure(where, "the local clouds do not emulate this property")
    policy = inputs.get("instanceMaintenancePolicy")
    if isinstance(policy, dict):
        low, high = policy["minHealthyPercentage"], policy["maxHealthyPercentage"]
        if isinstance(low, int) and isinstance(high, int) and high - low > MAXIMUM_HEALTHY_SPREAD:
            words = f"{high} is more than {MAXIMUM_HEALTHY_SPREAD} above the minimum {low}"
            yield CheckFailure("instanceMaintenancePolicy.maxHealthyPercentage", words)


class Group(ApiType):
    """`aws.autoscaling.Group`."""

    service = "autoscaling"

    def check(self, inputs: Values, call: Call) -> Iterable[CheckFailure]:
        """Refuse contradicting sizes, and other than one source of instances."""
        sizes = (inputs.get("minSize"), inputs.get("desiredCapacity"), inputs.get("maxSize"))
        yield from check_bounds("", *sizes, ("minSize", "desiredCapacity"))
        sources = ("launchTemplate", "launchConfiguration", "mixedInstancesPolicy")
        if sum(name in inputs for name in sources) != 1:
            yield CheckFailure("launchTemplate", f"one of {', '.join(sources)} must be specified")
        yield from _check_mix(inputs)

    def create(self, inputs: Values, call: Call) -> Created:
        """Create the group; it launches its desired number of instances."""
        client, name = self.client(call, inputs), choose_name(inputs, "name")
        arguments = self._arguments(inputs, client, "CreateAutoScalingGroup")
        arguments["AutoScalingGroupName"] = name
        tags = self._tags(inputs, name)
        client.create_auto_scaling_group(**arguments, **({"Tags": tags} if tags else {}))
        self._set_processes({}, inputs, name, call)
        self._require_capacity(inputs, name, call)
        return Created(name, self._read(name, inputs, call) or {})

    def _require_capacity(self, inputs: Values, name: str, call: Call) -> None:
        """Fail where the last launch failed, as the provider does once it has waited for it.

        What the provider would leave tainted, to be replaced, is deleted at once.
        """
        if inputs.get("waitForCapacityTimeout") == "0":
            return
        client = self.client(call, inputs)
        found = client.describe_scaling_activities(AutoScalingGroupName=name)["Activities"]
        if found and found[0]["StatusCode"] == "Failed":
            client.delete_auto_scaling_group(AutoScalingGroupName=name, ForceDelete=True)
            words = f"waiting for capacity of Auto Scaling group {name}: {found[0]['Description']}"
            raise CloudError("ScalingActivityFailed", words)

    def _arguments(self, inputs: Values, client: Any, operation: str) -> Values:
        plain = {key: value for key, value in inputs.items() if key not in SEPARATE}
        arguments: Values = to_request(client.input_shape(operation), plain, ALIASES)
        template = inputs.get("launchTemplate")
        if template:
            arguments["LaunchTemplate"] = {
                name: template[key]
                for key, name in (
                    ("id", "LaunchTemplateId"),
                    ("name", "LaunchTemplateName"),
                    ("version", "Version"),
                )
                if template.get(key)
            }
        if inputs.get("vpcZoneIdentifiers"):
            arguments["VPCZoneIdentifier"] = ",".join(inputs["vpcZoneIdentifiers"])
        return arguments

    def _tags(self, inputs: Values, name: str) -> list[Values]:
        return [_to_api_tag(tag, name) for tag in inputs.get("tags") or []]

    def _set_processes(self, old: Values, new: Values, name: str, call: Call) -> None:
        client = self.client(call, new)
        before = set(old.get("suspendedProcesses") or ())
        after = set(new.get("suspendedProcesses") or ())
        if before - after:
            client.resume_processes(
                AutoScalingGroupName=name, ScalingProcesses=sorted(before - after)
            )
        if after - before:
            client.suspend_processes(
                AutoScalingGroupName=name, ScalingProcesses=sorted(after - before)
            )
        if new.get("enabledMetrics"):
            client.enable_metrics_collection(
                AutoScalingGroupName=name,
                Metrics=new["enabledMetrics"],
                Granularity=new.get("metricsGranularity", "1Minute"),
            )

    def _read(self, name: str, inputs: Values, call: Call) -> Values | None:
        client = self.client(call, inputs)
        groups = client.describe_auto_scaling_groups(AutoScalingGroupNames=[name])
        if not groups["AutoScalingGroups"]:
            return None
        group = groups["AutoScalingGroups"][0]
        schema = load_schema(call.type_token)
        live: Values = from_structure(schema.inputs, group, ALIASES)
        template = group.get("LaunchTemplate")
        subnets = group.get("VPCZoneIdentifier")
        asked = inputs.get("launchTemplate") or {}
        return {
            **live,
            "arn": group["AutoScalingGroupARN"],
            "launchTemplate": {
                "id": template["LaunchTemplateId"],
                "name": template["LaunchTemplateName"],
                "version": template.get("Version", asked.get("version", "$Default")),
            }
            if template
            else None,
            "vpcZoneIdentifiers": subnets.split(",") if subnets else None,
            "suspendedProcesses": sorted(
                process["ProcessName"] for process in group.get("SuspendedProcesses", [])
            ),
            "enabledMetrics": sorted(
                metric["Metric"] for metric in group.get("EnabledMetrics", [])
            ),
            "tags": self._own_tags(group, inputs),
        }

    def _own_tags(self, group: Values, inputs: Values) -> list[Values]:
        """Return the group's tags without those that `aws.autoscaling.Tag` set on it."""
        asked = {tag["key"] for tag in inputs.get("tags") or []}
        return [_from_api_tag(tag) for tag in group.get("Tags", []) if tag["Key"] in asked]

    def read(self, record: Record, call: Call) -> Values | None:
        """Return the group as it is live."""
        return self._read(record.id, record.inputs, call)

    def update(self, record: Record, old: Values, new: Values, call: Call) -> Values:
        """Change sizes, templates, subnets, processes and tags."""
        client, name = self.client(call, new), record.id
        arguments = self._arguments(new, client, "UpdateAutoScalingGroup")
        client.update_auto_scaling_group(**{**arguments, "AutoScalingGroupName": name})
        self._set_processes(old, new, name, call)
        before = {tag["key"]: tag for tag in old.get("tags") or []}
        after = {tag["key"]: tag for tag in new.get("tags") or []}
        gone = [_to_api_tag(tag, name) for key, tag in before.items() if key not in after]
        changed = [_to_api_tag(tag, name) for key, tag in after.items() if before.get(key) != tag]
        if gone:
            client.delete_tags(Tags=gone)
        if changed:
            client.create_or_update_tags(Tags=changed)
        return self._read(name, new, call) or {}

    def delete(self, record: Record, call: Call) -> None:
        """Delete the group with its instances, as the provider does after scaling it to zero."""
        client = self.client(call, record.inputs)
        groups = client.describe_auto_scaling_groups(AutoScalingGroupNames=[record.id])
        if groups["AutoScalingGroups"]:
            client.delete_auto_scaling_group(AutoScalingGroupName=record.id, ForceDelete=True)


class Tag(ApiType):
    """`aws.autoscaling.Tag`: one tag on a group that something else owns."""

    service = "autoscaling"

    def create(self, inputs: Values, call: Call) -> Created:
        """Set the tag on a group that exists."""
        self._put(inputs, call)
        return Created(f"{inputs['autoscalingGroupName']},{inputs['tag']['key']}", {})

    def _put(self, inputs: Values, call: Call) -> None:
        name = inputs["autoscalingGroupName"]
        self.client(call, inputs).create_or_update_tags(Tags=[_to_api_tag(inputs["tag"], name)])

    def read(self, record: Record, call: Call) -> Values | None:
        """Return the tag as it is live."""
        inputs = record.inputs
        filters = [
            {"Name": "auto-scaling-group", "Values": [inputs["autoscalingGroupName"]]},
            {"Name": "key", "Values": [inputs["tag"]["key"]]},
        ]
        found = self.client(call, inputs).describe_tags(Filters=filters)["Tags"]
        return {**record.outputs, "tag": _from_api_tag(found[0])} if found else None

    def update(self, record: Record, old: Values, new: Values, call: Call) -> Values:
        """Set the tag anew."""
        self._put(new, call)
        return {}

    def delete(self, record: Record, call: Call) -> None:
        """Remove the tag; a group that is gone has none."""
        inputs = record.inputs
        name = inputs["autoscalingGroupName"]
        client = self.client(call, inputs)
        found = client.describe_auto_scaling_groups(AutoScalingGroupNames=[name])
        if found["AutoScalingGroups"]:
            client.delete_tags(Tags=[_to_api_tag(inputs["tag"], name)])


def _to_api_tag(tag: Values, name: str) -> Values:
    return {
        "ResourceId": name,
        "ResourceType": "auto-scaling-group",
        "Key": tag["key"],
        "Value": tag["value"],
        "PropagateAtLaunch": tag["propagateAtLaunch"],
    }


def _from_api_tag(tag: Values) -> Values:
    return {
        "key": tag["Key"],
        "value": tag["Value"],
        "propagateAtLaunch": tag["PropagateAtLaunch"],
    }
