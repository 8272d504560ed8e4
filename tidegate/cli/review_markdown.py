"""A commitment review as Markdown, for a pull request."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal

from tidegate.catalog.instruments import Unit
from tidegate.pricing.applied import Purchase
from tidegate.review.commitments import CommitmentReview
from tidegate.review.inventory import FindingKind, HourlyShare, InventoryFinding
from tidegate.review.outlook import Line, Outlook


def render_review_markdown(review: CommitmentReview) -> str:
    """Return the review as Markdown."""
    return "\n".join(
        [
            *_head(review),
            *_remarks(review),
            *_inventory(review),
            *_past(review),
            *_future(review),
        ]
    )


def _head(review: CommitmentReview) -> Iterator[str]:
    usage = review.usage
    stacks = ", ".join(review.stacks) or "no stack"
    yield f"# Commitment review of {stacks}, {review.settings.today}"
    yield ""
    simulated = " **The use is simulated.**" if usage.simulated else ""
    yield (
        f"{usage.known_hours} of {usage.hours} hours measured from {usage.start:%Y-%m-%d %H:%M} "
        f"UTC.{simulated}"
    )
    if review.is_assumed:
        yield ""
        yield "**Figures marked _assumed_ rest on averages, not on quotes.**"
    yield ""


def _remarks(review: CommitmentReview) -> Iterator[str]:
    if review.remarks:
        yield "## What could not be taken as it was"
        yield ""
        yield from (f"- {_cell(str(remark))}" for remark in review.remarks)
        yield ""


def _inventory(review: CommitmentReview) -> Iterator[str]:
    inventory = review.inventory
    yield "## Declared against used"
    yield ""
    for currency, share in inventory.coverage.items():
        yield f"Coverage of eligible use ({currency}): {_share(share)}."
    yield ""
    rows = [
        (
            each.purchase.id,
            each.commitment.kind,
            _quantity(each.purchase.quantity, each.purchase),
            _share(inventory.utilization[each.purchase.id])
            if each.purchase.id in inventory.utilization
            else "unknown: not in force in the measured hours",
            str(each.commitment.end or "no end"),
        )
        for each in review.held
    ]
    if rows:
        yield from _table(("commitment", "kind", "an hour", "utilization", "ends"), rows)
    found = [
        (
            f"`{each.id}`",
            each.message,
            _cost(each),
        )
        for each in inventory.findings
    ]
    if found:
        yield from _table(("finding", "what", "cost in the measured hours"), found)
    else:
        yield "Nothing idle, under-used, ending, unmatched or undeclared."
        yield ""


def _past(review: CommitmentReview) -> Iterator[str]:
    past = review.past
    limits = review.settings.limits
    yield "## The past, exactly"
    yield ""
    yield from _table(
        ("bought", "cost"),
        [
            ("`past.on-demand`: nothing", _money(past.without.totals())),
            ("`past.declared`: what is declared", _money(review.inventory.applied.totals())),
            ("`past.optimum`: the cheapest in hindsight", _money(past.applied.totals())),
        ],
    )
    yield (
        f"Terms of at most {limits.longest_term_months} months, at most {limits.most_upfront:.0%} "
        f"paid upfront; replayed cost within {past.gap:.2%} of the linear program's bound."
    )
    yield ""
    rows = [
        (
            each.purchase.id,
            _quantity(each.purchase.quantity, each.purchase),
            f"{each.candidate.offer.discount:.0%}"
            + (" _assumed_" if each.candidate.offer.assumed else ""),
        )
        for each in past.chosen
    ]
    if rows:
        yield from _table(("cheapest in hindsight", "an hour", "discount"), rows)


def _future(review: CommitmentReview) -> Iterator[str]:
    yield "## The months to come"
    yield ""
    outlook = review.outlook
    if outlook is None:
        yield "Too little was measured: nothing is forecast or recommended."
        yield ""
        return
    if not outlook.targets:
        yield "Nothing more is worth committing to."
        yield ""
    yield from _purchases(outlook)
    currencies = sorted({key for costs in outlook.hindsight.values() for key in costs})
    for currency in currencies:
        yield from _portfolios(outlook, currency)
    yield "`outlook:<portfolio>:<scenario>` explains a cell. Scenarios:"
    yield ""
    yield from (f"- `{each.name}`: {_cell(each.assumption)}" for each in outlook.scenarios)
    yield ""
    yield (
        "An online policy cannot promise to stay below twice the cost of hindsight (2 − α with "
        "α = 0, since a commitment is paid for used or not)."
    )
    yield ""


def _purchases(outlook: Outlook) -> Iterator[str]:
    rows = []
    for step in outlook.ladder:
        offer = step.candidate.offer
        target = next(each for each in outlook.targets if each.candidate == step.candidate)
        rows.append(
            (
                "now" if step.month == 0 else f"in {step.month} months, decided anew by then",
                f"`target:{step.candidate.id}`",
                _quantity(step.quantity, step.candidate.purchase),
                f"{offer.discount:.0%}" + (" _assumed_" if offer.assumed else ""),
                f"{offer.instrument.cancellation}; {offer.instrument.exchange}",
                "**above the stable floor**" if target.above_floor else "within it",
            )
        )
    if rows:
        names = ("when", "what", "an hour", "discount", "cannot be undone", "stable floor")
        yield from _table(names, rows)


def _portfolios(outlook: Outlook, currency: str) -> Iterator[str]:
    scenarios = [each.name for each in outlook.scenarios]
    yield f"Cost over {outlook.forecast.months} months ({currency}), with regret in brackets:"
    yield ""
    names = ("portfolio", *scenarios, "worst saving", "break-even", "locked in after")
    yield from _table(
        names, [_line_cells(line, scenarios, currency, outlook) for line in outlook.lines]
    )


def _line_cells(
    line: Line, scenarios: Sequence[str], currency: str, outlook: Outlook
) -> tuple[str, ...]:
    zero = Decimal(0)
    cells = [
        f"{line.cells[name].cost.get(currency, zero):,.0f} "
        f"({line.cells[name].regret.get(currency, zero):+,.0f})"
        for name in scenarios
    ]
    scenario, saving = line.worst.get(currency, ("", zero))
    month = line.break_even_month
    never = f"not within {outlook.forecast.months} months" if line.purchases else "–"
    return (
        line.name,
        *cells,
        f"{saving:+,.0f} ({scenario})" if line.purchases else "–",
        f"month {month}" if month is not None else never,
        f"{line.locked_in.get(currency, zero):,.0f}",
    )


def _table(names: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    yield "| " + " | ".join(names) + " |"
    yield "| " + " | ".join("---" for _ in names) + " |"
    for row in rows:
        yield "| " + " | ".join(_cell(value) for value in row) + " |"
    yield ""


def _cell(text: str) -> str:
    """Return text that neither ends a cell nor becomes markup of its own."""
    return text.replace("|", "\\|").replace("\n", " ").replace("<", "&lt;")


def _quantity(quantity: Decimal, purchase: Purchase) -> str:
    by_money = purchase.instrument.unit is Unit.AMOUNT
    return f"{quantity} {purchase.currency if by_money else 'machines'}"


def _cost(finding: InventoryFinding) -> str:
    if finding.kind in (FindingKind.ENDING, FindingKind.ENDED):
        return "–"
    return "unknown" if finding.cost is None else f"{finding.cost:,.2f} {finding.currency}"


def _share(share: HourlyShare) -> str:
    return f"{share.overall:.1%} (by hour {share.least:.1%} to {share.most:.1%})"


def _money(totals: Mapping[str, Decimal]) -> str:
    return ", ".join(f"{amount:,.2f} {key}" for key, amount in sorted(totals.items())) or "nothing"
