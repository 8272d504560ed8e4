"""EKS: who may enter a cluster, and which role its pods have."""

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


class PodIdentityAssociation(ModelledType):
    """`aws.eks.PodIdentityAssociation`. Its id is the service's."""

    service = "eks"
    actions = Actions(
        "CreatePodIdentityAssociation",
        "DescribePodIdentityAssociation",
        "UpdatePodIdentityAssociation",
        "DeletePodIdentityAssociation",
    )
    names = Names(
        "associationId",
        property="",
        member="association",
        computed={
            "associationArn": "associationArn",
            "associationId": "associationId",
            "externalId": "externalId",
        },
    )
    tag_calls = TagCalls()

    def id_of(self, inputs: Values, answer: Values) -> str:
        """Join cluster and the service's id, as the provider imports it."""
        return f"{inputs['clusterName']},{answer['association']['associationId']}"

    def key_of(self, id: str) -> dict[str, Any]:
        """Return cluster and id."""
        cluster, association = id.split(",", 1)
        return {"clusterName": cluster, "associationId": association}

    def arn_of(self, found: Values) -> str:
        """Return the association's own ARN."""
        return str(found["associationArn"])
