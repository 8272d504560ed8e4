"""What a commitment review says of what was declared, used and billed."""

from __future__ import annotations

from collections.abc import Iterator

from tidegate.pricing.usage import MICRO, UsageRow, sum_exactly
from tidegate.report.content import Block, Bullets, Paragraph, Section, Table
from tidegate.report.numbers import discount, money, quantity, share
from tidegate.review.billed import Billing
from tidegate.review.commitments import CommitmentReview
from tidegate.review.inventory import FindingKind, InventoryFinding

WITHOUT_COST = (FindingKind.ENDING, FindingKind.ENDED, FindingKind.NEVER_BILLED)


def build_remarks(review: CommitmentReview) -> Iterator[Section]:
    """Yield what could not be taken as it was, if anything."""
    if review.remarks:
        items = [str(remark) for remark in review.remarks]
        yield Section("remarks", "What could not be taken as it was", [Bullets(items)])


def build_inventory_section(review: CommitmentReview) -> Section:
    """Return declared against used: coverage and utilization apart, and what was found."""
    inventory = review.inventory
    blocks: list[Block] = [
        Paragraph(f"Coverage of eligible use ({currency}): {share(found)}.")
        for currency, found in inventory.coverage.items()
    ]
    rows = [
        (
            f"`utilization:{each.purchase.id}`",
            each.commitment.kind,
            quantity(each.purchase.quantity, each.purchase),
            share(inventory.utilization[each.purchase.id])
            if each.purchase.id in inventory.utilization
            else "unknown: not in force in the measured hours",
            str(each.commitment.end or "no end"),
        )
        for each in review.held
    ]
    if rows:
        names = ("commitment", "kind", "an hour", "utilization", "ends")
        blocks.append(Table("Utilization of what is declared", names, rows))
    found = [(f"`{each.id}`", each.message, _cost(each)) for each in inventory.findings]
    if found:
        columns = ("finding", "what", "cost in the measured hours")
        blocks.append(Table("What was found", columns, found, frozenset({2})))
    else:
        blocks.append(Paragraph("Nothing idle, under-used, ending, unmatched or undeclared."))
    return Section("inventory", "Declared against used", blocks)


def build_billing_section(billing: Billing) -> Section:
    """Return what was billed, beside what was used."""
    pools = [
        (
            f"`billed:{each.pool}`" if each.pool else "no pool",
            f"{each.billed:,.2f} {each.currency}",
            f"{each.effective:,.2f} {each.currency}",
            f"{each.billed_node_hours:,.1f}" if each.pool else "–",
            "–" if each.used_node_hours is None else f"{each.used_node_hours:,.1f}",
        )
        for each in billing.pools
    ]
    names = ("pool", "billed", "effective", "node-hours billed", "node-hours used")
    blocks: list[Block] = [
        Paragraph(f"{billing.rows:,} charges were read; currencies stand apart."),
        Table("Charges by pool", names, pools, frozenset({1, 2, 3, 4})),
    ]
    commitments = [
        (
            f"`{each.bill_id}`",
            each.declared or "by no stack",
            each.bill.kind,
            f"{each.bill.billed:,.2f} {each.currency}",
            f"{each.bill.used:,.2f} {each.currency}",
            f"{each.bill.unused:,.2f} {each.currency}",
        )
        for each in billing.commitments
    ]
    if commitments:
        columns = ("on the bill", "declared as", "kind", "billed", "effective, used", "unused")
        blocks.append(Table("Charges by commitment", columns, commitments, frozenset({3, 4, 5})))
    return Section("billed", "Declared and used against billed", blocks)


def build_pools_section(review: CommitmentReview) -> Section:
    """Return what each pool used, how it grows and what its week looks like."""
    names = ("pool", "runs on", "a node an hour", "nodes on average", "growth a week", "weekend")
    rows = [_pool_row(review, row) for row in review.usage.rows]
    note = "Weekend: use of an hour of Saturday or Sunday relative to one of a working day."
    return Section(
        "pools",
        "What was used",
        [Paragraph(note), Table("Use by pool", names, rows, frozenset({2, 3, 4, 5}))],
    )


def _pool_row(review: CommitmentReview, row: UsageRow) -> tuple[str, ...]:
    known = max(review.usage.known_hours, 1)
    average = sum_exactly(row.micro_nodes * review.usage.known) / MICRO / known
    price = "unknown" if row.price is None else f"{row.price:,.4f} {row.currency}"
    forecast = review.outlook.forecast if review.outlook else None
    growth = weekend = "too few weeks"
    if forecast is not None:
        found = forecast.rows[row.id]
        growth = f"{found.growth_a_week:+.1%}" if forecast.has_trend else growth
        weekend = "–" if found.weekend_share is None else f"{found.weekend_share:.0%}"
    return (
        f"`pool:{row.id}`",
        f"{row.instance_type} in {row.cloud.value}/{row.region}"
        + ("" if row.eligible else ", spot"),
        price + (" _assumed_" if row.assumed else ""),
        f"{average:,.2f}",
        growth,
        weekend,
    )


def build_past_section(review: CommitmentReview) -> Section:
    """Return what the past cost, and what would have cost least."""
    past, limits = review.past, review.settings.limits
    costs = [
        ("`past.on-demand`: nothing", money(past.without.totals())),
        ("`past.declared`: what is declared", money(review.inventory.applied.totals())),
        ("`past.optimum`: the cheapest in hindsight", money(past.applied.totals())),
    ]
    note = (
        f"Terms of at most {limits.longest_term_months} months, at most {limits.most_upfront:.0%} "
        f"paid upfront; replayed cost within {past.gap:.2%} of the linear program's bound."
    )
    blocks: list[Block] = [
        Table("What the measured hours cost", ("bought", "cost"), costs, frozenset({1})),
        Paragraph(note),
    ]
    rows = [
        (
            each.purchase.id,
            quantity(each.purchase.quantity, each.purchase),
            discount(each.candidate.offer),
        )
        for each in past.chosen
    ]
    if rows:
        names = ("bought", "an hour", "discount")
        caption = "The cheapest portfolio in hindsight, as if nothing had been held"
        blocks.append(Table(caption, names, rows, frozenset({1, 2})))
    return Section("past", "The past, exactly", blocks)


def _cost(finding: InventoryFinding) -> str:
    if finding.kind in WITHOUT_COST:
        return "–"
    return "unknown" if finding.cost is None else f"{finding.cost:,.2f} {finding.currency}"
