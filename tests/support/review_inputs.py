"""A stack and hourly use for tests of reviews: growth, a weekly shape, and things to be found."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import Any

TODAY = date(2026, 11, 30)
START = datetime(2026, 10, 5, tzinfo=UTC)
LABELS = {
    "environment": "prod",
    "owner": "ml-platform",
    "business-unit": "research",
    "platform-project": "vision",
    "workload-class": "inference",
    "cost-center": "cc-1001",
}


def build_pool(pool: str, instance_type: str, reservation: str = "", **more: Any) -> dict[str, Any]:
    return {
        "id": pool,
        "cloud": "aws",
        "region": "us-east-1",
        "kind": "eks-node-group",
        "accelerator": "l4",
        "acceleratorsPerNode": 4,
        "instanceTypes": [instance_type],
        "capacityType": "reserved" if reservation else "on-demand",
        "reservation": reservation,
        "minNodes": 0,
        "maxNodes": 20,
        "bootSeconds": 300,
        "labels": {**LABELS, "team": "vision"},
        "interruptionTolerance": "intolerant",
        "workloadClasses": ["inference"],
        "scaler": "tidegate",
        **more,
    }


def build_reservation(identifier: str, units: int, end: str) -> dict[str, Any]:
    return {
        "id": identifier,
        "cloud": "aws",
        "region": "us-east-1",
        "kind": "capacity-reservation",
        "units": units,
        "covers": ["g6.12xlarge"],
        "end": end,
        "labels": LABELS,
    }


def build_stack(**more: Any) -> dict[str, Any]:
    """Return a manifest: one pool that grows, an idle commitment, one that ends soon."""
    return {
        "version": "tidegate/capacity/v1",
        "project": "shop",
        "stack": "prod",
        "catalogDigest": "sha256:0",
        "pools": [
            build_pool("serve", "g6.12xlarge"),
            build_pool("held", "g6.12xlarge", "ends-soon"),
            build_pool("asleep", "g6.12xlarge", "idle"),
        ],
        "commitments": [
            build_reservation("ends-soon", 2, "2027-01-15"),
            build_reservation("idle", 1, "2027-12-31"),
        ],
        **more,
    }


def build_usage_csv(weeks: int = 8, replaced: dict[int, str] | None = None) -> str:
    """Return use of `serve`, `held`, `asleep` and the undeclared `lab`.

    Args:
        weeks: How many whole weeks.
        replaced: Hour → what stands instead as the nodes of `serve`.
    """
    lines = ["hour,pool,nodes,instance_type,cloud,region"]
    for index in range(weeks * 168):
        hour = (START + timedelta(hours=index)).isoformat()
        weekend = index % 168 >= 120
        serve = round((4 if weekend else 8) * (1 + 0.02 * index / 168), 3)
        shown = (replaced or {}).get(index, str(serve))
        lines += [
            f"{hour},serve,{shown},g6.12xlarge,,",
            f"{hour},held,2,g6.12xlarge,,",
            f"{hour},asleep,0,g6.12xlarge,,",
            f"{hour},lab,1,p4d.24xlarge,aws,us-east-1",
        ]
    return "\n".join(lines) + "\n"
