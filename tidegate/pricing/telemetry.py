"""What logs cost a month once the retention is full: taking them in, and keeping them."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

from tidegate.catalog.catalog import Catalog
from tidegate.catalog.model import TelemetryPrice, UnknownPrice
from tidegate.manifest.kept import TelemetryEstimate, TelemetryStream
from tidegate.pricing.figures import NOTHING, same_everywhere
from tidegate.pricing.lines import CostLine, LineKind, UsedPrice
from tidegate.pricing.nodes import DEFAULT_CURRENCY
from tidegate.vocabulary.money import HOURS_PER_MONTH

DAYS_PER_MONTH = HOURS_PER_MONTH / 24
WHOLE = Decimal(100)


def monthly_telemetry_cost(
    gib_per_month: Decimal, retention_days: int, price: TelemetryPrice
) -> Decimal:
    """Return intake plus keeping, in the steady state."""
    intake = gib_per_month * price.ingest_per_gib.amount
    return intake + monthly_keeping_cost(gib_per_month, retention_days, price)


def monthly_keeping_cost(
    gib_per_month: Decimal, retention_days: int, price: TelemetryPrice
) -> Decimal:
    """Return what keeping costs, in the steady state.

    What is kept beyond the included days is the monthly volume times the months it stays.
    """
    paid_days = max(0, retention_days - price.included_days)
    return gib_per_month * paid_days / DAYS_PER_MONTH * price.keep_per_gib_month.amount


def expected_volume(stream: TelemetryStream) -> Decimal | None:
    """Return the GiB that a stream takes in a month, after exclusions and sampling.

    A daily quota cuts off what lies above it where the cloud takes no more. An exclusion whose
    share nobody stated takes nothing off, so the volume is rather too high than too low.
    """
    volume, quota = stream.expected_gib_per_month, stream.daily_quota_gib
    if volume is None:
        return None
    excluded = sum((each.expected_share or NOTHING for each in stream.exclusions), NOTHING)
    volume *= max(NOTHING, 1 - excluded)
    volume *= (stream.sampling_percent or WHOLE) / WHOLE
    if quota is None or stream.quota_action != "cap":
        return volume
    return min(volume, quota * DAYS_PER_MONTH)


def estimate_telemetry(
    stream: TelemetryStream, catalog: Catalog, expected_series: int | None = None
) -> TelemetryEstimate:
    """Return volume, series and cost of a month at list price; what is unknown stays unknown.

    `expected_series` is how many time series the stream's metrics are expected to have.
    """
    volume = expected_volume(stream)
    price = catalog.telemetry_price(stream.cloud, stream.region, stream.log_class)
    notes, unknown = [*_notes(stream)], []
    if volume is None:
        unknown.append("no expected volume is declared")
    if stream.max_active_series is not None:
        unknown.append("no price of a time series is known")
    known = TelemetryEstimate(
        gib_per_month=volume, active_series=expected_series, unknown=unknown, notes=notes
    )
    if isinstance(price, UnknownPrice):
        return known.model_copy(update={"unknown": [*unknown, price.reason]})
    stated = {
        "currency": price.ingest_per_gib.currency,
        "as_of": price.as_of,
        "origin": price.origin,
        "assumed": price.assumed,
    }
    if volume is not None:
        stated["ingestion"] = volume * price.ingest_per_gib.amount
        stated["retention"] = monthly_keeping_cost(volume, stream.retention_days, price)
    return known.model_copy(update=stated)


def price_telemetry(stream: TelemetryStream, catalog: Catalog) -> CostLine:
    """Return what a stream's expected volume costs; free allotments and queries are not in it."""
    price = catalog.telemetry_price(stream.cloud, stream.region, stream.log_class)
    unknown: tuple[str, ...] = ()
    used: tuple[UsedPrice, ...] = ()
    amount: Decimal | None = NOTHING
    currency = DEFAULT_CURRENCY
    volume = expected_volume(stream)
    if volume is None:
        amount, unknown = None, (f"stream {stream.id} declares no expected volume",)
    elif isinstance(price, UnknownPrice):
        amount, unknown = (None, (price.reason,)) if volume else (NOTHING, ())
    else:
        amount = monthly_telemetry_cost(volume, stream.retention_days, price)
        currency = price.ingest_per_gib.currency
        what = f"{price.log_class or stream.cloud.value} logs"
        used = (UsedPrice(what, price.origin, price.as_of, price.assumed),)
    return CostLine(
        kind=LineKind.TELEMETRY,
        id=stream.id,
        cloud=stream.cloud,
        region=stream.region,
        capacity_type=None,
        currency=currency,
        monthly=same_everywhere(amount),
        prices=used,
        unknown=unknown,
        notes=tuple(_notes(stream)),
    )


def _notes(stream: TelemetryStream) -> Iterator[str]:
    yield "free allotments and queries are not in it"
    for each in stream.exclusions:
        if each.expected_share is None:
            yield f"what exclusion {each.name} removes is not stated, and nothing is taken off"
    if stream.sampling_percent is not None:
        yield "severe entries are kept whole and come on top of the sample"
    if stream.daily_quota_gib is not None and stream.quota_action == "alarm":
        yield "the cloud has no cap: the daily quota only raises an alarm"
    if stream.max_active_series is not None:
        yield "time series of metrics are not in it"
