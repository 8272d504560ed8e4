"""Exclusions, sampling, quotas, metric budgets and the estimate of a stream."""

from __future__ import annotations

import re
from decimal import Decimal

import pulumi
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.telemetry_streams import CHATTER, CLOUDS, FILTER, HEALTH, OWN, REGION, SCRAPE, SINK
from tidegate_components import Telemetry
from tidegate_components.arguments import Arguments
from tidegate_components.telemetry.args import TelemetryArgs
from tidegate_components.telemetry.parse import parse_stream
from tidegate_components.telemetry.thinning import (
    parse_exclusions,
    render_gcp_filter,
    render_kql,
)

from tidegate.vocabulary.problems import InvalidInput


@pytest.fixture
def args(labels):
    def build(cloud, **changes):
        shared = {
            "cloud": cloud,
            "region": REGION[cloud],
            "telemetry_class": "run-logs",
            "retention_days": 90,
            "labels": labels,
        }
        return {**shared, **OWN[cloud], **changes}

    return build


@pytest.fixture
def declare(record, args, catalog):
    return lambda cloud, opts=None, **changes: record(
        lambda: Telemetry("run-logs", args(cloud, **changes), opts, catalog)
    )


@pytest.fixture
def refusal(args, catalog):
    def run(cloud, **changes):
        with pytest.raises(InvalidInput) as caught:
            parse_stream("run-logs", args(cloud, **changes), catalog)
        return str(caught.value).splitlines()

    return run


def collector(recording):
    return recording.outputs["run-logs"]["collector"]


def stream(recording):
    (only,) = recording.outputs["run-logs"]["capacity"]["telemetry"]
    return only


def test_a_sink_routes_what_the_filter_takes_less_exclusions_and_the_rest_of_a_sample(declare):
    recording = declare("gcp", exclusions=[CHATTER, HEALTH], sampling={"percent": 12.5}, **SINK)

    sink = recording.one("projectSink:ProjectSink").inputs
    assert sink["destination"] == "logging.googleapis.com/run-logs-id"
    assert sink["filter"] == FILTER
    assert sink["exclusions"] == [
        {"name": "chatter", "filter": "severity >= DEBUG AND severity < INFO"},
        {"name": "health", "filter": 'labels."http.target" = "/healthz"'},
        {"name": "sampling", "filter": "severity < ERROR AND NOT sample(insertId, 0.125)"},
    ]


def test_entries_of_the_stream_are_not_paid_for_in_the_default_bucket_as_well(declare):
    exclusion = declare("gcp", **SINK).one("projectExclusion:ProjectExclusion")

    assert exclusion.inputs["filter"] == FILTER
    assert any("projectSink" in urn for urn in exclusion.request.dependencies)
    kept = {"gcp": {**SINK["gcp"], "exclude_from_default": False}}
    assert declare("gcp", **kept).of("ProjectExclusion") == []


def test_without_a_filter_nothing_is_routed_and_the_collector_does_it_all(declare):
    recording = declare("gcp", exclusions=[CHATTER], sampling={"percent": 10})

    assert recording.of("ProjectSink") == []
    found = collector(recording)
    assert (found["excludedBy"], found["sampledBy"]) == (["collector"], ["collector"])


def test_nothing_is_sampled_twice(declare):
    found = collector(declare("gcp", sampling={"percent": 10}, **SINK))

    assert found["sampledBy"] == ["sink"]
    assert found["config"]["processors"] == {}


@pytest.mark.parametrize("cloud", ["aws", "azure"])
def test_a_cloud_that_cannot_sample_leaves_it_to_the_collector_which_keeps_what_is_severe(
    declare, cloud
):
    found = collector(declare(cloud, sampling={"percent": 10, "keep_severity": "WARN"}))

    processors = found["config"]["processors"]
    assert found["sampledBy"] == ["collector"]
    assert processors["probabilistic_sampler/run-logs"] == {
        "sampling_percentage": 10,
        "sampling_priority": "sampling.priority",
        "attribute_source": "record",
        "from_attribute": "log.record.uid",
    }
    (statements,) = processors["transform/run-logs"]["log_statements"]
    assert statements["statements"] == [
        'set(attributes["sampling.priority"], 100) where severity_number >= SEVERITY_NUMBER_WARN',
        'set(attributes["log.record.uid"], UUID()) where attributes["log.record.uid"] == nil',
    ]
    # What is excluded is not sampled, and what is severe is marked before.
    assert found["config"]["service"]["pipelines"] == {
        "logs/run-logs": {"processors": ["transform/run-logs", "probabilistic_sampler/run-logs"]}
    }


