"""The controller's custom roles on Azure, assigned at the scopes that are given.

Azure's roles know no condition on tags: the scope of an assignment is what holds it.
"""

from __future__ import annotations

import uuid
from typing import Any

import pulumi

from tidegate.catalog.actions import ActionScope, load_actions
from tidegate.sdks.imports import narrow_imports
from tidegate.vocabulary.capacity import Cloud
from tidegate_components.children import child_options
from tidegate_components.controller_access.naming import FEDERATED_CREDENTIAL
from tidegate_components.controller_access.spec import AccessSpec
from tidegate_components.names import derive_name
from tidegate_components.token_audiences import AZURE_AUDIENCE

with narrow_imports("pulumi_azure_native.authorization", "pulumi_azure_native.managedidentity"):
    from pulumi_azure_native.authorization.role_assignment import RoleAssignment
    from pulumi_azure_native.authorization.role_definition import RoleDefinition
    from pulumi_azure_native.managedidentity.federated_identity_credential import (
        FederatedIdentityCredential,
    )

SCOPES = {
    ActionScope.SUBSCRIPTION: "subscription",
    ActionScope.POOL: "pool_scopes",
    ActionScope.QUEUE: "queue_scopes",
    ActionScope.WORKSPACE: "workspace_scopes",
}
"""What actions are held to → the argument that says where."""


def declare(
    parent: pulumi.ComponentResource,
    spec: AccessSpec,
    inputs: dict[str, Any],
    opts: pulumi.ResourceOptions | None,
) -> dict[str, pulumi.Input[Any]]:
    """Declare roles and assignments; return the principal and its roles."""
    identifiers: dict[str, pulumi.Input[Any]] = {"principalId": inputs["principal_id"]}
    for scope, key in SCOPES.items():
        places = [inputs[key]] if scope is ActionScope.SUBSCRIPTION else inputs[key] or []
        if not places:
            continue
        role = _declare_role(parent, spec, scope, inputs, opts)
        identifiers[f"{scope.value}Role"] = role.id
        for index, place in enumerate(places):
            RoleAssignment(
                f"{spec.id}-{scope.value}-{index}",
                principal_id=inputs["principal_id"],
                # Otherwise an identity that was just made may not be found yet.
                principal_type="ServicePrincipal",
                role_definition_id=role.id,
                scope=place,
                description=spec.description,  # an assignment takes no tags
                opts=child_options(parent, opts, RoleAssignment),
            )
    if spec.azure.identity:
        _declare_federation(parent, spec, inputs, opts)
    return identifiers


def build_permissions(scope: ActionScope) -> dict[str, list[str]]:
    """Return what a role of one scope allows; nothing by a pattern."""
    actions = load_actions(Cloud.AZURE).of_scope(scope)
    return {
        "actions": [each.action for each in actions if not each.data],
        "data_actions": [each.action for each in actions if each.data],
    }


def _declare_federation(
    parent: pulumi.ComponentResource,
    spec: AccessSpec,
    inputs: dict[str, Any],
    opts: pulumi.ResourceOptions | None,
) -> None:
    """Let tokens of one service account stand for the identity; a credential takes no tags."""
    given, identity = inputs["federation"], spec.azure.identity
    assert identity is not None
    name = derive_name(f"{spec.id}-{pulumi.get_stack()}", FEDERATED_CREDENTIAL)
    FederatedIdentityCredential(
        spec.id,
        federated_identity_credential_resource_name=name,
        resource_name_=given["identity_name"],
        resource_group_name=given["resource_group_name"],
        issuer=given["issuer"],
        subject=identity.subject,
        audiences=[AZURE_AUDIENCE],
        opts=child_options(parent, opts, FederatedIdentityCredential),
    )


def _declare_role(
    parent: pulumi.ComponentResource,
    spec: AccessSpec,
    scope: ActionScope,
    inputs: dict[str, Any],
    opts: pulumi.ResourceOptions | None,
) -> RoleDefinition:
    permissions: Any = build_permissions(scope)
    owner = f"{pulumi.get_project()}/{pulumi.get_stack()}/{spec.id}/{scope.value}"
    return RoleDefinition(
        f"{spec.id}-{scope.value}",
        # A role is known by a UUID: one of its own for each stack, the same on every run.
        role_definition_id=str(uuid.uuid5(uuid.NAMESPACE_URL, f"tidegate:{owner}")),
        # Unique over the whole tenant.
        role_name=f"Tidegate controller {owner}",
        role_type="CustomRole",
        description=spec.description,  # a definition takes no tags
        permissions=[permissions],
        scope=inputs["subscription"],
        assignable_scopes=[inputs["subscription"]],
        opts=child_options(parent, opts, RoleDefinition),
    )
