"""A commitment review as a report: what people read, in Markdown and as a page."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal

from tidegate.report.commitments_findings import (
    build_billing_section,
    build_inventory_section,
    build_past_section,
    build_pools_section,
    build_remarks,
)
from tidegate.report.commitments_outlook import build_outlook_section
from tidegate.report.commitments_plots import draw_plots
from tidegate.report.content import Block, Bullets, Paragraph, Report, Section
from tidegate.report.html import render_html
from tidegate.report.markdown import render_markdown
from tidegate.report.numbers import quantity
from tidegate.review.commitments import CommitmentReview
from tidegate.review.outlook import LADDER, Outlook


def render_review_markdown(review: CommitmentReview) -> str:
    """Return the review as Markdown, for a pull request."""
    return render_markdown(build_report(review))


def render_review_html(review: CommitmentReview) -> str:
    """Return the review as one page with its plots, which needs nothing else."""
    report = build_report(review)
    plots = draw_plots(review)
    sections = [
        replace(section, blocks=[*section.blocks, *plots.get(section.id, ())])
        for section in report.sections
    ]
    return render_html(replace(report, sections=sections))


def build_report(review: CommitmentReview) -> Report:
    """Return what a commitment review says."""
    stacks = ", ".join(review.stacks) or "no stack"
    return Report(
        title=f"Commitment review of {stacks}, {review.settings.today}",
        summary=list(_summary(review)),
        sections=list(_sections(review)),
    )


def _sections(review: CommitmentReview) -> Iterator[Section]:
    yield from build_remarks(review)
    yield build_inventory_section(review)
    if review.billing is not None:
        yield build_billing_section(review.billing)
    yield build_pools_section(review)
    yield build_past_section(review)
    yield build_outlook_section(review)


def _summary(review: CommitmentReview) -> Iterator[Block]:
    usage = review.usage
    simulated = " **The use is simulated.**" if usage.simulated else ""
    yield Paragraph(
        f"{usage.known_hours} of {usage.hours} hours measured from {usage.start:%Y-%m-%d %H:%M} "
        f"UTC.{simulated}"
    )
    if review.is_assumed:
        yield Paragraph("**Figures marked _assumed_ rest on averages, not on quotes.**")
    yield Bullets([*_say_purchases(review.outlook), _say_findings(review)])


def _say_purchases(outlook: Outlook | None) -> Iterator[str]:
    if outlook is None:
        yield "Too little was measured to recommend anything."
        return
    now = [step for step in outlook.ladder if step.month == 0]
    if not now:
        yield "Nothing is to be bought now."
        return
    for step in now:
        offer = step.candidate.offer
        assumed = " _assumed_" if offer.assumed else ""
        yield (
            f"Buy now: **{quantity(step.quantity, step.candidate.purchase)}** an hour of "
            f"`{step.candidate.id}`, {offer.discount:.0%} off{assumed}."
        )
    line = next(each for each in outlook.lines if each.name == LADDER)
    expected = outlook.scenarios[0].name
    nothing = outlook.lines[0].cells[expected].cost
    for currency, (scenario, saving) in line.worst.items():
        saved = nothing[currency] - line.cells[expected].cost.get(currency, Decimal(0))
        yield (
            f"With the whole ladder {outlook.forecast.months} months cost "
            f"**{_compare(saved, currency)}** than doing nothing if all goes on as it does, and "
            f"{_compare(saving, currency)} at worst (`{scenario}`)."
        )


def _compare(saving: Decimal, currency: str) -> str:
    return f"{abs(saving):,.0f} {currency} {'less' if saving >= 0 else 'more'}"


def _say_findings(review: CommitmentReview) -> str:
    counts: dict[str, int] = {}
    for finding in review.inventory.findings:
        counts[finding.kind.value] = counts.get(finding.kind.value, 0) + 1
    found = ", ".join(f"{count} {kind}" for kind, count in counts.items())
    return f"Found: {found}." if found else "Nothing was found wrong with what is declared."
