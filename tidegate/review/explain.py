"""The rows, prices and formula behind a number of a commitment review."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from functools import partial

from tidegate.pricing.usage import MICRO, UsageRow, sum_exactly
from tidegate.review.commitments import CommitmentReview
from tidegate.review.explained import ExplainedPrice, ExplainedRow, ExplainedShare, Explanation
from tidegate.review.inventory import HourlyShare
from tidegate.review.outlook import Line
from tidegate.vocabulary.problems import refuse, suggest


def list_ids(review: CommitmentReview) -> tuple[str, ...]:
    """Return what can be explained, in the order of the review."""
    return tuple(_builders(review))


def explain(review: CommitmentReview, wanted: str) -> Explanation:
    """Return what is behind a number.

    Raises:
        InvalidInput: When nothing of the review has that id.
    """
    builders = _builders(review)
    if wanted not in builders:
        hint = suggest(wanted, builders)
        expected = "an id that the review shows; `tidegate review explain` without one lists them"
        raise refuse("commitment review", "id", wanted, f"is not in this review{hint}", expected)
    return builders[wanted]()


def _builders(review: CommitmentReview) -> dict[str, Callable[[], Explanation]]:
    found: dict[str, Callable[[], Explanation]] = {
        "past.on-demand": partial(_explain_on_demand, review),
        "past.declared": partial(_explain_declared, review),
        "past.optimum": partial(_explain_optimum, review),
        "coverage": partial(_explain_coverage, review),
    }
    for row in review.usage.rows:
        found[f"pool:{row.id}"] = partial(_explain_pool, review, row)
    for held in review.held:
        key = held.purchase.id
        found[f"utilization:{key}"] = partial(_explain_utilization, review, key)
    for finding in review.inventory.findings:
        found[finding.id] = partial(_explain_finding, review, finding.id)
    for pool in sorted({each.pool for each in review.billing.pools} if review.billing else ()):
        if pool:
            found[f"billed:{pool}"] = partial(_explain_billed, review, pool)
    for target in review.outlook.targets if review.outlook else ():
        key = target.candidate.id
        found[f"target:{key}"] = partial(_explain_target, review, key)
    for line in review.outlook.lines if review.outlook else ():
        for scenario in line.cells:
            wanted = f"outlook:{line.name}:{scenario}"
            found[wanted] = partial(_explain_cell, review, line, scenario)
    return found


def _build(
    review: CommitmentReview,
    wanted: str,
    title: str,
    formula: str,
    values: Mapping[str, str],
    rows: Sequence[UsageRow],
) -> Explanation:
    return Explanation(
        wanted,
        title,
        formula,
        values,
        tuple(_price(row) for row in rows),
        tuple(each for row in rows for each in _hours(review, row)),
    )


def _price(row: UsageRow) -> ExplainedPrice:
    what = f"{row.instance_type} in {row.region}, a node an hour"
    return ExplainedPrice(
        what, row.price, row.currency, row.price_as_of, row.price_origin, row.assumed
    )


def _hours(review: CommitmentReview, row: UsageRow) -> Iterator[ExplainedRow]:
    usage = review.usage
    for index in range(usage.hours):
        nodes = Decimal(int(row.micro_nodes[index])) / MICRO if usage.known[index] else None
        hour = usage.start + timedelta(hours=index)
        yield ExplainedRow(hour, row.pool, row.instance_type, nodes)


def _money(totals: Mapping[str, Decimal]) -> str:
    return ", ".join(f"{amount:.2f} {key}" for key, amount in sorted(totals.items())) or "nothing"


def _explain_on_demand(review: CommitmentReview) -> Explanation:
    values = {
        "measured hours": str(review.usage.known_hours),
        "cost": _money(review.past.without.totals()),
    }
    formula = "Σ over measured hours and pools: nodes × price of a node an hour"
    title = "the past, all bought on demand or as spot"
    return _build(review, "past.on-demand", title, formula, values, review.usage.rows)


def _explain_declared(review: CommitmentReview) -> Explanation:
    applied = review.inventory.applied
    values = {
        "commitments": _money(applied.purchase_cost),
        "on demand": _money(applied.on_demand_cost),
        "cost": _money(applied.totals()),
    }
    formula = (
        "Σ commitments: quantity × price × hours within their span, used or not; plus Σ what they "
        "leave uncovered × price, each instrument applied in its cloud's order; an empty reserved "
        "node counts as one on demand"
    )
    title = "the past, with what is declared"
    return _build(review, "past.declared", title, formula, values, review.usage.rows)


def _explain_optimum(review: CommitmentReview) -> Explanation:
    bounds = {key: Decimal(repr(bound)) for key, bound in review.past.bounds.items()}
    values = {"cost": _money(review.past.applied.totals()), "bound": _money(bounds)}
    for each in review.past.chosen:
        offer = each.candidate.offer
        assumed = ", assumed" if offer.assumed else ""
        values[each.purchase.id] = (
            f"{each.purchase.quantity} {offer.instrument.unit.value} at {offer.discount:.0%} off "
            f"({offer.origin}, {offer.as_of}{assumed})"
        )
    formula = (
        "the quantities for which Σ quantity × price × hours + Σ uncovered use × price is least "
        "(linear program, HiGHS), machines in whole numbers and amounts in cents; replayed in "
        "each cloud's order; the bound is the program's without whole numbers"
    )
    title = "the past, with the portfolio that would have cost least"
    return _build(review, "past.optimum", title, formula, values, review.usage.rows)


def _explain_coverage(review: CommitmentReview) -> Explanation:
    values = {
        currency: f"{share.overall:.4f} (hours: {share.least:.4f} to {share.most:.4f})"
        for currency, share in review.inventory.coverage.items()
    }
    formula = "covered use ÷ all use that a commitment may cover, both × its on-demand price"
    rows = [row for row in review.usage.rows if row.eligible]
    found = _build(review, "coverage", "coverage of eligible use", formula, values, rows)
    shares = review.inventory.coverage.items()
    return replace(found, shares=tuple(each for of in shares for each in _shares(review, *of)))


def _shares(review: CommitmentReview, of: str, share: HourlyShare) -> Iterator[ExplainedShare]:
    for index, part in enumerate(share.by_hour.tolist()):
        hour = review.usage.start + timedelta(hours=index)
        known = None if math.isnan(part) else Decimal(f"{part:.6f}")
        yield ExplainedShare(hour, of, known)


def _explain_pool(review: CommitmentReview, row: UsageRow) -> Explanation:
    applied = review.inventory.applied
    known = int(row.micro_nodes[review.usage.known].sum())
    uncovered = Decimal(sum_exactly(applied.uncovered[row.id])) / MICRO
    cost = "unknown" if row.price is None else f"{row.price * uncovered:.2f} {row.currency}"
    values = {
        "node-hours used": str(Decimal(known) / MICRO),
        "node-hours paid on demand": str(uncovered),
        "cost on demand": cost,
    }
    formula = "Σ over measured hours: (nodes billed − nodes covered by commitments) × price"
    title = f"what pool {row.pool} used of {row.instance_type}"
    return _build(review, f"pool:{row.id}", title, formula, values, [row])


def _explain_utilization(review: CommitmentReview, key: str) -> Explanation:
    use = next(use for use in review.inventory.applied.uses if use.purchase.id == key)
    held = next(each for each in review.held if each.purchase.id == key)
    share = use.utilization
    purchase = use.purchase
    values = {
        "bought an hour": f"{purchase.quantity} {purchase.instrument.unit.value}",
        "used": str(Decimal(sum_exactly(use.used)) / MICRO),
        "bought": str(Decimal(sum_exactly(use.size)) / MICRO),
        "utilization": "unknown" if share is None else f"{share:.4f}",
        "terms": f"{purchase.instrument.exchange}; {purchase.instrument.cancellation}",
    }
    formula = "Σ used ÷ Σ bought, over the measured hours of its span"
    rows = [row for row in review.usage.rows if row.id in held.rows]
    found = _build(review, f"utilization:{key}", f"utilization of {key}", formula, values, rows)
    by_hour = review.inventory.utilization.get(key)
    return found if by_hour is None else replace(found, shares=tuple(_shares(review, key, by_hour)))


def _explain_finding(review: CommitmentReview, wanted: str) -> Explanation:
    finding = next(each for each in review.inventory.findings if each.id == wanted)
    held = {each.purchase.id: each for each in review.held}.get(finding.subject)
    rows = [
        row
        for row in review.usage.rows
        if row.pool == finding.subject or (held is not None and row.id in held.rows)
    ]
    cost = "unknown" if finding.cost is None else f"{finding.cost:.2f} {finding.currency}"
    values = {"finding": finding.message, "cost": cost}
    formula = "declared commitments and pools compared with the rows of use below"
    title = f"{finding.kind.value}: {finding.subject}"
    return _build(review, wanted, title, formula, values, rows)


def _explain_billed(review: CommitmentReview, pool: str) -> Explanation:
    values = {}
    for each in review.billing.pools if review.billing else ():
        if each.pool == pool:
            values[f"billed, {each.currency}"] = str(each.billed)
            values[f"effective, {each.currency}"] = str(each.effective)
            values[f"node-hours billed, {each.currency}"] = str(each.billed_node_hours)
    formula = (
        "Σ BilledCost, Σ EffectiveCost and Σ hours of nodes of the charges whose tag "
        "capacity-pool names the pool; used hours are the rows below"
    )
    rows = [row for row in review.usage.rows if row.pool == pool]
    return _build(review, f"billed:{pool}", f"what {pool} was charged", formula, values, rows)


def _explain_target(review: CommitmentReview, key: str) -> Explanation:
    targets = review.outlook.targets if review.outlook else ()
    target = next(each for each in targets if each.candidate.id == key)
    offer = target.candidate.offer
    values = {
        "discount": f"{offer.discount} ({offer.origin}, {offer.as_of})"
        + (", assumed" if offer.assumed else ""),
        "by the past": str(target.by_past),
        "by the lower end of the forecast": str(target.by_forecast),
        "stable floor": str(target.stable_floor),
        "target": str(target.quantity),
    }
    formula = (
        "the least of: the 1.4·d-quantile of the last term of use not yet covered; the median of "
        "its last five days; and the d-quantile of the forecast's lower end; d is the discount"
    )
    rows = [row for row in review.usage.rows if row.id in target.candidate.rows]
    return _build(review, f"target:{key}", f"what to buy of {key}", formula, values, rows)


def _explain_cell(review: CommitmentReview, line: Line, scenario: str) -> Explanation:
    cell = line.cells[scenario]
    scenarios = review.outlook.scenarios if review.outlook else ()
    assumption = next(each.assumption for each in scenarios if each.name == scenario)
    values = {"assumes": assumption}
    for bought in line.purchases:
        offer = bought.candidate.offer
        assumed = ", assumed" if offer.assumed else ""
        values[f"{bought.candidate.id} in month {bought.month}"] = (
            f"{bought.purchase.quantity} {offer.instrument.unit.value}, "
            f"{bought.hourly:.4f} {bought.purchase.currency} an hour at {offer.discount:.0%} off "
            f"({offer.origin}, {offer.as_of}{assumed})"
        )
    values["cost"] = _money(cell.cost)
    values["regret"] = _money(cell.regret)
    used = cell.utilization
    values["utilization of what is new"] = "nothing is new" if used is None else f"{used:.4f}"
    formula = (
        "each month stands as one typical week × 730 ÷ 168: Σ what is held and bought, used or "
        "not, plus Σ uncovered use × price; regret is against the cheapest portfolio bought at "
        "the start for this very scenario. The weeks are fitted to the rows below"
    )
    title = f"{line.name} if {scenario}"
    wanted = f"outlook:{line.name}:{scenario}"
    return _build(review, wanted, title, formula, values, review.usage.rows)
