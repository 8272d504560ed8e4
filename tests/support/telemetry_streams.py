"""Streams that are thinned, as the tests of `Telemetry` declare them."""

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
