"""Components on Google Cloud over the real CLI: commitments, serving, notebooks, budgets."""

from __future__ import annotations

import re

import pytest
from google.auth.credentials import AnonymousCredentials
from google.cloud import compute_v1
from googleapiclient.discovery import build

PROGRAM = """
import pulumi
import pulumi_gcp as gcp
from tidegate_components import CommittedCapacity, CostBudget, InferenceCapacity, Notebooks

config = pulumi.Config()
LABELS = {
    "environment": "dev", "owner": config.get("owner") or "ml-platform",
    "business-unit": "research", "platform-project": "vision",
    "workload-class": "inference", "cost-center": "cc-1001",
}
PLACE = {"cloud": "gcp", "region": "us-central1", "labels": LABELS, "gcp": {"project": "acme-ml"}}
AGREED = {"hourly_amount": "60", "currency": "USD", "end_date": "2028-01-04"}
YEAR = {"start_date": "2027-01-04", "term_months": 12}

held = CommittedCapacity("held", {**PLACE, "zone": "us-central1-a", "units": 2,
    "instance_type": "a2-highgpu-1g", "acknowledge": AGREED})
CommittedCapacity("base", {**PLACE, "kind": "resource-cud", "units": 2,
    "instance_type": "a2-highgpu-1g", "acknowledge": AGREED,
    "purchase": {**YEAR, "existing_reservations": "held"}},
    pulumi.ResourceOptions(depends_on=[held]))
CommittedCapacity("summer", {**PLACE, "kind": "future-reservation", "zone": "us-central1-a",
    "instance_type": "g2-standard-48", "units": 2, "acknowledge": AGREED,
    "purchase": {"start_date": "2027-01-04"}})
InferenceCapacity("chat", {**PLACE, "model": "llama-70b", "max_replicas": 4,
    "load_seconds": 60, "min_replicas": 1,
    "vertex": {"machine_type": "g2-standard-48"}})
Notebooks("explore", {**PLACE, "zone": "us-central1-a", "instance_type": "g2-standard-48",
    "idle_shutdown_seconds": 3600})
topic = gcp.pubsub.Topic("alerts", project="acme-ml", labels=LABELS)
CostBudget("vision", {"cloud": "gcp", "amount": 1200.5, "currency": "USD", "labels": LABELS,
    "emails": ["ml@example.com"],
    "gcp": {"billing_account": "012345-6789AB-CDEF01", "project": "acme-ml",
            "pubsub_topic": topic.id}})
"""
REGION = {"project": "acme-ml", "region": "us-central1"}


@pytest.fixture
def stack(pulumi_project):
    return pulumi_project(PROGRAM)


def replaced(output):
    """Return the types of what an update replaced."""
    return {found[1] for found in re.finditer(r"^ \S+ +(\S+) \S+ replaced", output, re.MULTILINE)}


def stop_notebooks(stack):
    """Stop every notebook, as one does that is idle."""
    client = build(
        "notebooks",
        "v2",
        static_discovery=True,
        credentials=AnonymousCredentials(),
        client_options={"api_endpoint": stack.endpoints.gcp_url},
    )
    instances = client.projects().locations().instances()
    parent = "projects/acme-ml/locations/us-central1-a"
    found = instances.list(parent=parent).execute()["instances"]
    for each in found:
        instances.stop(name=each["name"], body={}).execute()
    return len(found)


@pytest.mark.slow
def test_what_is_committed_outlives_every_change_and_the_stack_itself(stack):
    stack.run("stack", "init", "dev")
    for key, value in (("gcp:project", "acme-ml"), ("gcp:region", "us-central1")):
        stack.run("config", "set", key, value)
    stack.run("up", "--yes", "--skip-preview")
    assert stop_notebooks(stack) == 1
    stack.run("refresh", "--yes")
    stack.run("preview", "--expect-no-changes")

    stack.run("config", "set", "owner", "someone-else")
    assert replaced(stack.run("up", "--yes", "--skip-preview")) == set()

    stack.run("state", "unprotect", "--all", "--yes")
    stack.run("destroy", "--yes", "--skip-preview")
    options = {
        "credentials": AnonymousCredentials(),
        "client_options": {"api_endpoint": stack.endpoints.gcp_url},
    }
    commitments = compute_v1.RegionCommitmentsClient(**options).list(**REGION)
    assert [each.status for each in commitments] == ["ACTIVE"]
    zone = {"project": "acme-ml", "zone": "us-central1-a"}
    assert [each.name for each in compute_v1.ReservationsClient(**options).list(**zone)] == ["held"]