@pytest.mark.parametrize(
    ("cloud", "changes", "who"),
    [
        ("aws", {}, ["collector"]),
        ("gcp", SINK, ["collector", "sink"]),
        ("azure", {}, ["collector", "data-collection-rule"]),
    ],
)
def test_the_collector_excludes_too_and_says_who_else_does(declare, cloud, changes, who):
    found = collector(declare(cloud, exclusions=[CHATTER, HEALTH], **changes))

    assert found["excludedBy"] == who
    assert found["config"]["processors"]["filter/run-logs"] == {
        "error_mode": "ignore",
        "logs": {
            "log_record": [
                (
                    "severity_number > SEVERITY_NUMBER_UNSPECIFIED and "
                    "severity_number < SEVERITY_NUMBER_INFO"
                ),
                'attributes["http.target"] == "/healthz"',
            ]
        },
    }


def test_a_data_collection_rule_drops_what_is_excluded_and_keeps_what_has_no_severity(declare):
    recording = declare("azure", exclusions=[CHATTER, HEALTH])

    rule = recording.one("monitor:DataCollectionRule")
    (flow,) = rule.inputs["dataFlows"]
    assert flow["transformKql"] == (
        "source | where isnull(SeverityNumber) or SeverityNumber < 1 or SeverityNumber >= 9 | "
        'where tostring(Attributes["http.target"]) != "/healthz"'
    )
    assert flow["outputStream"] == "Custom-RunLogs_CL"
    columns = rule.inputs["streamDeclarations"]["Custom-RunLogs_CL"]["columns"]
    assert columns[0] == {"name": "TimeGenerated", "type": "datetime"}
    table = recording.one("operationalinsights:Table").inputs["schema"]["columns"]
    assert [each["name"] for each in columns] == [each["name"] for each in table]
    assert any("operationalinsights:Table" in urn for urn in rule.request.dependencies)


def test_without_exclusions_a_data_collection_rule_is_declared_only_when_asked_for(declare):
    assert declare("azure").of("DataCollectionRule") == []
    asked = {"azure": {"resource_group_name": "ml", "ingestion_rule": True}}
    (flow,) = declare("azure", **asked).one("DataCollectionRule").inputs["dataFlows"]
    assert flow["transformKql"] == "source"


def test_cost_labels_are_stamped_on_rule_endpoint_and_alarms(declare, labels):
    stamped = {**labels, "managed-by": "tidegate", "telemetry-class": "run-logs"}
    azure = declare("azure", exclusions=[CHATTER])
    for kind in ("monitor:DataCollectionRule", "monitor:DataCollectionEndpoint"):
        assert azure.one(kind).inputs["tags"] == stamped
    assert declare("aws", daily_quota_gib=1).one("MetricAlarm").inputs["tags"] == stamped
    assert declare("gcp", daily_quota_gib=1).one("AlertPolicy").inputs["userLabels"] == stamped
    for kind in ("ProjectSink", "ProjectExclusion"):
        assert "cost-center=cc-1001" in declare("gcp", **SINK).one(kind).inputs["description"]


def test_cloudwatch_has_no_cap_and_an_alarm_says_that_a_day_took_more(declare):
    recording = declare("aws", daily_quota_gib=2, aws={"alarm_actions": ["arn:aws:sns:x:1:cost"]})

    alarm = recording.one("MetricAlarm").inputs
    assert alarm["threshold"] == 2 * 1024**3
    assert (alarm["namespace"], alarm["metricName"], alarm["statistic"], alarm["period"]) == (
        "AWS/Logs",
        "IncomingBytes",
        "Sum",
        86400,
    )
    assert alarm["alarmActions"] == ["arn:aws:sns:x:1:cost"]
    assert stream(recording)["quotaAction"] == "alarm"


def test_cloud_logging_has_no_cap_and_an_alert_says_that_a_day_took_more(declare):
    own = {"gcp": {"project": "acme-ml", "notification_channels": ["channels/1"]}}

    recording = declare("gcp", daily_quota_gib=1, **own)

    policy = recording.one("AlertPolicy").inputs
    (condition,) = policy["conditions"]
    threshold = condition["conditionThreshold"]
    assert 'metric.labels.log_bucket_id = "run-logs"' in threshold["filter"]
    assert threshold["thresholdValue"] == 1024**3
    assert policy["notificationChannels"] == ["channels/1"]


def test_log_analytics_takes_no_more_than_its_quota(declare):
    recording = declare("azure", daily_quota_gib=1, expected_gib_per_month=100)

    assert stream(recording)["quotaAction"] == "cap"
    assert Decimal(stream(recording)["estimate"]["gibPerMonth"]) == Decimal(730) / 24


