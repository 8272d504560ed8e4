"""How a self-managed AL2023 node joins its cluster: user data for nodeadm, and the image.

EKS gives managed nodes both. A node of one's own has to be told the cluster's endpoint,
certificate and service range, because AL2023 asks EKS for none of them (EKS user guide and
awslabs/amazon-eks-ami, nodeadm's NodeConfig API, as of 2026-11).
"""

from __future__ import annotations

import base64
import json
from typing import Any

import pulumi

from tidegate_components.node_pools.spec import PoolSpec

_BOUNDARY = "NODECONFIG"
_PARAMETER = "/aws/service/eks/optimized-ami"


def build_user_data(spec: PoolSpec, inputs: dict[str, Any]) -> pulumi.Output[str]:
    """Return the user data of the nodes, in base64 as a launch template takes it."""
    return pulumi.Output.all(
        inputs["cluster"],
        inputs["cluster_endpoint"],
        inputs["cluster_certificate"],
        inputs["service_cidr"],
    ).apply(lambda found: encode(render_user_data(spec, *found)))


def render_user_data(
    spec: PoolSpec, cluster: str, endpoint: str, certificate: str, service_cidr: str
) -> str:
    """Return the MIME document that nodeadm reads; its NodeConfig is JSON, which is YAML too."""
    config = {
        "apiVersion": "node.eks.aws/v1alpha1",
        "kind": "NodeConfig",
        "spec": {
            "cluster": {
                "name": cluster,
                "apiServerEndpoint": endpoint,
                "certificateAuthority": certificate,
                "cidr": service_cidr,
            },
            "kubelet": {"flags": build_kubelet_flags(spec)},
        },
    }
    return "\n".join(
        [
            "MIME-Version: 1.0",
            f'Content-Type: multipart/mixed; boundary="{_BOUNDARY}"',
            "",
            f"--{_BOUNDARY}",
            "Content-Type: application/node.eks.aws",
            "",
            json.dumps(config, indent=2, sort_keys=True),
            f"--{_BOUNDARY}--",
            "",
        ]
    )


def build_kubelet_flags(spec: PoolSpec) -> list[str]:
    """Return what the kubelet registers its node with."""
    labels = ",".join(f"{key}={value}" for key, value in sorted(spec.node_labels.items()))
    taints = ",".join(f"{taint.key}={taint.value}:{taint.effect}" for taint in spec.taints)
    flags = [f"--node-labels={labels}"]
    return [*flags, f"--register-with-taints={taints}"] if taints else flags


def choose_image(spec: PoolSpec) -> str:
    """Return the image: the one given, or EKS's recommended one by its public parameter.

    EC2 looks the parameter up at each launch, so that a new node boots the image of its day.
    """
    if spec.aws.image_id:
        return spec.aws.image_id
    arch = "arm64" if spec.instance_types[0].arch == "arm64" else "x86_64"
    variant = spec.accelerator.eks_ami.lower() if spec.accelerator else "standard"
    version = spec.aws.kubernetes_version
    place = f"{_PARAMETER}/{version}/amazon-linux-2023/{arch}/{variant}/recommended/image_id"
    return f"resolve:ssm:{place}"


def encode(text: str) -> str:
    """Return a text in base64."""
    return base64.b64encode(text.encode()).decode()
