"""Every kind that the API server serves, for the engine: one behaviour, told its kind.

As in pulumi-kubernetes: an id is "namespace/name"; a namespace that nobody gave is that of the
provider, or "default"; what the API server fills in is no drift.
"""

# ruff: noqa: ARG002 - every behaviour has the contract's signature, used or not

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tidegate.localclouds.bodies import Body, apply_changes
from tidegate.localclouds.contracts import UNKNOWN, Call, CheckFailure, Created, Values
from tidegate.localclouds.kubernetes.admission import find_users
from tidegate.localclouds.kubernetes.clusters import Cluster
from tidegate.localclouds.kubernetes.errors import denied_delete
from tidegate.localclouds.kubernetes.kinds import NAMESPACE, Kind
from tidegate.localclouds.kubernetes.kubeconfig import find_cluster, unreachable
from tidegate.localclouds.kubernetes.object_rules import check_object
from tidegate.localclouds.kubernetes.objects import NAMESPACE_LABEL, ApiServer
from tidegate.localclouds.refusals import NotFoundError
from tidegate.localclouds.store import Record
from tidegate.localclouds.stored import StoredType

DEFAULT_NAMESPACE = "default"


class ObjectType(StoredType):
    """One kind of object."""

    backing = "api"

    def __init__(self, api: ApiServer, kind: Kind) -> None:
        self._api = api
        self.kind = kind

    def prepare(self, inputs: Values, call: Call) -> Values:
        """State version and kind, and the namespace where the kind has one."""
        metadata = inputs.get("metadata") or {}
        if self.kind.namespaced and isinstance(metadata, dict) and not metadata.get("namespace"):
            namespace = call.settings.get("namespace") or DEFAULT_NAMESPACE
            metadata = {**metadata, "namespace": namespace}
        fixed = {"apiVersion": self.kind.api_version, "kind": self.kind.name}
        return {**inputs, **fixed, "metadata": metadata}

    def check(self, inputs: Values, call: Call) -> Iterable[CheckFailure]:
        """Say what the object's fields contradict among themselves."""
        metadata = inputs["metadata"]
        if metadata is not UNKNOWN and metadata.get("namespace") and not self.kind.namespaced:
            reason = f"a {self.kind.name} stands in no namespace"
            yield CheckFailure("metadata.namespace", reason)
        yield from check_object(self.kind.token, inputs)

    def create(self, inputs: Values, call: Call) -> Created:
        """Create the object in the cluster that the provider's kubeconfig means."""
        namespace = self._namespace(inputs)
        body = self._api.create(self._cluster(call), self.kind, namespace, inputs)
        name = body["metadata"]["name"]
        full = f"{namespace}/{name}" if self.kind.namespaced else name
        return Created(full, self._outputs(body, inputs))

    def read(self, record: Record, call: Call) -> Values | None:
        """Return the object as it is live."""
        body = self._find(record.id, call)
        return None if body is None else self._outputs(body, record.inputs)

    def update(self, record: Record, old: Values, new: Values, call: Call) -> Values:
        """Carry what changed over to the live object; what others own in it stays."""
        namespace, name = self._split(record.id)
        cluster = self._cluster(call)
        live = self._api.get(cluster, self.kind, namespace, name)
        live["metadata"].pop("resourceVersion")
        body = apply_changes(live, old, new)
        written = self._api.replace(cluster, self.kind, namespace, name, body)
        return self._outputs(written, new)

    def delete(self, record: Record, call: Call) -> None:
        """Delete the object, and wait for nobody: one that is still used is refused."""
        namespace, name = self._split(record.id)
        cluster = self._cluster(call)
        users = find_users(self._api, cluster, self.kind, name)
        if users:
            why = f"it is in use by {', '.join(users)} (finalizer kueue.x-k8s.io/resource-in-use)"
            raise denied_delete(self.kind, name, why)
        try:
            self._api.delete(cluster, self.kind, namespace, name)
        except NotFoundError:
            return

    def adopt(self, id: str, call: Call) -> Values | None:
        """Return the inputs of an object that no program made."""
        body = self._find(id, call)
        if body is None:
            return None
        server_side = ("uid", "creationTimestamp", "resourceVersion", "generation")
        shown = self._outputs(body, {})
        shown["metadata"] = {
            key: value for key, value in shown["metadata"].items() if key not in server_side
        }
        return shown

    def _find(self, id: str, call: Call) -> Body | None:
        namespace, name = self._split(id)
        return self._api.find(self._cluster(call), self.kind, namespace, name)

    def _cluster(self, call: Call) -> Cluster:
        found = find_cluster(self._api.world, call.settings)
        if not isinstance(found, Cluster):
            raise unreachable("the provider's kubeconfig is not known yet")
        return found

    def _namespace(self, inputs: Values) -> str:
        return str(inputs["metadata"]["namespace"]) if self.kind.namespaced else ""

    def _split(self, id: str) -> tuple[str, str]:
        namespace, _, name = id.rpartition("/")
        return (namespace or DEFAULT_NAMESPACE) if self.kind.namespaced else "", name

    def _outputs(self, body: Body, inputs: Values) -> Values:
        """Return the object; the label that a namespace gets by itself only where asked for."""
        metadata: dict[str, Any] = {**body["metadata"]}
        if self.kind is NAMESPACE:
            asked = (inputs.get("metadata") or {}).get("labels") or {}
            labels = metadata.get("labels") or {}
            metadata["labels"] = {
                key: value
                for key, value in labels.items()
                if key != NAMESPACE_LABEL or key in asked
            }
        return {**body, "metadata": metadata}
