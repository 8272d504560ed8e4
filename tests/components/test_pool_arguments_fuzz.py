"""Whatever a pool is given, it is a specification or a refusal, never another error."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tidegate_components.cpu_node_pool.args import CpuNodePoolArgs
from tidegate_components.cpu_node_pool.parse import parse_cpu_pool
from tidegate_components.gpu_node_pool import args as shapes
from tidegate_components.gpu_node_pool.args import GpuNodePoolArgs
from tidegate_components.gpu_node_pool.parse import parse_pool
from tidegate_components.node_pools.args import AwsPoolArgs, KarpenterArgs
from tidegate_components.node_pools.spec import PoolSpec

from tidegate.catalog.load import load_catalog
from tidegate.manifest.model import Fragment, Pool
from tidegate.vocabulary.problems import InvalidInput, Problem

NESTED = {
    "aws": AwsPoolArgs,
    "gcp": shapes.GpuNodePoolGcpArgs,
    "azure": shapes.GpuNodePoolAzureArgs,
    "karpenter": KarpenterArgs,
    "sharing": shapes.SharingArgs,
}
WORDS = [
    *("aws", "gcp", "azure", "karpenter", "tidegate", "provider"),
    *("spot", "reserved", "on-demand", "mig", "mps", "time-sharing", "1g.10gb", "MIG1g"),
    *("4x4", "2x2x4", "axb", "h100-80gb", "tpu-v6e", "p5.48xlarge", "ct6e-standard-4t"),
    *("a3-highgpu-8g", "m5.4xlarge", "auto-scaling-group", "eks-node-group", "al2023@latest"),
    *("1.34", "us-east-1", "us-central1", "eastus"),
]
junk = st.one_of(
    st.sampled_from(WORDS),
    st.text(max_size=5),
    st.booleans(),
    st.integers(-2, 70),
    st.floats(allow_nan=True, allow_infinity=True),
    st.none(),
    st.lists(st.sampled_from(WORDS), max_size=2),
    st.dictionaries(st.sampled_from(["key", "cron", "value", "effect", "x"]), st.text(max_size=3)),
    st.just([{"cron": "* * * * *", "time_zone": "UTC", "duration_seconds": 60}]),
)


def objects(shape: Any, depth: int = 0) -> st.SearchStrategy[dict[str, Any]]:
    """Return objects with keys of a shape, whose values are what they should not be, or may."""
    keys = sorted(shape.__required_keys__ | shape.__optional_keys__)
    fields = {
        key: st.one_of(junk, objects(NESTED[key], depth + 1)) if key in NESTED else junk
        for key in keys
    }
    return st.fixed_dictionaries({}, optional=fields)


CATALOG = load_catalog()
PLACES = {
    "aws": ("us-east-2", "p5.48xlarge"),
    "gcp": ("us-central1", "a3-highgpu-8g"),
    "azure": ("eastus", "Standard_ND96isr_H100_v5"),
}


def valid(cloud: str) -> dict[str, Any]:
    """Return arguments of a GPU pool without a fault."""
    region, machine = PLACES[cloud]
    return {
        "cloud": cloud,
        "region": region,
        "accelerator": "h100-80gb",
        "instance_types": [machine],
        "capacity_type": "spot",
        "max_nodes": 4,
        "scaler": "tidegate",
        "labels": {
            "environment": "prod",
            "owner": "ml-platform",
            "business-unit": "research",
            "platform-project": "vision",
            "workload-class": "training",
            "cost-center": "cc-1001",
        },
    }


def read_pool(parse: Callable[..., PoolSpec], args: dict[str, Any]) -> Pool | tuple[Problem, ...]:
    """Return the pool's entry in the manifest, or why there is none; another error passes."""
    try:
        spec = parse("any", args, CATALOG)
    except InvalidInput as error:
        return error.problems
    return Fragment.model_validate(spec.to_fragment()).pools[0]


def holds(found: Pool | tuple[Problem, ...]) -> bool:
    if isinstance(found, Pool):
        return found.id == "any"
    return bool(found) and all(problem.where == "pool any" for problem in found)


clouds = st.sampled_from(["aws", "gcp", "azure"])
few = st.dictionaries(st.sampled_from(sorted(GpuNodePoolArgs.__annotations__)), junk, max_size=2)
own = st.one_of(
    *(st.tuples(st.just(cloud), objects(NESTED[cloud])) for cloud in ("aws", "gcp", "azure"))
)
sharing = st.one_of(st.none(), objects(shapes.SharingArgs))


@given(cloud=clouds, changes=objects(GpuNodePoolArgs))
def test_gpu_pools(cloud, changes):
    assert holds(read_pool(parse_pool, {**valid(cloud), **changes}))


@given(own=own, changes=few, sharing=sharing)
def test_gpu_pools_with_few_faults(own, changes, sharing):
    cloud, nested = own
    assert holds(
        read_pool(parse_pool, {**valid(cloud), cloud: nested, "sharing": sharing, **changes})
    )


@given(cloud=clouds, changes=objects(CpuNodePoolArgs))
def test_cpu_pools(cloud, changes):
    plain = {key: value for key, value in valid(cloud).items() if key != "accelerator"}
    assert holds(read_pool(parse_cpu_pool, {**plain, **changes}))


@pytest.mark.parametrize("cloud", sorted(PLACES))
def test_what_is_varied_is_sound_to_begin_with(cloud):
    assert isinstance(read_pool(parse_pool, valid(cloud)), Pool)
