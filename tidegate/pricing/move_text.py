"""What a move between storage classes saves and costs, in words for people."""

from __future__ import annotations

from decimal import Context, Decimal

from tidegate.pricing.moves import PricedMove, Verdict

FIGURES = Context(prec=4)


def describe_move(move: PricedMove) -> str:
    """Return one sentence on what a move saves, costs, or leaves unknown."""
    what = f"{move.source} to {move.target} at {move.after_days} days"
    if move.verdict is Verdict.NEVER:
        return f"{what} never happens: objects are gone by then"
    if move.verdict is Verdict.UNKNOWN:
        unknown = "; ".join(move.unknown)
        back = f" (it pays back after {move.pays_back_days} days)" if move.pays_back_days else ""
        return f"{what}: whether it saves is unknown{back}: {unknown}"
    return f"{what} {move.verdict.value}: {describe_figures(move)}"


def describe_figures(move: PricedMove) -> str:
    """Return the figures behind a verdict; what is not known is said to be so."""
    known = move.saving is not None
    saving = f"{_shown(move.saving)} {move.currency}" if known else "a loss even at best"
    size = f"{move.gib.normalize():f} GiB"
    over = f" over {move.days} days" if move.days is not None else ""
    parts = (
        f"{_shown(move.storage)} of storage saved",
        f"{_shown(move.requests)} of requests",
        f"{_shown(move.retrieval)} of dearer reads",
        f"{_shown(move.minimum_stay)} of minimum days",
    )
    assumed = ", at assumed prices" if move.assumed else ""
    return f"{saving} for {size}{over} ({', '.join(parts)}{assumed})"


def _shown(amount: Decimal | None) -> str:
    """Return an amount to the cent, and one below that to four figures."""
    if amount is None:
        return "an unknown amount"
    if abs(amount) >= 1 or not amount:
        return f"{amount:,.2f}"
    return f"{FIGURES.plus(amount).normalize():f}"
