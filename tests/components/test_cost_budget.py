"""Budgets and anomaly monitors on three clouds."""

from __future__ import annotations

import json

import pulumi
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tidegate_components import CostBudget
from tidegate_components.cost_budget.gcp import build_amount
from tidegate_components.cost_budget.parse import parse_budget

SUBSCRIPTION = "/subscriptions/00000000-0000-0000-0000-000000000001"
OWN = {
    "aws": {"aws": {"sns_topic_arn": "arn:aws:sns:us-east-1:1:cost"}},
    "gcp": {"gcp": {"billing_account": "0000-1", "project": "acme-ml"}},
    "azure": {"azure": {"scope": SUBSCRIPTION}, "start": "2026-12-01"},
}
CLOUDS = list(OWN)
BUDGET = {
    "aws": "budgets/budget:Budget",
    "gcp": "billing/budget:Budget",
    "azure": "consumption:Budget",
}


@pytest.fixture
def args(labels):
    def build(cloud, **changes):
        shared = {
            "cloud": cloud,
            "amount": 1200.5,
            "currency": "USD",
            "emails": ["ml@example.com"],
            "labels": labels,
        }
        return {**shared, **OWN[cloud], **changes}

    return build


@pytest.fixture
def declare(record, args):
    return lambda cloud, opts=None, **changes: record(
        lambda: CostBudget("vision", args(cloud, **changes), opts)
    )


@pytest.mark.parametrize("cloud", CLOUDS)
def test_the_manifest_says_amount_currency_thresholds_and_label_and_no_address(declare, cloud):
    (budget,) = declare(cloud).outputs["vision"]["capacity"]["budgets"]

    assert (budget["amount"], budget["currency"], budget["period"]) == ("1200.5", "USD", "monthly")
    assert budget["thresholdsPercent"] == [50, 80, 100]
    assert budget["forecastThresholdsPercent"] == [100]
    assert budget["filters"] == {"cost-center": "cc-1001"}
    assert "ml@example.com" not in json.dumps(budget)


def test_aws_counts_by_one_tag_in_the_accounts_currency(declare):
    budget = declare("aws", period="quarterly", start="2026-12-01", end="2027-12-01").one(
        BUDGET["aws"]
    )

    inputs = dict(budget.inputs)
    notifications = inputs.pop("notifications")
    tags = inputs.pop("tags")
    assert inputs == {
        "budgetType": "COST",
        "limitAmount": "1200.5",
        "limitUnit": "USD",
        "timeUnit": "QUARTERLY",
        "timePeriodStart": "2026-12-01_00:00",
        "timePeriodEnd": "2027-12-01_00:00",
        "costFilters": [{"name": "TagKeyValue", "values": ["user:cost-center$cc-1001"]}],
    }
    assert tags["cost-center"] == "cc-1001"
    told = [(each["notificationType"], each["threshold"]) for each in notifications]
    assert told == [("ACTUAL", 50), ("ACTUAL", 80), ("ACTUAL", 100), ("FORECASTED", 100)]
    assert notifications[0]["subscriberEmailAddresses"] == ["ml@example.com"]
    assert notifications[0]["subscriberSnsTopicArns"] == ["arn:aws:sns:us-east-1:1:cost"]


def test_aws_watches_anomalies_of_the_label_and_tells_a_topic_at_once_and_mail_daily(declare):
    recording = declare("aws", anomaly={"minimum_impact": 250})

    monitor = recording.one("AnomalyMonitor").inputs
    assert monitor["monitorType"] == "CUSTOM"
    # The empty parts are what AWS answers; without them every run shows a replacement.
    assert json.loads(monitor["monitorSpecification"]) == {
        "And": None,
        "CostCategories": None,
        "Dimensions": None,
        "Not": None,
        "Or": None,
        "Tags": {"Key": "user:cost-center", "MatchOptions": None, "Values": ["cc-1001"]},
    }
    subscriptions = {
        each.inputs["frequency"]: each.inputs for each in recording.of("AnomalySubscription")
    }
    assert subscriptions["IMMEDIATE"]["subscribers"] == [
        {"type": "SNS", "address": "arn:aws:sns:us-east-1:1:cost"}
    ]
    assert subscriptions["DAILY"]["subscribers"] == [{"type": "EMAIL", "address": "ml@example.com"}]
    assert subscriptions["DAILY"]["thresholdExpression"] == {
        "dimension": {
            "key": "ANOMALY_TOTAL_IMPACT_ABSOLUTE",
            "matchOptions": ["GREATER_THAN_OR_EQUAL"],
            "values": ["250"],
        }
    }
    for kind in ("AnomalyMonitor", "AnomalySubscription"):
        assert all(each.inputs["tags"]["owner"] == "ml-platform" for each in recording.of(kind))


