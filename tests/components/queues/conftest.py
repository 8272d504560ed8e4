"""Pools as the manifest states them, and valid arguments of queues over them."""

from __future__ import annotations

import copy

import pytest


@pytest.fixture
def queue_pool(labels):
    """Return a pool as components state it in the manifest."""

    def build(name, capacity_type="on-demand", **changes):
        made = {
            "id": name,
            "cloud": "aws",
            "region": "us-east-1",
            "kind": "eks-node-group",
            "cluster": "ml",
            "accelerator": "a100-40gb",
            "acceleratorsPerNode": 8,
            "instanceTypes": ["p4d.24xlarge"],
            "capacityType": capacity_type,
            "minNodes": 0,
            "maxNodes": 4,
            "bootSeconds": 300,
            "labels": {**labels, "capacity-pool": name, "managed-by": "tidegate"},
            "nodeLabels": {"capacity-pool": name, "k8s.amazonaws.com/accelerator": "a100-40gb"},
            "taints": [{"key": "nvidia.com/gpu", "value": "present", "effect": "NoSchedule"}],
            "interruptionTolerance": "tolerant" if capacity_type == "spot" else "intolerant",
            "workloadClasses": ["training"],
            "scaler": "tidegate",
        }
        return {**made, **changes}

    return build


@pytest.fixture
def queue_args(labels, queue_pool):
    def build(**changes):
        pools = [
            queue_pool("ordered"),
            queue_pool("cheap", "spot"),
            queue_pool("paid", "reserved", reservation="r"),
        ]
        made = {
            "cluster": "ml",
            "pools": [{"pools": pools[:2]}, pools[2]],
            "queues": [
                {
                    "name": "a100-interruptible",
                    "accelerator": "a100-40gb",
                    "interruption_tolerance": "tolerant",
                    "quotas": {"cheap": 32},
                },
                {
                    "name": "a100",
                    "accelerator": "a100-40gb",
                    "interruption_tolerance": "intolerant",
                    "priority": "high",
                    "quotas": {"ordered": 32, "paid": 32},
                },
            ],
            "namespaces": [
                {
                    "name": "vision",
                    "queues": ["a100", "a100-interruptible"],
                    "quotas": {"a100-40gb": 48},
                    "max_pods": 200,
                },
                {"name": "speech", "queues": ["a100-interruptible"], "quotas": {"a100-40gb": 24}},
            ],
            "labels": labels,
        }
        return {**copy.deepcopy(made), **changes}

    return build
