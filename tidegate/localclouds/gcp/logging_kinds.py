"""Log sinks, log-based metrics and exclusions of Cloud Logging.

Sources: the property descriptions of pulumi-gcp 10.2.0 and the discovery document logging.v2
(2026-11-30); how many labels a metric has: general vendor documentation, not verified.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tidegate.localclouds.bodies import Body, fill_defaults, look
from tidegate.localclouds.contracts import UNKNOWN, CheckFailure
from tidegate.localclouds.gcp import names
from tidegate.localclouds.gcp.collection_shelf import touch
from tidegate.localclouds.gcp.kind import Kind, Reference, Rest
from tidegate.localclouds.gcp.kind_rules import (
    filter_rule,
    items_rule,
    length_rule,
    name_rule,
)
from tidegate.localclouds.gcp.log_entries import SINK
from tidegate.localclouds.gcp.references import find_account, find_sink_destination
from tidegate.localclouds.rest_shape import Shape

EXCLUSION = "logging.googleapis.com/LogExclusion"
METRIC = "logging.googleapis.com/LogMetric"
TIMES = frozenset({"createTime", "updateTime"})
MAX_LABELS = 10
MAX_EXCLUSIONS = 50
PLAIN = (
    "at most 100 letters, digits, dashes, underscores and periods, starting with a letter or digit"
)
SHARED_WRITER = "serviceAccount:cloud-logs@system.gserviceaccount.com"
VERBS = ("GET", "PUT", "PATCH", "DELETE")


def _fill_sink(name: str, body: Body) -> None:
    touch(name, body)
    project = name.split("/")[1]
    body["resourceName"] = name
    number = names.project_number(project)
    unique = f"serviceAccount:service-{number}@gcp-sa-logging.iam.gserviceaccount.com"
    custom = body.get("customWriterIdentity")
    shared = body.get("uniqueWriterIdentity") is False
    body["writerIdentity"] = custom or (SHARED_WRITER if shared else unique)


def _fill_metric(name: str, body: Body) -> None:
    touch(name, body)
    body["resourceName"] = name
    short = names.last_part(name)
    fill_defaults(
        body,
        {
            "metricDescriptor": {
                "metricKind": "DELTA",
                "name": f"projects/{name.split('/')[1]}/metricDescriptors/"
                f"logging.googleapis.com/user/{short}",
                "type": f"logging.googleapis.com/user/{short}",
                "unit": "1",
                "valueType": "INT64",
            }
        },
    )


def _check_distribution(body: Body) -> Iterator[CheckFailure]:
    kind = look(body, "metricDescriptor.valueType")
    if kind is UNKNOWN:
        return
    if kind == "DISTRIBUTION" and not body.get("valueExtractor"):
        yield CheckFailure("valueExtractor", "A distribution metric needs a value extractor.")
    if kind != "DISTRIBUTION" and body.get("bucketOptions"):
        yield CheckFailure("bucketOptions", "Only a distribution metric has bucket options.")


def _check_extractors(body: Body) -> Iterator[CheckFailure]:
    labels = look(body, "metricDescriptor.labels")
    extractors = body.get("labelExtractors")
    if UNKNOWN in (labels, extractors):
        return
    declared = {look(label, "key") for label in labels or []}
    given = set(extractors) if isinstance(extractors, Mapping) else set()
    if UNKNOWN in declared or declared == given:
        return
    odd = sorted(str(key) for key in declared ^ given)
    yield CheckFailure(
        "labelExtractors",
        f"Labels of the descriptor and their extractors do not match: {', '.join(odd)}.",
    )


SINK_KIND = Kind(
    pulumi="gcp:logging/projectSink:ProjectSink",
    name=SINK,
    path="projects/{project}/sinks/{name}",
    shape=Shape(rest_only=TIMES | {"resourceName"}),
    rest=Rest("v2", "sinks", id_at="name", verbs=VERBS),
    rules=(
        name_rule(r"[A-Za-z0-9][-A-Za-z0-9_.]{0,99}", PLAIN),
        filter_rule("filter", "exclusions[].filter"),
        items_rule("exclusions", MAX_EXCLUSIONS),
    ),
    references=(
        Reference("destination", find_sink_destination),
        Reference("customWriterIdentity", find_account),
    ),
    fill=_fill_sink,
    private=frozenset({"customWriterIdentity", "uniqueWriterIdentity"}),
    body_name="short",
)

METRIC_KIND = Kind(
    pulumi="gcp:logging/metric:Metric",
    name=METRIC,
    path="projects/{project}/metrics/{name}",
    shape=Shape(rest_only=TIMES | {"resourceName"}),
    rest=Rest("v2", "metrics", id_at="name", verbs=("GET", "PUT", "DELETE")),
    rules=(
        name_rule(
            r"[A-Za-z0-9_.,+!*',()%-][A-Za-z0-9_.,+!*',()%/-]{0,99}",
            "at most 100 letters, digits and _-.,+!*',()%/, not starting with a slash",
        ),
        filter_rule("filter"),
        length_rule("description", 8000),
        items_rule("metricDescriptor.labels", MAX_LABELS),
        _check_distribution,
        _check_extractors,
    ),
    fill=_fill_metric,
    body_name="short",
)

EXCLUSION_KIND = Kind(
    pulumi="gcp:logging/projectExclusion:ProjectExclusion",
    name=EXCLUSION,
    path="projects/{project}/exclusions/{name}",
    shape=Shape(rest_only=TIMES),
    rest=Rest("v2", "exclusions", id_at="name"),
    rules=(
        name_rule(r"[A-Za-z0-9][-A-Za-z0-9_.]{0,99}", PLAIN, sort="exclusion name"),
        filter_rule("filter"),
    ),
    fill=touch,
    body_name="short",
)

KINDS = (SINK_KIND, METRIC_KIND, EXCLUSION_KIND)