def test_a_label_that_aws_counts_by_stays_active_when_one_budget_goes(declare):
    own = {"aws": {**OWN["aws"]["aws"], "activate_cost_allocation_tag": True}}

    recording = declare("aws", anomaly={"minimum_impact": 1}, by_label="owner", **own)

    tag = recording.one("CostAllocationTag")
    assert tag.inputs == {"tagKey": "owner", "status": "Active"}
    assert tag.request.retainOnDelete
    for kind in (BUDGET["aws"], "AnomalyMonitor"):
        assert any("CostAllocationTag" in urn for urn in recording.one(kind).request.dependencies)
    assert declare("aws").of("CostAllocationTag") == []


def test_a_topic_of_its_own_lets_budgets_and_anomaly_detection_publish(declare, labels):
    own = {"account": "123456789012", "aws": {"create_topic": True}, "emails": []}

    recording = declare("aws", anomaly={"minimum_impact": 1}, **own)

    topic = recording.one("sns/topic:Topic")
    assert topic.inputs == {"tags": {**labels, "managed-by": "tidegate"}}
    policy = recording.one("sns/topicPolicy:TopicPolicy")
    (statement,) = json.loads(policy.inputs["policy"])["Statement"]
    assert statement["Principal"] == {
        "Service": ["budgets.amazonaws.com", "costalerts.amazonaws.com"]
    }
    assert statement["Resource"] == "arn:topic"
    assert statement["Condition"] == {"StringEquals": {"aws:SourceAccount": "123456789012"}}
    # A topic that may not be published to yet is refused.
    for kind in (BUDGET["aws"], "AnomalySubscription"):
        assert any("TopicPolicy" in urn for urn in recording.one(kind).request.dependencies)


def test_cloud_billing_counts_by_one_label_and_projects_by_number(declare):
    own = {
        "gcp": {
            **OWN["gcp"]["gcp"],
            "projects": ["123456", "projects/7"],
            "pubsub_topic": "projects/acme-ml/topics/cost",
        }
    }

    recording = declare("gcp", **own)

    budget = recording.one(BUDGET["gcp"]).inputs
    assert budget["budgetFilter"] == {
        "projects": ["projects/123456", "projects/7"],
        "labels": {"cost-center": "cc-1001"},
        "calendarPeriod": "MONTH",
    }
    assert budget["amount"] == {
        "specifiedAmount": {"currencyCode": "USD", "units": "1200", "nanos": 500_000_000}
    }
    assert budget["thresholdRules"][0] == {"thresholdPercent": 0.5, "spendBasis": "CURRENT_SPEND"}
    assert budget["thresholdRules"][-1] == {"thresholdPercent": 1, "spendBasis": "FORECASTED_SPEND"}
    assert budget["allUpdatesRule"] == {
        "monitoringNotificationChannels": ["vision-0"],
        "pubsubTopic": "projects/acme-ml/topics/cost",
        "schemaVersion": "1.0",
    }
    channel = recording.one("NotificationChannel").inputs
    assert channel["labels"] == {"email_address": "ml@example.com"}
    assert channel["userLabels"]["cost-center"] == "cc-1001"


def test_cloud_billing_forecasts_no_custom_period(declare):
    recording = declare("gcp", start="2026-12-01", end="2027-06-01")

    budget = recording.one(BUDGET["gcp"]).inputs
    assert budget["budgetFilter"]["customPeriod"] == {
        "startDate": {"year": 2026, "month": 12, "day": 1},
        "endDate": {"year": 2027, "month": 6, "day": 1},
    }
    assert {rule["spendBasis"] for rule in budget["thresholdRules"]} == {"CURRENT_SPEND"}


