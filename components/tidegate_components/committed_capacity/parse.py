"""From the arguments of a commitment to its specification, with every fault reported at once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tidegate.catalog.catalog import Catalog
from tidegate.vocabulary.capacity import Cloud
from tidegate.vocabulary.problems import InvalidInput
from tidegate_components.arguments import Arguments
from tidegate_components.commitments.parse import Owner, read_commitment
from tidegate_components.commitments.spec import CommitmentSpec
from tidegate_components.committed_capacity import args as shapes
from tidegate_components.names import check_identifier


def parse_reservation(name: str, raw: Mapping[str, Any], catalog: Catalog) -> CommitmentSpec:
    """Return the commitment that the arguments declare; `name` is its id.

    Raises:
        InvalidInput: With one problem for each fault, naming property, value and remedy.
    """
    read = Arguments(f"commitment {name}", raw, shapes.CommittedCapacityArgs)
    check_identifier(read, name)
    cloud = read.choice("cloud", Cloud)
    region = read.text("region")
    owner = Owner(name, cloud, region, read.text("account", ""), read.cost_labels())
    spec = read_commitment(read, owner, catalog)
    _refuse_other_clouds(read, cloud)
    if spec is None:
        raise InvalidInput(read.problems)
    read.finish()
    return spec


def _refuse_other_clouds(read: Arguments, cloud: Cloud) -> None:
    for key, shape in (
        ("gcp", shapes.CommittedCapacityGcpArgs),
        ("azure", shapes.CommittedCapacityAzureArgs),
    ):
        read.nested(key, shape)
        if key != cloud.value and read.has(key):
            reason = f"concerns {key}, and the reservation is in {cloud.value}"
            read.refuse(key, None, reason, "leave it out")