def test_a_counter_has_only_the_labels_that_the_metric_budget_allows(declare, refusal):
    counted = {"gcp": {**SINK["gcp"], "counter_labels": {"model": "EXTRACT(labels.model)"}}}

    metric = declare("gcp", metrics=SCRAPE, **counted).one("logging/metric:Metric").inputs

    assert metric["labelExtractors"] == {"model": "EXTRACT(labels.model)"}
    assert metric["metricDescriptor"]["labels"] == [{"key": "model", "valueType": "STRING"}]
    other = {"gcp": {**SINK["gcp"], "counter_labels": {"run_id": "EXTRACT(labels.run_id)"}}}
    assert refusal("gcp", metrics=SCRAPE, **other) == [
        (
            "telemetry run-logs: gcp.counter_labels.run_id: is not among metrics.label_values, "
            "which bound the series; expected one of model, zone"
        )
    ]


def test_scrape_settings_hold_series_and_labels(declare):
    recording = declare("aws", metrics=SCRAPE)

    scrape = collector(recording)["scrape"]
    assert (scrape["sample_limit"], scrape["label_limit"]) == (250, 12)
    drop, keep = scrape["metric_relabel_configs"]
    assert drop == {"action": "labeldrop", "regex": "run_id|pod"}
    # Prometheus anchors the expression at both ends.
    kept = [
        label
        for label in ("__name__", "le", "instance", "model", "zone", "run_id", "models", "user")
        if re.fullmatch(keep["regex"], label)
    ]
    assert keep["action"] == "labelkeep"
    assert kept == ["__name__", "le", "instance", "model", "zone"]
    assert stream(recording)["maxActiveSeries"] == 1000
    assert stream(recording)["estimate"]["activeSeries"] == 300


def test_more_series_than_the_budget_are_refused_with_what_makes_them(refusal):
    assert refusal("aws", metrics={**SCRAPE, "max_active_series": 299}) == [
        (
            "telemetry run-logs: metrics.max_active_series = 299: is exceeded: 5 metrics x 20 "
            "values of model x 3 values of zone make 300 series; expected at least 300, or a label "
            "dropped"
        )
    ]


def test_the_manifest_estimates_volume_and_cost_after_exclusions_and_sampling(declare):
    recording = declare(
        "gcp",
        expected_gib_per_month=1000,
        exclusions=[CHATTER, HEALTH],
        sampling={"percent": 25},
        **SINK,
    )

    estimate = stream(recording)["estimate"]
    assert Decimal(estimate["gibPerMonth"]) == 100
    assert Decimal(estimate["ingestion"]) == 50
    kept = Decimal(100) * 60 / (Decimal(730) / 24) * Decimal("0.01")
    assert Decimal(estimate["retention"]) == kept
    assert (estimate["currency"], estimate["asOf"], estimate["assumed"]) == (
        "USD",
        "2026-11-30",
        False,
    )
    assert estimate["unknown"] == []


def test_an_unknown_volume_or_price_stays_unknown_in_the_estimate(declare):
    bare = stream(declare("gcp"))["estimate"]
    assert bare["unknown"] == ["no expected volume is declared"]
    assert "ingestion" not in bare
    elsewhere = stream(declare("aws", region="eu-west-1", expected_gib_per_month=10))["estimate"]
    assert Decimal(elsewhere["gibPerMonth"]) == 10
    assert "ingestion" not in elsewhere
    assert elsewhere["unknown"] == ["no price of STANDARD logs is known for eu-west-1"]
    metrics = stream(declare("gcp", expected_gib_per_month=10, metrics=SCRAPE))["estimate"]
    assert metrics["unknown"] == ["no price of a time series is known"]


def test_an_exclusion_without_a_share_takes_nothing_off_and_says_so(declare):
    chatter = {"name": "chatter", "severity_below": "INFO"}

    estimate = stream(declare("gcp", expected_gib_per_month=10, exclusions=[chatter]))["estimate"]

    assert Decimal(estimate["gibPerMonth"]) == 10
    assert (
        "what exclusion chatter removes is not stated, and nothing is taken off"
        in (estimate["notes"])
    )


@pytest.mark.parametrize("cloud", CLOUDS)
def test_a_stream_that_asks_for_nothing_declares_what_it_did_before(declare, cloud):
    recording = declare(cloud)

    children = [each.type.rsplit(":", 1)[-1] for each in recording.all if each.request.custom]
    assert (
        children
        == {
            "aws": ["LogGroup"],
            "gcp": ["ProjectBucketConfig"],
            "azure": ["Workspace", "Table"],
        }[cloud]
    )
    assert collector(recording) == {
        "excludedBy": [],
        "sampledBy": [],
        "config": {
            "processors": {},
            "service": {"pipelines": {"logs/run-logs": {"processors": []}}},
        },
        "scrape": {},
    }


