"""Hourly use for tests: one row a pool, in whole nodes."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime
from decimal import Decimal

import numpy as np

from tidegate.catalog.instruments import Instrument, InstrumentOffer, RateBasis, Scope, Unit
from tidegate.pricing.usage import MICRO, Usage, UsageRow, build_usage
from tidegate.vocabulary.capacity import Cloud

START = datetime(2026, 1, 5, tzinfo=UTC)


def build_row(
    pool: str,
    nodes: Sequence[float],
    price: str | None = "10",
    instance_type: str = "p5.48xlarge",
    region: str = "us-east-1",
    cloud: Cloud = Cloud.AWS,
    currency: str = "USD",
) -> UsageRow:
    return UsageRow(
        pool=pool,
        cloud=cloud,
        region=region,
        instance_type=instance_type,
        family=instance_type.partition(".")[0],
        accelerated=True,
        micro_nodes=np.rint(np.array(nodes, dtype=float) * MICRO).astype(np.int64),
        price=None if price is None else Decimal(price),
        currency=currency,
    )


def build_hours(*rows: UsageRow, missing: Sequence[int] = ()) -> Usage:
    known = np.ones(len(rows[0].micro_nodes), dtype=bool)
    known[list(missing)] = False
    return build_usage(START, known, rows)


def build_instrument(
    name: str,
    scope: Scope,
    unit: Unit = Unit.AMOUNT,
    order: int = 3,
    cloud: Cloud = Cloud.AWS,
    pays_on_demand: bool = False,
) -> Instrument:
    return Instrument(
        name=name,
        cloud=cloud,
        title=name,
        kind="savings-plan",
        scope=scope,
        unit=unit,
        order=order,
        terms=(12, 36),
        upfront_shares=(Decimal(0),),
        rates=RateBasis.AVERAGE,
        published=(),
        published_origin="",
        published_as_of=None,
        published_assumed=False,
        accelerators=True,
        pays_on_demand=pays_on_demand,
        flexibility="",
        exchange="",
        cancellation="cannot be cancelled",
        source="a test",
        as_of=date(2026, 1, 1),
    )


CLOUD_PLAN = build_instrument("cloud-plan", Scope.CLOUD, order=4)
FAMILY_PLAN = build_instrument("family-plan", Scope.FAMILY, order=3)
MACHINES = build_instrument("machines", Scope.INSTANCE_TYPE, Unit.MACHINES, order=2)
RESERVATION = build_instrument(
    "held", Scope.INSTANCE_TYPE, Unit.MACHINES, order=1, pays_on_demand=True
)


def build_offer(
    instrument: Instrument, discount: str, months: int = 12, upfront: str = "0"
) -> InstrumentOffer:
    return InstrumentOffer(
        instrument, months, Decimal(upfront), Decimal(discount), date(2026, 1, 1), "a test", False
    )
