"""Who may connect to the controller, and where it may connect to."""

from __future__ import annotations

from typing import Any

from tidegate.vocabulary.capacity import Cloud
from tidegate_components.controller.pod import PORT_NAME, build_selector
from tidegate_components.controller.spec import ControllerSpec

NAMESPACE_NAME = "kubernetes.io/metadata.name"
# The node's own address for credentials: GKE's metadata service, which stands at the first and,
# behind it, at the second; EKS' Pod Identity agent. As their pages say on network policies
# (cloud.google.com/kubernetes-engine/docs/how-to/workload-identity and
# docs.aws.amazon.com/eks/latest/userguide/pod-id-how-it-works.html, 2026-11-30).
GKE_METADATA = (("169.254.169.254/32", 80), ("169.254.169.252/32", 988))
EKS_AGENT = (("169.254.170.23/32", 80),)


def build_policy(spec: ControllerSpec) -> dict[str, Any]:
    """Return the policy's spec. What comes from the pod's own node, such as probes, always may."""
    return {
        "podSelector": {"matchLabels": build_selector(spec)},
        "policyTypes": ["Ingress", "Egress"],
        "ingress": _build_ingress(spec),
        "egress": [
            {"ports": [{"protocol": "UDP", "port": 53}, {"protocol": "TCP", "port": 53}]},
            {"ports": [{"protocol": "TCP", "port": port} for port in spec.egress_ports]},
            *_build_credentials(spec),
        ],
    }


def _build_ingress(spec: ControllerSpec) -> list[dict[str, Any]]:
    if spec.monitoring is None:
        return []
    scraper = {"namespaceSelector": {"matchLabels": {NAMESPACE_NAME: spec.monitoring.namespace}}}
    return [{"from": [scraper], "ports": [{"protocol": "TCP", "port": PORT_NAME}]}]


def _build_credentials(spec: ControllerSpec) -> list[dict[str, Any]]:
    places: tuple[tuple[str, int], ...] = ()
    if spec.cloud is Cloud.GCP and Cloud.GCP in spec.identities:
        places = GKE_METADATA
    if spec.cloud is Cloud.AWS and Cloud.AWS in spec.identities and not spec.is_federated:
        places = EKS_AGENT
    return [
        {"to": [{"ipBlock": {"cidr": cidr}}], "ports": [{"protocol": "TCP", "port": port}]}
        for cidr, port in places
    ]
