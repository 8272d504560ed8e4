"""What each cloud's access is given in these tests."""

from __future__ import annotations

CLOUDS = ["aws", "gcp", "azure"]
OWN = {
    "aws": {
        "pools": ["train-h100", "sweep"],
        "regions": ["us-east-1"],
        "pod_identity": {
            "cluster": "ml",
            "namespace": "tidegate",
            "service_account": "controller",
        },
    },
    "gcp": {
        "project": "acme-ml",
        "clusters": ["train"],
        "group_tag": {"key": "123456789012/capacity-pools", "value": "scaled"},
        "notice_subscriptions": ["projects/acme-ml/subscriptions/sweep-interruptions"],
        "workload_identity": {"namespace": "tidegate", "service_account": "controller"},
    },
    "azure": {
        "principal_id": "11111111-1111-1111-1111-111111111111",
        "subscription": "/subscriptions/s",
        "pool_scopes": ["/subscriptions/s/pools/a", "/subscriptions/s/pools/b"],
        "queue_scopes": ["/subscriptions/s/queues/q"],
        "workspace_scopes": ["/subscriptions/s/workspaces/w"],
    },
}
