"""How often offerings are interrupted, from what happened to them. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal

from tidegate.scaling.fleet import Node, NodePhase
from tidegate.scaling.offerings import Offerings
from tidegate.scaling.risk import InterruptionRecord, update_rate
from tidegate.vocabulary.capacity import CapacityType
from tidegate.vocabulary.notices import RiskRecord

PRIOR_HOURS = Decimal(24)
PRIOR_PER_HOUR = Decimal("0.5") / PRIOR_HOURS
"""Half an interruption within a day: little enough to be outweighed by the second that is seen."""
RUNNING = frozenset({NodePhase.READY, NodePhase.BUSY, NodePhase.IDLE, NodePhase.INTERRUPTED})
LONGEST_SECONDS = 300
"""Between two turns no more is counted: what happened while nobody looked is not known."""


def apply_risks(market: Offerings, risks: Sequence[RiskRecord]) -> Offerings:
    """Return the market with the rates of interruption that were observed.

    What ran less than the prior is worth, and was never interrupted, keeps the rate that it had:
    that nothing happened yet says little.
    """
    known = {risk.offering: risk for risk in risks}
    offerings = []
    for entry in market.offerings:
        risk = known.get(entry.id)
        if risk is not None and entry.capacity_type is CapacityType.SPOT:
            hours = Decimal(risk.node_seconds) / 3600
            if risk.interruptions or hours >= PRIOR_HOURS:
                seen = InterruptionRecord(hours, risk.interruptions)
                rate = update_rate(PRIOR_PER_HOUR, PRIOR_HOURS, seen)
                entry = replace(entry, interruptions_per_hour=rate)
        offerings.append(entry)
    return replace(market, offerings=tuple(offerings))


def count_exposure(nodes: Sequence[Node], market: Offerings, seconds: float) -> dict[str, int]:
    """Return how long nodes of each spot offering ran since the last turn."""
    spot = {e.id for e in market.offerings if e.capacity_type is CapacityType.SPOT}
    running = Counter(
        node.offering for node in nodes if node.offering in spot and node.phase in RUNNING
    )
    counted = int(min(max(seconds, 0), LONGEST_SECONDS))
    return {name: number * counted for name, number in running.items() if counted}
