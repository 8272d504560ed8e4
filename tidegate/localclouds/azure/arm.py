"""Azure Resource Manager on this machine: one way to put, get, list and delete every type."""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Mapping
from copy import deepcopy
from typing import Any

from tidegate.localclouds.azure.arm_checks import (
    check_body,
    check_references,
    raise_first,
    refuse_changes,
)
from tidegate.localclouds.azure.errors import no_group, no_parent, no_resource, refused
from tidegate.localclouds.azure.identities import fill_identity
from tidegate.localclouds.azure.ids import ArmId, now, parse_id
from tidegate.localclouds.azure.kind import Kind
from tidegate.localclouds.azure.kinds import BY_TYPE, INNER_TYPES, RESOURCE_GROUP
from tidegate.localclouds.azure.places import GLOBAL, check_region, fold_region
from tidegate.localclouds.bodies import Body, fill_defaults, merge_patch
from tidegate.localclouds.contracts import World
from tidegate.localclouds.refusals import CloudError
from tidegate.localclouds.shelf import Shelf

OPERATION = "Microsoft.Resources/operations"
KEPT_OPERATIONS = 500
# Kept beside a body for our own use; the API does not show what starts so.
PRIVATE = "x-local-"


class Logic:
    """What one type does beyond being kept: references, defaults, children. All optional."""

    def settle(self, arm: Arm, id: ArmId, old: Body | None, body: Body) -> None:
        """Refuse what cannot be, and fill in what Azure fills in."""

    def after_put(self, arm: Arm, id: ArmId, body: Body, *, is_new: bool) -> None:
        """Make what comes with it."""

    def before_delete(self, arm: Arm, id: ArmId, body: Body) -> None:
        """Refuse a deletion, or end what goes with it."""

    def show(self, arm: Arm, id: ArmId, body: Body) -> None:
        """Add what is derived from other resources."""

    def implied(self, arm: Arm, id: ArmId) -> Body | None:
        """Return the body of what exists without ever having been put."""
        del arm, id
        return None

    def grows(self, old: Body | None, body: Body) -> bool:
        """Tell whether a put asks for more machines than there are."""
        del old, body
        return False


