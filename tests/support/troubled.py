"""A small stack with one pool for each kind of trouble that a controller shows."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from decimal import Decimal

from support.controller import (
    NOW,
    FakePools,
    FakeSource,
    declare,
    declare_pool,
    fault,
    wire,
    work,
)

from tidegate.controller.wiring import Wiring
from tidegate.manifest.model import Commitment, HourlyCeiling
from tidegate.vocabulary.fleet_state import CloudRefused, RefusalKind
from tidegate.vocabulary.reports import WorkReport

POOLS = ("away", "full", "others", "pinned", "spot", "train")
SOURCES = ("queue", "silent")


def build_troubled(text: str = "", now: datetime = NOW) -> Wiring:
    """Return a stack whose work fills `train`, and waits beyond it.

    `spot` is out of stock, `away` cannot be read, `others` is scaled by Karpenter, `full` draws on
    a commitment of which two thirds lie idle, and the source "silent" does not answer.

    Args:
        text: What clouds and sources add to all that they say.
        now: What waits was queued a minute before.
    """
    pools = FakePools({"away": 0, "full": 1, "others": 2, "pinned": 1, "spot": 0, "train": 1})
    pools.unreadable["away"] = CloudRefused(RefusalKind.DENIED, f"credentials expired{text}")

    def refuse(pool: str) -> None:
        if pool == "spot":
            raise CloudRefused(RefusalKind.STOCK_OUT, f"none left{text}")

    pools.refuse = refuse
    manifest = declare(
        declare_pool("away"),
        declare_pool("full", max_nodes=1, capacity_type="reserved", reservation="block"),
        declare_pool("others", scaler="karpenter"),
        declare_pool("pinned", max_nodes=1),
        declare_pool("spot", capacity_type="spot", max_nodes=2),
        declare_pool("train", max_nodes=3),
    )
    block = Commitment(
        id="block", cloud="aws", region="us-east-1", kind="capacity-reservation", units=3,
        covers=["p5.48xlarge"], labels={},
    )  # fmt: skip
    queued_at = now - timedelta(seconds=60)
    waiting = tuple(replace(item, queued_at=queued_at) for item in work(9))
    ceiling = HourlyCeiling(amount=Decimal(100_000))
    return wire(
        manifest.model_copy(update={"hourly_ceiling": ceiling, "commitments": [block]}),
        pools,
        FakeSource("queue", WorkReport(waiting)),
        FakeSource("silent", fault(f"no answer{text}")),
    )
