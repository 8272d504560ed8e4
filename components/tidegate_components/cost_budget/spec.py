"""A budget as a validated, frozen specification, and its entry in the manifest."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from enum import StrEnum
from typing import Any

from tidegate.manifest.build import dump_manifest
from tidegate.manifest.kept import Budget
from tidegate.manifest.model import Fragment
from tidegate.vocabulary.capacity import Cloud
from tidegate.vocabulary.labels import CostLabels


class Period(StrEnum):
    """Over what a budget's amount is spent."""

    MONTHLY = "monthly"
    QUARTERLY = "quarterly"
    ANNUALLY = "annually"


class Frequency(StrEnum):
    """How often AWS sends anomalies by e-mail."""

    DAILY = "DAILY"
    WEEKLY = "WEEKLY"


@dataclass(frozen=True, slots=True)
class Anomaly:
    """Unexpected spend that is told.

    Attributes:
        minimum_impact: The spend from which on it is told; None where the cloud has no threshold.
        frequency: How often e-mail is sent (AWS).
        until: When the alert ends (Azure).
    """

    minimum_impact: Decimal | None
    frequency: Frequency
    until: date | None


@dataclass(frozen=True, slots=True)
class BudgetSpec:
    """Everything plain about a budget.

    Attributes:
        label: The cost label and value that a charge carries to count; None for every charge.
        thresholds: Percentages of the amount, actually spent.
        forecast_thresholds: Percentages of the amount, forecast for the period's end.
        activate_tag: Whether the label becomes a cost allocation tag (AWS).
        create_topic: Whether a topic is made for the budget (AWS).
        tell_administrators: Whether those of the billing account are told (Google Cloud).
    """

    id: str
    cloud: Cloud
    account: str
    amount: Decimal
    currency: str
    period: Period
    start: date | None
    end: date | None
    label: tuple[str, str] | None
    thresholds: tuple[int, ...]
    forecast_thresholds: tuple[int, ...]
    emails: tuple[str, ...]
    anomaly: Anomaly | None
    labels: CostLabels
    activate_tag: bool = False
    create_topic: bool = False
    tell_administrators: bool = True

    @property
    def where(self) -> str:
        """How messages call this budget."""
        return f"budget {self.id}"

    @property
    def cost_labels(self) -> dict[str, str]:
        """The labels stamped on every cloud resource of the budget that takes any."""
        return self.labels.to_mapping()

    def to_fragment(self) -> dict[str, Any]:
        """Return what the budget adds to the manifest, as plain JSON; addresses stay out."""
        budget = Budget(
            id=self.id,
            cloud=self.cloud,
            account=self.account,
            amount=self.amount,
            currency=self.currency,
            thresholds_percent=list(self.thresholds),
            forecast_thresholds_percent=list(self.forecast_thresholds),
            filters=dict([self.label]) if self.label else {},
            period=self.period.value,
            start=self.start,
            end=self.end,
            anomaly_threshold=self.anomaly.minimum_impact if self.anomaly else None,
            labels=self.cost_labels,
        )
        return dump_manifest(Fragment(budgets=[budget]))
