"""What every EC2 launch template of ours says: disk, metadata service, tags."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

TAGGED_RESOURCES = ("instance", "volume", "network-interface")
"""Provider default tags do not reach what a launch template makes
(hashicorp/terraform-provider-aws#19387)."""


ROOT_DEVICE = "/dev/xvda"
BOTTLEROCKET_DATA_DEVICE = "/dev/xvdb"
"""Bottlerocket keeps images and pods apart from its system (Bottlerocket documentation)."""


def build_machine(
    identifier: str,
    cost_labels: Mapping[str, str],
    disk_gib: int,
    metadata_hops: int,
    device: str = ROOT_DEVICE,
) -> dict[str, Any]:
    """Return these inputs of a launch template.

    Args:
        identifier: The name that machines show in the console.
        cost_labels: The labels of all that the template makes, and its own.
        disk_gib: The encrypted boot disk. It stands here, because a node group with a launch
            template takes no disk size.
        metadata_hops: 1 for what runs on the machine itself, 2 for what runs in its containers.
        device: Where the disk is attached.
    """
    disk = {
        "volume_size": disk_gib,
        "volume_type": "gp3",
        "encrypted": "true",
        "delete_on_termination": "true",
    }
    return {
        "update_default_version": True,
        "block_device_mappings": [{"device_name": device, "ebs": disk}],
        "metadata_options": {
            "http_endpoint": "enabled",
            "http_tokens": "required",
            "http_put_response_hop_limit": metadata_hops,
        },
        "tag_specifications": [
            {"resource_type": resource, "tags": {**cost_labels, "Name": identifier}}
            for resource in TAGGED_RESOURCES
        ],
        "tags": dict(cost_labels),
    }
