"""The kinds that the API server serves: where each stands, and whether it has a namespace."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of object.

    Attributes:
        group: The API group; empty for the core.
        version: Its version ("v1", "v1beta2").
        name: The kind ("ClusterQueue").
        plural: Its name in paths ("clusterqueues").
        namespaced: Whether its objects stand in a namespace.
        is_scaled: Whether it has a `/scale`.
    """

    group: str
    version: str
    name: str
    plural: str
    namespaced: bool = True
    is_scaled: bool = False

    @property
    def api_version(self) -> str:
        """What an object states as its `apiVersion`."""
        return f"{self.group}/{self.version}" if self.group else self.version

    @property
    def token(self) -> str:
        """Pulumi's type token."""
        return f"kubernetes:{self.group or 'core'}/{self.version}:{self.name}"

    @property
    def resource(self) -> str:
        """Its name in messages: "clusterqueues.kueue.x-k8s.io"."""
        return f"{self.plural}.{self.group}" if self.group else self.plural

    @property
    def root(self) -> str:
        """The path of its version: "/api/v1" or "/apis/apps/v1"."""
        return f"/apis/{self.group}/{self.version}" if self.group else f"/api/{self.version}"


NAMESPACE = Kind("", "v1", "Namespace", "namespaces", namespaced=False)
DEPLOYMENT = Kind("apps", "v1", "Deployment", "deployments", is_scaled=True)
RESOURCE_QUOTA = Kind("", "v1", "ResourceQuota", "resourcequotas")
PRIORITY_CLASS = Kind(
    "scheduling.k8s.io", "v1", "PriorityClass", "priorityclasses", namespaced=False
)
BUILT_IN: tuple[Kind, ...] = (
    NAMESPACE,
    Kind("", "v1", "Node", "nodes", namespaced=False),
    Kind("", "v1", "Pod", "pods"),
    RESOURCE_QUOTA,
    Kind("", "v1", "LimitRange", "limitranges"),
    Kind("", "v1", "ConfigMap", "configmaps"),
    Kind("", "v1", "Service", "services"),
    Kind("", "v1", "ServiceAccount", "serviceaccounts"),
    Kind("", "v1", "PersistentVolumeClaim", "persistentvolumeclaims"),
    PRIORITY_CLASS,
    DEPLOYMENT,
    Kind("apps", "v1", "StatefulSet", "statefulsets", is_scaled=True),
    Kind("apps", "v1", "DaemonSet", "daemonsets"),
    Kind("networking.k8s.io", "v1", "NetworkPolicy", "networkpolicies"),
    Kind("policy", "v1", "PodDisruptionBudget", "poddisruptionbudgets"),
    Kind("rbac.authorization.k8s.io", "v1", "Role", "roles"),
    Kind("rbac.authorization.k8s.io", "v1", "RoleBinding", "rolebindings"),
    Kind("rbac.authorization.k8s.io", "v1", "ClusterRole", "clusterroles", namespaced=False),
    Kind(
        "rbac.authorization.k8s.io",
        "v1",
        "ClusterRoleBinding",
        "clusterrolebindings",
        namespaced=False,
    ),
)
FIRST_NAMESPACES = ("default", "kube-node-lease", "kube-public", "kube-system")
"""What every new cluster has."""
