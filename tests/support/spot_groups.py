"""One valid spot group on each cloud, and the type that sizes it."""

from __future__ import annotations

CLOUDS = ["aws", "gcp", "azure"]
SHAPES = {
    "aws": {
        "region": "us-east-1",
        "instance_types": ["m5.4xlarge", "m6i.4xlarge", "m7i.4xlarge"],
        "image": "ami-0123456789abcdef0",
        "aws": {"subnet_ids": ["subnet-1", "subnet-2"]},
    },
    "gcp": {
        "region": "us-central1",
        "zones": ["us-central1-a", "us-central1-b"],
        "instance_types": ["n2-standard-8", "n2d-standard-8", "c3-standard-8"],
        "image": "projects/debian-cloud/global/images/family/debian-12",
        "gcp": {"project": "acme-ml", "subnetwork": "ml"},
    },
    "azure": {
        "region": "eastus",
        "instance_types": ["Standard_D8s_v5", "Standard_D8as_v5"],
        "image": "Canonical:ubuntu-24_04-lts:server:latest",
        "azure": {
            "resource_group_name": "ml",
            "subnet_id": "/subscriptions/s/subnets/ml",
            "ssh_public_key": "ssh-ed25519 AAAA",
            "subscription": "/subscriptions/s",
        },
    },
}
GROUP = {
    "aws": "autoscaling/group:Group",
    "gcp": "regionInstanceGroupManager:RegionInstanceGroupManager",
    "azure": "compute:VirtualMachineScaleSet",
}
