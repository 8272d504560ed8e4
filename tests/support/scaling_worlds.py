"""Whole inputs of a decision, drawn at random, for what must hold of every plan."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from decimal import Decimal
from typing import Any

from hypothesis import strategies as st
from support.scaling import NOW, ago, demand, item, node, offering, pool, shape, work

from tidegate.scaling.fleet import GONE, Fleet, NodePhase, PoolSupply
from tidegate.scaling.offerings import CommittedCapacity, NodeRoom, Offering, Offerings
from tidegate.scaling.settings import ScalingSettings
from tidegate.vocabulary.capacity import CapacityType

CHIPS = ("h100-80gb", "a100-80gb")


@st.composite
def pools(draw: Any) -> list[PoolSupply]:
    count = draw(st.integers(1, 3))
    found = []
    for number in range(count):
        low = draw(st.integers(0, 2))
        high = draw(st.integers(low, 5))
        domain = draw(st.sampled_from(["aws/us-east-1/a", "gcp/us-central1/b"]))
        found.append(pool(f"p{number}", min_nodes=low, max_nodes=high, domain=domain))
    return found


@st.composite
def offers(draw: Any, of: list[PoolSupply]) -> list[Offering]:
    found = []
    for entry in of:
        chip = draw(st.sampled_from(CHIPS))
        for zone in range(draw(st.integers(1, 2))):
            spot = draw(st.booleans())
            found.append(
                offering(
                    entry.id,
                    id=f"{entry.id}/{zone}",
                    room=NodeRoom(chip, draw(st.sampled_from([4, 8])), 64_000, 512_000),
                    capacity_type=CapacityType.SPOT if spot else CapacityType.ON_DEMAND,
                    per_hour=draw(st.sampled_from([None, *map(Decimal, (8, 20, 20, 80))])),
                    interruptions_per_hour=Decimal("0.1") if spot else None,
                    boot_seconds=draw(st.sampled_from([60, 240])),
                    quota=draw(st.sampled_from(["", "q1", "q2"])),
                    quota_units=draw(st.integers(1, 8)),
                    commitment=draw(st.sampled_from(["", "c1"])),
                )
            )
    return found


@st.composite
def worlds(draw: Any) -> tuple[Fleet, Any, Offerings, ScalingSettings]:
    declared = draw(pools())
    market = draw(offers(declared))
    nodes = []
    for number in range(draw(st.integers(0, 5))):
        of = draw(st.sampled_from(market))
        phase = draw(st.sampled_from(list(NodePhase)))
        size = draw(st.integers(1, 4))
        saved = draw(st.sampled_from([None, ago(60), ago(5000)]))
        running = work(
            f"run{number}",
            size,
            checkpoint_at=saved,
            priority=draw(st.integers(0, 2)),
            started_at=draw(st.sampled_from([None, ago(5), ago(5000)])),
        )
        nodes.append(
            node(
                f"n{number}",
                of.pool,
                phase.value,
                offering=of.id,
                since=ago(draw(st.sampled_from([5, 300, 5000]))),
                running=(running,) if phase in (NodePhase.BUSY, NodePhase.INTERRUPTED) else (),
            )
        )
    # A fleet within its bounds: what is above them is not this decision's doing.
    held = Counter(entry.pool for entry in nodes if entry.phase not in GONE)
    declared = [replace(p, max_nodes=max(p.max_nodes, held[p.id])) for p in declared]
    used = Counter()
    for entry in nodes:
        of = next(o for o in market if o.id == entry.offering)
        used[of.quota] += of.quota_units
    quotas = {name: used[name] + draw(st.integers(0, 20)) for name in ("q1", "q2")}
    ceiling = draw(st.sampled_from([None, Decimal(500), Decimal(1000)]))
    waiting = [draw(waiting_items(f"j{number}")) for number in range(draw(st.integers(0, 6)))]
    return (
        Fleet(tuple(declared), tuple(nodes), NOW),
        demand(*waiting),
        Offerings(tuple(market), quotas=quotas, commitments=(CommittedCapacity("c1", Decimal(2)),)),
        ScalingSettings(hourly_ceiling=ceiling, exact_groups=draw(st.sampled_from([0, 40]))),
    )


@st.composite
def waiting_items(draw: Any, name: str) -> Any:
    wanted = shape(draw(st.sampled_from([1, 2, 3, 4, 8])))
    if draw(st.booleans()):
        other = replace(wanted.accelerators[0], accelerator="a100-80gb")
        wanted = replace(wanted, accelerators=(other, *wanted.accelerators))
    wanted = replace(wanted, workers=draw(st.sampled_from([1, 1, 2, 3])))
    wanted = replace(wanted, priority=draw(st.integers(0, 2)))
    wanted = replace(wanted, wait_target_seconds=draw(st.sampled_from([None, None, 120])))
    return item(name, wanted, queued_at=ago(draw(st.integers(0, 90))))
