"""Application Auto Scaling: targets and their policies."""

# ruff: noqa: ARG002 - every behaviour has the contract's signature, used or not

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tidegate.localclouds.aws.autoscaling import check_bounds
from tidegate.localclouds.aws.modelled_type import Actions, ModelledType, Names, TagCalls
from tidegate.localclouds.contracts import Call, CheckFailure, Values
from tidegate.localclouds.refusals import NotFoundError

KEYS = {
    "serviceNamespace": "ServiceNamespace",
    "resourceId": "ResourceId",
    "scalableDimension": "ScalableDimension",
}
POLICY_KEYS = {**KEYS, "name": "PolicyName"}
SEPARATOR = "|"  # no part of an id has it: resource ids have slashes


class ScalingType(ModelledType):
    """A type whose key are several inputs: its id joins them."""

    service = "application-autoscaling"
    keys = KEYS
    found = ""  # the answer's member that lists what is live

    def id_of(self, inputs: Values, answer: Values) -> str:
        """Join the inputs that name it."""
        return SEPARATOR.join(str(inputs[name]) for name in self.keys)

    def key_of(self, id: str) -> dict[str, Any]:
        """Return the parameters that name it."""
        return dict(zip(self.keys.values(), id.split(SEPARATOR), strict=True))

    def arguments(self, action: str, inputs: Values, call: Call) -> Values:
        """Name it by its keys."""
        named = {parameter: inputs[name] for name, parameter in self.keys.items()}
        return {**super().arguments(action, inputs, call), **named}

    def fetch(self, id: str, inputs: Values, call: Call) -> Values:
        """Find it among what the service lists."""
        keys = self.key_of(id)
        names = ("ServiceNamespace", "ScalableDimension")
        wanted = {name: keys[name] for name in names}
        for answer in self.ask(self.actions.read, call, inputs, wanted)[self.found]:
            if all(answer.get(name) == value for name, value in keys.items()):
                live: Values = answer
                return live
        raise NotFoundError("ObjectNotFoundException", f"No {self.found} for {id}")


class Target(ScalingType):
    """`aws.appautoscaling.Target`."""

    actions = Actions(
        "RegisterScalableTarget",
        "DescribeScalableTargets",
        "RegisterScalableTarget",
        "DeregisterScalableTarget",
    )
    names = Names("ResourceId", property="resourceId", arn="ScalableTargetARN")
    tag_calls = TagCalls(arn="ResourceARN", member="Tags", keys="TagKeys")
    found = "ScalableTargets"

    def check(self, inputs: Values, call: Call) -> Iterable[CheckFailure]:
        """Refuse a minimum above the maximum."""
        low, high = inputs["minCapacity"], inputs["maxCapacity"]
        yield from check_bounds("", low, None, high, ("minCapacity", ""))


class Policy(ScalingType):
    """`aws.appautoscaling.Policy`; its target must be registered."""

    actions = Actions(
        "PutScalingPolicy", "DescribeScalingPolicies", "PutScalingPolicy", "DeleteScalingPolicy"
    )
    names = Names("PolicyName", arn="PolicyARN")
    keys = POLICY_KEYS
    found = "ScalingPolicies"

    def prepare(self, inputs: Values, call: Call) -> Values:
        """Fill in the provider's default type."""
        return {"policyType": "StepScaling", **inputs}

    def outputs(self, answer: Values, inputs: Values, call: Call) -> Values:
        """Return the policy with the ARNs of its alarms."""
        alarms = [alarm["AlarmARN"] for alarm in answer.get("Alarms", ())]
        return {**super().outputs(answer, inputs, call), "alarmArns": alarms}
