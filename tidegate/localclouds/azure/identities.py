"""Identities that a resource acts under: the system's own, and those made apart."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from tidegate.localclouds.azure.errors import no_resource, refused
from tidegate.localclouds.azure.ids import ArmId, identify, now, parse_id
from tidegate.localclouds.azure.kinds import IDENTITY
from tidegate.localclouds.bodies import Body

Find = Callable[[ArmId], Body | None]


def fill_identity(find: Find, id: ArmId, old: Body | None, body: Body) -> None:
    """Fill in the principals of a resource's identities.

    Raises:
        NotFoundError: For a user-assigned identity that does not exist.
    """
    identity = body.get("identity")
    if not identity:
        return
    kinds = str(identity.get("type"))
    if "SystemAssigned" in kinds:
        before = (old or {}).get("identity") or {}
        made = before.get("principalId") or identify(f"{id}/principal/{now()}")
        identity["principalId"] = made
        identity["tenantId"] = identify(id.subscription)
    else:
        identity.pop("principalId", None)
        identity.pop("tenantId", None)
    named = identity.get("userAssignedIdentities")
    if not named:
        if "UserAssigned" in kinds:
            raise refused(
                "InvalidIdentityValues",
                "Invalid value for the identities: the type UserAssigned needs "
                "userAssignedIdentities.",
            )
        return
    identity["userAssignedIdentities"] = {name: _find_identity(find, name) for name in named}


def _find_identity(find: Find, name: str) -> Body:
    found = parse_id(name)
    body = find(found) if found.kind.lower() == IDENTITY.type.lower() else None
    if body is None:
        raise no_resource(found.kind, found.name, found.group)
    return {key: body["properties"][key] for key in ("clientId", "principalId")}


def user_assigned(body: Mapping[str, Any]) -> list[str]:
    """Return the principals of a resource's user-assigned identities."""
    named = (body.get("identity") or {}).get("userAssignedIdentities") or {}
    return [str(identity["principalId"]) for identity in named.values()]
