"""An amount that may not be known, with the best that it can be."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

ZERO = Decimal(0)


@dataclass(frozen=True, slots=True)
class Bound:
    """An amount to be paid or saved.

    For a cost the best case is the least that it can be, for a saving the most.

    Attributes:
        exact: The amount; None where it is not known.
        best: Its best case; None where there is no bound.
        reasons: Why it is not known.
    """

    exact: Decimal | None
    best: Decimal | None
    reasons: tuple[str, ...] = ()

    @classmethod
    def known(cls, amount: Decimal) -> Bound:
        """Return an amount that is known."""
        return cls(amount, amount)

    def as_gain(self) -> Bound:
        """Return a cost as something saved: of an unknown cost there is no most."""
        return Bound(self.exact, self.exact, self.reasons)

    def times(self, factor: Decimal) -> Bound:
        """Return the amount for so many units, at least 0; of none at all it is known."""
        if factor == ZERO:
            return Bound.known(ZERO)
        return Bound(_times(self.exact, factor), _times(self.best, factor), self.reasons)

    def plus(self, other: Bound) -> Bound:
        """Return the sum of two amounts of one kind."""
        reasons = (*self.reasons, *other.reasons)
        return Bound(_add(self.exact, other.exact), _add(self.best, other.best), reasons)

    def minus(self, cost: Bound) -> Bound:
        """Return a saving less a cost; of an unknown cost the least is taken off the most."""
        reasons = (*self.reasons, *cost.reasons)
        exact, best = _times(cost.exact, Decimal(-1)), _times(cost.best, Decimal(-1))
        return Bound(_add(self.exact, exact), _add(self.best, best), reasons)


def join_reasons(*bounds: Bound) -> tuple[str, ...]:
    """Return every reason once, in order."""
    return tuple(dict.fromkeys(reason for bound in bounds for reason in bound.reasons))


def _times(amount: Decimal | None, factor: Decimal) -> Decimal | None:
    return None if amount is None else amount * factor


def _add(one: Decimal | None, other: Decimal | None) -> Decimal | None:
    return None if one is None or other is None else one + other
