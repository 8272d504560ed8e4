"""The cheapest nodes for what is served, as a mixed-integer program (HiGHS), while it is small.

The program sums the room of each offering's nodes, so that its optimum is a lower bound on any
layout; whether workers really fit node by node is tried afterwards. The solver runs on one thread
and is stopped by nodes visited, never by the clock, so that equal input gives an equal answer.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from importlib.util import find_spec
from typing import Any

from tidegate.scaling.bench import Bench
from tidegate.scaling.groups import Group
from tidegate.scaling.marginal import Choice
from tidegate.scaling.offerings import Offering
from tidegate.scaling.situation import Situation
from tidegate.vocabulary.demand import WorkItem

Terms = Sequence[tuple[int, float]]
Wanted = Sequence[tuple[Group, list[WorkItem]]]


@dataclass(frozen=True, slots=True)
class Answer:
    """What the solver found.

    Attributes:
        nodes: Offering → units to order; None without a solution.
        bound: No layout of the same service costs less an hour; None where nothing was proven.
        note: What was done, or why nothing.
    """

    nodes: dict[str, int] | None
    bound: Decimal | None
    note: str


def solve_exactly(situation: Situation, bench: Bench, wanted: Wanted) -> Answer:
    """Return the cheapest nodes beside those of the bench, or why this was not tried."""
    columns = sum(len(group.anywhere.choices) for group, _ in wanted)
    settings = situation.settings
    if len(wanted) > settings.exact_groups or columns > settings.exact_columns:
        text = f"{len(wanted)} shapes and {columns} pairs are too many for the exact search"
        return Answer(None, None, text)
    if find_spec("highspy") is None:
        return Answer(None, None, "the solver (highspy) is not installed")
    if any(choice.price is None for group, _ in wanted for choice in group.anywhere.choices):
        return Answer(None, None, "an offering has no known price, so no cost can be proven least")
    return _Program(situation, bench, wanted).solve()


class _Program:
    """Columns: workers of each group on each offering, units paid and units covered."""

    def __init__(self, situation: Situation, bench: Bench, wanted: Wanted) -> None:
        import highspy

        self.situation, self.bench = situation, bench
        self.infinity = highspy.kHighsInf
        self.optimal = highspy.HighsModelStatus.kOptimal
        solver: Any = highspy.Highs
        self.highs: Any = solver()
        for name, value in _OPTIONS:
            self.highs.setOptionValue(name, value)
        self.highs.setOptionValue("mip_max_nodes", situation.settings.exact_nodes)
        self.columns = 0
        self.units: dict[str, tuple[int, int]] = {}
        self.workers: list[tuple[int, Group, Choice]] = []
        for offering in _offerings_of(wanted):
            self._add_units(offering)
        for group, items in wanted:
            self._add_workers(group, len(items) * group.shape.workers)
        self._limit_rooms()
        self._limit_pools_and_quotas()
        self._limit_commitments()
        self._limit_budget()

    def solve(self) -> Answer:
        """Run the solver and read its answer."""
        self.highs.run()
        info = self.highs.getInfo()
        proven = math.isfinite(info.mip_dual_bound)
        # A float bound is cut down a little, so that rounding never claims too much.
        proven_cost = Decimal(repr(info.mip_dual_bound)) - _SLACK if proven else Decimal(0)
        base = self.bench.cost().per_hour
        bound = base + max(proven_cost, Decimal(0)) if proven else None
        values = list(self.highs.getSolution().col_value)
        if not values or not math.isfinite(info.objective_function_value):
            return Answer(None, bound, "the exact search found no solution within its limits")
        nodes = {
            name: round(values[paid]) + round(values[covered])
            for name, (paid, covered) in self.units.items()
        }
        status = self.highs.getModelStatus()
        ended = "proven" if status == self.optimal else "stopped at its limit of visited nodes"
        return Answer({k: n for k, n in nodes.items() if n}, bound, f"exact search: {ended}")

    def _add_column(self, cost: Decimal, most: float, *, whole: bool = True) -> int:
        self.highs.addCol(float(cost), 0.0, most, 0, [], [])
        if whole:
            self.highs.changeColIntegrality(self.columns, _integer())
        self.columns += 1
        return self.columns - 1

    def _add_row(self, low: float, high: float, terms: Terms) -> None:
        kept = [(column, factor) for column, factor in terms if factor]
        if kept:
            places, factors = zip(*kept, strict=True)
            self.highs.addRow(low, high, len(kept), list(places), [float(f) for f in factors])

    def _add_units(self, offering: Offering) -> None:
        together = self.situation.pools[offering.pool].nodes_at_once
        closed = self.bench.ledger.refusal(offering) is not None
        most = 0.0 if closed else self.infinity
        price = (offering.per_hour or Decimal(0)) * together
        covered = most if self.bench.ledger.is_covered(offering) else 0.0
        self.units[offering.id] = (
            self._add_column(price, most),
            self._add_column(Decimal(0), covered),
        )

    def _add_workers(self, group: Group, workers: int) -> None:
        columns = []
        for choice in group.anywhere.choices:
            column = self._add_column(choice.extra, float(workers))
            self.workers.append((column, group, choice))
            columns.append((column, 1.0))
        self._add_row(float(workers), float(workers), columns)

    def _limit_rooms(self) -> None:
        """Workers on an offering take no more than its free and new nodes have together."""
        for name, units in self.units.items():
            offering = self.situation.offerings[name]
            together = self.situation.pools[offering.pool].nodes_at_once
            free = [bin_ for bin_ in self.bench.bins.values() if bin_.offering.id == name]
            mine = [entry for entry in self.workers if entry[2].offering.id == name]
            room = offering.room
            for have, there, takes in (
                (
                    room.accelerators or None,
                    [seat.accelerators for seat in free],
                    [(column, choice.accelerators) for column, _, choice in mine],
                ),
                (
                    room.vcpus_milli,
                    [seat.vcpus_milli for seat in free],
                    [(column, group.shape.vcpus_milli) for column, group, _ in mine],
                ),
                (
                    room.memory_mib,
                    [seat.memory_mib for seat in free],
                    [(column, group.shape.memory_mib) for column, group, _ in mine],
                ),
            ):
                if have is not None:
                    new = [(column, -have * together) for column in units]
                    self._cap(sum(max(amount, 0) for amount in there), [*takes, *new])

    def _limit_pools_and_quotas(self) -> None:
        pools: dict[str, list[tuple[int, float]]] = {}
        quotas: dict[str, list[tuple[int, float]]] = {}
        for name, units in self.units.items():
            offering = self.situation.offerings[name]
            together = self.situation.pools[offering.pool].nodes_at_once
            for column in units:
                pools.setdefault(offering.pool, []).append((column, float(together)))
                if offering.quota in self.situation.market.quotas:
                    factor = float(together * offering.quota_units)
                    quotas.setdefault(offering.quota, []).append((column, factor))
        ledger = self.bench.ledger
        for pool, terms in pools.items():
            self._cap(self.situation.bounds[pool].high - ledger.nodes[pool], terms)
        for quota, terms in quotas.items():
            self._cap(self.situation.market.quotas[quota] - ledger.quota_used[quota], terms)

    def _limit_commitments(self) -> None:
        terms: dict[str, list[tuple[int, float]]] = {}
        for name, (_, covered) in self.units.items():
            offering = self.situation.offerings[name]
            together = self.situation.pools[offering.pool].nodes_at_once
            if offering.commitment in self.situation.commitments:
                weight = float(offering.commitment_weight * together)
                terms.setdefault(offering.commitment, []).append((covered, weight))
        for name, entries in terms.items():
            used = self.bench.ledger.commitment_used.get(name, Decimal(0))
            left = self.situation.commitments[name].capacity - used
            self._cap(float(max(left, Decimal(0))), entries)

    def _limit_budget(self) -> None:
        ceiling = self.situation.settings.hourly_ceiling
        if ceiling is None:
            return
        terms = []
        for name, (paid, _) in self.units.items():
            offering = self.situation.offerings[name]
            together = self.situation.pools[offering.pool].nodes_at_once
            terms.append((paid, float((offering.per_hour or Decimal(0)) * together)))
        self._cap(float(ceiling - self.bench.ledger.per_hour), terms)

    def _cap(self, most: float, terms: Terms) -> None:
        self._add_row(-self.infinity, float(max(most, 0)), terms)


_SLACK = Decimal("0.000001")
_OPTIONS: tuple[tuple[str, bool | int | float | str], ...] = (
    ("output_flag", False),
    ("threads", 1),
    ("random_seed", 0),
    ("mip_rel_gap", 0.0),
    ("simplex_iteration_limit", 200_000),
)


def _integer() -> Any:
    import highspy

    return highspy.HighsVarType.kInteger


def _offerings_of(wanted: Wanted) -> list[Offering]:
    found = {
        choice.offering.id: choice.offering
        for group, _ in wanted
        for choice in group.anywhere.choices
    }
    return [found[name] for name in sorted(found)]
