"""Streams as the tests of `Telemetry` declare them, and what thins them."""

from __future__ import annotations

from typing import Any

OWN = {
    "aws": {},
    "gcp": {"gcp": {"project": "acme-ml"}},
    "azure": {"azure": {"resource_group_name": "ml"}},
}
REGION = {"aws": "us-east-1", "gcp": "us-central1", "azure": "eastus"}
CLOUDS = list(OWN)
FILTER = 'resource.type="k8s_container" AND resource.labels.namespace_name="training"'
SINK = {"gcp": {"project": "acme-ml", "filter": FILTER}}
CHATTER = {"name": "chatter", "severity_below": "INFO", "expected_share": 0.5}
HEALTH = {"name": "health", "attributes": {"http.target": "/healthz"}, "expected_share": 0.1}
SCRAPE = {
    "max_active_series": 1000,
    "targets": 4,
    "metric_names": 5,
    "label_values": {"model": 20, "zone": 3},
    "labels_dropped": ["run_id", "pod"],
    "max_labels": 12,
}


def build_stream(cloud: str, labels: dict[str, str], **changes: Any) -> dict[str, Any]:
    """Return the arguments of a stream of run logs on a cloud."""
    shared = {
        "cloud": cloud,
        "region": REGION[cloud],
        "telemetry_class": "run-logs",
        "retention_days": 90,
        "labels": labels,
    }
    return {**shared, **OWN[cloud], **changes}
