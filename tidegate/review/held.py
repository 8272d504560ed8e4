"""What stacks declare that they hold: the manifest's commitments as purchases."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

from tidegate.catalog.catalog import Catalog
from tidegate.catalog.instruments import Instrument, Scope, Unit
from tidegate.manifest.model import Commitment, Manifest
from tidegate.pricing.applied import Purchase
from tidegate.pricing.coverage import assume_discount
from tidegate.pricing.usage import Usage, UsageRow
from tidegate.review.remarks import Remark
from tidegate.review.used_hours import HOUR


@dataclass(frozen=True, slots=True)
class Held:
    """One declared commitment as a purchase.

    Attributes:
        commitment: What the manifest declares.
        purchase: The same as a purchase, over the hours of the usage.
        stack: The stack that declares it.
        assumed: Whether its discount is an average, so that what it covers is an assumption.
        rows: Ids of the rows of use that it can cover.
    """

    commitment: Commitment
    purchase: Purchase
    stack: str
    assumed: bool
    rows: tuple[str, ...]


def read_held(
    manifests: Iterable[Manifest], usage: Usage, catalog: Catalog
) -> tuple[tuple[Held, ...], tuple[Remark, ...]]:
    """Return the declared commitments as purchases, and why some cannot be taken."""
    found: list[Held] = []
    remarks: list[Remark] = []
    for manifest in manifests:
        for commitment in manifest.commitments:
            held = _read(commitment, manifest, usage, catalog)
            if isinstance(held, Remark):
                remarks.append(held)
            else:
                found.append(held)
    return tuple(sorted(found, key=lambda each: each.purchase.id)), tuple(remarks)


def hour_of(day: date, start: datetime) -> int:
    """Return the hour of the usage at which a day begins, counted from its start."""
    midnight = datetime(day.year, day.month, day.day, tzinfo=UTC)
    return int((midnight - start) / HOUR)


def _read(
    commitment: Commitment, manifest: Manifest, usage: Usage, catalog: Catalog
) -> Held | Remark:
    subject = f"commitment {commitment.id}"
    left_out = "it is left out of costs, coverage and utilization"
    if commitment.start and commitment.end and commitment.end < commitment.start:
        message = f"ends on {commitment.end}, before it starts on {commitment.start}"
        return Remark(subject, message, left_out)
    instrument = _instrument(commitment, catalog)
    if instrument is None:
        message = f"is of kind {commitment.kind}, which {commitment.cloud.value} does not sell"
        return Remark(subject, message, left_out)
    by_money = instrument.unit is Unit.AMOUNT
    quantity = commitment.hourly_amount if by_money else commitment.units
    if quantity is None:
        needed = "an hourly amount" if by_money else "units"
        return Remark(subject, f"does not state {needed}", left_out)
    discount = assume_discount(commitment, catalog) if by_money else Decimal(0)
    if discount is None:
        return Remark(subject, "has a discount that is not known", left_out)
    stated = commitment.price
    purchase = Purchase(
        id=commitment.id,
        instrument=instrument,
        quantity=Decimal(quantity),
        discount=discount,
        region="" if instrument.scope is Scope.CLOUD else commitment.region,
        target=_target(commitment, instrument),
        price=None if stated is None or by_money else stated.amount,
        first_hour=hour_of(commitment.start, usage.start) if commitment.start else 0,
        end_hour=_end_hour(commitment, usage.start),
        pools=_pools(commitment, manifest, instrument),
        currency=stated.currency if stated else "USD",
    )
    rows = tuple(row.id for row in usage.rows if purchase.covers(row))
    if not rows and purchase.price is None and not by_money:
        return Remark(subject, "states no price and matches no priced use", left_out)
    needs_price = not by_money and not instrument.pays_on_demand and purchase.price is None
    if needs_price:
        return Remark(subject, "states no price", left_out)
    stack = f"{manifest.project}/{manifest.stack}"
    return Held(commitment, purchase, stack, by_money or bool(stated and stated.assumed), rows)


def _instrument(commitment: Commitment, catalog: Catalog) -> Instrument | None:
    """Return the instrument of its kind; a plan that names families is one of a family."""
    found = [
        each
        for each in catalog.instruments
        if each.cloud is commitment.cloud and each.kind == commitment.kind
    ]
    if len(found) < 2:
        return found[0] if found else None
    scope = Scope.FAMILY if _named_family(commitment.covers) else Scope.CLOUD
    return next((each for each in found if each.scope is scope), None)


def _named_family(covers: Sequence[str]) -> str:
    """Return the one instance family that is covered ("p5"); empty for services of a cloud."""
    services = {"compute", "ec2", "fargate", "lambda"}
    named = [name for name in covers if name.lower() not in services]
    return named[0] if len(named) == 1 else ""


def _target(commitment: Commitment, instrument: Instrument) -> str:
    if instrument.scope is Scope.FAMILY:
        return _named_family(commitment.covers)
    if instrument.scope is Scope.INSTANCE_TYPE and len(commitment.covers) == 1:
        return commitment.covers[0]
    return ""


def _pools(commitment: Commitment, manifest: Manifest, instrument: Instrument) -> tuple[str, ...]:
    consumers = [pool.id for pool in manifest.pools if pool.reservation == commitment.id]
    return tuple(consumers) if instrument.scope is Scope.INSTANCE_TYPE else ()


def _end_hour(commitment: Commitment, start: datetime) -> int | None:
    if commitment.end is None:
        return None
    return hour_of(commitment.end + timedelta(days=1), start)


def describe_row(row: UsageRow) -> str:
    """Return a row as findings name it."""
    return f"pool {row.pool} ({row.cloud.value}/{row.region}, {row.instance_type})"
