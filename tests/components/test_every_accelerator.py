"""Each accelerator of the catalog can be declared wherever a machine has it."""

from __future__ import annotations

import pytest
from tidegate_components.gpu_node_pool.parse import parse_pool

from tidegate.catalog.load import load_catalog
from tidegate.catalog.model import Availability, InstanceType

CATALOG = load_catalog()
ELSEWHERE = {"aws": "us-east-1", "gcp": "us-central1", "azure": "eastus"}


def machines() -> list[InstanceType]:
    """Return one machine, whole and on sale, of each accelerator on each cloud."""
    found: dict[tuple[str, str], InstanceType] = {}
    for each in CATALOG.instance_types():
        whole = each.accelerator and not each.sliced and each.accelerators_per_node
        if whole and each.retired is None:
            found.setdefault((each.cloud.value, each.accelerator), each)
    return list(found.values())


def region_of(each: InstanceType) -> str:
    """Return a region that sells a machine, as far as is known."""
    for region in CATALOG.regions(each.cloud):
        if CATALOG.availability(each.cloud, region, each.name) is Availability.SOLD:
            return region
    return ELSEWHERE[each.cloud.value]


@pytest.mark.parametrize("each", machines(), ids=lambda each: f"{each.cloud.value}-{each.name}")
def test_a_pool_of_each_accelerator_names_its_resource_and_taint(pool_args, each):
    chip = CATALOG.accelerator(each.accelerator)
    own = {"aws": {"ami_type": "CUSTOM"}} if each.cloud == "aws" and not chip.eks_ami else {}
    args = pool_args(
        each.cloud.value,
        accelerator=each.accelerator,
        instance_types=[each.name],
        region=region_of(each),
        zones=None,
        **own,
    )

    spec = parse_pool("any", args, CATALOG)

    assert (spec.resource, spec.resources_per_node) == (
        chip.kubernetes_resource,
        each.accelerators_per_node,
    )
    tainted = {taint.key for taint in spec.taints} - {"kubernetes.azure.com/scalesetpriority"}
    assert tainted == ({chip.kubernetes_resource} if chip.kubernetes_resource else set())
    (pool,) = spec.to_fragment()["pools"]
    assert pool["accelerator"] == each.accelerator


def test_all_accelerators_of_the_catalog_are_met():
    met = {each.accelerator for each in machines()}
    attached = {name for each in CATALOG.instance_types() for name in each.attachable}
    sliced = {each.accelerator for each in CATALOG.instance_types() if each.sliced}

    assert {"tpu-v5e", "tpu-v5p", "tpu-v6e", "trainium2", "inferentia2", "gaudi1"} <= met
    assert set(CATALOG.accelerators) - met - attached - sliced == set()
