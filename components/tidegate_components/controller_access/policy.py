"""The IAM policy of the controller, and who may take its role on."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from tidegate.catalog.actions import ActionScope, ApiAction, load_actions
from tidegate.vocabulary.capacity import Cloud
from tidegate_components.controller_access.spec import AccessSpec, KubernetesIdentity
from tidegate_components.token_audiences import AWS_AUDIENCE

MAX_POLICY = 6144
"""Characters of a managed policy, white space not counted (IAM and STS quotas)."""

POOL_TAG = "aws:ResourceTag/capacity-pool"
STACK_TAG = "aws:ResourceTag/managed-by"

_PARTITIONS = {"cn-": "aws-cn", "us-gov-": "aws-us-gov"}


def build_policy(spec: AccessSpec) -> dict[str, Any]:
    """Return the policy document: one statement for each thing that actions can be held to."""
    return {"Version": "2012-10-17", "Statement": [*_statements(spec)]}


def render_policy(document: dict[str, Any]) -> str:
    """Return a policy document as IAM takes it."""
    return json.dumps(document, separators=(",", ":"))


def measure_policy(document: dict[str, Any]) -> int:
    """Return how many characters of a policy IAM counts."""
    return len("".join(render_policy(document).split()))


def _statements(spec: AccessSpec) -> Iterator[dict[str, Any]]:
    listed = load_actions(Cloud.AWS)
    account = listed.of_scope(ActionScope.ACCOUNT)
    anywhere = [each for each in account if not each.resources]
    yield {
        "Sid": "ReadWhatTakesNoResource",
        "Effect": "Allow",
        "Action": [each.action for each in anywhere],
        "Resource": "*",
    }
    yield {
        "Sid": "ReadWhatPoolsShare",
        "Effect": "Allow",
        "Action": [each.action for each in account if each.resources],
        "Resource": _resources(spec, account),
    }
    pools = listed.of_scope(ActionScope.POOL)
    yield {
        "Sid": "Pools",
        "Effect": "Allow",
        "Action": [each.action for each in pools],
        "Resource": _resources(spec, pools),
        "Condition": {"StringEquals": {POOL_TAG: list(spec.aws.pools)}},
    }
    stack = listed.of_scope(ActionScope.STACK)
    yield {
        "Sid": "EndpointsAndNotebooks",
        "Effect": "Allow",
        "Action": [each.action for each in stack],
        "Resource": _resources(spec, stack),
        "Condition": {"StringEquals": {STACK_TAG: "tidegate"}},
    }


def _resources(spec: AccessSpec, actions: tuple[ApiAction, ...]) -> list[str]:
    """Return the ARNs that actions are held to, each once."""
    found = [
        pattern.format(
            partition=_partition(region),
            region=region,
            account=spec.account or "*",  # IAM lets a role into its own account only
        )
        for region in spec.aws.regions
        for each in actions
        for pattern in each.resources
    ]
    return list(dict.fromkeys(found))


def _partition(region: str) -> str:
    found = [name for start, name in _PARTITIONS.items() if region.startswith(start)]
    return found[0] if found else "aws"


def build_pod_identity_trust(identity: KubernetesIdentity) -> str:
    """Return that EKS Pod Identity may hand the role to one service account."""
    statement = {
        "Effect": "Allow",
        "Principal": {"Service": "pods.eks.amazonaws.com"},
        "Action": ["sts:AssumeRole", "sts:TagSession"],
        "Condition": {
            "StringEquals": {
                "aws:RequestTag/kubernetes-namespace": identity.namespace,
                "aws:RequestTag/kubernetes-service-account": identity.service_account,
            }
        },
    }
    return _render_trust(statement)


def build_irsa_trust(identity: KubernetesIdentity, provider_arn: str, issuer: str) -> str:
    """Return that a cluster's tokens of one service account may take the role on."""
    host = issuer.removeprefix("https://")
    statement = {
        "Effect": "Allow",
        "Principal": {"Federated": provider_arn},
        "Action": "sts:AssumeRoleWithWebIdentity",
        "Condition": {
            "StringEquals": {f"{host}:sub": identity.subject, f"{host}:aud": AWS_AUDIENCE}
        },
    }
    return _render_trust(statement)


def build_principal_trust(arns: list[str]) -> str:
    """Return that these principals may take the role on."""
    statement = {"Effect": "Allow", "Principal": {"AWS": arns}, "Action": "sts:AssumeRole"}
    return _render_trust(statement)


def _render_trust(statement: dict[str, Any]) -> str:
    return render_policy({"Version": "2012-10-17", "Statement": [statement]})
