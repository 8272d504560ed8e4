"""What a machine of a scale set or a fleet is: image, disk, network, administrator."""

from __future__ import annotations

from typing import Any

import pulumi

from tidegate.vocabulary.problems import refuse
from tidegate_components.names import derive_name
from tidegate_components.spot_group.naming import COMPUTER_PREFIX
from tidegate_components.spot_group.spec import SpotSpec
from tidegate_components.spot_group.startup import encode_script

NETWORK_API = "2020-11-01"
"""The network API that a flexible scale set makes its machines' interfaces with."""


def build_machine(spec: SpotSpec, inputs: dict[str, Any]) -> dict[str, Any]:
    """Return the profile that scale sets and fleets share."""
    image = pulumi.Output.from_input(inputs["image"])
    return {
        "os_profile": build_os_profile(spec, inputs),
        "storage_profile": {
            "image_reference": image.apply(lambda text: build_image(spec.where, text)),
            "os_disk": {
                "create_option": "FromImage",
                "disk_size_gb": spec.disk_gib,
                "delete_option": "Delete",
                # Premium disks are not for every size.
                "managed_disk": {"storage_account_type": "StandardSSD_LRS"},
            },
        },
    }


def build_os_profile(spec: SpotSpec, inputs: dict[str, Any]) -> dict[str, Any]:
    """Return who may log in, by key alone, and what runs at boot."""
    admin = spec.azure.admin_username
    profile: dict[str, Any] = {
        "computer_name_prefix": derive_name(spec.id, COMPUTER_PREFIX),
        "admin_username": admin,
        "linux_configuration": {
            "disable_password_authentication": True,
            "ssh": {
                "public_keys": [
                    {
                        "path": f"/home/{admin}/.ssh/authorized_keys",
                        "key_data": inputs["ssh_public_key"],
                    }
                ]
            },
        },
    }
    script = encode_script(inputs["startup_script"])
    if script is not None:
        profile["custom_data"] = script
    return profile


def build_image(where: str, text: str) -> dict[str, str]:
    """Return an image's reference from its id, or from publisher:offer:sku:version.

    Raises:
        InvalidInput: When it is neither.
    """
    if text.startswith("/"):
        return {"id": text}
    parts = text.split(":")
    if len(parts) != 4 or not all(parts):
        expected = "an image's id, or publisher:offer:sku:version"
        raise refuse(where, "image", text, "is no image of Azure", expected)
    return dict(zip(("publisher", "offer", "sku", "version"), parts, strict=True))
