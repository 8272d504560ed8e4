"""EKS: the access entry of an IAM principal in a cluster."""

# ruff: noqa: ARG002 - every behaviour has the contract's signature, used or not

from __future__ import annotations

from typing import Any

from tidegate.localclouds.aws.modelled_type import Actions, ModelledType, Names, TagCalls
from tidegate.localclouds.contracts import Call, Values


class AccessEntry(ModelledType):
    """`aws.eks.AccessEntry`. Its id is "cluster:principal"."""

    service = "eks"
    actions = Actions(
        "CreateAccessEntry", "DescribeAccessEntry", "UpdateAccessEntry", "DeleteAccessEntry"
    )
    names = Names(
        "principalArn",
        property="principalArn",
        member="accessEntry",
        computed={"accessEntryArn": "accessEntryArn"},
    )
    tag_calls = TagCalls()

    def id_of(self, inputs: Values, answer: Values) -> str:
        """Join cluster and principal."""
        return f"{inputs['clusterName']}:{inputs['principalArn']}"

    def key_of(self, id: str) -> dict[str, Any]:
        """Return cluster and principal."""
        cluster, principal = id.split(":", 1)
        return {"clusterName": cluster, "principalArn": principal}

    def arn_of(self, found: Values) -> str:
        """Return the entry's own ARN."""
        return str(found["accessEntryArn"])

    def outputs(self, answer: Values, inputs: Values, call: Call) -> Values:
        """Return the entry with its times as the provider writes them."""
        times = {
            name: answer[name].strftime("%Y-%m-%dT%H:%M:%SZ")
            for name in ("createdAt", "modifiedAt")
        }
        return {**super().outputs(answer, inputs, call), **times}
