"""The objects of the controller in its cluster, as plain JSON: the one source of all of them.

The component declares them, and `render.py` writes them down as YAML.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from tidegate.catalog.cluster_rights import RightScope, build_rules
from tidegate_components.controller.identities import build_annotations
from tidegate_components.controller.network import build_policy
from tidegate_components.controller.pod import PORT, PORT_NAME, build_selector, build_template
from tidegate_components.controller.spec import ControllerSpec, Leader, MonitorKind

RBAC = "rbac.authorization.k8s.io"
RESTRICTED = "pod-security.kubernetes.io/enforce"


@dataclass(frozen=True, slots=True)
class ClusterObject:
    """One object; `api_version` is written as Pulumi's tokens have it ("core/v1")."""

    api_version: str
    kind: str
    name: str
    namespace: str = ""
    labels: Mapping[str, str] = field(default_factory=dict)
    annotations: Mapping[str, Any] = field(default_factory=dict)
    fields: Mapping[str, Any] = field(default_factory=dict)

    @property
    def metadata(self) -> dict[str, Any]:
        """Name, namespace, labels and annotations."""
        stated = {
            "name": self.name,
            "namespace": self.namespace,
            "labels": dict(self.labels),
            "annotations": dict(self.annotations),
        }
        return {key: value for key, value in stated.items() if value}


def _build_own(
    spec: ControllerSpec,
    *,
    api_version: str,
    kind: str,
    fields: Mapping[str, Any],
    labels: Mapping[str, str] | None = None,
) -> ClusterObject:
    """Return an object in its own namespace, by its own name; cost labels go before `labels`."""
    stamped = {**(labels or {}), **spec.cost_labels}
    return ClusterObject(api_version, kind, spec.id, spec.namespace, stamped, {}, fields)


def build_objects(
    spec: ControllerSpec, inputs: dict[str, Any], data: Mapping[str, Any]
) -> Iterator[ClusterObject]:
    """Yield every object, what others need first.

    Args:
        spec: The controller.
        inputs: `image` and the clouds' identities, which may be Outputs.
        data: The files of its configuration, by name.
    """
    if spec.makes_namespace:
        yield from _build_namespace(spec)
    yield ClusterObject(
        api_version="core/v1",
        kind="ServiceAccount",
        name=spec.service_account,
        namespace=spec.namespace,
        labels=spec.cost_labels,
        annotations=build_annotations(spec, inputs),
        fields={"automountServiceAccountToken": False},
    )
    yield from build_rights(spec)
    yield _build_own(
        spec,
        api_version="core/v1",
        kind="ConfigMap",
        fields={"data": dict(data)},
    )
    if spec.has_volume:
        yield _build_claim(spec)
    yield _build_own(
        spec,
        api_version="networking.k8s.io/v1",
        kind="NetworkPolicy",
        fields={"spec": build_policy(spec)},
    )
    yield _build_own(
        spec,
        api_version="apps/v1",
        kind="Deployment",
        fields={"spec": _build_deployment(spec, inputs)},
    )
    yield from _build_access(spec)


def build_rights(spec: ControllerSpec) -> Iterator[ClusterObject]:
    """Yield what its service account may do, and no more: the catalog's list."""
    labels, name = spec.cost_labels, spec.cluster_role
    subject = {
        "kind": "ServiceAccount",
        "name": spec.service_account,
        "namespace": spec.namespace,
    }
    yield ClusterObject(
        api_version="rbac.authorization.k8s.io/v1",
        kind="ClusterRole",
        name=name,
        labels=labels,
        fields={"rules": build_rules(RightScope.CLUSTER)},
    )
    yield ClusterObject(
        api_version="rbac.authorization.k8s.io/v1",
        kind="ClusterRoleBinding",
        name=name,
        labels=labels,
        fields={
            "roleRef": {"apiGroup": RBAC, "kind": "ClusterRole", "name": name},
            "subjects": [subject],
        },
    )
    if spec.leader is not Leader.LEASE:
        return
    yield _build_own(
        spec,
        api_version="rbac.authorization.k8s.io/v1",
        kind="Role",
        fields={"rules": [*_build_own_rules(spec)]},
    )
    yield _build_own(
        spec,
        api_version="rbac.authorization.k8s.io/v1",
        kind="RoleBinding",
        fields={
            "roleRef": {"apiGroup": RBAC, "kind": "Role", "name": spec.id},
            "subjects": [subject],
        },
    )


