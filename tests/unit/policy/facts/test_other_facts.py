"""Commitments, idle shutdown, budgets, series and log levels, as each cloud writes them."""

from __future__ import annotations

import pytest

from tidegate.policy.facts.build import build_facts
from tidegate.policy.graph import Resource
from tidegate.policy.values import UNKNOWN


def facts_of(type_token, properties):
    return build_facts(Resource("urn:a", type_token, "a", properties))


@pytest.mark.parametrize(
    ("type_token", "properties", "kind", "end", "renews", "months"),
    [
        (
            "aws:ec2/capacityReservation:CapacityReservation",
            {"endDateType": "limited", "endDate": "2027-06-30T23:59:59Z"},
            "reservation",
            "2027-06-30T23:59:59Z",
            False,
            None,
        ),
        (
            "aws:ec2/capacityReservation:CapacityReservation",
            {"endDateType": "unlimited", "endDate": "2027-06-30T23:59:59Z"},
            "reservation",
            None,
            False,
            None,
        ),
        (
            "gcp:compute/regionCommitment:RegionCommitment",
            {"plan": "THIRTY_SIX_MONTH", "autoRenew": True},
            "purchase",
            "the end of its term",
            True,
            36,
        ),
        (
            "gcp:compute/reservation:Reservation",
            {"deleteAtTime": "2027-06-30T23:59:59Z"},
            "reservation",
            "2027-06-30T23:59:59Z",
            False,
            None,
        ),
        ("azure-native:compute:CapacityReservation", {}, "reservation", None, False, None),
        (
            "aws:savingsplans/savingsPlan:SavingsPlan",
            {},
            "purchase",
            "the end of its term",
            False,
            None,
        ),
    ],
)
def test_what_a_commitment_says_of_its_end(type_token, properties, kind, end, renews, months):
    found = facts_of(type_token, properties)["commitment"]
    assert (
        found["kind"],
        found["end"]["value"],
        found["renews"]["value"],
        found["months"]["value"],
    ) == (kind, end, renews, months)


def test_a_term_that_nobody_knows_is_hidden():
    for plan in ("FIVE_YEARS", UNKNOWN):
        found = facts_of("gcp:compute/regionCommitment:RegionCommitment", {"plan": plan})
        assert found["commitment"]["months"]["state"] == "hidden"


def studio(settings):
    return {
        "userSettings": {
            "jupyterLabAppSettings": {"appLifecycleManagement": {"idleSettings": settings}}
        }
    }


@pytest.mark.parametrize(
    ("type_token", "properties", "state", "seconds"),
    [
        ("aws:sagemaker/notebookInstance:NotebookInstance", {}, "absent", None),
        (
            "aws:sagemaker/notebookInstance:NotebookInstance",
            {"lifecycleConfigName": UNKNOWN},
            "known",
            None,
        ),
        (
            "aws:sagemaker/userProfile:UserProfile",
            studio({"lifecycleManagement": "ENABLED", "idleTimeoutInMinutes": 60}),
            "known",
            3600,
        ),
        (
            "aws:sagemaker/userProfile:UserProfile",
            studio({"lifecycleManagement": "DISABLED", "idleTimeoutInMinutes": 60}),
            "absent",
            None,
        ),
        (
            "gcp:workbench/instance:Instance",
            {"gceSetup": {"metadata": {"idle-timeout-seconds": "1800"}}},
            "known",
            1800,
        ),
        (
            "gcp:colab/runtimeTemplate:RuntimeTemplate",
            {"idleShutdownConfig": {"idleTimeout": "3600s"}},
            "known",
            3600,
        ),
        (
            "azure-native:machinelearningservices:Compute",
            {
                "properties": {
                    "computeType": "ComputeInstance",
                    "properties": {"idleTimeBeforeShutdown": "PT60M"},
                }
            },
            "known",
            3600,
        ),
        (
            "azure-native:machinelearningservices:Compute",
            {"properties": {"computeType": "AmlCompute", "properties": {}}},
            "absent",
            None,
        ),
        ("kubernetes:keda.sh/v1alpha1:ScaledObject", {"spec": {}}, "known", 300),
        (
            "kubernetes:karpenter.sh/v1:NodePool",
            {"spec": {"disruption": {"consolidateAfter": "Never"}}},
            "absent",
            None,
        ),
        ("kubernetes:karpenter.sh/v1:NodePool", {"spec": {}}, "known", 0),
    ],
)
def test_when_something_stops_by_itself(type_token, properties, state, seconds):
    found = facts_of(type_token, properties)["idle"]["after"]
    assert (found["state"], found["value"]) == (state, seconds)


