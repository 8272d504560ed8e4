"""What one cloud alone takes for a spot group, of the plain arguments."""

from __future__ import annotations

import re

from tidegate_components.arguments import Arguments
from tidegate_components.ec2_machines import ROOT_DEVICE
from tidegate_components.spot_group import args as shapes
from tidegate_components.spot_group.hardware import Machines
from tidegate_components.spot_group.spec import AwsChoices, AzureChoices, GcpChoices

HYPERDISK_ALONE = ("a3-ultragpu", "a4", "a4x", "c4", "c4a", "c4d", "h4d", "m4", "n4", "n4d", "x4")
"""Machine series that take no persistent disk, only Hyperdisk
(https://cloud.google.com/compute/docs/disks; general vendor documentation, 2026-11-30)."""


def read_choices(
    read: Arguments, machines: Machines | None
) -> tuple[AwsChoices, GcpChoices, AzureChoices]:
    """Return each cloud's choices; those of other clouds than the group's are the defaults."""
    aws = read.nested("aws", shapes.SpotGroupAwsArgs)
    gcp = read.nested("gcp", shapes.SpotGroupGcpArgs)
    azure = read.nested("azure", shapes.SpotGroupAzureArgs)
    return (
        AwsChoices(root_device=aws.text("root_device", ROOT_DEVICE)) if aws else AwsChoices(),
        _read_gcp(gcp, machines) if gcp and machines else GcpChoices(),
        _read_azure(azure) if azure else AzureChoices(),
    )


def _read_gcp(read: Arguments, machines: Machines) -> GcpChoices:
    """Return the type of the boot disk: one for all machine types, as a template has one."""
    names = [each.name for each in machines.instance_types]
    alone = [name for name in names if _takes_hyperdisk_alone(name)]
    given = read.text("disk_type", "")
    if alone and len(alone) < len(names):
        reason = f"cannot be one for all: {', '.join(alone)} take Hyperdisk alone"
        read.refuse("disk_type", given or None, reason, "machine types that take the same disks")
    elif alone and given and not given.startswith("hyperdisk-"):
        reason = f"is no disk of {', '.join(alone)}"
        read.refuse("disk_type", given, reason, "hyperdisk-balanced")
    return GcpChoices(given or ("hyperdisk-balanced" if alone else "pd-balanced"))


def _takes_hyperdisk_alone(name: str) -> bool:
    return name.startswith(tuple(f"{series}-" for series in HYPERDISK_ALONE))


def _read_azure(read: Arguments) -> AzureChoices:
    admin = read.text("admin_username", "tidegate")
    if not re.fullmatch(r"[a-z][-_a-z0-9]{0,31}", admin) or admin in ("root", "admin"):
        expected = "1 to 32 lowercase letters, digits, '-' or '_', and neither root nor admin"
        read.refuse("admin_username", admin, "is no administrator's name on Azure", expected)
    return AzureChoices(admin_username=admin, fleet=read.flag("fleet", False))
