"""A plan in the making: what the steps of a decision read and write."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from decimal import Decimal

from tidegate.scaling.bench import Bench
from tidegate.scaling.deadline_choice import DeadlineBook
from tidegate.scaling.groups import Group, OptionBook
from tidegate.scaling.situation import Situation
from tidegate.vocabulary.demand import WorkItem
from tidegate.vocabulary.money import Money
from tidegate.vocabulary.plans import Cause, Drain, Hold, Method, Preemption, ReplicaPlan, Stop

NOTHING_NEW = Method("heuristic", None, "nothing new was needed")


@dataclass(slots=True)
class Draft:
    """What is decided so far.

    Attributes:
        situation: The facts.
        bench: Nodes, old and new, and who sits where.
        groups: Item id → its group.
        book: What may serve a shape.
        deadlines: What deadlines ask for.
        pending: Believed items in their turn.
        running: Ids of items that run anywhere.
        served: Ids of items that sit whole.
        reasons: Pool → why it grows, each once.
        drains: By node id.
        stops: By node id.
        preemptions: In order.
        holds: What is left alone, and why.
        kept: (pool, why) → idle nodes that stay.
        refused: Items that make no sense, with causes.
        method: How new nodes were chosen.
        replicas: Of each endpoint.
    """

    situation: Situation
    bench: Bench
    groups: dict[str, Group]
    book: OptionBook
    deadlines: DeadlineBook
    pending: tuple[WorkItem, ...]
    running: frozenset[str] = frozenset()
    served: set[str] = field(default_factory=set)
    reasons: dict[str, list[str]] = field(default_factory=dict)
    drains: dict[str, Drain] = field(default_factory=dict)
    stops: dict[str, Stop] = field(default_factory=dict)
    preemptions: list[Preemption] = field(default_factory=list)
    holds: list[Hold] = field(default_factory=list)
    kept: dict[tuple[str, str], list[str]] = field(default_factory=dict)
    refused: tuple[tuple[WorkItem, Cause], ...] = ()
    method: Method = NOTHING_NEW
    replicas: tuple[ReplicaPlan, ...] = ()

    def explain_growth(self, pool: str, reason: str) -> None:
        """Note why a pool grows."""
        noted = self.reasons.setdefault(pool, [])
        if reason not in noted:
            noted.append(reason)

    def explain_kept(self, pool: str, nodes: Iterable[str], reason: str) -> None:
        """Note why idle nodes stay."""
        self.kept.setdefault((pool, reason), []).extend(nodes)

    def is_known(self, item: str) -> bool:
        """Return whether an item still waits or runs: a seat that was meant for it stays its."""
        return item in self.groups or item in self.running

    def stops_of(self, pool: str) -> list[Stop]:
        """Return the stops of one pool so far."""
        return [stop for stop in self.stops.values() if stop.pool == pool]

    def money(self, amount: Decimal | None) -> Money | None:
        """Return an amount in the offerings' currency; None where it is unknown."""
        return None if amount is None else Money(amount, self.situation.market.currency)
