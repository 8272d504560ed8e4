"""Managed instance groups for the engine, and what makes and changes them for every caller."""

# ruff: noqa: ARG002 - every behaviour has the contract's signature, used or not

from __future__ import annotations

from typing import Any

from tidegate.localclouds.bodies import Body
from tidegate.localclouds.contracts import Call, Values
from tidegate.localclouds.gcp.collection_shelf import Collections
from tidegate.localclouds.gcp.collection_types import CollectionType
from tidegate.localclouds.gcp.google_type import is_same_resource
from tidegate.localclouds.gcp.instance_groups import InstanceGroups
from tidegate.localclouds.gcp.kind import Kind


class GroupType(CollectionType):
    """A managed instance group: its instances follow its size and its template."""

    def __init__(self, collections: Collections, groups: InstanceGroups, kind: Kind) -> None:
        super().__init__(collections, kind)
        self._groups = groups

    def insert(self, name: str, body: Body, inputs: Values, call: Call) -> Body:
        """Create it with its instances."""
        return create_group(self._collections, self._groups, self._kind, name, body)

    def save(self, name: str, body: Body) -> Body:
        """Keep it; its instances follow."""
        return change_group(self._collections, self._groups, self._kind, name, body)

    def remove(self, name: str, inputs: Values) -> None:
        """Delete it with its instances."""
        self._collections.get(self._kind, name)
        self._groups.delete(name)

    def compute_outputs(self, name: str, body: Body, inputs: Values) -> Values:
        """Return its status, and templates as they were asked for."""
        versions: list[Any] = [dict(version) for version in body["versions"]]
        for version, asked in zip(versions, inputs.get("versions") or [], strict=False):
            template = str(asked.get("instanceTemplate", "")).partition("?")[0]
            if is_same_resource(template, version["instanceTemplate"].partition("?")[0]):
                version["instanceTemplate"] = asked["instanceTemplate"]
        return {
            **super().compute_outputs(name, body, inputs),
            "instanceGroupManagerId": int(body["id"]),
            "statuses": [{"isStable": "lastError" not in body}],
            "versions": versions,
            "waitForInstances": inputs.get("waitForInstances", False),
        }


def create_group(
    collections: Collections, groups: InstanceGroups, kind: Kind, name: str, body: Body
) -> Body:
    """Create a group and start its instances."""
    with collections.shelf.transaction():
        made = collections.create(kind, name, body)
        return groups.set_size(name, int(made["targetSize"]))


def change_group(
    collections: Collections, groups: InstanceGroups, kind: Kind, name: str, body: Body
) -> Body:
    """Keep a changed group; a proactive one starts its instances anew on another template."""
    with collections.shelf.transaction():
        old = collections.get(kind, name)
        new = collections.save(kind, name, body)
        is_other = any(old.get(key) != new.get(key) for key in ("versions", "allInstancesConfig"))
        changed = groups.set_size(name, int(new["targetSize"]))
        if is_other and new["updatePolicy"]["type"] == "PROACTIVE":
            groups.replace_instances(name)
            changed = groups.get(name)
        return changed
