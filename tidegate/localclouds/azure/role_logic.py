"""Custom roles: what they fill in and refuse, and where they may be assigned."""

from __future__ import annotations

from tidegate.localclouds.azure.arm import Arm, Logic
from tidegate.localclouds.azure.errors import refused
from tidegate.localclouds.azure.ids import ArmId, now, parse_id
from tidegate.localclouds.azure.kinds import ROLE_ASSIGNMENT, ROLE_DEFINITION
from tidegate.localclouds.bodies import Body


class RoleDefinitionLogic(Logic):
    """`Microsoft.Authorization/roleDefinitions`: custom roles alone."""

    def settle(self, arm: Arm, id: ArmId, old: Body | None, body: Body) -> None:
        """Refuse a name that another role has, and fill the role in."""
        properties = body["properties"]
        body.pop("etag", None)
        name = str(properties["roleName"]).lower()
        for other in arm.shelf.find(ROLE_DEFINITION.type):
            is_other = other["name"].lower() != id.name.lower()
            if is_other and other["properties"]["roleName"].lower() == name:
                raise refused(
                    "RoleDefinitionWithSameNameExists",
                    f"A custom role with the same name already exists in this directory: "
                    f"'{properties['roleName']}'. Use a different name.",
                    409,
                )
        for permission in properties.get("permissions") or []:
            for word in ("actions", "notActions", "dataActions", "notDataActions"):
                permission.setdefault(word, [])
        properties["createdOn"] = old["properties"]["createdOn"] if old else now()
        properties["updatedOn"] = now()

    def before_delete(self, arm: Arm, id: ArmId, body: Body) -> None:
        """Refuse while the role is assigned."""
        del body
        for assignment in arm.shelf.find(ROLE_ASSIGNMENT.type):
            if role_of(assignment) == id.name.lower():
                raise refused(
                    "RoleDefinitionHasAssignments",
                    f"There are existing role assignments referencing role (code: "
                    f"RoleDefinitionHasAssignments): {assignment['id']}.",
                )


def role_of(assignment: Body) -> str:
    """Return the GUID of an assignment's role."""
    return str(assignment["properties"]["roleDefinitionId"]).rpartition("/")[2].lower()


def check_assignable(arm: Arm, assignment: Body) -> None:
    """Refuse a custom role of this Azure where it may not be assigned.

    A role that no program made here is taken for one of Azure's own.
    """
    wanted, scope = role_of(assignment), f"{assignment['properties']['scope']}/".lower()
    for role in arm.shelf.find(ROLE_DEFINITION.type):
        if parse_id(role["id"]).name.lower() != wanted:
            continue
        scopes = [str(each).rstrip("/").lower() for each in role["properties"]["assignableScopes"]]
        if not any(scope.startswith(f"{each}/") for each in scopes):
            raise refused(
                "InvalidRoleAssignmentScope",
                f"The role '{role['properties']['roleName']}' is not assignable at scope "
                f"'{assignment['properties']['scope']}': its assignable scopes are {scopes}.",
            )
