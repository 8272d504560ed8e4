from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, replace

import pytest
from support.simulated import OURS, job, setup

from tidegate.scaling.fleet import Fleet
from tidegate.simulation.engine import Engine
from tidegate.simulation.peers import Karpenter
from tidegate.simulation.policy import Policy
from tidegate.simulation.setup import Faults, Setup

JOBS = [job(f"j{n}", 211 * n, 900 + 331 * (n % 9), gpus=(1, 2, 4, 8, 16)[n % 5]) for n in range(60)]
SPOT = ((0, 16), (3000, 2), (5000, 16), (9000, 0))
SETUPS = {
    "gangs": lambda: setup(*JOBS),
    "spot that is taken away": lambda: setup(*JOBS, spot=SPOT),
    "divisible work": lambda: replace(setup(*JOBS, spot=SPOT), divisible=True),
    "nodes that die": lambda: replace(
        setup(*JOBS), faults=Faults(chance=random.Random(7), dies_per_hour=0.5)
    ),
}


@dataclass
class Witness:
    """A policy that tells each fleet it is shown from one that nothing was noted of."""

    inner: Policy
    engine: Engine | None = None
    seen: int = 0

    def plan(self, fleet, demand, offerings, now):
        self._compare(fleet, now)
        return self.inner.plan(fleet, demand, offerings, now)

    def review_in(self, fleet, now):
        self._compare(fleet, now)
        return self.inner.review_in(fleet, now)

    def _compare(self, fleet: Fleet, now) -> None:
        assert self.engine is not None
        world = self.engine.world
        for node in world.nodes.values():
            node.known = None
        for run in world.runs.values():
            run.known = None
        assert fleet == world.observe(int((now - world.start).total_seconds()))
        self.seen += any(node.running for node in fleet.nodes)


@pytest.mark.parametrize("build", SETUPS.values(), ids=SETUPS)
@pytest.mark.parametrize("policy", [OURS, Karpenter(60, evicts=True)], ids=["ours", "evicting"])
def test_what_was_noted_of_a_node_is_told_only_while_it_holds(
    policy: Policy, build: Callable[[], Setup]
):
    witness = Witness(policy)
    engine = Engine(build(), witness)
    witness.engine = engine
    engine.run(None)
    assert witness.seen > 20
