"""A change of a small stack as each way in shows it, in the shapes of the engine's own output."""

from __future__ import annotations

import json
from typing import Any

STACK = "urn:pulumi:prod::vision::pulumi:pulumi:Stack::vision-prod"
BUCKET = "urn:pulumi:prod::vision::aws:s3/bucket:Bucket::data"
LABELS = {
    "environment": "prod",
    "owner": "ml",
    "business-unit": "research",
    "platform-project": "vision",
    "workload-class": "training",
    "cost-center": "cc-1",
}


def manifest(**pool: Any) -> dict[str, Any]:
    """Return a manifest of one pool of H100 nodes, two expected and four at most."""
    entry = {
        "id": "train",
        "cloud": "gcp",
        "region": "us-central1",
        "kind": "gke-node-pool",
        "accelerator": "h100-80gb",
        "acceleratorsPerNode": 8,
        "instanceTypes": ["a3-highgpu-8g"],
        "capacityType": "on-demand",
        "minNodes": 0,
        "maxNodes": 4,
        "declaredNodes": "2",
        "bootSeconds": 300,
        "labels": {},
        "interruptionTolerance": "tolerant",
        "workloadClasses": ["training"],
        "scaler": "tidegate",
        **pool,
    }
    return {
        "version": "tidegate/capacity/v1",
        "project": "vision",
        "stack": "prod",
        "catalogDigest": "sha256:0",
        "pools": [entry],
    }


def states(capacity: dict[str, Any] | None) -> list[dict[str, Any]]:
    """Return the states of the stack and of a bucket that carries its labels."""
    outputs = {} if capacity is None else {"outputs": {"capacity": capacity}}
    return [
        {"urn": STACK, "type": "pulumi:pulumi:Stack", "custom": False, **outputs},
        {
            "urn": BUCKET,
            "type": "aws:s3/bucket:Bucket",
            "custom": True,
            "parent": STACK,
            "inputs": {"tags": LABELS},
        },
    ]


def export(capacity: dict[str, Any] | None) -> str:
    """Return `pulumi stack export` of the stack."""
    return json.dumps({"version": 3, "deployment": {"resources": states(capacity)}})


def preview(before: dict[str, Any] | None) -> str:
    """Return `pulumi preview --json --show-sames`, which shows no outputs after the change."""
    olds = {state["urn"]: state for state in states(before)}
    steps = [
        {"op": "same", "urn": new["urn"], "oldState": olds[new["urn"]], "newState": new}
        for new in states(None)
    ]
    return json.dumps({"config": {}, "steps": steps, "changeSummary": {"same": 2}})


def events(before: dict[str, Any] | None, after: dict[str, Any]) -> str:
    """Return the event log of a preview; without a manifest before, of a new stack."""
    olds = {state["urn"]: state for state in states(before)} if before else {}
    op = "same" if before else "create"
    lines: list[dict[str, Any]] = [{"preludeEvent": {"config": {}}}]
    for bare, new in zip(states(None), states(after), strict=True):
        old = olds.get(new["urn"])
        head = {"op": op, "urn": new["urn"], "type": new["type"], "old": old}
        lines.append({"resourcePreEvent": {"metadata": {**head, "new": bare}, "planning": True}})
        lines.append({"resOutputsEvent": {"metadata": {**head, "new": new}, "planning": True}})
    lines.append({"summaryEvent": {"resourceChanges": {op: 2}}})
    return "\n".join(json.dumps(line) for line in lines) + "\n"
