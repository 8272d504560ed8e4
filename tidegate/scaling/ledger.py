"""What may still be ordered: maxima, quotas, budget and commitments, counted as they are used.

Everything is reserved inside the decision, so that two orders of one plan never pass a limit
together.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal

from tidegate.scaling.fleet import Node
from tidegate.scaling.offerings import Offering
from tidegate.scaling.situation import Situation
from tidegate.vocabulary.plans import Cause, CauseKind
from tidegate.vocabulary.wording import render_count

ZERO = Decimal(0)


@dataclass(frozen=True, slots=True)
class _Limits:
    """What bounds the orders of one offering: at most `highest` nodes before the next unit."""

    highest: int
    quota: str
    quota_left: int


class Ledger:
    """Counts of one decision; `refusal` says why one more node cannot be had."""

    def __init__(self, situation: Situation, nodes: Iterable[tuple[Node, Offering | None]]) -> None:
        """Count what is there.

        Args:
            situation: The facts.
            nodes: The nodes that count, each with the offering it is of, where that is known.
        """
        self.situation = situation
        self.nodes: Counter[str] = Counter()
        elsewhere = situation.market.quota_used_elsewhere.items()
        self.quota_used: Counter[str] = Counter({name: max(used, 0) for name, used in elsewhere})
        self.commitment_used: dict[str, Decimal] = {}
        self.per_hour = ZERO
        self._limits: dict[str, _Limits | None] = {}
        for node, offering in nodes:
            if offering is not None:
                self._count(offering, 1)
                self.per_hour += self._pay(offering)
            self.nodes[node.pool] += 1

    def allows(self, offering: Offering, *, for_move: bool = False) -> bool:
        """Return whether one more unit of nodes can be ordered: what `refusal` says, wordless.

        Args:
            offering: What would be ordered.
            for_move: Whether it is for work that runs, and so waits for no answer.
        """
        name = offering.id
        limits = self._limits[name] if name in self._limits else self._limits_of(offering)
        if limits is None and for_move and name in self.situation.open_to_moves:
            limits = self._find_limits(offering)
        if limits is None or self.nodes[offering.pool] > limits.highest:
            return False
        if limits.quota and self.quota_used[limits.quota] > limits.quota_left:
            return False
        if self.situation.settings.hourly_ceiling is None:
            return True
        together = self.situation.pools[offering.pool].nodes_at_once
        return self._budget_refusal(offering, together) is None

    def _limits_of(self, offering: Offering) -> _Limits | None:
        """Return an offering's limits, noted for the next time; None where it is closed."""
        closed = offering.id in self.situation.closed
        found = self._limits[offering.id] = None if closed else self._find_limits(offering)
        return found

    def _find_limits(self, offering: Offering) -> _Limits | None:
        """Return an offering's limits, be it in backoff or not; None where nothing may grow."""
        situation = self.situation
        if not situation.signals.may_grow:
            return None
        together = situation.pools[offering.pool].nodes_at_once
        limit = situation.market.quotas.get(offering.quota) if offering.quota else None
        return _Limits(
            highest=situation.bounds[offering.pool].high - together,
            quota="" if limit is None else offering.quota,
            quota_left=(limit or 0) - together * offering.quota_units,
        )

    def refusal(self, offering: Offering) -> Cause | None:
        """Return why one more unit of nodes cannot be ordered; None when it can."""
        situation = self.situation
        if not situation.signals.may_grow:
            return Cause(CauseKind.HELD, "", "the fleet is in doubt, so nothing grows")
        closed = situation.closed.get(offering.id)
        if closed is not None:
            return closed
        pool = situation.pools[offering.pool]
        high = situation.bounds[pool.id].high
        if self.nodes[pool.id] + pool.nodes_at_once > high:
            text = f"has {self.nodes[pool.id]} of at most {render_count(high, 'node')}"
            return Cause(CauseKind.MAXIMUM, pool.id, text)
        return self._quota_refusal(offering, pool.nodes_at_once) or self._budget_refusal(
            offering, pool.nodes_at_once
        )

    def _quota_refusal(self, offering: Offering, nodes: int) -> Cause | None:
        limit = self.situation.market.quotas.get(offering.quota) if offering.quota else None
        if limit is None:
            return None
        used = self.quota_used[offering.quota]
        if used + nodes * offering.quota_units > limit:
            text = f"quota {offering.quota} has {used} of {limit} in use"
            return Cause(CauseKind.QUOTA, offering.id, text)
        return None

    def _budget_refusal(self, offering: Offering, nodes: int) -> Cause | None:
        ceiling = self.situation.settings.hourly_ceiling
        if ceiling is None:
            return None
        if self.per_hour + self.price_of_new(offering, nodes) > ceiling:
            currency = self.situation.market.currency
            text = f"the hourly ceiling of {ceiling} {currency} has {self.per_hour} in use"
            return Cause(CauseKind.BUDGET, "", text)
        return None

    def price_of_new(self, offering: Offering, nodes: int = 1) -> Decimal:
        """Return what more nodes cost an hour; 0 within a commitment and where unknown."""
        covered = min(self._commitment_left(offering), nodes)
        first = self.nodes[offering.pool] + covered
        last = self.nodes[offering.pool] + nodes
        return sum((offering.price_of(place) or ZERO for place in range(first, last)), ZERO)

    def is_covered(self, offering: Offering) -> bool:
        """Return whether a commitment pays for one more node."""
        return bool(offering.commitment) and self._commitment_left(offering) >= 1

    def add(self, offering: Offering) -> Decimal:
        """Count one node more and return what it costs an hour."""
        if offering.quota:
            self.quota_used[offering.quota] += offering.quota_units
        paid = self._pay(offering)
        self.nodes[offering.pool] += 1
        self.per_hour += paid
        return paid

    def remove(self, offering: Offering, paid: Decimal) -> None:
        """Take one counted node back, with what `add` returned for it."""
        self.nodes[offering.pool] -= 1
        self._count(offering, -1)
        self.per_hour -= paid
        if offering.commitment and offering.commitment in self.situation.commitments:
            self.commitment_used[offering.commitment] -= offering.commitment_weight

    def _count(self, offering: Offering, nodes: int) -> None:
        if offering.quota:
            self.quota_used[offering.quota] += nodes * offering.quota_units

    def _pay(self, offering: Offering) -> Decimal:
        """Use up the commitment of one node and return what is left to pay for it."""
        if not offering.commitment:
            return offering.price_of(self.nodes[offering.pool]) or ZERO
        covered = self.is_covered(offering)
        if offering.commitment in self.situation.commitments:
            used = self.commitment_used.get(offering.commitment, ZERO)
            self.commitment_used[offering.commitment] = used + offering.commitment_weight
        return ZERO if covered else offering.price_of(self.nodes[offering.pool]) or ZERO

    def _commitment_left(self, offering: Offering) -> int:
        """Return the whole nodes of an offering that its commitment still pays for."""
        if not offering.commitment:
            return 0
        commitment = self.situation.commitments.get(offering.commitment)
        weight = offering.commitment_weight
        if commitment is None or not weight:
            return 0
        left = commitment.capacity - self.commitment_used.get(commitment.id, ZERO)
        return max(int(left / weight), 0)
