"""The drawings of a commitment review, by the section that they stand in."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import timedelta

import numpy as np

from tidegate.pricing.usage import MICRO, UsageRow
from tidegate.report.content import Block, Plot
from tidegate.report.plots import Band, Series, draw_bars, draw_lines
from tidegate.review.commitments import CommitmentReview
from tidegate.review.forecast import NORMAL_80, Forecast
from tidegate.review.outlook import Outlook
from tidegate.review.portfolio import Floats

DAY = 24
STYLES = ("one", "two", "three")
MOST_PAST_POINTS = 120
POINTS = 60
"""Points of the past, and as many of the months to come, in the drawing of a pool."""


def draw_plots(review: CommitmentReview) -> dict[str, list[Block]]:
    """Return the drawings: section → its own."""
    plots: dict[str, list[Block]] = {
        "inventory": [*_draw_spend(review), *_draw_shares(review)],
        "pools": [_draw_pool(review, row, index) for index, row in enumerate(review.usage.rows)],
    }
    if review.outlook is not None:
        plots["outlook"] = [*_draw_savings(review.outlook), *_draw_balance(review.outlook)]
    return plots


def _by_days(review: CommitmentReview, hours: Floats, days: int) -> list[float]:
    """Return the mean of the measured hours of each span of days; 0 where none was measured."""
    return _mean_by_days(np.where(review.usage.known, hours, np.nan), days)


def _span(review: CommitmentReview) -> int:
    """Return over how many days a point of the past is averaged."""
    return max(1, -(-review.usage.hours // (DAY * MOST_PAST_POINTS)))


def _draw_spend(review: CommitmentReview) -> Iterator[Plot]:
    days = _span(review)
    usage, applied = review.usage, review.inventory.applied
    for currency in sorted({row.currency for row in usage.rows if row.price is not None}):
        whole, left = np.zeros(usage.hours), np.zeros(usage.hours)
        for row in usage.rows:
            if row.price is not None and row.currency == currency:
                whole += row.micro_nodes / MICRO * float(row.price)
                left += applied.uncovered[row.id] / MICRO * float(row.price)
        listed, uncovered = (_by_days(review, each, days) for each in (whole, left))
        title = f"Use at on-demand and spot prices, {currency} an hour"
        share = sum(uncovered) / max(sum(listed), 1e-9)
        said = (
            f"From {listed[0]:,.0f} to {listed[-1]:,.0f} {currency} an hour; what is paid node by "
            f"node, empty reserved nodes included, is {share:.0%} of it."
        )
        series = [Series("used", listed), Series("paid node by node", uncovered, "two")]
        svg = draw_lines(f"spend-{currency}", title, said, series, _day_marks(review, len(listed)))
        yield Plot(f"{title}. {said}", svg)


def _draw_shares(review: CommitmentReview) -> Iterator[Plot]:
    """Yield coverage and each utilization, by day; they are never in one drawing."""
    inventory = review.inventory
    named = [
        (f"coverage-{key}", f"Coverage ({key})", share) for key, share in inventory.coverage.items()
    ]
    named += [
        (f"used-{key}", f"Utilization of {key}", share)
        for key, share in inventory.utilization.items()
    ]
    for name, title, share in named:
        days = _mean_by_days(100 * share.by_hour, _span(review))
        marks = _day_marks(review, len(days))
        said = f"{share.overall:.1%} overall, by hour {share.least:.1%} to {share.most:.1%}."
        svg = draw_lines(name, f"{title}, in percent", said, [Series("", days)], marks, top=100.0)
        yield Plot(f"{title}, in percent: {said}", svg)


def _mean_by_days(by_hour: Floats, days: int) -> list[float]:
    """Return the mean of the hours of each span of days that have a value; 0 where none has."""
    span = DAY * days
    whole = max(len(by_hour) // span, 1)
    parts = by_hour[: whole * span].reshape(whole, -1)
    counts = np.maximum((~np.isnan(parts)).sum(axis=1), 1)
    means: list[float] = (np.nansum(parts, axis=1) / counts).tolist()
    return means


def _day_marks(review: CommitmentReview, points: int) -> list[tuple[int, str]]:
    last = review.usage.start + timedelta(hours=review.usage.hours - 1)
    return [(0, f"{review.usage.start:%Y-%m-%d}"), (max(points - 1, 1), f"{last:%Y-%m-%d}")]


def _draw_pool(review: CommitmentReview, row: UsageRow, index: int) -> Plot:
    past = _by_days(review, row.micro_nodes / MICRO, _span(review))
    title = f"{row.pool} on {row.instance_type}: nodes"
    said = f"From {past[0]:,.2f} to {past[-1]:,.2f} nodes."
    begin, end = (text for _, text in _day_marks(review, 2))
    outlook = review.outlook
    if outlook is None:
        marks = _day_marks(review, len(past))
        svg = draw_lines(f"pool-{index}", title, said, [Series("", past)], marks)
        return Plot(f"{title}. {said}", svg)
    low, expected, high = _levels(outlook.forecast, row)
    months = len(expected)
    said += (
        f" Expected in {months} months: {expected[-1]:,.2f}, with four fifths between "
        f"{low[-1]:,.2f} and {high[-1]:,.2f}."
    )
    # Months to come take as much room as the past, whatever its length.
    series = [Series("", _stretch(past)), Series("", _stretch(expected), "one ahead", POINTS - 1)]
    marks = [(0, begin), (POINTS - 1, end), (2 * POINTS - 2, f"+{months} months")]
    band = Band(_stretch(low), _stretch(high), POINTS - 1)
    svg = draw_lines(f"pool-{index}", title, said, series, marks, band)
    return Plot(f"{title}. {said}", svg)


def _stretch(values: Sequence[float] | Floats) -> list[float]:
    grid = np.linspace(0, len(values) - 1, POINTS)
    stretched: list[float] = np.interp(grid, np.arange(len(values)), values).tolist()
    return stretched


def _levels(forecast: Forecast, row: UsageRow) -> tuple[Floats, Floats, Floats]:
    found, months = forecast.rows[row.id], forecast.months
    return (
        found.levels(months, sides=-NORMAL_80),
        found.levels(months),
        found.levels(months, sides=NORMAL_80),
    )


def _draw_savings(outlook: Outlook) -> Iterator[Plot]:
    """Yield what each portfolio saves over doing nothing, in every scenario."""
    nothing, *bought = outlook.lines
    if not any(line.purchases for line in bought):
        return
    for currency in sorted({key for costs in outlook.hindsight.values() for key in costs}):
        names = [each.name for each in outlook.scenarios]
        series = [
            Series(
                line.name,
                [
                    float(nothing.cells[name].cost[currency] - line.cells[name].cost[currency])
                    for name in names
                ],
                style,
            )
            for line, style in zip(bought, STYLES, strict=True)
        ]
        title = f"Saving over doing nothing in {outlook.forecast.months} months, {currency}"
        least = min(
            (value, each.name, name)
            for each in series
            for value, name in zip(each.values, names, strict=True)
        )
        said = f"The least is {least[0]:+,.0f} {currency}: {least[1]} if {least[2]}."
        svg = draw_bars(f"savings-{currency}", title, said, names, series)
        yield Plot(f"{title}. {said}", svg)


def _draw_balance(outlook: Outlook) -> Iterator[Plot]:
    """Yield the months until each portfolio has paid for itself."""
    lines = [line for line in outlook.lines if line.balance]
    if not lines:
        return
    series = [
        Series(line.name, [0.0, *(float(each) for each in line.balance)], style)
        for line, style in zip(lines, STYLES, strict=False)
    ]
    months = outlook.forecast.months
    title = "Saved so far over doing nothing, less what was paid ahead, if all goes on as it does"
    said = "; ".join(f"{line.name} ends at {line.balance[-1]:+,.0f}" for line in lines) + "."
    marks = [(0, "now"), (months // 2, f"month {months // 2}"), (months, f"month {months}")]
    yield Plot(f"{title}: {said}", draw_lines("balance", title, said, series, marks))
