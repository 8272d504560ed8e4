"""What a commitment review says of the months to come."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal

from tidegate.catalog.instruments import Scope
from tidegate.report.content import Block, Bullets, Paragraph, Section, Table
from tidegate.report.numbers import discount, quantity
from tidegate.review.commitments import CommitmentReview
from tidegate.review.outlook import Line, Outlook

GUARANTEE = (
    "No online policy can promise to stay below twice the cost of hindsight (2 − α with α = 0, "
    "since a commitment is paid for used or not)."
)
SCOPES = {
    Scope.INSTANCE_TYPE: "one machine type of a region",
    Scope.FAMILY: "one family of a region",
    Scope.CLOUD: "everything eligible of its cloud, after narrower ones",
}
ZERO = Decimal(0)


def build_outlook_section(review: CommitmentReview) -> Section:
    """Return what to buy, and every portfolio in every scenario."""
    return Section("outlook", "The months to come", list(_blocks(review.outlook)))


def _blocks(outlook: Outlook | None) -> Iterator[Block]:
    if outlook is None:
        yield Paragraph("Too little was measured: nothing is forecast or recommended.")
        return
    if outlook.ladder:
        yield _ladder(outlook)
        yield _terms(outlook)
    else:
        yield Paragraph("Nothing more is worth committing to.")
    for currency in sorted({key for costs in outlook.hindsight.values() for key in costs}):
        yield _costs(outlook, currency)
        yield _portfolios(outlook, currency)
    yield Paragraph("`outlook:<portfolio>:<scenario>` explains a cell. The scenarios:")
    yield Bullets([f"`{each.name}`: {each.assumption}" for each in outlook.scenarios])
    yield Paragraph(GUARANTEE)


def _ladder(outlook: Outlook) -> Table:
    targets = {target.candidate.id: target for target in outlook.targets}
    rows = []
    for step in outlook.ladder:
        offer = step.candidate.offer
        target = targets[step.candidate.id]
        rows.append(
            (
                _when(step.month),
                f"`target:{step.candidate.id}`",
                quantity(step.quantity, step.candidate.purchase),
                discount(offer),
                f"{offer.term_months} months, {offer.upfront_share:.0%} upfront",
                offer.instrument.cancellation,
                "**above the stable floor**" if target.above_floor else "within it",
            )
        )
    names = ("when", "what", "an hour", "discount", "term", "cannot be undone", "stable floor")
    return Table("What to buy, month by month", names, rows, frozenset({2, 3}))


def _terms(outlook: Outlook) -> Table:
    """Return the terms of each instrument that is recommended, and where its discount stands."""
    offers = {step.candidate.offer.id: step.candidate.offer for step in outlook.ladder}
    rows = [
        (
            offer.instrument.title,
            SCOPES[offer.instrument.scope],
            offer.instrument.flexibility,
            offer.instrument.exchange,
            f"{discount(offer)}, {offer.as_of}: {offer.origin}",
        )
        for offer in offers.values()
    ]
    names = ("instrument", "covers", "what may change", "exchange", "discount and its origin")
    return Table("Terms of what is to be bought", names, rows)


def _when(month: int) -> str:
    if month == 0:
        return "now"
    return f"in {month} month{'' if month == 1 else 's'}, decided anew by then"


def _costs(outlook: Outlook, currency: str) -> Table:
    rows = [
        (
            f"`{scenario.name}`",
            *(_cell(line, scenario.name, currency) for line in outlook.lines),
            f"{outlook.hindsight[scenario.name].get(currency, ZERO):,.0f}",
        )
        for scenario in outlook.scenarios
    ]
    names = ("if", *(line.name for line in outlook.lines), "best in hindsight")
    caption = (
        f"Cost over {outlook.forecast.months} months ({currency}), with regret against the best "
        "portfolio in hindsight in brackets"
    )
    return Table(caption, names, rows, frozenset(range(1, len(names))))


def _cell(line: Line, scenario: str, currency: str) -> str:
    cell = line.cells[scenario]
    return f"{cell.cost.get(currency, ZERO):,.0f} ({cell.regret.get(currency, ZERO):+,.0f})"


def _portfolios(outlook: Outlook, currency: str) -> Table:
    names = ("portfolio", "worst saving", "break-even", "still locked in then", "new part used")
    rows = [_portfolio(line, currency, outlook) for line in outlook.lines]
    caption = f"What each portfolio binds ({currency}); saving is over doing nothing"
    return Table(caption, names, rows, frozenset({1, 3, 4}))


def _portfolio(line: Line, currency: str, outlook: Outlook) -> Sequence[str]:
    if not line.purchases:
        return line.name, "–", "–", "0", "–"
    scenario, saving = line.worst.get(currency, ("", ZERO))
    month = line.break_even_month
    used = line.cells[outlook.scenarios[0].name].utilization
    return (
        line.name,
        f"{saving:+,.0f} ({scenario})",
        f"not within {outlook.forecast.months} months" if month is None else f"month {month}",
        f"{line.locked_in.get(currency, ZERO):,.0f}",
        "–" if used is None else f"{used:.1%}",
    )
