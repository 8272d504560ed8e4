"""How each cloud chooses among the types of a group: its words, and the one taken by default."""

from __future__ import annotations

from tidegate.vocabulary.capacity import Cloud
from tidegate_components.arguments import Arguments

AWS = (
    "price-capacity-optimized",
    "capacity-optimized",
    "capacity-optimized-prioritized",
    "lowest-price",
)
"""AWS' own default is lowest-price, whose instances are interrupted most."""
GCP = ("ANY", "BALANCED", "ANY_SINGLE_ZONE")
"""The shape in which a managed instance group spreads; among types it takes what is to be had.
EVEN is left out: a stock-out in one zone would stop the whole group."""
AZURE_MIX = ("CapacityOptimized", "Prioritized", "LowestPrice")
"""Azure's own default is LowestPrice."""
AZURE_FLEET = ("PriceCapacityOptimized", "CapacityOptimized", "LowestPrice")


def read_strategy(read: Arguments, cloud: Cloud, types: int, *, fleet: bool) -> str:
    """Return the strategy, each cloud's first unless stated; "" for a scale set of one size."""
    azure = AZURE_FLEET if fleet else AZURE_MIX
    known = {Cloud.AWS: AWS, Cloud.GCP: GCP, Cloud.AZURE: azure}[cloud]
    given = read.text("allocation_strategy", "")
    if cloud is Cloud.AZURE and not fleet and types == 1:
        if given:
            reason = "has nothing to choose among: a scale set of one size knows no strategy"
            read.refuse("allocation_strategy", given, reason, "leave it out, or several sizes")
        return ""
    if given and given not in known:
        reason = f"is no allocation strategy of {cloud.value}"
        read.refuse("allocation_strategy", given, reason, f"one of {', '.join(known)}")
    return given or known[0]
