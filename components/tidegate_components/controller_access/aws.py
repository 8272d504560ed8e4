"""The controller's role on AWS."""

from __future__ import annotations

from typing import Any

import pulumi

from tidegate.sdks.imports import narrow_imports
from tidegate_components.children import child_options
from tidegate_components.controller_access.naming import IAM_ROLE
from tidegate_components.controller_access.policy import (
    build_irsa_trust,
    build_pod_identity_trust,
    build_policy,
    build_principal_trust,
    render_policy,
)
from tidegate_components.controller_access.spec import AccessSpec
from tidegate_components.names import derive_name

with narrow_imports("pulumi_aws.eks", "pulumi_aws.iam"):
    from pulumi_aws.eks.pod_identity_association import PodIdentityAssociation
    from pulumi_aws.iam.policy import Policy
    from pulumi_aws.iam.role import Role
    from pulumi_aws.iam.role_policy_attachment import RolePolicyAttachment


def declare(
    parent: pulumi.ComponentResource,
    spec: AccessSpec,
    inputs: dict[str, Any],
    opts: pulumi.ResourceOptions | None,
) -> dict[str, pulumi.Input[Any]]:
    """Declare role and policy; return their identifiers."""
    name = derive_name(spec.id, IAM_ROLE)
    role = Role(
        name,
        description=f"Tidegate's controller {spec.id}",
        assume_role_policy=build_trust(spec, inputs),
        tags=spec.cost_labels,
        opts=child_options(parent, opts, Role, named=IAM_ROLE),
    )
    policy = Policy(
        name,
        description=f"What Tidegate's controller {spec.id} calls, and no more",
        policy=render_policy(build_policy(spec)),
        tags=spec.cost_labels,
        opts=child_options(parent, opts, Policy, named=IAM_ROLE),
    )
    RolePolicyAttachment(
        name,
        role=role.name,
        policy_arn=policy.arn,
        opts=child_options(parent, opts, RolePolicyAttachment, named=IAM_ROLE),
    )
    if spec.aws.way == "pod_identity":
        _associate(parent, spec, name, role, inputs, opts)
    return {"role": role.arn, "policy": policy.arn}


def build_trust(spec: AccessSpec, inputs: dict[str, Any]) -> pulumi.Input[str]:
    """Return who may take the role on."""
    given, identity = inputs[spec.aws.way], spec.aws.identity
    if identity is None:
        arns = pulumi.Output.from_input(given)
        return arns.apply(lambda found: build_principal_trust(list(found)))
    if spec.aws.way == "pod_identity":
        return build_pod_identity_trust(identity)
    provider = pulumi.Output.all(given["provider_arn"], given["issuer"])
    return provider.apply(lambda found: build_irsa_trust(identity, found[0], found[1]))


def _associate(
    parent: pulumi.ComponentResource,
    spec: AccessSpec,
    name: str,
    role: Role,
    inputs: dict[str, Any],
    opts: pulumi.ResourceOptions | None,
) -> None:
    given = inputs["pod_identity"]
    PodIdentityAssociation(
        name,
        region=spec.aws.cluster_region or None,
        cluster_name=given["cluster"],
        namespace=given["namespace"],
        service_account=given["service_account"],
        role_arn=role.arn,
        tags=spec.cost_labels,
        opts=child_options(parent, opts, PodIdentityAssociation, named=IAM_ROLE),
    )
