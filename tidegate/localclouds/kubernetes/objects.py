"""The API server: objects of every kind in every cluster, in the store that all clouds share."""

from __future__ import annotations

import copy
import uuid
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from tidegate.localclouds.bodies import Body, fill_defaults
from tidegate.localclouds.contracts import World
from tidegate.localclouds.kubernetes.admission import admit, find_users
from tidegate.localclouds.kubernetes.clusters import Cluster
from tidegate.localclouds.kubernetes.crds import CustomKind
from tidegate.localclouds.kubernetes.errors import (
    absent,
    conflicting,
    denied_delete,
    invalid,
    taken,
)
from tidegate.localclouds.kubernetes.kinds import BUILT_IN, FIRST_NAMESPACES, NAMESPACE, Kind
from tidegate.localclouds.kubernetes.statuses import build_status
from tidegate.localclouds.kubernetes.validation import DEFAULTS, Validation
from tidegate.localclouds.shelf import Shelf

NAMESPACE_LABEL = "kubernetes.io/metadata.name"
VERSION_COUNTER = ("resourceVersion", "last")


class ApiServer:
    """Reads and writes objects as Kubernetes does: named, validated, admitted, versioned."""

    def __init__(self, world: World, custom: Mapping[str, CustomKind]) -> None:
        self.world = world
        self.kinds = {
            kind.token: kind for kind in (*BUILT_IN, *(each.kind for each in custom.values()))
        }
        self._shelf = Shelf(world.store, "kubernetes")
        self._validation = Validation(custom)
        self._defaults = {**DEFAULTS, **{token: each.defaults for token, each in custom.items()}}

    def find(self, cluster: Cluster, kind: Kind, namespace: str, name: str) -> Body | None:
        """Return an object with its status, or None."""
        body = self._shelf.get(kind.resource, _key(cluster, namespace, name))
        if body is None and kind is NAMESPACE and name in FIRST_NAMESPACES:
            body = _first_namespace(cluster, name)
        return None if body is None else self._show(cluster, kind, body)

    def get(self, cluster: Cluster, kind: Kind, namespace: str, name: str) -> Body:
        """Return an object with its status.

        Raises:
            NotFoundError: When there is none.
        """
        body = self.find(cluster, kind, namespace, name)
        if body is None:
            raise absent(kind, name)
        return body

    def list(self, cluster: Cluster, kind: Kind, namespace: str = "") -> list[Body]:
        """Return the objects of a kind, of one namespace or of all."""
        prefix = f"{cluster.key}|{namespace}|" if namespace else f"{cluster.key}|"
        found = self._shelf.find(kind.resource, prefix)
        if kind is NAMESPACE:
            made = {body["metadata"]["name"] for body in found}
            first = [name for name in FIRST_NAMESPACES if name not in made]
            found = [*(_first_namespace(cluster, name) for name in first), *found]
        return [self._show(cluster, kind, body) for body in found]

    def create(self, cluster: Cluster, kind: Kind, namespace: str, given: Body) -> Body:
        """Create an object.

        Raises:
            CloudError: When it is invalid, not admitted, or its name is taken.
            NotFoundError: When its namespace does not exist.
        """
        body = self._complete(kind, namespace, given)
        name = body["metadata"]["name"]
        self._refuse_invalid(kind, name, body)
        self._require_namespace(cluster, kind, namespace)
        if self.find(cluster, kind, namespace, name) is not None:
            raise taken(kind, name)
        fill_defaults(body, copy.deepcopy(self._defaults.get(kind.token, {})))
        admit(self, cluster, kind, body)
        body["metadata"].update(uid=str(uuid.uuid4()), creationTimestamp=_now(), generation=1)
        return self._write(cluster, kind, namespace, body)

    def replace(self, cluster: Cluster, kind: Kind, namespace: str, name: str, given: Body) -> Body:
        """Write an object anew over what is there.

        Raises:
            CloudError: When it is invalid, changes what is immutable, or its `resourceVersion`
                is not the latest.
        """
        old = self.get(cluster, kind, namespace, name)
        body = self._complete(
            kind, namespace, {**given, "metadata": {"name": name, **given["metadata"]}}
        )
        kept = old["metadata"]
        if (
            body["metadata"].get("resourceVersion", kept["resourceVersion"])
            != kept["resourceVersion"]
        ):
            raise conflicting(kind, name)
        self._refuse_invalid(kind, name, body)
        failures = self._validation.check_change(kind, old, body)
        if failures:
            raise invalid(kind, name, failures)
        fill_defaults(body, copy.deepcopy(self._defaults.get(kind.token, {})))
        admit(self, cluster, kind, body)
        server_side = ("uid", "creationTimestamp", "generation", "deletionTimestamp", "finalizers")
        body["metadata"].update({key: kept[key] for key in server_side if key in kept})
        if any(body.get(key) != old.get(key) for key in ({*body, *old} - {"metadata", "status"})):
            body["metadata"]["generation"] += 1
        written = self._write(cluster, kind, namespace, body)
        self._release(cluster)
        return written

    def delete(self, cluster: Cluster, kind: Kind, namespace: str, name: str) -> Body:
        """Delete an object; one that others still use stays, terminating, until they let go.

        Raises:
            NotFoundError: When there is none.
        """
        body = self.get(cluster, kind, namespace, name)
        if kind is NAMESPACE and name in FIRST_NAMESPACES:
            raise denied_delete(kind, name, "this namespace may not be deleted")
        if find_users(self, cluster, kind, name):
            body["metadata"].setdefault("deletionTimestamp", _now())
            return self._write(cluster, kind, namespace, body)
        self._shelf.delete(kind.resource, _key(cluster, namespace, name))
        if kind is NAMESPACE:
            self._empty(cluster, name)
        self._release(cluster)
        return body

    def _empty(self, cluster: Cluster, namespace: str) -> None:
        for kind in self.kinds.values():
            for key, _ in self._shelf.items(kind.resource, f"{cluster.key}|{namespace}|"):
                self._shelf.delete(kind.resource, key)

    def _release(self, cluster: Cluster) -> None:
        """Remove what was terminating and has no user any more."""
        for kind in self.kinds.values():
            for key, body in self._shelf.items(kind.resource, f"{cluster.key}|"):
                name = body["metadata"]["name"]
                is_leaving = "deletionTimestamp" in body["metadata"]
                if is_leaving and not find_users(self, cluster, kind, name):
                    self._shelf.delete(kind.resource, key)

    def _complete(self, kind: Kind, namespace: str, given: Body) -> Body:
        body = {key: copy.deepcopy(value) for key, value in given.items() if key != "status"}
        body.update(apiVersion=kind.api_version, kind=kind.name)
        metadata = {
            key: value
            for key, value in (body.get("metadata") or {}).items()
            if value is not None and key not in ("managedFields", "selfLink")
        }
        if "name" not in metadata and metadata.get("generateName"):
            metadata["name"] = f"{metadata['generateName']}{uuid.uuid4().hex[:5]}"
        if kind.namespaced:
            metadata["namespace"] = namespace
        body["metadata"] = {"name": "", **metadata}
        return body

    def _refuse_invalid(self, kind: Kind, name: str, body: Body) -> None:
        failures = self._validation.check(kind, body)
        if failures:
            raise invalid(kind, name, failures)

    def _require_namespace(self, cluster: Cluster, kind: Kind, namespace: str) -> None:
        if kind.namespaced and self.find(cluster, NAMESPACE, "", namespace) is None:
            raise absent(NAMESPACE, namespace)

    def _write(self, cluster: Cluster, kind: Kind, namespace: str, body: Body) -> Body:
        body.pop("status", None)
        body["metadata"]["resourceVersion"] = self._next_version()
        if kind is NAMESPACE:
            labels = body["metadata"].setdefault("labels", {})
            labels[NAMESPACE_LABEL] = body["metadata"]["name"]
        place = namespace if kind.namespaced else ""
        self._shelf.put(kind.resource, _key(cluster, place, body["metadata"]["name"]), body)
        return self._show(cluster, kind, body)

    def _next_version(self) -> str:
        last = self._shelf.get(*VERSION_COUNTER) or {"value": 0}
        self._shelf.put(*VERSION_COUNTER, {"value": last["value"] + 1})
        return str(last["value"] + 1)

    def _show(self, cluster: Cluster, kind: Kind, body: Body) -> Body:
        status = build_status(self, cluster, kind, body)
        return body if status is None else {**body, "status": status}

    def names(self, cluster: Cluster, resource: str) -> Iterator[str]:
        """Yield the names of all objects of a kind ("resourceflavors.kueue.x-k8s.io")."""
        for body in self._shelf.find(resource, f"{cluster.key}|"):
            yield str(body["metadata"]["name"])

    def bodies(self, cluster: Cluster, resource: str) -> Sequence[Body]:
        """Return all objects of a kind, without status."""
        return self._shelf.find(resource, f"{cluster.key}|")


def _key(cluster: Cluster, namespace: str, name: str) -> str:
    return f"{cluster.key}|{namespace}|{name}"


def _first_namespace(cluster: Cluster, name: str) -> Body:
    identity = uuid.uuid5(uuid.NAMESPACE_URL, f"{cluster.key}/{name}")
    metadata: dict[str, Any] = {
        "name": name,
        "uid": str(identity),
        "resourceVersion": "1",
        "creationTimestamp": "2026-01-01T00:00:00Z",
        "labels": {NAMESPACE_LABEL: name},
    }
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": metadata, "spec": {}}


def _now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
