"""How long a decision takes: 1,000 nodes, 30,000 and 100,000 waiting items of 2,000 shapes."""

from __future__ import annotations

import gc
import math
import time
import tracemalloc
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal

from figures import print_figure

from tidegate.cli.controller_building import COLLECTOR
from tidegate.scaling.decide import decide
from tidegate.scaling.fleet import Fleet, Node, NodePhase, PoolSupply, RunningWork
from tidegate.scaling.offerings import NodeRoom, Offering, Offerings, TransferLane
from tidegate.scaling.settings import ScalingSettings
from tidegate.vocabulary.capacity import CapacityType
from tidegate.vocabulary.demand import (
    AcceleratorNeed,
    CheckpointHabit,
    DataNeed,
    Demand,
    SourceHealth,
    WorkItem,
    WorkShape,
)

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
CHIPS = ("h100-80gb", "a100-80gb", "a100-40gb", "l4", "t4")
REGIONS = ("us-east-1", "us-west-2", "eu-west-1", "us-central1", "europe-west4", "eastus")
SHAPES, NODES, PER_POOL = 2000, 1000, 20
REPEATS = 100
N_LOG_N = round(1 + math.log10(math.log(100_000) / math.log(10_000)), 3)
"""The exponent that n log n shows between 10,000 and 100,000 items."""


def main() -> None:
    fleet, offerings = build_supply()
    # As in the process of the controller: a decision's own objects all live until its end.
    gc.collect()
    gc.freeze()
    gc.set_threshold(*COLLECTOR)
    spent = {}
    for size, repeats in ((10_000, 10), (30_000, REPEATS), (100_000, 5)):
        demand = build_demand(size)
        spent[size] = [run(fleet, demand, offerings) for _ in range(repeats)]
    print_percentiles("decide.30000_items", [entry.wall for entry in spent[30_000]], goal=1)
    print_percentiles("decide.30000_items.cpu", [entry.cpu for entry in spent[30_000]])
    wall = [entry.wall for entry in spent[100_000]]
    print_figure("decide.100000_items.max", [max(wall)], "s", goal=4)
    # Of CPU time, which other work on the machine hardly changes.
    least = {size: min(entry.cpu for entry in entries) for size, entries in spent.items()}
    print_figure("decide.100000_items.cpu", [least[100_000]], "s")
    growth = math.log(least[100_000] / least[10_000]) / math.log(10)
    print_figure("decide.growth_exponent_10k_to_100k", [growth], "", goal=N_LOG_N)
    tracemalloc.start()
    run(fleet, build_demand(30_000), offerings)
    peak = tracemalloc.get_traced_memory()[1] / 1e6
    print_figure("decide.30000_items.memory", [peak], "MB", goal=500)


@dataclass(frozen=True, slots=True)
class Spent:
    """Seconds of one decision: on the clock, and of the processor."""

    wall: float
    cpu: float


def run(fleet: Fleet, demand: Demand, offerings: Offerings) -> Spent:
    start, begun = time.perf_counter(), time.process_time()
    decide(fleet, demand, offerings, ScalingSettings(), NOW)
    return Spent(time.perf_counter() - start, time.process_time() - begun)


def print_percentiles(name: str, values: list[float], goal: float | None = None) -> None:
    """Print the 50th and 99th percentile, by the nearest rank, and the most."""
    ordered = sorted(values)
    for label, share in (("p50", 50), ("p99", 99), ("max", 100)):
        value = ordered[max(math.ceil(len(ordered) * share / 100), 1) - 1]
        print_figure(f"{name}.{label}", [value], "s", goal=goal)


def build_supply() -> tuple[Fleet, Offerings]:
    pools, offerings, nodes = [], [], []
    for region in REGIONS:
        for rank, chip in enumerate(CHIPS):
            for spot in (False, True):
                name = f"{region}-{chip}-{'spot' if spot else 'od'}"
                domain = f"cloud/{region}/main"
                pools.append(PoolSupply(name, "cloud", region, domain, 0, 3000))
                offerings += [build_offering(name, chip, rank, zone, spot) for zone in "abc"]
    for number in range(NODES):
        offering = offerings[number * 7 % len(offerings)]
        phase = NodePhase.BUSY if number % 10 else NodePhase.IDLE
        work = RunningWork(
            f"run-{number}", 6, 8000, 64_000, checkpoint_at=NOW - timedelta(seconds=600)
        )
        running = (work,) if phase is NodePhase.BUSY else ()
        since = NOW - timedelta(seconds=90 + number)
        nodes.append(Node(f"n{number}", offering.pool, offering.id, phase, since, running))
    quotas = {f"{region}/{chip}": 24_000 for region in REGIONS for chip in CHIPS}
    lane = TransferLane(Decimal("0.02"), Decimal("0.5"))
    places = [f"cloud/{region}" for region in REGIONS]
    lanes = {(here, there): lane for here in places for there in places if here != there}
    return (
        Fleet(tuple(pools), tuple(nodes), NOW),
        Offerings(tuple(offerings), quotas=quotas, lanes=lanes),
    )


def build_offering(pool: str, chip: str, rank: int, zone: str, spot: bool) -> Offering:
    price = Decimal(80 - 15 * rank) * (Decimal("0.3") if spot else 1)
    return Offering(
        id=f"{pool}/{zone}",
        pool=pool,
        instance_type=chip,
        capacity_type=CapacityType.SPOT if spot else CapacityType.ON_DEMAND,
        room=NodeRoom(chip, 8, 192_000, 1_500_000),
        per_hour=price + Decimal(ord(zone)) / 100,
        boot_seconds=240,
        zone=zone,
        interruptions_per_hour=Decimal("0.05") if spot else None,
        quota="/".join(pool.rsplit("-", 1)[0].split("-", 3)[:2]),
    )


def build_shape(number: int) -> WorkShape:
    first = CHIPS[number % len(CHIPS)]
    second = CHIPS[(number + 1) % len(CHIPS)]
    per_worker = (1, 1, 2, 4, 8)[number % 5]
    return WorkShape(
        accelerators=(AcceleratorNeed(first, per_worker), AcceleratorNeed(second, per_worker)),
        vcpus_milli=1000 + number,
        memory_mib=8000 + number % 97,
        workers=4 if number % 20 == 0 else 1,
        priority=number % 3,
        checkpoint=CheckpointHabit(600, 10, 60),
        duration_seconds=3600 * (1 + number % 8),
        data=(DataNeed("cloud", REGIONS[number % len(REGIONS)], read_gb=50),),
    )


def build_demand(size: int) -> Demand:
    shapes = [build_shape(number) for number in range(SHAPES)]
    waiting = tuple(
        WorkItem(
            f"job-{number:06}", shapes[number * 13 % SHAPES], NOW - timedelta(seconds=number % 900)
        )
        for number in range(size)
    )
    return Demand(waiting, (SourceHealth("queue", NOW),))


if __name__ == "__main__":
    main()
