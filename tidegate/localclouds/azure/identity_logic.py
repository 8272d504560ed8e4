"""Managed identities and role assignments: what they fill in and refuse, and who may do what."""

from __future__ import annotations

from collections.abc import Iterator

from tidegate.localclouds.azure.arm import Arm, Logic
from tidegate.localclouds.azure.errors import refused
from tidegate.localclouds.azure.ids import ArmId, identify, now
from tidegate.localclouds.azure.kinds import IDENTITY, ROLE_ASSIGNMENT
from tidegate.localclouds.azure.role_logic import check_assignable
from tidegate.localclouds.bodies import Body

# Microsoft Learn, "Azure built-in roles", read 2026-11-30.
READER = "acdd72a7-3385-48ef-bd42-f606fba81ae7"
FIXED = ("delegatedManagedIdentityResourceId", "principalId", "principalType", "roleDefinitionId")


class IdentityLogic(Logic):
    """`Microsoft.ManagedIdentity/userAssignedIdentities`."""

    def settle(self, arm: Arm, id: ArmId, old: Body | None, body: Body) -> None:
        """Give it its principal: another one each time that it is made anew."""
        del arm
        body.pop("etag", None)
        body["properties"] = (
            old["properties"]
            if old
            else {
                "clientId": identify(f"{id}/client/{now()}"),
                "principalId": identify(f"{id}/principal/{now()}"),
                "tenantId": identify(id.subscription),
            }
        )


class RoleAssignmentLogic(Logic):
    """`Microsoft.Authorization/roleAssignments`, on any resource."""

    def settle(self, arm: Arm, id: ArmId, old: Body | None, body: Body) -> None:
        """Refuse a change of who, what or where, and a second assignment of the same."""
        body.pop("etag", None)
        properties = body["properties"]
        if properties.get("principalType") is None:
            properties["principalType"] = old["properties"]["principalType"] if old else "User"
        scope = str(id.parent()) if id.group else f"/subscriptions/{id.subscription}"
        properties["scope"] = scope
        role = str(properties["roleDefinitionId"])
        if not role.lower().startswith("/subscriptions/"):
            properties["roleDefinitionId"] = f"/subscriptions/{id.subscription}{role}"
        if old is not None:
            _refuse_changes(old["properties"], properties)
        _check_principal(arm, properties)
        check_assignable(arm, body)
        for other in arm.shelf.find(ROLE_ASSIGNMENT.type, f"{scope.lower()}/"):
            if other["id"].lower() != id.key and _is_same(other["properties"], properties):
                raise refused(
                    "RoleAssignmentExists",
                    f"The role assignment already exists. The ID of the conflicting role "
                    f"assignment is {str(other['name']).replace('-', '')}.",
                    409,
                )
        properties["createdOn"] = old["properties"]["createdOn"] if old else now()
        properties["updatedOn"] = now() if old else properties["createdOn"]


def _refuse_changes(old: Body, new: Body) -> None:
    for word in FIXED:
        if str(old.get(word)).lower() != str(new.get(word)).lower():
            raise refused(
                "RoleAssignmentUpdateNotPermitted",
                "Tenant ID, application ID, principal ID, and scope are not allowed to be updated.",
                409,
            )


def _check_principal(arm: Arm, properties: Body) -> None:
    """Refuse an identity of this Azure that is given for something else than it is."""
    principal, given = str(properties["principalId"]), properties["principalType"]
    known = {identity["properties"]["principalId"] for identity in arm.shelf.find(IDENTITY.type)}
    if principal.lower() in known and given != "ServicePrincipal":
        raise refused(
            "UnmatchedPrincipalType",
            f"The PrincipalId '{principal}' has type 'ServicePrincipal', which is different from "
            f"specified PrincipalType '{given}'.",
        )


def _is_same(one: Body, other: Body) -> bool:
    words = ("principalId", "roleDefinitionId", "scope")
    return all(str(one[word]).lower() == str(other[word]).lower() for word in words)


def may_change(arm: Arm, principal: str, id: ArmId) -> bool:
    """Tell whether a principal has a role on a resource or above it that lets it change it.

    Of roles only Reader is known to be too weak: custom roles get the benefit of the doubt.
    """
    return any(
        assignment["properties"]["principalId"].lower() == principal.lower()
        and READER not in assignment["properties"]["roleDefinitionId"].lower()
        for assignment in _assignments_over(arm, id)
    )


def _assignments_over(arm: Arm, id: ArmId) -> Iterator[Body]:
    for key, assignment in arm.shelf.items(ROLE_ASSIGNMENT.type):
        scope, _, _ = key.rpartition(f"/providers/{ROLE_ASSIGNMENT.type}/".lower())
        if f"{id.key}/".startswith(f"{scope}/"):
            yield assignment
