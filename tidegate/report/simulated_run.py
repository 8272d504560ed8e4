"""What a page of simulations is drawn from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from tidegate.simulation.results import QueueResult
from tidegate.simulation.setup import Setup


@dataclass(frozen=True, slots=True)
class SimulatedRun:
    """One run on a trace.

    Attributes:
        setup: Says when second 0 was, and how capacity is bought.
        result: What came out of it.
        bound: What nobody can go below.
        figures: (what, value) for people; of every run the same.
    """

    setup: Setup
    result: QueueResult
    bound: Decimal
    figures: Sequence[tuple[str, str]]
