"""The commitment review: declared against used, the past exactly, the future honestly."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date

from tidegate.catalog.catalog import Catalog
from tidegate.catalog.instruments import InstrumentOffer
from tidegate.manifest.model import Manifest
from tidegate.pricing.applied import apply_purchases
from tidegate.pricing.usage import Usage
from tidegate.review.billed import Billing, build_billing
from tidegate.review.charges import Charges
from tidegate.review.forecast import build_forecast
from tidegate.review.held import Held, read_held
from tidegate.review.inventory import Inventory, build_inventory
from tidegate.review.measured import build_measured
from tidegate.review.outlook import Outlook, build_outlook
from tidegate.review.past import Portfolio, find_portfolio
from tidegate.review.quotes import prefer_quotes
from tidegate.review.remarks import Remark
from tidegate.review.settings import Report, ReviewSettings
from tidegate.review.used_hours import UsedHours
from tidegate.vocabulary.capacity import Cloud

STALE_DAYS = 180


@dataclass(frozen=True, slots=True)
class ReviewInputs:
    """What a review looks at.

    Attributes:
        where: Where the use was read, for remarks.
        used: What was used.
        manifests: What stacks declare.
        charges: What was billed, where charges are given.
        bound: What clouds call each declared commitment, in lower case → its id.
        remarks: What was found wrong on the way here.
    """

    where: str
    used: UsedHours
    manifests: Sequence[Manifest] = ()
    charges: Charges | None = None
    bound: Mapping[str, str] = field(default_factory=dict)
    remarks: Sequence[Remark] = ()


@dataclass(frozen=True, slots=True)
class CommitmentReview:
    """Everything that a commitment review says.

    Attributes:
        stacks: The stacks reviewed, as project/stack.
        settings: What it was asked.
        usage: The use that was measured.
        held: What is declared.
        offers: What could be bought.
        inventory: Declared against used.
        billing: What was billed; None without charges.
        past: The cheapest portfolio of the past, as if nothing had been held.
        outlook: The months to come; None where too little was measured.
        remarks: What could not be taken as it was, and what holds all the same.
        catalog_digest: The catalog that was used.
    """

    stacks: tuple[str, ...]
    settings: ReviewSettings
    usage: Usage
    held: tuple[Held, ...]
    offers: tuple[InstrumentOffer, ...]
    inventory: Inventory
    billing: Billing | None
    past: Portfolio
    outlook: Outlook | None
    remarks: tuple[Remark, ...]
    catalog_digest: str

    @property
    def is_assumed(self) -> bool:
        """Return whether any figure rests on an average or a price that is no quote."""
        chosen = [each.candidate.offer.assumed for each in self.past.chosen]
        targets = self.outlook.targets if self.outlook else ()
        return (
            any(chosen)
            or any(each.candidate.offer.assumed for each in targets)
            or any(each.assumed for each in self.held)
            or any(row.assumed for row in self.usage.rows)
        )


def build_commitment_review(
    inputs: ReviewInputs,
    catalog: Catalog,
    settings: ReviewSettings,
    report: Report = lambda _: None,
) -> CommitmentReview:
    """Return the review of what stacks declare and what was used.

    Args:
        inputs: What was declared, used and billed.
        catalog: Prices, instruments and discounts.
        settings: What the user chooses.
        report: Told what is done next.

    Raises:
        InvalidInput: When the usage has no row of a pool that can be placed.
    """
    report("declared against used")
    measured = build_measured(inputs.where, inputs.used, inputs.manifests, catalog)
    usage = measured.usage
    held, held_remarks = read_held(inputs.manifests, usage, catalog)
    applied = apply_purchases(usage, [each.purchase for each in held])
    inventory = build_inventory(measured, held, applied, settings.today)
    billing = None
    if inputs.charges is not None:
        apart = not inputs.used.from_charges
        billing = build_billing(inputs.charges, usage, held, inputs.bound, apart)
        inventory = inventory.with_findings(billing.findings)
    averages = [offer for cloud in Cloud for offer in catalog.instrument_offers(cloud)]
    offers = prefer_quotes(averages, settings.quotes)
    report("the past")
    past = find_portfolio(usage, offers, limits=settings.limits)
    forecast = build_forecast(usage, settings.months)
    outlook = None
    if forecast is not None:
        teams = _teams(inputs.manifests)
        outlook = build_outlook(usage, held, offers, forecast, settings, teams, report)
    return CommitmentReview(
        stacks=tuple(sorted(f"{each.project}/{each.stack}" for each in inputs.manifests)),
        settings=settings,
        usage=usage,
        held=held,
        offers=offers,
        inventory=inventory,
        billing=billing,
        past=past,
        outlook=outlook,
        remarks=(
            *inputs.remarks,
            *measured.remarks,
            *held_remarks,
            *_remark_span(inputs.where, usage, outlook),
            *_remark_prices(usage, offers, settings.today),
        ),
        catalog_digest=catalog.digest,
    )


def _teams(manifests: Sequence[Manifest]) -> dict[str, str]:
    return {
        pool.id: pool.labels["team"]
        for manifest in manifests
        for pool in manifest.pools
        if pool.labels.get("team")
    }


def _remark_span(where: str, usage: Usage, outlook: Outlook | None) -> list[Remark]:
    if outlook is None:
        message = f"measures {usage.known_hours} hours, which is less than one whole week"
        consequence = "nothing is forecast or recommended; inventory and the past hold"
        return [Remark(where, message, consequence)]
    if not outlook.forecast.has_trend:
        message = f"measures {outlook.forecast.weeks} whole weeks, too few for a trend"
        return [Remark(where, message, "the level is kept; state growth as a scenario")]
    return []


def _remark_prices(usage: Usage, offers: Sequence[InstrumentOffer], today: date) -> list[Remark]:
    remarks = []
    clouds = {row.cloud for row in usage.rows}
    dated: dict[str, set[date | None]] = {
        "on-demand prices": {row.price_as_of for row in usage.rows},
        "discounts": {each.as_of for each in offers if each.instrument.cloud in clouds},
    }
    for what, days in dated.items():
        stale = sorted(day for day in days if day and (today - day).days > STALE_DAYS)
        if stale:
            message = f"holds {what} as old as {stale[0]}"
            consequence = (
                "figures are those of these days; `tidegate catalog refresh` and quotes help"
            )
            remarks.append(Remark("the catalog", message, consequence))
    assumed = sorted(
        {each.instrument.cloud.value for each in offers if each.assumed}
        & {cloud.value for cloud in clouds}
    )
    if assumed:
        message = f"knows discounts of {', '.join(assumed)} as averages or at second hand only"
        consequence = "every figure with them is assumed; ask for quotes before buying"
        remarks.append(Remark("the catalog", message, consequence))
    return remarks
