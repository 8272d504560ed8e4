from __future__ import annotations

import pytest
from support.spot_groups import SHAPES
from tidegate_components import SpotGroup


@pytest.fixture
def args(labels):
    """Return valid arguments of a group of eight machines, two of them on demand."""

    def build(cloud, **changes):
        own = changes.pop(f"own_{cloud}", {})
        shared = {
            "cloud": cloud,
            "max_nodes": 8,
            "on_demand_base_nodes": 2,
            "labels": labels,
            "scaler": "tidegate",
        }
        shape = {**SHAPES[cloud], cloud: {**SHAPES[cloud][cloud], **own}}
        merged = {**shared, **shape, **changes}
        return {key: value for key, value in merged.items() if value is not None}

    return build


@pytest.fixture
def declare(record, args, catalog):
    def run(cloud, opts=None, **changes):
        given = args(cloud, **changes)
        return record(lambda: SpotGroup("sweep", given, opts, catalog))

    return run