class Arm:
    """What the REST face and the Pulumi types both call.

    Args:
        world: The store.
        logic: Azure's resource type in lower case → what it does.
    """

    def __init__(self, world: World, logic: Mapping[str, Logic]) -> None:
        self.world = world
        self.shelf = Shelf(world.store, "azure-native")
        self._logic = logic

    def kind_of(self, id: ArmId) -> Kind:
        """Return the kind of an id or collection.

        Raises:
            NotFoundError: When no such type is backed here.
        """
        kind = BY_TYPE.get(id.kind.lower())
        if kind is None:
            raise refused(
                "InvalidResourceType",
                f"The resource type '{id.kind}' could not be found in the local Azure.",
                404,
            )
        return kind

    def logic_of(self, kind: Kind) -> Logic:
        """Return what a kind does beyond being kept."""
        return self._logic.get(kind.type.lower(), Logic())

    def find(self, id: ArmId) -> Body | None:
        """Return a resource's stored or implied body, None when there is none."""
        kind = self.kind_of(id)
        return self.shelf.get(kind.type, id.key) or self.logic_of(kind).implied(self, id)

    def get(self, id: ArmId) -> Body:
        """Return a resource as Azure shows it.

        Raises:
            NotFoundError: For the resource, or for what it stands in.
        """
        body = self.find(id)
        if body is None:
            self._check_parents(id)
            if not id.namespace:
                raise no_group(id.group)
            raise no_resource(id.kind, "/".join(id.names), id.group)
        self.logic_of(self.kind_of(id)).show(self, id, body)
        return body

    def list_all(self, collection: ArmId) -> list[Body]:
        """Return a collection's resources as Azure shows them, by id."""
        kind = self.kind_of(collection)
        if collection.group:
            self._check_parents(collection)
        is_wide = bool(collection.subscription) and not collection.group
        prefix = f"/subscriptions/{collection.subscription}" if is_wide else collection.key
        found = []
        for _, body in self.shelf.items(kind.type, f"{prefix.lower()}/"):
            self.logic_of(kind).show(self, parse_id(body["id"]), body)
            found.append(body)
        return found

    def put(self, id: ArmId, asked: Mapping[str, Any]) -> tuple[Body, bool]:
        """Create or replace a resource; return its body and whether it is new."""
        kind = self.kind_of(id)
        with self.world.store.transaction():
            self._check_parents(id)
            old = self.find(id)
            body = self._prepare(kind, id, old, asked)
            raise_first(check_body(kind, id.name, body))
            if "identity" in kind.envelope:
                fill_identity(self.find, id, old, body)
            check_references(self.find, kind, id, body)
            refuse_changes(old, body, kind.fixed)
            self.logic_of(kind).settle(self, id, old, body)
            fill_defaults(body["properties"], deepcopy(dict(kind.defaults)))
            self.keep(id, body)
            is_new = old is None
            self.logic_of(kind).after_put(self, id, body, is_new=is_new)
        return self.get(id), is_new

    def patch(self, id: ArmId, patch: Mapping[str, Any]) -> Body:
        """Change part of a resource."""
        with self.world.store.transaction():
            return self.put(id, merge_patch(self.get(id), patch))[0]

    def keep(self, id: ArmId, body: Body) -> None:
        """Write a body as it is."""
        self.shelf.put(self.kind_of(id).type, id.key, body)

    def delete(self, id: ArmId) -> None:
        """Delete a resource and all that stands in it; `NotFoundError` when it is gone."""
        kind = self.kind_of(id)
        with self.world.store.transaction():
            body = self.get(id)
            self.logic_of(kind).before_delete(self, id, body)
            for inner in (*(kind.type for kind in BY_TYPE.values()), *INNER_TYPES):
                for key, _ in self.shelf.items(inner, f"{id.key}/"):
                    self.shelf.delete(inner, key)
            self.shelf.delete(kind.type, id.key)

    def _prepare(self, kind: Kind, id: ArmId, old: Body | None, asked: Mapping[str, Any]) -> Body:
        hidden = {key: part for key, part in (old or {}).items() if key.startswith(PRIVATE)}
        body: Body = {
            # A copy: what is filled in must not reach the inputs that were handed over.
            **deepcopy({key: part for key, part in asked.items() if not key.startswith(PRIVATE)}),
            **hidden,
            "id": str(id),
            "name": id.name,
            "type": kind.type,
        }
        body["properties"] = dict(body.get("properties") or {})
        if "location" in kind.envelope:
            self._settle_location(kind, id, old, body)
        if "tags" in kind.envelope:
            body["tags"] = dict(body.get("tags") or {})
        body["properties"].pop("provisioningState", None)
        if kind.has_state:
            body["properties"]["provisioningState"] = "Succeeded"
        body["eTag" if "eTag" in kind.envelope else "etag"] = fingerprint_of(body)
        return body

    def _settle_location(self, kind: Kind, id: ArmId, old: Body | None, body: Body) -> None:
        location = body.get("location")
        if not isinstance(location, str):
            raise refused(
                "LocationRequired", "The location property is required for this definition."
            )
        is_global = kind.is_global and fold_region(location) == GLOBAL
        for reason in () if is_global else check_region(location):
            raise refused("LocationNotAvailableForResourceType", reason)
        body["location"] = fold_region(location)
        if old is not None and old["location"] != body["location"]:
            code = "InvalidResourceLocation"
            if kind is RESOURCE_GROUP:
                code = "InvalidResourceGroupLocation"
            raise refused(
                code,
                f"The resource '{id.name}' already exists in location '{old['location']}'. A "
                f"resource with the same name cannot be created in location '{location}'.",
                409,
            )

    def _check_parents(self, id: ArmId) -> None:
        if id.namespace and id.group:
            group = ArmId(id.subscription, id.group)
            if self.shelf.get(RESOURCE_GROUP.type, group.key) is None:
                raise no_group(id.group)
        if len(id.types) > 1:
            parent = id.parent()
            self._check_parents(parent)
            if self.find(parent) is None:
                raise no_parent(parent.kind, parent.name)
        elif id.scope:
            self.get(id.parent())

    # Operations

    def record_operation(self, subscription: str, error: CloudError | None = None) -> Body:
        """Keep and return a finished operation."""
        time = now()
        name = secrets.token_hex(16)
        operation: Body = {"name": name, "status": "Succeeded", "startTime": time, "endTime": time}
        if error is not None:
            operation["status"] = "Failed"
            operation["error"] = {"code": error.code, "message": error.message}
        with self.world.store.transaction():
            self.shelf.put(OPERATION, f"{subscription}/{name}".lower(), operation)
            kept = self.shelf.items(OPERATION)
            for key, _ in sorted(kept, key=lambda item: item[1]["startTime"])[:-KEPT_OPERATIONS]:
                self.shelf.delete(OPERATION, key)
        return operation

    def get_operation(self, subscription: str, name: str) -> Body:
        """Return an operation that was started before."""
        operation = self.shelf.get(OPERATION, f"{subscription}/{name}".lower())
        if operation is None:
            raise refused("OperationNotFound", f"The operation '{name}' was not found.", 404)
        return operation


def fingerprint_of(body: Mapping[str, Any]) -> str:
    """Return an etag that changes with the body."""
    stable = {key: part for key, part in body.items() if key.lower() != "etag"}
    return hashlib.sha256(json.dumps(stable, sort_keys=True).encode()).hexdigest()[:32]


def shown(body: Mapping[str, Any]) -> Body:
    """Return a body without what is kept for our own use."""
    return {key: part for key, part in body.items() if not key.startswith(PRIVATE)}
