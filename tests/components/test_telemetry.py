from __future__ import annotations

from functools import partial

import pytest
from support.telemetry_streams import CLOUDS, build_stream
from tidegate_components import Telemetry
from tidegate_components.telemetry.parse import parse_stream

from tidegate.vocabulary.problems import InvalidInput

RESOURCE = {
    "aws": "logGroup:LogGroup",
    "gcp": "projectBucketConfig:ProjectBucketConfig",
    "azure": "operationalinsights:Workspace",
}


@pytest.fixture
def args(labels):
    return partial(build_stream, labels=labels)


@pytest.fixture
def declare(record, args, catalog):
    return lambda cloud, **changes: record(
        lambda: Telemetry("run-logs", args(cloud, **changes), None, catalog)
    )


@pytest.mark.parametrize("cloud", CLOUDS)
def test_a_stream_states_its_retention_in_cloud_and_manifest(declare, cloud):
    recording = declare(cloud)

    key = "retentionDays" if cloud == "gcp" else "retentionInDays"
    assert recording.one(RESOURCE[cloud]).inputs[key] == 90
    (stream,) = recording.outputs["run-logs"]["capacity"]["telemetry"]
    assert (stream["retentionDays"], stream["telemetryClass"]) == (90, "run-logs")


@pytest.mark.parametrize("cloud", ["aws", "azure"])
def test_cost_labels_and_the_class_are_stamped(declare, labels, cloud):
    tags = declare(cloud).one(RESOURCE[cloud]).inputs["tags"]

    assert tags == {**labels, "managed-by": "tidegate", "telemetry-class": "run-logs"}


def test_a_log_bucket_takes_no_labels_and_says_them_in_its_description(declare):
    bucket = declare("gcp").one(RESOURCE["gcp"]).inputs

    assert "labels" not in bucket
    assert "cost-center=cc-1001" in bucket["description"]
    assert "telemetry-class=run-logs" in bucket["description"]


@pytest.mark.parametrize("cloud", ["aws", "gcp", "azure"])
def test_data_outlives_its_declaration_unless_stated(declare, cloud):
    assert declare(cloud).one(RESOURCE[cloud]).request.retainOnDelete
    assert not declare(cloud, keep_on_delete=False).one(RESOURCE[cloud]).request.retainOnDelete


def test_a_change_of_log_class_keeps_the_old_groups_logs(declare):
    group = declare("aws", log_class="INFREQUENT_ACCESS").one(RESOURCE["aws"])

    # The replacement gets another name, and the old group is kept until its retention ends.
    assert "name" not in group.inputs
    assert group.request.retainOnDelete


def test_delivery_groups_are_kept_two_days_and_nothing_else_is_sent(declare, args, catalog):
    group = declare("aws", log_class="DELIVERY", retention_days=2).one(RESOURCE["aws"]).inputs

    assert "retentionInDays" not in group
    with pytest.raises(InvalidInput, match="is not what CloudWatch does with class DELIVERY"):
        parse_stream("run-logs", args("aws", log_class="DELIVERY"), catalog)


def test_log_analytics_archives_what_it_cannot_keep_queryable(declare):
    recording = declare("azure", retention_days=1095)

    table = recording.one("operationalinsights:Table").inputs
    assert (table["retentionInDays"], table["totalRetentionInDays"]) == (90, 1095)
    assert recording.one(RESOURCE["azure"]).inputs["retentionInDays"] == 90


def test_a_basic_tables_fixed_retention_is_not_sent(declare):
    table = declare("azure", log_class="Basic").one("operationalinsights:Table").inputs

    assert table["plan"] == "Basic"
    assert "retentionInDays" not in table
    assert table["totalRetentionInDays"] == 90


def test_a_custom_table_is_named_after_the_stream(declare):
    table = declare("azure").one("operationalinsights:Table").inputs

    assert table["tableName"] == table["schema"]["name"] == "RunLogs_CL"
    assert table["schema"]["columns"][0] == {"name": "TimeGenerated", "type": "dateTime"}


def test_a_daily_quota_caps_the_workspace(declare):
    workspace = declare("azure", daily_quota_gib=2.5).one(RESOURCE["azure"]).inputs

    assert workspace["workspaceCapping"] == {"dailyQuotaGb": 2.5}


def test_a_locked_log_bucket_is_protected(declare):
    gcp = {"project": "acme-ml", "locked": True, "acknowledge_one_way": True}

    bucket = declare("gcp", gcp=gcp).one(RESOURCE["gcp"])

    assert bucket.inputs["locked"] is True
    assert bucket.request.protect


@pytest.mark.parametrize(
    ("cloud", "changes", "start"),
    [
        (
            "aws",
            {"retention_days": 45},
            (
                "telemetry run-logs: retention_days = 45: is no retention of a CloudWatch log "
                "group (60 is the next that keeps data as long); expected one of 1, 3, 5, 7, 14"
            ),
        ),
        (
            "gcp",
            {"retention_days": 4000},
            (
                "telemetry run-logs: retention_days = 4000: is no retention of a Cloud Logging log "
                "bucket; expected 1 to 3650"
            ),
        ),
        (
            "azure",
            {"retention_days": 800},
            "telemetry run-logs: retention_days = 800: is no retention of a Log Analytics",
        ),
        (
            "azure",
            {"azure": {"resource_group_name": "ml", "table_name": "Runs"}},
            "telemetry run-logs: azure.table_name = 'Runs': is no name of a custom table",
        ),
        (
            "gcp",
            {"gcp": {"project": "acme-ml", "enable_analytics": True}},
            (
                "telemetry run-logs: gcp.acknowledge_one_way: is needed: `locked` and "
                "`enable_analytics` can never be switched off again; expected true"
            ),
        ),
        (
            "aws",
            {"log_class": "STANDART"},
            "telemetry run-logs: log_class = 'STANDART': is no log class of aws; expected one of",
        ),
        (
            "aws",
            {"daily_quota_gib": 0},
            "telemetry run-logs: daily_quota_gib = 0: takes nothing; expected more than 0",
        ),
        (
            "aws",
            {"retention_days": None},
            "telemetry run-logs: retention_days: is required and is missing",
        ),
    ],
)
def test_what_a_cloud_does_not_do_is_refused(args, catalog, cloud, changes, start):
    with pytest.raises(InvalidInput) as caught:
        parse_stream("run-logs", args(cloud, **changes), catalog)

    (line,) = str(caught.value).splitlines()
    assert line.startswith(start)
