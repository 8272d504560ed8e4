"""What a run is judged by, computed from its result: useful hours, waste, misses, overshoot."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal

from tidegate.simulation.results import HOUR, QueueResult
from tidegate.simulation.setup import Setup

DAY = 86_400


@dataclass(frozen=True, slots=True)
class Use:
    """A part of the paid time of nodes: accelerator-hours, and their cost beyond commitments."""

    hours: Decimal
    cost: Decimal


@dataclass(frozen=True, slots=True)
class Split:
    """The paid time of all nodes; the parts add up to what nodes cost.

    Attributes:
        useful: Work that was done and kept.
        lost: Work that interruptions and moves undid.
        setup: Booting, and going on from a checkpoint.
        idle: Accelerators without work on nodes that could have taken some.
    """

    useful: Use
    lost: Use
    setup: Use
    idle: Use

    def waste(self) -> dict[str, Use]:
        """Return what was paid for beside useful work, by kind."""
        return {"lost": self.lost, "setup": self.setup, "idle": self.idle}


@dataclass(frozen=True, slots=True)
class Overshoot:
    """Nodes that a decision ordered and ended again before any work had run on them.

    Attributes:
        nodes: How many.
        share: Of all nodes ordered; None where none was.
        node_hours: What they were paid for.
    """

    nodes: int
    share: Decimal | None
    node_hours: Decimal


def split_time(setup: Setup, result: QueueResult) -> Split:
    """Return what the paid time of nodes went into, each hour at its offering's mean cost."""
    hours = dict.fromkeys(("useful", "lost", "setup", "idle"), Decimal(0))
    costs = dict(hours)
    for entry in setup.market.offerings:
        paid = result.paid_hours.get(entry.id, Decimal(0)) * entry.room.accelerators
        if not paid:
            continue
        rate = result.offering_costs.get(entry.id, Decimal(0)) / paid
        for name, spent in _parts(result, entry.id, paid).items():
            hours[name] += spent
            costs[name] += spent * rate
    return Split(**{name: Use(hours[name], costs[name]) for name in hours})


def _parts(result: QueueResult, offering: str, paid: Decimal) -> Mapping[str, Decimal]:
    spent = result.spent[offering]
    useful, lost = (spent.working - spent.undone) / HOUR, spent.undone / HOUR
    setup = (spent.booting + spent.restarting) / HOUR
    return {"useful": useful, "lost": lost, "setup": setup, "idle": paid - useful - lost - setup}


def measure_overshoot(result: QueueResult) -> Overshoot:
    """Return the nodes that were ordered for nothing."""
    nodes = sum(spent.unused_nodes for spent in result.spent.values())
    seconds = sum(spent.unused_seconds for spent in result.spent.values())
    ordered = result.ordered
    return Overshoot(nodes, Decimal(nodes) / ordered if ordered else None, seconds / HOUR)


def actions_a_day(result: QueueResult) -> Decimal | None:
    """Return orders, stops and drains a day of the run; None where it lasted no time."""
    if not result.span_seconds:
        return None
    return Decimal(result.actions) * DAY / result.span_seconds


def lost_per_interruption(result: QueueResult) -> Decimal | None:
    """Return the accelerator-hours that a lost node undid; None where none was lost."""
    if not result.interruptions:
        return None
    return result.interrupted_seconds / HOUR / result.interruptions


def cost_per_useful_hour(result: QueueResult) -> Decimal | None:
    """Return the cost of one accelerator-hour of work; None where there was no work."""
    return result.cost * HOUR / result.useful_seconds if result.useful_seconds else None


def share_of_targets_met(result: QueueResult) -> Decimal | None:
    """Return the share of jobs with a wait target that started in time; None without such jobs."""
    return Decimal(result.wait_targets_met) / result.wait_targets if result.wait_targets else None
