"""A telemetry stream as a validated, frozen specification, and its entry in the manifest."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from tidegate.manifest.build import dump_manifest
from tidegate.manifest.kept import TelemetryStream
from tidegate.manifest.model import Fragment
from tidegate.vocabulary.capacity import Cloud, TelemetryClass
from tidegate.vocabulary.labels import CostLabels


@dataclass(frozen=True, slots=True)
class StreamSpec:
    """Everything plain about a stream.

    Attributes:
        retention_days: How long data is kept in all.
        interactive_days: How long it can be queried at once; less than retention on Azure only.
        log_class: The cloud's own class; empty where it has none.
        locked: Whether retention can never be shortened again (Google Cloud).
        table_name: The custom table (Azure).
    """

    id: str
    cloud: Cloud
    region: str
    account: str
    telemetry_class: TelemetryClass
    retention_days: int
    interactive_days: int
    log_class: str
    daily_quota_gib: Decimal | None
    expected_gib_per_month: Decimal | None
    keep_on_delete: bool
    labels: CostLabels
    locked: bool
    analytics: bool
    table_name: str

    @property
    def where(self) -> str:
        """How messages call this stream."""
        return f"telemetry {self.id}"

    @property
    def cost_labels(self) -> dict[str, str]:
        """The labels stamped on every cloud resource of the stream that takes any.

        The class is among them: rules on retention judge a stream by what it holds.
        """
        return self.labels.to_mapping(telemetry_class=self.telemetry_class.value)

    @property
    def description(self) -> str:
        """The labels in words, for resources that take a description and no labels."""
        return " ".join(f"{key}={value}" for key, value in sorted(self.cost_labels.items()))

    def to_fragment(self) -> dict[str, Any]:
        """Return what the stream adds to the manifest, as plain JSON."""
        stream = TelemetryStream(
            id=self.id,
            cloud=self.cloud,
            account=self.account,
            region=self.region,
            telemetry_class=self.telemetry_class,
            retention_days=self.retention_days,
            log_class=self.log_class,
            expected_gib_per_month=self.expected_gib_per_month,
            daily_quota_gib=self.daily_quota_gib,
            labels=self.cost_labels,
        )
        return dump_manifest(Fragment(telemetry=[stream]))
