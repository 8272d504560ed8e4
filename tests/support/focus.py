"""FOCUS 1.x charges for tests: one row an hour of a node."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta

from tidegate.review.charge_rows import ChargeReader
from tidegate.review.charges import Charges
from tidegate.review.remarks import Remark

COLUMNS = (
    "ServiceProviderName",
    "RegionId",
    "ChargePeriodStart",
    "ChargePeriodEnd",
    "ChargeCategory",
    "BilledCost",
    "EffectiveCost",
    "BillingCurrency",
    "ConsumedQuantity",
    "ConsumedUnit",
    "SkuPriceDetails",
    "ResourceId",
    "CommitmentDiscountId",
    "CommitmentDiscountName",
    "CommitmentDiscountType",
    "CommitmentDiscountStatus",
    "CapacityReservationId",
    "CapacityReservationStatus",
    "Tags",
)
START = datetime(2026, 10, 5, tzinfo=UTC)
FORM = "%Y-%m-%dT%H:%M:%SZ"


def build_charge(hour: int = 0, pool: str = "serve", **more: str) -> dict[str, str]:
    """Return a charge of one node of a pool for one hour of AWS's g6.12xlarge."""
    start = START + timedelta(hours=hour)
    return {
        **dict.fromkeys(COLUMNS, ""),
        "ServiceProviderName": "AWS",
        "RegionId": "us-east-1",
        "ChargePeriodStart": start.strftime(FORM),
        "ChargePeriodEnd": (start + timedelta(hours=1)).strftime(FORM),
        "ChargeCategory": "Usage",
        "BilledCost": "4.6016",
        "EffectiveCost": "4.6016",
        "BillingCurrency": "USD",
        "ConsumedQuantity": "1",
        "ConsumedUnit": "Hours",
        "SkuPriceDetails": json.dumps({"InstanceType": "g6.12xlarge"}),
        "ResourceId": f"i-{hour}",
        "Tags": json.dumps({"capacity-pool": pool}) if pool else "",
        **more,
    }


def render_charges(charges: Iterable[Mapping[str, str]]) -> str:
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, COLUMNS)
    writer.writeheader()
    writer.writerows(charges)
    return text.getvalue()


def read_charges(text: str, where: str = "f.csv") -> tuple[Charges, list[Remark]]:
    reader = ChargeReader()
    reader.read_csv(where, io.StringIO(text))
    return reader.finish()