def test_other_computes_of_azure_are_neither_notebook_nor_pool():
    kubernetes = {"properties": {"computeType": "Kubernetes"}}
    facts = facts_of("azure-native:machinelearningservices:Compute", kubernetes)
    assert "idle" not in facts
    assert "machines" not in facts


ADDRESSED = {"subscriberEmailAddresses": ["a@example.com"]}


@pytest.mark.parametrize(
    ("type_token", "properties", "budget"),
    [
        (
            "aws:budgets/budget:Budget",
            {
                "costFilters": [{"name": "TagKeyValue", "values": ["user:cost-center$cc-1"]}],
                "notifications": [ADDRESSED],
            },
            {"labels": [["cost-center", ["cc-1"]]], "open": False, "notifies": "yes"},
        ),
        (
            "aws:budgets/budget:Budget",
            {"costFilters": [{"name": "Service", "values": ["s"]}], "notifications": [{}]},
            {"labels": [], "open": False, "notifies": "no"},
        ),
        (
            "aws:budgets/budget:Budget",
            {"costFilters": UNKNOWN, "notifications": UNKNOWN},
            {"labels": [], "open": True, "notifies": "unknown"},
        ),
        (
            "gcp:billing/budget:Budget",
            {"budgetFilter": {"labels": {"cost-center": "cc-1"}}, "thresholdRules": [{}]},
            {"labels": [["cost-center", ["cc-1"]]], "open": False, "notifies": "yes"},
        ),
        (
            "azure-native:consumption:Budget",
            {
                "filter": {"and": [{"tags": {"name": "cost-center", "values": ["cc-1"]}}]},
                "notifications": {"a": {"enabled": False}},
            },
            {"labels": [["cost-center", ["cc-1"]]], "open": False, "notifies": "no"},
        ),
    ],
)
def test_what_a_budget_watches(type_token, properties, budget):
    assert facts_of(type_token, properties)["budget"] == budget


@pytest.mark.parametrize(
    ("type_token", "properties", "names"),
    [
        (
            "gcp:logging/metric:Metric",
            {"labelExtractors": {"run_id": "x", "a": "y"}},
            ["a", "run_id"],
        ),
        (
            "aws:cloudwatch/logMetricFilter:LogMetricFilter",
            {"metricTransformation": {"dimensions": {"RequestId": "$.id"}}},
            ["RequestId"],
        ),
        (
            "gcp:monitoring/metricDescriptor:MetricDescriptor",
            {"labels": [{"key": "user_id"}, {}]},
            ["user_id"],
        ),
        (
            "kubernetes:monitoring.coreos.com/v1:PodMonitor",
            {"spec": {"podTargetLabels": ["run-id"]}},
            ["run-id"],
        ),
        ("gcp:logging/metric:Metric", {}, []),
    ],
)
def test_by_what_time_series_are_told_apart(type_token, properties, names):
    series = facts_of(type_token, properties)["series"]
    assert (series["names"], series["open"]) == (names, False)


CONTAINERS = [{"env": [{"name": "LOG_LEVEL", "value": "debug"}, {"name": "OTHER", "value": "x"}]}]


@pytest.mark.parametrize(
    ("type_token", "properties", "levels"),
    [
        (
            "kubernetes:apps/v1:Deployment",
            {"spec": {"template": {"spec": {"containers": CONTAINERS}}}},
            [("debug", "spec.template.spec.containers[0].env[0].value")],
        ),
        (
            "aws:lambda/function:Function",
            {
                "environment": {"variables": {"log_level": "DEBUG"}},
                "loggingConfig": {"systemLogLevel": "WARN"},
            },
            [
                ("WARN", "loggingConfig.systemLogLevel"),
                ("DEBUG", "environment.variables.log_level"),
            ],
        ),
        (
            "kubernetes:core/v1:ConfigMap",
            {"data": {"LOG_LEVEL": 10}},
            [("10", "data.LOG_LEVEL")],
        ),
    ],
)
def test_how_much_a_program_logs(type_token, properties, levels):
    found = facts_of(type_token, properties)["logLevels"]
    assert [(each["value"], each["property"]) for each in found] == levels
