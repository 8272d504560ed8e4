"""The controller's service account and custom roles on Google Cloud.

One role for each thing that permissions can be held to, so that each is bound as narrowly as it can
be; a role that would be bound to nothing is not made.
"""

from __future__ import annotations

from typing import Any

import pulumi

from tidegate.catalog.actions import ActionScope, load_actions
from tidegate.sdks.imports import narrow_imports
from tidegate.vocabulary.capacity import Cloud
from tidegate_components.children import child_options
from tidegate_components.controller_access.conditions import (
    build_cluster_condition,
    build_tag_condition,
)
from tidegate_components.controller_access.naming import GCP_ACCOUNT, GCP_ROLE
from tidegate_components.controller_access.spec import AccessSpec
from tidegate_components.names import derive_name

with narrow_imports("pulumi_gcp.projects", "pulumi_gcp.pubsub", "pulumi_gcp.serviceaccount"):
    from pulumi_gcp.projects.iam_custom_role import IAMCustomRole
    from pulumi_gcp.projects.iam_member import IAMMember
    from pulumi_gcp.pubsub.subscription_iam_member import SubscriptionIAMMember
    from pulumi_gcp.serviceaccount.account import Account
    from pulumi_gcp.serviceaccount.iam_member import IAMMember as AccountIAMMember


def declare(
    parent: pulumi.ComponentResource,
    spec: AccessSpec,
    inputs: dict[str, Any],
    opts: pulumi.ResourceOptions | None,
) -> dict[str, pulumi.Input[Any]]:
    """Declare account, roles and bindings; return the account's identifiers."""
    account = Account(
        spec.id,
        # Another stack of the same project may declare the same id.
        account_id=derive_name(f"tidegate-{spec.id}-{pulumi.get_stack()}", GCP_ACCOUNT),
        project=inputs["project"],
        display_name=f"Tidegate's controller {spec.id}",
        description=spec.description,  # a service account takes no labels
        opts=child_options(parent, opts, Account),
    )
    member = account.email.apply(lambda email: f"serviceAccount:{email}")
    for scope, condition in build_conditions(spec).items():
        role = _declare_role(parent, spec, scope, inputs, opts)
        IAMMember(
            f"{spec.id}-{scope.value}",
            project=inputs["project"],
            role=role.name,
            member=member,
            condition=condition,
            opts=child_options(parent, opts, IAMMember),
        )
    _declare_subscriptions(parent, spec, member, inputs, opts)
    if spec.gcp.identity:
        _declare_workload_identity(parent, spec, account, inputs, opts)
    if spec.gcp.federated:
        _declare_federation(parent, spec, account, inputs, opts)
    return {"serviceAccount": account.email}


def build_conditions(spec: AccessSpec) -> dict[ActionScope, Any]:
    """Return the scopes that are bound on the project, each with its condition."""
    conditions: dict[ActionScope, Any] = {ActionScope.PROJECT: None}
    if spec.gcp.clusters:
        expression = build_cluster_condition(spec.gcp.clusters)
        conditions[ActionScope.CLUSTER] = {"title": "clusters of pools", "expression": expression}
    if spec.gcp.group_tag:
        expression = build_tag_condition(*spec.gcp.group_tag)
        conditions[ActionScope.GROUP] = {"title": "groups of pools", "expression": expression}
    return conditions


def _declare_role(
    parent: pulumi.ComponentResource,
    spec: AccessSpec,
    scope: ActionScope,
    inputs: dict[str, Any],
    opts: pulumi.ResourceOptions | None,
) -> IAMCustomRole:
    name = derive_name(f"tidegate-{spec.id}-{pulumi.get_stack()}", GCP_ROLE)
    permissions = [each.action for each in load_actions(Cloud.GCP).of_scope(scope)]
    return IAMCustomRole(
        f"{spec.id}-{scope.value}",
        role_id=f"{name}.{scope.value}",
        project=inputs["project"],
        title=f"Tidegate's controller {spec.id}: {scope.value}",
        description=spec.description,  # a role takes no labels
        permissions=permissions,
        opts=child_options(parent, opts, IAMCustomRole),
    )


def _declare_subscriptions(
    parent: pulumi.ComponentResource,
    spec: AccessSpec,
    member: pulumi.Output[str],
    inputs: dict[str, Any],
    opts: pulumi.ResourceOptions | None,
) -> None:
    subscriptions = inputs["notice_subscriptions"] or []
    if not subscriptions:
        return
    role = _declare_role(parent, spec, ActionScope.QUEUE, inputs, opts)
    for index, subscription in enumerate(subscriptions):
        SubscriptionIAMMember(
            f"{spec.id}-{index}",
            project=inputs["project"],
            subscription=subscription,
            role=role.name,
            member=member,
            opts=child_options(parent, opts, SubscriptionIAMMember),
        )


def _declare_workload_identity(
    parent: pulumi.ComponentResource,
    spec: AccessSpec,
    account: Account,
    inputs: dict[str, Any],
    opts: pulumi.ResourceOptions | None,
) -> None:
    given = inputs["workload_identity"]
    project = pulumi.Output.from_input(given.get("project") or inputs["project"])
    AccountIAMMember(
        spec.id,
        service_account_id=account.name,
        role="roles/iam.workloadIdentityUser",
        member=project.apply(lambda name: f"serviceAccount:{name}.svc.id.goog[{_named(spec)}]"),
        opts=child_options(parent, opts, AccountIAMMember),
    )


def _declare_federation(
    parent: pulumi.ComponentResource,
    spec: AccessSpec,
    account: Account,
    inputs: dict[str, Any],
    opts: pulumi.ResourceOptions | None,
) -> None:
    identity = spec.gcp.federated
    assert identity is not None
    pool = pulumi.Output.from_input(inputs["federation"]["identity_pool"])
    subject = f"subject/{identity.subject}"
    AccountIAMMember(
        f"{spec.id}-federation",
        service_account_id=account.name,
        role="roles/iam.workloadIdentityUser",
        member=pool.apply(lambda name: f"principal://iam.googleapis.com/{name}/{subject}"),
        opts=child_options(parent, opts, AccountIAMMember),
    )


def _named(spec: AccessSpec) -> str:
    return str(spec.gcp.identity)
