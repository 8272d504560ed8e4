"""The real CLI: buckets, streams and budgets on three clouds, changed, made anew, removed."""

from __future__ import annotations

import json

import boto3
import pytest

PROGRAM = """
import pulumi
import pulumi_aws as aws
import pulumi_azure_native as azure
from tidegate_components import CostBudget, StorageTiers, Telemetry

config = pulumi.Config()
LABELS = {
    "environment": "prod", "owner": config.get("owner") or "ml-platform",
    "business-unit": "research", "platform-project": "vision",
    "workload-class": "training", "cost-center": "cc-1001",
}
START = config.get("start") or "2026-12-01"
REGION = {"aws": "us-east-1", "gcp": "us-central1", "azure": "eastus"}
COLD = {"aws": "GLACIER_IR", "gcp": "COLDLINE", "azure": "Cool"}
group = azure.resources.ResourceGroup("ml", resource_group_name="ml", location="eastus")
found = aws.s3.Bucket("found", bucket="acme-found")
OWN = {
    "aws": {},
    "gcp": {"project": "tidegate"},
    "azure": {"resource_group_name": group.name},
}
STREAM = {
    "gcp": {"filter": 'resource.type="k8s_container"',
            "counter_labels": {"model": "EXTRACT(labels.model)"}},
}
BUDGET = {
    "aws": {"aws": {"create_topic": True}, "start": START,
            "anomaly": {"minimum_impact": 100}},
    "gcp": {"gcp": {"billing_account": "012345-567890-ABCDEF", "project": "tidegate",
                    "projects": ["123456"]}},
    "azure": {"azure": {"scope": "/subscriptions/00000000-0000-0000-0000-000000000000"},
              "start": START, "anomaly": {"until": "2027-11-30"}},
}
made = [
    StorageTiers("found", {
        "cloud": "aws", "region": "us-east-1", "storage_class": "log", "labels": LABELS,
        "existing_bucket": "acme-found", "owns_lifecycle": True,
    }, pulumi.ResourceOptions(depends_on=[found])),
]
for cloud in REGION:
    shared = {"cloud": cloud, "region": REGION[cloud], "labels": LABELS, cloud: OWN[cloud]}
    made += [
        StorageTiers(f"{cloud}-artifacts", {
            **shared, "storage_class": "artifact", "noncurrent_expire_after_days": 200,
            "noncurrent_tiers": [{"after_days": 30, "storage_class": COLD[cloud]}],
        }),
        StorageTiers(f"{cloud}-data", {**shared, "storage_class": "dataset", "tiering": "access"}),
        StorageTiers(f"{cloud}-logs", {
            **shared, "storage_class": "log", "mean_object_bytes": 64 * 1024 * 1024,
            "monthly_retrieval_share": float(config.get("reads") or 0),
        }),
        Telemetry(f"{cloud}-runs", {
            **shared, "telemetry_class": "run-logs", "retention_days": 90,
            "exclusions": [{"name": "chatter", "severity_below": config.get("below") or "INFO"}],
            "sampling": {"percent": 25}, "daily_quota_gib": 5,
            cloud: {**OWN[cloud], **STREAM.get(cloud, {})},
        }),
        CostBudget(f"{cloud}-budget", {
            "cloud": cloud, "amount": 1000, "currency": "USD", "emails": ["ml@example.com"],
            "labels": LABELS, **BUDGET[cloud],
        }),
    ]
pulumi.export("buckets", [entry for each in made for entry in each.capacity["buckets"]])
"""


def steps(preview: str) -> set[tuple[str, str]]:
    """Return (operation, type) of each step of a preview that changes a cloud's resource."""
    return {
        (step["op"], step["urn"].split("::")[2].rpartition("$")[2])
        for step in json.loads(preview)["steps"]
        if step["op"] != "same"
    }


@pytest.mark.slow
def test_buckets_streams_and_budgets_come_up_change_and_go(pulumi_project):
    project = pulumi_project(PROGRAM)
    project.run("stack", "init", "dev")
    project.run("config", "set", "aws:region", "us-east-1")
    project.run("config", "set", "gcp:project", "tidegate")

    project.run("up", "--yes", "--skip-preview")
    project.run("preview", "--expect-no-changes")
    project.run("refresh", "--yes", "--skip-preview")
    project.run("preview", "--expect-no-changes")

    storage = boto3.client(
        "s3",
        region_name="us-east-1",
        endpoint_url=project.endpoints.aws_url,
        aws_access_key_id="tests",
        aws_secret_access_key="tests",
    )
    rules = storage.get_bucket_lifecycle_configuration(Bucket="acme-found")["Rules"]
    assert {rule["ID"] for rule in rules} == {"tier", "expire", "abort-uploads"}

    # Labels and what a stream leaves out change in place, and so do the rules of a bucket whose
    # moves no longer pay.
    for key, value in (("owner", "vision-team"), ("below", "WARN"), ("reads", "3")):
        project.run("config", "set", key, value)
    assert {operation for operation, _ in steps(project.run("preview", "--json"))} == {"update"}
    project.run("up", "--yes", "--skip-preview")
    found = json.loads(project.run("stack", "output", "--json"))["buckets"]
    logs = {each["id"]: each for each in found if each["id"].endswith("-logs")}
    assert [each["tiers"] for each in logs.values()] == [[], [], []]
    assert all(len(each["droppedTiers"]) == 2 for each in logs.values())

    # Azure never changes the day on which a budget begins; the others do.
    project.run("config", "set", "start", "2027-01-01")
    changed = steps(project.run("preview", "--json"))
    replaced = {kind for operation, kind in changed if operation != "update"}
    assert replaced == {"azure-native:consumption:Budget"}
    assert ("update", "aws:budgets/budget:Budget") in changed
    project.run("up", "--yes", "--skip-preview")

    project.run("destroy", "--yes", "--skip-preview")
    assert storage.list_buckets()["Buckets"] == []
