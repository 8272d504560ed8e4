"""A telemetry stream as a validated, frozen specification, and its entry in the manifest."""

from __future__ import annotations

from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

from tidegate.catalog.catalog import Catalog
from tidegate.manifest.build import dump_manifest
from tidegate.manifest.kept import Exclusion, TelemetryEstimate, TelemetryStream
from tidegate.manifest.model import Fragment
from tidegate.pricing.telemetry import estimate_telemetry
from tidegate.vocabulary.capacity import Cloud, TelemetryClass
from tidegate.vocabulary.labels import CostLabels
from tidegate_components.telemetry.metric_budget import MetricBudget
from tidegate_components.telemetry.thinning import ExclusionSpec, SamplingSpec


@dataclass(frozen=True, slots=True)
class StreamSpec:
    """Everything plain about a stream.

    Attributes:
        retention_days: How long data is kept in all.
        interactive_days: How long it can be queried at once; less than retention on Azure only.
        log_class: The cloud's own class; empty where it has none.
        locked: Whether retention can never be shortened again (Google Cloud).
        table_name: The custom table (Azure).
        exclusions: Entries that are not taken.
        sampling: How much of the rest is kept; None for everything.
        metrics: The budget of time series; None where none is stated.
        ingestion_rule: Whether a data collection rule is declared (Azure).
        gcp_filter: Which entries the stream's sink takes; empty for no sink (Google Cloud).
        exclude_from_default: Whether they are kept out of the bucket _Default (Google Cloud).
        counter_labels: Labels of a metric that counts entries → extractor (Google Cloud).
        estimate: Volume and cost a month, as far as they are known.
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
    exclusions: tuple[ExclusionSpec, ...] = ()
    sampling: SamplingSpec | None = None
    metrics: MetricBudget | None = None
    ingestion_rule: bool = False
    gcp_filter: str = ""
    exclude_from_default: bool = True
    counter_labels: tuple[tuple[str, str], ...] = ()
    estimate: TelemetryEstimate | None = None

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

    @property
    def caps(self) -> bool:
        """Whether the cloud itself takes no more than the daily quota."""
        return self.cloud is Cloud.AZURE

    def to_fragment(self) -> dict[str, Any]:
        """Return what the stream adds to the manifest, as plain JSON."""
        return dump_manifest(Fragment(telemetry=[self.to_stream()]))

    def with_estimate(self, catalog: Catalog) -> StreamSpec:
        """Return the stream with its volume and its monthly cost, at the catalog's prices."""
        series = self.metrics.expected_series if self.metrics else None
        return replace(self, estimate=estimate_telemetry(self.to_stream(), catalog, series))

    def to_stream(self) -> TelemetryStream:
        """Return the stream's entry in the manifest."""
        return TelemetryStream(
            id=self.id,
            cloud=self.cloud,
            account=self.account,
            region=self.region,
            telemetry_class=self.telemetry_class,
            retention_days=self.retention_days,
            log_class=self.log_class,
            expected_gib_per_month=self.expected_gib_per_month,
            daily_quota_gib=self.daily_quota_gib,
            quota_action="cap" if self.caps else "alarm",
            sampling_percent=self.sampling.percent if self.sampling else None,
            exclusions=[
                Exclusion(name=each.name, expected_share=each.expected_share)
                for each in self.exclusions
            ],
            max_active_series=self.metrics.max_active_series if self.metrics else None,
            estimate=self.estimate,
            labels=self.cost_labels,
        )
