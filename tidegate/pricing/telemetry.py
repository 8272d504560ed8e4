"""What logs cost a month once the retention is full: taking them in, and keeping them."""

from __future__ import annotations

from decimal import Decimal

from tidegate.catalog.catalog import Catalog
from tidegate.catalog.model import TelemetryPrice, UnknownPrice
from tidegate.manifest.kept import TelemetryStream
from tidegate.pricing.figures import NOTHING, same_everywhere
from tidegate.pricing.lines import CostLine, LineKind, UsedPrice
from tidegate.pricing.nodes import DEFAULT_CURRENCY
from tidegate.vocabulary.money import HOURS_PER_MONTH

DAYS_PER_MONTH = HOURS_PER_MONTH / 24


def monthly_telemetry_cost(
    gib_per_month: Decimal, retention_days: int, price: TelemetryPrice
) -> Decimal:
    """Return intake plus keeping, in the steady state.

    What is kept beyond the included days is the monthly volume times the months it stays.
    """
    paid_days = max(0, retention_days - price.included_days)
    kept_gib = gib_per_month * paid_days / DAYS_PER_MONTH
    intake = gib_per_month * price.ingest_per_gib.amount
    return intake + kept_gib * price.keep_per_gib_month.amount


def expected_volume(stream: TelemetryStream) -> Decimal | None:
    """Return the GiB that a stream takes in a month; a daily quota cuts off what lies above it."""
    volume, quota = stream.expected_gib_per_month, stream.daily_quota_gib
    if volume is None or quota is None:
        return volume
    return min(volume, quota * DAYS_PER_MONTH)


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
        notes=("free allotments and queries are not in it",),
    )