def _build_own_rules(spec: ControllerSpec) -> Iterator[dict[str, list[str]]]:
    """Yield what it may do in its own namespace: to the one object of its name, once it is made."""
    for rule in build_rules(RightScope.NAMESPACE):
        making = [verb for verb in rule["verbs"] if verb == "create"]
        others = [verb for verb in rule["verbs"] if verb != "create"]
        yield {**rule, "verbs": making}
        yield {**rule, "verbs": others, "resourceNames": [spec.id]}


def _build_namespace(spec: ControllerSpec) -> Iterator[ClusterObject]:
    yield ClusterObject(
        api_version="core/v1",
        kind="Namespace",
        name=spec.namespace,
        labels={**spec.cost_labels, RESTRICTED: "restricted"},
    )
    # One pod more than there are: while a rolling update replaces one.
    yield _build_own(
        spec,
        api_version="core/v1",
        kind="ResourceQuota",
        fields={"spec": {"hard": {"pods": str(spec.replicas + 1)}}},
    )


def _build_claim(spec: ControllerSpec) -> ClusterObject:
    chosen = spec.storage.storage_class
    return _build_own(
        spec,
        api_version="core/v1",
        kind="PersistentVolumeClaim",
        fields={
            "spec": {
                "accessModes": ["ReadWriteOnce"],
                "resources": {"requests": {"storage": f"{spec.storage.size_gib}Gi"}},
                **({"storageClassName": chosen} if chosen else {}),
            }
        },
    )


def _build_deployment(spec: ControllerSpec, inputs: dict[str, Any]) -> dict[str, Any]:
    # A volume is for one pod at a time: the old one goes before the new one comes.
    rolling = {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}}
    return {
        "replicas": spec.replicas,
        "strategy": {"type": "Recreate"} if spec.has_volume else rolling,
        "selector": {"matchLabels": build_selector(spec)},
        "template": build_template(spec, inputs),
    }


def _build_access(spec: ControllerSpec) -> Iterator[ClusterObject]:
    """Yield the Service, what keeps one of several pods there, and what Prometheus goes by."""
    selector = build_selector(spec)
    port = {"name": PORT_NAME, "port": PORT, "targetPort": PORT_NAME, "protocol": "TCP"}
    yield _build_own(
        spec,
        api_version="core/v1",
        kind="Service",
        labels=selector,
        fields={"spec": {"selector": selector, "ports": [port]}},
    )
    if spec.replicas > 1:
        yield _build_own(
            spec,
            api_version="policy/v1",
            kind="PodDisruptionBudget",
            fields={"spec": {"maxUnavailable": 1, "selector": {"matchLabels": selector}}},
        )
    if spec.monitoring and spec.monitoring.kind:
        yield _build_monitor(spec, spec.monitoring.kind, spec.monitoring.labels)


def _build_monitor(
    spec: ControllerSpec, kind: MonitorKind, further: Mapping[str, str]
) -> ClusterObject:
    scrape = {
        "port": PORT_NAME,
        "path": "/metrics",
        "interval": "30s",
        "authorization": {"credentials": {"name": spec.token.name, "key": spec.token.key}},
    }
    selector = {"matchLabels": build_selector(spec)}
    # Each kind is written out: the table of resource types is read from the code.
    if kind is MonitorKind.POD:
        return _build_own(
            spec,
            api_version="monitoring.coreos.com/v1",
            kind="PodMonitor",
            labels=further,
            fields={"spec": {"selector": selector, "podMetricsEndpoints": [scrape]}},
        )
    return _build_own(
        spec,
        api_version="monitoring.coreos.com/v1",
        kind="ServiceMonitor",
        labels=further,
        fields={"spec": {"selector": selector, "endpoints": [scrape]}},
    )