@given(amount=st.decimals("0.000000001", "99999999", places=9))
def test_an_amount_of_google_is_whole_units_and_billionths(amount):
    from tidegate_components.cost_budget.spec import BudgetSpec, Period

    spec = BudgetSpec(
        "b", None, "", amount, "EUR", Period.MONTHLY, None, None, None, (), (), (), None, None
    )

    built = build_amount(spec)

    assert int(built["units"]) * 10**9 + built.get("nanos", 0) == amount * 10**9
    assert 0 <= built.get("nanos", 0) < 10**9


def test_azure_begins_on_a_pinned_day_which_makes_it_anew_when_it_changes(declare):
    budget = declare("azure").one(BUDGET["azure"])

    assert budget.inputs["timePeriod"] == {"startDate": "2026-12-01T00:00:00Z"}
    assert "timePeriod.startDate" in budget.request.replaceOnChanges
    # Its name is its id, which only one can have.
    assert budget.inputs["budgetName"] == "vision"
    assert budget.request.deleteBeforeReplace


def test_azure_counts_by_one_tag_and_tells_at_five_thresholds_at_most(declare):
    own = {"azure": {"scope": SUBSCRIPTION, "action_groups": ["/groups/1"]}}

    inputs = (
        declare("azure", thresholds_percent=[50, 80, 100, 120], **own).one(BUDGET["azure"]).inputs
    )

    assert inputs["filter"] == {
        "tags": {"name": "cost-center", "operator": "In", "values": ["cc-1001"]}
    }
    assert sorted(inputs["notifications"]) == [
        "actual-100",
        "actual-120",
        "actual-50",
        "actual-80",
        "forecasted-100",
    ]
    assert inputs["notifications"]["forecasted-100"] == {
        "enabled": True,
        "operator": "GreaterThanOrEqualTo",
        "threshold": 100,
        "thresholdType": "Forecasted",
        "contactEmails": ["ml@example.com"],
        "contactGroups": ["/groups/1"],
    }


def test_azure_alerts_of_a_subscriptions_anomalies_until_a_stated_day(declare):
    alert = declare("azure", anomaly={"until": "2027-11-30"}).one("ScheduledActionByScope").inputs

    assert alert["kind"] == "InsightAlert"
    assert alert["scope"] == SUBSCRIPTION
    assert alert["schedule"] == {
        "frequency": "Daily",
        "startDate": "2026-12-01T00:00:00Z",
        "endDate": "2027-11-30T00:00:00Z",
    }
    assert alert["notification"]["to"] == ["ml@example.com"]
    assert alert["viewId"].endswith("ms:DailyAnomalyByResourceGroup")


@pytest.mark.parametrize("cloud", CLOUDS)
def test_a_whole_account_is_counted_without_a_label(declare, cloud):
    recording = declare(cloud, whole_account=True)

    inputs = recording.one(BUDGET[cloud]).inputs
    assert inputs.get("costFilters") in (None, [])
    assert "labels" not in inputs.get("budgetFilter", {})
    assert "filter" not in inputs
    (budget,) = recording.outputs["vision"]["capacity"]["budgets"]
    assert budget["filters"] == {}


@pytest.mark.parametrize("cloud", CLOUDS)
def test_the_callers_protection_and_ignored_changes_reach_the_budget(declare, cloud):
    opts = pulumi.ResourceOptions(protect=True, ignore_changes=["notifications", "thresholdRules"])

    budget = declare(cloud, opts).one(BUDGET[cloud])

    assert budget.request.protect
    assert budget.ignored == (["thresholdRules"] if cloud == "gcp" else ["notifications"])


def test_days_are_those_of_the_arguments(args):
    spec = parse_budget("vision", args("azure", start="2027-02-01", end="2028-02-01"))

    assert (str(spec.start), str(spec.end)) == ("2027-02-01", "2028-02-01")
