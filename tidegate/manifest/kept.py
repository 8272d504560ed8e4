"""What a stack keeps and watches, as the manifest says it: buckets, telemetry, budgets."""

# ruff: noqa: RUF012 - pydantic copies the default of a field for each document

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Annotated, Literal

from pydantic import Field

from tidegate.manifest.document import Amount, Currency, Document, Identifier
from tidegate.vocabulary.capacity import Cloud, StorageClass, TelemetryClass


class Tier(Document):
    """A move to a cheaper storage class after an age."""

    after_days: int = Field(ge=0)
    storage_class: str


class DroppedTier(Tier):
    """A default move that was left out, because it costs more than it saves."""

    reason: str


class Bucket(Document):
    """A bucket (or blob container's account) with its tiers and expiry."""

    id: Identifier
    cloud: Cloud
    account: str = ""
    region: str
    storage_class: StorageClass
    tiers: list[Tier] = []
    expire_after_days: int | None = Field(default=None, gt=0)
    abort_incomplete_uploads_days: int | None = Field(default=None, gt=0)
    noncurrent_expire_after_days: int | None = Field(default=None, gt=0)
    expected_gib: Annotated[Decimal, Field(ge=0)] | None = None
    bucket: str = ""
    """The cloud's own name of the bucket or account, where it is known beforehand. One entry of a
    manifest names it: its owner of the lifecycle."""
    tiering: Literal["age", "access"] = "age"
    """Whether objects move by age, or where nobody reads them, as the cloud sees fit."""
    mean_object_bytes: int | None = Field(default=None, gt=0)
    smallest_moved_bytes: int = Field(default=0, ge=0)
    """Smaller objects stay where they are."""
    monthly_retrieval_share: Annotated[Decimal, Field(ge=0)] | None = None
    """How much of what is stored is read in a month; 2 is each byte twice."""
    expected_lifetime_days: int | None = Field(default=None, gt=0)
    """How old objects become on average, where that is less than the expiry."""
    dropped_tiers: list[DroppedTier] = []
    noncurrent_tiers: list[Tier] = []
    """Moves of old versions, by the days since they became old."""
    soft_delete_days: int | None = Field(default=None, ge=0)
    """Days for which deleted objects are kept, and paid for."""
    labels: dict[str, str]


class Exclusion(Document):
    """Entries that a stream does not take."""

    name: Identifier
    expected_share: Annotated[Decimal, Field(ge=0, le=1)] | None = None
    """The share of the volume that it is expected to remove."""


class TelemetryEstimate(Document):
    """What a stream is expected to take in and to cost in a month, at list price."""

    gib_per_month: Annotated[Decimal, Field(ge=0)] | None = None
    active_series: int | None = Field(default=None, ge=0)
    ingestion: Amount | None = None
    retention: Amount | None = None
    currency: Currency = "USD"
    as_of: date | None = None
    origin: str = ""
    assumed: bool = False
    unknown: list[str] = []
    """Why figures are missing; never counted as 0."""
    notes: list[str] = []


class TelemetryStream(Document):
    """A log group, log bucket or workspace and how long it keeps what it takes."""

    id: Identifier
    cloud: Cloud
    account: str = ""
    region: str
    telemetry_class: TelemetryClass
    retention_days: int = Field(gt=0)
    log_class: str = ""
    expected_gib_per_month: Annotated[Decimal, Field(ge=0)] | None = None
    daily_quota_gib: Annotated[Decimal, Field(gt=0)] | None = None
    quota_action: Literal["cap", "alarm"] = "cap"
    """Whether the cloud takes no more than the quota, or only says that it was passed."""
    sampling_percent: Annotated[Decimal, Field(gt=0, le=100)] | None = None
    exclusions: list[Exclusion] = []
    max_active_series: int | None = Field(default=None, gt=0)
    estimate: TelemetryEstimate | None = None
    labels: dict[str, str]


class Budget(Document):
    """A provider budget for one cost centre, in one currency."""

    id: Identifier
    cloud: Cloud
    account: str = ""
    amount: Amount
    currency: Currency
    thresholds_percent: list[int] = []
    """Shares of the amount, actually spent, at which somebody is told."""
    forecast_thresholds_percent: list[int] = []
    """Shares of the amount, forecast for the period's end, at which somebody is told."""
    filters: dict[str, str] = {}
    """The cost label that a charge carries to count; all charges of the account when empty."""
    period: Literal["monthly", "quarterly", "annually"] = "monthly"
    start: date | None = None
    end: date | None = None
    anomaly_threshold: Amount | None = None
    """The unexpected spend that is told as an anomaly, where a threshold applies."""
    labels: dict[str, str]
