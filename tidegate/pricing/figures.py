"""Four figures for one thing: at minimum, as declared, at maximum, and all on-demand."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields
from decimal import Decimal

from tidegate.vocabulary.money import HOURS_PER_MONTH

NOTHING = Decimal(0)


@dataclass(frozen=True, slots=True)
class Figures:
    """Amounts of one currency for one month; None where the amount is not known.

    Attributes:
        minimum: With every pool at its smallest.
        declared: With the nodes that the team expects, commitments at their own price.
        maximum: With every pool at its largest.
        on_demand: The declared nodes bought on demand, without any commitment.
    """

    minimum: Decimal | None
    declared: Decimal | None
    maximum: Decimal | None
    on_demand: Decimal | None

    def map(self, change: Callable[[Decimal], Decimal]) -> Figures:
        """Return the figures with each known amount changed."""
        return Figures(
            **{name: None if amount is None else change(amount) for name, amount in self.items()}
        )

    def per_hour(self) -> Figures:
        """Return the same for one hour."""
        return self.map(lambda amount: amount / HOURS_PER_MONTH)

    def items(self) -> list[tuple[str, Decimal | None]]:
        """Return the amounts by the name of their basis."""
        return [(basis, getattr(self, basis)) for basis in BASES]

    def unknown_bases(self) -> tuple[str, ...]:
        """Return the bases whose amount is not known."""
        return tuple(basis for basis, amount in self.items() if amount is None)


BASES: tuple[str, ...] = tuple(entry.name for entry in fields(Figures))
"""What a figure is based on, in the order in which figures are shown."""


def same_everywhere(amount: Decimal | None) -> Figures:
    """Return figures for what does not depend on the number of nodes."""
    return Figures(amount, amount, amount, amount)


def sum_figures(all_figures: Iterable[Figures]) -> Figures:
    """Return the sum of what is known; whoever shows it says what was left out."""
    totals = dict.fromkeys(BASES, NOTHING)
    for figures in all_figures:
        for basis, amount in figures.items():
            totals[basis] += amount or NOTHING
    return Figures(**totals)
