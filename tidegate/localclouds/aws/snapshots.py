"""Data Lifecycle Manager: the lifecycle policy of snapshots."""

# ruff: noqa: ARG002 - every behaviour has the contract's signature, used or not

from __future__ import annotations

from tidegate.localclouds.aws.modelled_type import Actions, ModelledType, Names, TagCalls
from tidegate.localclouds.contracts import Call, Values

DETAILS = {"action": "Actions", "crossRegionCopies": "CrossRegionCopy"}


class LifecyclePolicy(ModelledType):
    """`aws.dlm.LifecyclePolicy`. Its id is drawn by the service."""

    service = "dlm"
    actions = Actions(
        "CreateLifecyclePolicy",
        "GetLifecyclePolicy",
        "UpdateLifecyclePolicy",
        "DeleteLifecyclePolicy",
    )
    names = Names(
        "PolicyId", property="", arn="PolicyArn", member="Policy", asked=DETAILS, shown=DETAILS
    )
    tag_calls = TagCalls(arn="ResourceArn", member="Tags", keys="TagKeys")

    def prepare(self, inputs: Values, call: Call) -> Values:
        """Fill in the provider's default state."""
        return {"state": "ENABLED", **inputs}

    def outputs(self, answer: Values, inputs: Values, call: Call) -> Values:
        """Return the policy; whether it is a default one is said by its kind of resource."""
        plain = {key: value for key, value in answer.items() if key != "DefaultPolicy"}
        return {
            **super().outputs(plain, inputs, call),
            "defaultPolicy": inputs.get("defaultPolicy"),
        }
