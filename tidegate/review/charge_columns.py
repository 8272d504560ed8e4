"""The cells of a FOCUS 1.x charge that a review reads, and how to read each."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from decimal import Decimal, InvalidOperation
from functools import lru_cache

from tidegate.vocabulary.capacity import Cloud

REQUIRED = (
    "ChargePeriodStart",
    "ChargePeriodEnd",
    "ChargeCategory",
    "BilledCost",
    "EffectiveCost",
    "BillingCurrency",
    "ConsumedQuantity",
    "ConsumedUnit",
    "Tags",
)
OPTIONAL = (
    "ProviderName",
    "ServiceProviderName",
    "HostProviderName",
    "RegionId",
    "ResourceId",
    "SkuPriceDetails",
    "CommitmentDiscountId",
    "CommitmentDiscountName",
    "CommitmentDiscountType",
    "CommitmentDiscountStatus",
    "CapacityReservationId",
    "CapacityReservationStatus",
)
POOL_LABEL = "capacity-pool"

_CLOUDS = {
    "amazon": Cloud.AWS,
    "aws": Cloud.AWS,
    "google": Cloud.GCP,
    "gcp": Cloud.GCP,
    "microsoft": Cloud.AZURE,
    "azure": Cloud.AZURE,
}
_UNIT = re.compile(r"(\d+)?\s*(hours?|hrs?|h|minutes?|seconds?|s)", re.IGNORECASE)
_SECONDS = {"h": 3600, "m": 60, "s": 1}
_PREFIXES = ("user:", "user_")


def read_text(cell: str) -> str:
    """Return the text of a cell; exports write nothing as NULL, null or an empty cell."""
    text = cell.strip()
    return "" if text.lower() == "null" else text


def read_amount(cell: str) -> Decimal | None:
    """Return a cost or quantity; None where the cell holds no finite number."""
    try:
        amount = Decimal(read_text(cell))
    except InvalidOperation:
        return None
    return amount if amount.is_finite() else None


@lru_cache(maxsize=65_536)
def read_moment(cell: str) -> datetime | None:
    """Return a time; FOCUS writes times in UTC, so one without a zone is UTC."""
    try:
        moment = datetime.fromisoformat(read_text(cell))
    except ValueError:
        return None
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


@lru_cache(maxsize=4096)
def read_seconds_per_unit(cell: str) -> int | None:
    """Return the seconds of a unit of time ("Hours", "100 Hours"); None of any other unit."""
    found = _UNIT.fullmatch(read_text(cell))
    if found is None:
        return None
    return int(found[1] or 1) * _SECONDS[found[2][0].lower()]


@lru_cache(maxsize=65_536)
def read_pool(cell: str) -> str | None:
    """Return the pool that the tags name; empty where they name none, None where unreadable.

    Clouds and exports spell keys in their own ways, and Azure leaves the braces out.
    """
    text = read_text(cell)
    if not text:
        return ""
    try:
        tags = json.loads(text if text.startswith("{") else "{" + text + "}")
    except ValueError:
        return None
    if not isinstance(tags, dict):
        return None
    found = {str(value) for key, value in tags.items() if _plain(str(key)) == POOL_LABEL}
    return found.pop() if len(found) == 1 else ("" if not found else None)


@lru_cache(maxsize=65_536)
def read_instance_type(cell: str) -> str:
    """Return the machine that the details of a price name; empty where they name none."""
    try:
        details = json.loads(read_text(cell) or "{}")
    except ValueError:
        return ""
    found = details.get("InstanceType") if isinstance(details, dict) else None
    return found if isinstance(found, str) else ""


@lru_cache(maxsize=256)
def read_cloud(cell: str) -> Cloud | None:
    """Return the cloud that a provider's name names; None of any other provider."""
    name = cell.lower()
    return next((cloud for part, cloud in _CLOUDS.items() if part in name), None)


def _plain(key: str) -> str:
    name = key.strip().lower()
    for prefix in _PREFIXES:
        name = name.removeprefix(prefix)
    return name.replace("_", "-").replace(" ", "-")
