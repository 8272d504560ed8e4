"""Faults on the calls of Google's own SDKs."""

from __future__ import annotations

import time

from tidegate.localclouds.contracts import World
from tidegate.localclouds.faults import FaultKind, judge

CAPACITY_FAULTS = frozenset({FaultKind.STOCK_OUT, FaultKind.QUOTA})
# An interruption befalls instances, not calls: see `preemption`.
NO_CALLS = frozenset({FaultKind.INTERRUPTION})


def take_faults(world: World, action: str, *, grows: bool = True) -> None:
    """Wait or fail as the faults in force say.

    Args:
        world: Holds the faults.
        action: What is done, as faults name it: "container:SetNodePoolSize".
        grows: False for a call that asks for no more machines; stock-outs and quotas spare it
            and stay in force.

    Raises:
        CloudError: The fault, in the cloud's words.
    """
    spared = NO_CALLS if grows else NO_CALLS | CAPACITY_FAULTS
    wait, error = judge(world.faults.take("gcp", action, spared), "gcp")
    if wait:
        time.sleep(wait)
    if error:
        raise error
