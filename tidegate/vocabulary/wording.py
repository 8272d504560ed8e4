"""How counts, amounts and lists read in reasons, the same ones everywhere."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

MOST_NAMES = 4


def render_count(number: int, noun: str) -> str:
    """Return "1 node" or "2 nodes"; `noun` is one whose plural takes an s."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def render_amount(text: str) -> str:
    """Return an amount to the cent."""
    return f"{Decimal(text):,.2f}"


def render_price(text: str) -> str:
    """Return "12.3456 USD" to the cent, with its currency."""
    amount, _, currency = text.partition(" ")
    return f"{render_amount(amount)} {currency}"


def render_names(names: Sequence[str], most: int = MOST_NAMES) -> str:
    """Return names in a row, and of a long row how many more there are."""
    rest = len(names) - most
    shown = ", ".join(names[:most])
    return f"{shown} and {rest} more" if rest > 0 else shown


def render_override(name: str, nodes: int | None) -> str:
    """Return what a person's word makes of a pool, a "notebook/NAME" or an "endpoint/NAME"."""
    if nodes is not None:
        return f"pinned to size {nodes}"
    return "snoozed" if "/" in name else "paused"
