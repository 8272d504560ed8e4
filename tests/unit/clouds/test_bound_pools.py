from __future__ import annotations

import pytest
from support.controller import declare_pool

from tidegate.clouds.bound_pools import BoundPools
from tidegate.vocabulary.fleet_state import CloudRefused, RefusalKind


@pytest.mark.parametrize(
    ("changes", "binding", "kind", "text"),
    [
        ({}, {}, RefusalKind.NOT_FOUND, "nothing in the stack's bindings says what train is"),
        ({}, {"cluster": "ml"}, RefusalKind.NOT_FOUND, "the binding of train lacks 'autoScaling"),
        (
            {"region": "us east 1"},
            {"autoScalingGroup": "train"},
            RefusalKind.NOT_FOUND,
            "train cannot be bound: Provided region_name 'us east 1'",
        ),
    ],
)
def test_a_pool_that_cannot_be_bound_is_refused_and_breaks_nothing(changes, binding, kind, text):
    pools = BoundPools([declare_pool("train", **changes)], {"train": binding})

    with pytest.raises(CloudRefused, match=text) as refused:
        pools.fetch_state("train")

    assert refused.value.kind is kind
