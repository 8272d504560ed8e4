"""Every portfolio in every scenario: cost, regret, worst case, break-even, what is locked in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal

from tidegate.catalog.instruments import InstrumentOffer
from tidegate.pricing.applied import Purchase, apply_purchases
from tidegate.pricing.usage import Usage
from tidegate.review.candidates import build_candidates
from tidegate.review.forecast import Forecast
from tidegate.review.held import Held
from tidegate.review.ladder import Step, Target, build_ladder, decide_targets
from tidegate.review.measured import HOURS_OF_WEEK
from tidegate.review.past import find_portfolio
from tidegate.review.play import (
    Bought,
    Costs,
    Played,
    build_balance,
    buy_steps,
    find_break_even,
    play,
    to_months,
)
from tidegate.review.scenarios import Scenario, build_scenarios
from tidegate.review.settings import Report, ReviewSettings
from tidegate.vocabulary.money import HOURS_PER_MONTH

NOTHING = "do-nothing"
LADDER = "ladder"
AT_ONCE = "all-at-once"
FLOOR = "stable-floor"


@dataclass(frozen=True, slots=True)
class Cell:
    """One portfolio in one scenario.

    Attributes:
        cost: What it costs over the months looked at.
        regret: How much more than the best portfolio bought at the start with hindsight.
        utilization: The used part of what is newly bought; None where nothing is.
    """

    cost: Costs
    regret: Costs
    utilization: Decimal | None


@dataclass(frozen=True, slots=True)
class Line:
    """One portfolio in all scenarios.

    Attributes:
        name: What it is.
        purchases: What is newly bought.
        cells: Scenario → how it does.
        worst: Currency → (scenario, its saving over doing nothing): the least of all scenarios.
        balance: In the expected scenario, what was saved by the end of each month, less what was
            paid ahead; empty where nothing is bought or currencies are several.
        break_even_month: When the balance turns positive for good; None where it does not within
            the months looked at.
        locked_in: Currency → what is still to be paid after the months looked at.
    """

    name: str
    purchases: tuple[Bought, ...]
    cells: Mapping[str, Cell]
    worst: Mapping[str, tuple[str, Decimal]]
    balance: tuple[Decimal, ...]
    break_even_month: int | None
    locked_in: Costs


@dataclass(frozen=True, slots=True)
class Outlook:
    """The months to come.

    Attributes:
        forecast: What use is expected.
        scenarios: What may come instead.
        targets: What the policy would be committed to.
        ladder: The purchases that lead there.
        lines: Every portfolio, doing nothing first.
        hindsight: Scenario → the cost of the best portfolio bought at the start.
    """

    forecast: Forecast
    scenarios: tuple[Scenario, ...]
    targets: tuple[Target, ...]
    ladder: tuple[Step, ...]
    lines: tuple[Line, ...]
    hindsight: Mapping[str, Costs]


def build_outlook(
    usage: Usage,
    held: Sequence[Held],
    offers: Sequence[InstrumentOffer],
    forecast: Forecast,
    settings: ReviewSettings,
    teams: Mapping[str, str],
    report: Report = lambda _: None,
) -> Outlook:
    """Return what each portfolio would cost in each scenario.

    Args:
        usage: The use that was measured.
        held: What is declared; it covers its part until it ends.
        offers: What can be bought.
        forecast: What use is expected.
        settings: What the user chooses; months are counted from the day of the review.
        teams: Pool → team.
        report: Told what is done next.
    """
    report("the months to come")
    scenarios = build_scenarios(usage, forecast, settings.growth, teams)
    ahead = (_in_months(each, settings.today) for each in held)
    kept = [purchase for purchase in ahead if purchase is not None]
    low = next(each.usage for each in scenarios if each.name == "low")
    candidates = build_candidates(usage, offers, settings.limits)
    targets = decide_targets(
        usage,
        apply_purchases(usage, [each.purchase for each in held]),
        low,
        apply_purchases(low, kept),
        candidates,
    )
    ladder = build_ladder(targets)
    at_once = [Step(each.candidate, 0, each.quantity) for each in targets]
    floor = [Step(each.candidate, 0, each.stable_floor) for each in targets if each.stable_floor]
    portfolios = {
        NOTHING: [],
        LADDER: buy_steps(ladder),
        AT_ONCE: buy_steps(at_once),
        FLOOR: buy_steps(floor),
    }
    hindsight: dict[str, Costs] = {}
    for each in scenarios:
        report(f"the best portfolio in hindsight, if {each.name}")
        best = find_portfolio(each.usage, offers, kept, settings.limits)
        hindsight[each.name] = to_months(best.applied.totals())
    report("every portfolio in every scenario")
    played = {
        name: {each.name: play(each.usage, kept, bought) for each in scenarios}
        for name, bought in portfolios.items()
    }
    lines = tuple(
        _line(name, portfolios[name], played, hindsight, forecast.months) for name in portfolios
    )
    return Outlook(forecast, scenarios, targets, ladder, lines, hindsight)


def _in_months(held: Held, today: date) -> Purchase | None:
    """Return what is held as a purchase over months that stand as one week each."""
    purchase = replace(held.purchase, first_hour=0, end_hour=None)
    start, end = held.commitment.start, held.commitment.end
    if start is not None and start > today:
        purchase = replace(purchase, first_hour=_months(today, start) * HOURS_OF_WEEK)
    if end is None:
        return purchase
    months = _months(today, end)
    return replace(purchase, end_hour=months * HOURS_OF_WEEK) if months > 0 else None


def _months(today: date, day: date) -> int:
    """Return the months until a day, rounded: one that ends half through counts as whole."""
    return max(0, round((day - today).days * 12 / 365))


def _line(
    name: str,
    bought: Sequence[Bought],
    played: Mapping[str, Mapping[str, Played]],
    hindsight: Mapping[str, Costs],
    months: int,
) -> Line:
    cells = {
        scenario: Cell(
            played_here.cost,
            _less(played_here.cost, hindsight[scenario]),
            played_here.utilization,
        )
        for scenario, played_here in played[name].items()
    }
    savings = {
        scenario: _less(played[NOTHING][scenario].cost, cell.cost)
        for scenario, cell in cells.items()
    }
    currencies = sorted({key for saving in savings.values() for key in saving})
    worst = {
        key: min(
            ((scenario, saving[key]) for scenario, saving in savings.items() if key in saving),
            key=lambda each: (each[1], each[0]),
        )
        for key in currencies
    }
    first = next(iter(cells))
    balance = build_balance(played[NOTHING][first], played[name][first], bought)
    return Line(
        name=name,
        purchases=tuple(bought),
        cells=cells,
        worst=worst,
        balance=balance,
        break_even_month=find_break_even(balance),
        locked_in=_locked_in(bought, months),
    )


def _less(one: Costs, other: Costs) -> dict[str, Decimal]:
    return {key: one[key] - other.get(key, Decimal(0)) for key in one}


def _locked_in(bought: Sequence[Bought], months: int) -> dict[str, Decimal]:
    """Return what the purchases still cost after the months looked at."""
    locked: dict[str, Decimal] = {}
    for each in bought:
        left = max(0, each.month + each.candidate.offer.term_months - months)
        cost = each.hourly * HOURS_PER_MONTH * left
        currency = each.purchase.currency
        locked[currency] = locked.get(currency, Decimal(0)) + cost
    return locked
