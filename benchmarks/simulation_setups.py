"""What the queues of the evaluation have in common: nodes, prices, policies and their grids."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from tidegate.scaling.fleet import PoolSupply
from tidegate.scaling.offerings import NodeRoom, Offering
from tidegate.scaling.settings import ScalingSettings
from tidegate.simulation.bounds import NodeTerms
from tidegate.simulation.metrics import actions_a_day, measure_overshoot
from tidegate.simulation.ours import Tidegate
from tidegate.simulation.peers import ClusterAutoscaler, Karpenter
from tidegate.simulation.peers_spot import Ocean, SkyServe
from tidegate.simulation.policy import Policy
from tidegate.simulation.results import QueueResult
from tidegate.vocabulary.capacity import CapacityType
from tidegate.vocabulary.demand import CheckpointHabit

BOOT, TICK = 240, 60
NODE_PRICE, SPOT_RATIO = Decimal(8), Decimal("0.3")
HABIT = CheckpointHabit(interval_seconds=1800, write_seconds=20, restart_seconds=120)
"""The traces do not tell how jobs save themselves: assumed for every policy alike."""
SPOT_HABIT = CheckpointHabit(interval_seconds=600, write_seconds=20, restart_seconds=60)
"""Daly's interval for a write of 20 s and a loss every two and a half hours."""
POOL = PoolSupply("pool", "cloud", "region", "cloud/region/main", 0, 10**6)
NODE = Offering(
    "pool/node",
    "pool",
    "node",
    CapacityType.ON_DEMAND,
    NodeRoom("gpu", 8, None, None),
    NODE_PRICE,
    BOOT,
)
TERMS = NodeTerms(float(NODE_PRICE), 8, BOOT)


OURS = "ours"
WAIT_SHARE = 0.99
"""Of the cheapest peer's mean wait on the first half: ours is chosen among what waits no longer."""


@dataclass(frozen=True)
class Candidate:
    """One policy with one choice of its parameters."""

    parameters: dict[str, Any]
    build: Callable[[], Policy]


@dataclass(frozen=True)
class Trial:
    """What one choice came to on the first half: its cost over the bound, and the mean wait."""

    candidate: Candidate
    ratio: float
    wait: float


def choose(
    grids: Mapping[str, Sequence[Candidate]], try_out: Callable[[Candidate], Trial]
) -> dict[str, Candidate]:
    """Return the choice of each policy that costs least.

    What waits longer could cost less, so ours has to wait a little less than the peer that costs
    least; where none of ours does, the one that waits least is taken.
    """
    trials = {name: [try_out(candidate) for candidate in grid] for name, grid in grids.items()}
    best = {name: min(each, key=lambda trial: trial.ratio) for name, each in trials.items()}
    peer = min((best[name] for name in best if name != OURS), key=lambda trial: trial.ratio)
    short = [trial for trial in trials[OURS] if trial.wait <= WAIT_SHARE * peer.wait]
    best[OURS] = (
        min(short, key=lambda trial: trial.ratio)
        if short
        else min(trials[OURS], key=lambda trial: trial.wait)
    )
    return {name: best[name].candidate for name in grids}


def list_candidates(extra: Sequence[dict[str, Any]] = ({},)) -> dict[str, list[Candidate]]:
    """Return every policy's grid; `extra` are settings of ours that a family varies as well."""
    ours = [
        {
            "node_cooldown_seconds": 60,
            "keep_alive_min_seconds": kept,
            "saving_horizon_seconds": horizon,
        }
        for horizon in (600, 3600)
        for kept in (0, 60, 120)
    ]
    found = {OURS: [_ours({**base, **more}) for base in ours for more in extra]}
    for evicts in (False, True):
        suffix = ", evicting" if evicts else ""
        found[f"Karpenter-like{suffix}"] = [_karpenter(seconds, evicts) for seconds in (0, 300)]
        found[f"Cluster-Autoscaler-like{suffix}"] = [
            _autoscaler(unneeded, delay, evicts)
            for unneeded, delay in ((60, 60), (300, 300), (600, 600))
        ]
    return found


def list_spot_peers() -> dict[str, list[Candidate]]:
    """Return the grids of the rules that know spot from on-demand."""
    return {
        "SkyServe fallback": [
            _skyserve(base, up, down)
            for base in (0, 1)
            for up, down in ((0, 60), (0, 300), (300, 1200))
        ],
        "reservations first, as Ocean": [_ocean(seconds) for seconds in (300, 1500)],
    }


def _skyserve(base: int, up: int, down: int) -> Candidate:
    told = {"base": base, "up_seconds": up, "down_seconds": down}
    return Candidate(told, lambda: SkyServe(base, up, down))


def _ocean(seconds: int) -> Candidate:
    return Candidate({"stabilization_seconds": seconds}, lambda: Ocean(seconds))


def _ours(changed: dict[str, Any]) -> Candidate:
    settings = ScalingSettings(**changed)
    return Candidate(changed, lambda: Tidegate(settings))


def _karpenter(seconds: int, evicts: bool) -> Candidate:
    told = {"consolidate_after": seconds}
    return Candidate(told, lambda: Karpenter(seconds, evicts))


def _autoscaler(unneeded: int, delay: int, evicts: bool) -> Candidate:
    told = {"unneeded_seconds": unneeded, "delay_after_add": delay}
    return Candidate(
        told,
        lambda: ClusterAutoscaler(unneeded, delay, evicts=evicts),
    )


def mean_wait(results: Iterable[QueueResult]) -> float:
    """Return the mean wait of all jobs, in seconds."""
    waits = [wait for result in results for wait in result.waits.values()]
    return sum(waits) / len(waits)


def wait_figures(results: Iterable[QueueResult]) -> dict[str, float]:
    """Return how long jobs waited, what was lost, and how often fleets changed, for nothing too."""
    results = list(results)
    waits = sorted(wait for result in results for wait in result.waits.values())
    stalls = sum(sum(result.stalls.values()) for result in results)
    if not waits:
        return {}

    def at(share: float) -> int:
        return waits[min(int(share * len(waits)), len(waits) - 1)]

    return {
        "wait_p50": at(0.5),
        "wait_p95": at(0.95),
        "wait_p99": at(0.99),
        "wait_max": waits[-1],
        "wait_mean": round(mean_wait(results), 1),
        "stalled_hours": round(stalls / 3600, 1),
        "lost_gpu_hours": round(sum(result.lost_seconds for result in results) / 3600, 1),
        "actions": sum(result.actions for result in results),
        "actions_a_day": round(float(sum(actions_a_day(result) or 0 for result in results)), 1),
        "overshoot_nodes": sum(measure_overshoot(result).nodes for result in results),
    }
