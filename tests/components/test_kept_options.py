"""What a caller gives a bucket, a stream or a budget reaches its children, labels included."""

from __future__ import annotations

import pulumi
import pytest
from tidegate_components import CostBudget, StorageTiers, Telemetry

CLOUDS = ["aws", "gcp", "azure"]
REGION = {"aws": "us-east-1", "gcp": "us-central1", "azure": "eastus"}
PLACE = {"aws": {}, "gcp": {"project": "acme-ml"}, "azure": {"resource_group_name": "ml"}}
BILLED = {
    "aws": {"sns_topic_arn": "arn:aws:sns:us-east-1:1:cost"},
    "gcp": {"billing_account": "0000-1", "project": "acme-ml"},
    "azure": {"scope": "/subscriptions/00000000-0000-0000-0000-000000000001"},
}
COMPONENTS = {
    StorageTiers: lambda cloud: {
        "region": REGION[cloud],
        "storage_class": "artifact",
        cloud: PLACE[cloud],
    },
    Telemetry: lambda cloud: {
        "region": REGION[cloud],
        "telemetry_class": "run-logs",
        "retention_days": 90,
        "daily_quota_gib": 1,
        "exclusions": [{"name": "chatter", "severity_below": "INFO"}],
        cloud: {**PLACE[cloud], **({"filter": "severity>=DEBUG"} if cloud == "gcp" else {})},
    },
    CostBudget: lambda cloud: {
        "amount": 10,
        "currency": "USD",
        "emails": ["ml@example.com"],
        cloud: BILLED[cloud],
        **({} if cloud == "gcp" else {"start": "2026-12-01"}),
        **({"anomaly": {"minimum_impact": 1}} if cloud == "aws" else {}),
        **({"anomaly": {"until": "2027-12-01"}} if cloud == "azure" else {}),
    },
}


@pytest.fixture(params=COMPONENTS, ids=lambda each: each.__name__)
def declare(request, record, labels):
    """Return a function that declares a component and gives back it and its children."""
    component = request.param

    def run(cloud, **given):
        def program():
            opts = {key: build() if callable(build) else build for key, build in given.items()}
            args = {"cloud": cloud, "labels": labels, **COMPONENTS[component](cloud)}
            component("mine", args, pulumi.ResourceOptions(**opts))

        recording = record(program)
        own = [each for each in recording.all if not each.type.startswith(("tidegate:", "pulumi:"))]
        assert own
        return recording.one(f"tidegate:index:{component.__name__}"), own

    return run


@pytest.mark.parametrize("cloud", CLOUDS)
def test_provider_and_aliases_reach_the_children(declare, cloud):
    import pulumi_aws
    import pulumi_azure_native
    import pulumi_gcp

    packages = {"aws": pulumi_aws, "gcp": pulumi_gcp, "azure": pulumi_azure_native}

    component, children = declare(
        cloud,
        provider=lambda: packages[cloud].Provider("elsewhere"),
        aliases=lambda: [pulumi.Alias(name="old-name")],
    )

    # The engine carries a parent's alias on to its children.
    assert "old-name" in str(component.request.aliases) + str(component.request.aliasURNs)
    assert all("elsewhere" in each.request.provider for each in children)
    assert all("::tidegate:index:" in each.request.parent for each in children)


@pytest.mark.parametrize("cloud", CLOUDS)
def test_protection_and_retention_reach_every_child(declare, cloud):
    _, children = declare(cloud, protect=True, retain_on_delete=True)

    assert all(each.request.protect for each in children)
    assert all(each.request.retainOnDelete for each in children)


@pytest.mark.parametrize("cloud", CLOUDS)
def test_no_label_is_empty_and_every_child_that_takes_any_has_all(declare, cloud, labels):
    _, children = declare(cloud)

    for each in children:
        stamped = [each.inputs.get(key) for key in ("tags", "userLabels") if key in each.inputs]
        if each.type == "gcp:storage/bucket:Bucket":
            stamped = [each.inputs["labels"]]
        for found in stamped:
            assert labels.items() <= found.items()
            assert all(found.values())