def test_the_callers_protection_and_ignored_changes_reach_the_sink(declare):
    opts = pulumi.ResourceOptions(protect=True, ignore_changes=["filter"])

    sink = declare("gcp", opts, **SINK).one("ProjectSink")

    assert sink.request.protect
    assert sink.ignored == ["filter"]


@pytest.mark.parametrize(
    ("cloud", "changes", "line"),
    [
        (
            "aws",
            {"exclusions": [{"name": "all"}]},
            (
                "exclusions[0] = 'all': says nothing of the entries, and would exclude all of "
                "them; expected severity_below, attributes or both"
            ),
        ),
        (
            "aws",
            {"exclusions": [{"name": "x", "attributes": {"a": 'b" or true'}}]},
            (
                "exclusions[0].attributes.a = 'b\" or true': cannot stand in the clouds' query "
                "languages; expected no quotes, backslashes or controls"
            ),
        ),
        (
            "aws",
            {"exclusions": [CHATTER, CHATTER | {"expected_share": 0.1}]},
            "exclusions[1].name = 'chatter': is there twice; expected one name for each",
        ),
        (
            "aws",
            {"exclusions": [CHATTER, HEALTH | {"expected_share": 0.6}]},
            (
                "exclusions = '1.1': expected shares add up to more than everything; expected 1 at "
                "most in all"
            ),
        ),
        (
            "gcp",
            {
                "exclusions": [CHATTER | {"name": "sampling"}],
                "sampling": {"percent": 5},
                **SINK,
            },
            (
                "exclusions = 'sampling': is the name of the sink's own exclusion for the sample; "
                "expected another name"
            ),
        ),
        (
            "aws",
            {"sampling": {"percent": 0}},
            "sampling.percent = 0: is no percentage; expected above 0, at most 100",
        ),
        (
            "aws",
            {"sampling": {}},
            "sampling.percent: is no percentage; expected above 0, at most 100",
        ),
        (
            "aws",
            {"aws": {"alarm_actions": ["arn"]}},
            (
                "aws.alarm_actions: tells of a daily quota, and none is stated; expected "
                "daily_quota_gib too"
            ),
        ),
        (
            "gcp",
            {"gcp": {"project": "p", "counter_labels": {"model": "EXTRACT(labels.model)"}}},
            (
                "gcp.counter_labels: count the entries of a filter, and none is stated; expected "
                "gcp.filter too"
            ),
        ),
        (
            "gcp",
            {"gcp": {**SINK["gcp"], "counter_labels": {"model": "labels.model"}}},
            (
                "gcp.counter_labels.model = 'labels.model': is no extractor; expected "
                "EXTRACT(field) or REGEXP_EXTRACT(field, expression)"
            ),
        ),
        (
            "gcp",
            {
                "gcp": {
                    **SINK["gcp"],
                    "counter_labels": {f"l{n}": "EXTRACT(labels.x)" for n in range(11)},
                }
            },
            (
                "gcp.counter_labels = 11: are more labels than a metric of Cloud Logging takes; "
                "expected at most 10"
            ),
        ),
        (
            "aws",
            {"metrics": {"max_active_series": 10, "labels_dropped": ["1st"]}},
            (
                "metrics.labels_dropped = '1st': is no Prometheus label; expected letters, digits "
                "and '_', not starting with a digit"
            ),
        ),
        (
            "aws",
            {
                "metrics": {
                    "max_active_series": 10,
                    "label_values": {"pod": 2},
                    "labels_dropped": ["pod"],
                }
            },
            (
                "metrics.labels_dropped = 'pod': may be carried and is dropped at the same time; "
                "expected one of the two"
            ),
        ),
        (
            "aws",
            {"metrics": {"max_active_series": 3, "targets": 4}},
            (
                "metrics.max_active_series = 3: leaves each of 4 targets no series at all; "
                "expected at least one a target"
            ),
        ),
        (
            "aws",
            {"gcp": {"project": "p"}},
            "gcp: concerns gcp, and the stream is in aws; expected leave it out",
        ),
    ],
)
def test_what_cannot_be_is_refused(refusal, cloud, changes, line):
    assert refusal(cloud, **changes) == [f"telemetry run-logs: {line}"]


@given(key=st.text(max_size=8), value=st.text(max_size=8))
def test_no_attribute_ends_the_quotes_that_it_stands_in(key, value):
    read = Arguments("telemetry x", {"exclusions": [{"name": "e", "attributes": {key: value}}]},
                     TelemetryArgs)  # fmt: skip
    exclusions = parse_exclusions(read)
    if read.problems:
        return

    assert render_gcp_filter(exclusions[0]) == f'labels."{key}" = "{value}"'
    assert render_gcp_filter(exclusions[0]).count('"') == 4
    assert render_kql(exclusions).count('"') == 4
    assert "\\" not in render_kql(exclusions)
