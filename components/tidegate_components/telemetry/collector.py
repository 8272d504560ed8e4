"""The OpenTelemetry Collector's part of a stream: settings that a user adds to a collector.

CloudWatch takes all that it is sent, and a data collection rule cannot sample: there the collector
alone does it. Where the cloud does it too, exclusions here spare the transfer.
"""

from __future__ import annotations

from typing import Any

from tidegate.vocabulary.capacity import Cloud
from tidegate_components.telemetry.spec import StreamSpec
from tidegate_components.telemetry.thinning import ExclusionSpec, SamplingSpec

UID = "log.record.uid"
PRIORITY = "sampling.priority"
"""The attribute by which the sampler keeps an entry whatever its luck."""


def render_collector(spec: StreamSpec) -> dict[str, Any]:
    """Return who excludes and samples, and the collector's and scrapers' settings.

    Keys: `excludedBy` and `sampledBy` (each a list of who does it, empty where nothing is asked),
    `config` (processors and the logs pipeline that runs them), `scrape` (Prometheus settings).
    """
    processors: dict[str, Any] = {}
    if spec.exclusions:
        conditions = [_condition(each) for each in spec.exclusions]
        processors[f"filter/{spec.id}"] = {
            "error_mode": "ignore",
            "logs": {"log_record": conditions},
        }
    if spec.sampling is not None and "collector" in sampled_by(spec):
        processors |= _sampler(spec.id, spec.sampling)
    pipeline = {f"logs/{spec.id}": {"processors": list(processors)}}
    return {
        "excludedBy": excluded_by(spec),
        "sampledBy": sampled_by(spec),
        "config": {"processors": processors, "service": {"pipelines": pipeline}},
        "scrape": spec.metrics.render_scrape() if spec.metrics else {},
    }


def excluded_by(spec: StreamSpec) -> list[str]:
    """Return who drops excluded entries."""
    if not spec.exclusions:
        return []
    if spec.cloud is Cloud.AZURE:
        return ["collector", "data-collection-rule"]
    return ["collector", "sink"] if spec.gcp_filter else ["collector"]


def sampled_by(spec: StreamSpec) -> list[str]:
    """Return who samples; never two, because they would sample the sample."""
    if spec.sampling is None:
        return []
    return ["sink"] if spec.gcp_filter else ["collector"]


def _condition(exclusion: ExclusionSpec) -> str:
    """Return the exclusion in the collector's transformation language."""
    parts = []
    if exclusion.severity_below is not None:
        below = f"SEVERITY_NUMBER_{exclusion.severity_below.value}"
        parts += ["severity_number > SEVERITY_NUMBER_UNSPECIFIED", f"severity_number < {below}"]
    parts += [f'attributes["{key}"] == "{value}"' for key, value in exclusion.attributes]
    return " and ".join(parts)


def _sampler(identifier: str, sampling: SamplingSpec) -> dict[str, Any]:
    severe = f"severity_number >= SEVERITY_NUMBER_{sampling.keep_severity.value}"
    return {
        f"transform/{identifier}": {
            "error_mode": "ignore",
            "log_statements": [
                {
                    "context": "log",
                    "statements": [
                        f'set(attributes["{PRIORITY}"], 100) where {severe}',
                        # Without an attribute to hash, the sampler drops the entry.
                        f'set(attributes["{UID}"], UUID()) where attributes["{UID}"] == nil',
                    ],
                }
            ],
        },
        f"probabilistic_sampler/{identifier}": {
            "sampling_percentage": float(sampling.percent),
            "sampling_priority": PRIORITY,
            # Not every entry belongs to a trace.
            "attribute_source": "record",
            "from_attribute": UID,
        },
    }
