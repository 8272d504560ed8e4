"""What a controller in a cluster is given in tests: valid arguments on each cloud."""

from __future__ import annotations

from typing import Any

from support.controller import declare, declare_pool

from tidegate.manifest.build import dump_manifest

LABELS = {
    "environment": "prod",
    "owner": "ml-platform",
    "business-unit": "research",
    "platform-project": "vision",
    "workload-class": "platform",
    "cost-center": "cc-1001",
}
KINDS = {"aws": "eks-node-group", "gcp": "gke-node-pool", "azure": "aks-agent-pool"}
IDENTITIES: dict[str, dict[str, Any]] = {
    "aws": {"role_arn": "arn:aws:iam::123456789012:role/controller"},
    "gcp": {
        "service_account": "controller@acme-ml.iam.gserviceaccount.com",
        "identity_provider": (
            "projects/1/locations/global/workloadIdentityPools/clusters/providers/ml"
        ),
    },
    "azure": {"client_id": "client-1", "tenant_id": "tenant-1"},
}
BINDINGS = {"pools": {"train": {"cloud": "aws", "nodeGroup": "train-1a2b3c4"}}}


def build_manifest(*clouds: str, **changes: Any) -> dict[str, Any]:
    """Return a manifest with a pool on each cloud, whose scaler is Tidegate, and a CPU pool."""
    pools = [
        declare_pool(
            "train" if cloud == clouds[0] else f"train-{cloud}",
            **{"cloud": cloud, "kind": KINDS[cloud], "cluster": "ml", **changes},
        )
        for cloud in clouds
    ]
    system = declare_pool(
        "system",
        cloud=clouds[0],
        kind=KINDS[clouds[0]],
        cluster="ml",
        scaler="provider",
        accelerator="",
        accelerators_per_node=0,
        taints=[{"key": "dedicated", "value": "platform", "effect": "NoSchedule"}],
    )
    return dump_manifest(declare(*pools, system))


def build_args(home: str = "aws", **changes: Any) -> dict[str, Any]:
    """Return valid arguments of a controller in a cluster of one cloud; None removes."""
    own = dict(IDENTITIES[home])
    own.pop("identity_provider", None)
    made = {
        "cloud": home,
        "cluster": "ml",
        "image": "registry.example/tidegate:0.1.0",
        "capacity": build_manifest(home),
        "bindings": BINDINGS,
        "token": {"name": "controller", "key": "token"},
        home: own,
        "labels": LABELS,
    }
    return {key: value for key, value in {**made, **changes}.items() if value is not None}
