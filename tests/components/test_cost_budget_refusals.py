"""What a budget's cloud would refuse, or would do otherwise than it is meant."""

from __future__ import annotations

import pulumi
import pytest
from tidegate_components import CostBudget
from tidegate_components.cost_budget.parse import parse_budget

from tidegate.vocabulary.problems import InvalidInput

SUBSCRIPTION = "/subscriptions/00000000-0000-0000-0000-000000000001"
OWN = {
    "aws": {"aws": {"sns_topic_arn": "arn:aws:sns:us-east-1:1:cost"}},
    "gcp": {"gcp": {"billing_account": "0000-1", "project": "acme-ml"}},
    "azure": {"azure": {"scope": SUBSCRIPTION}, "start": "2026-12-01"},
}


@pytest.fixture
def args(labels):
    def build(cloud, **changes):
        shared = {
            "cloud": cloud,
            "amount": 1000,
            "currency": "USD",
            "emails": ["ml@example.com"],
            "labels": labels,
        }
        merged = {**shared, **OWN[cloud], **changes}
        return {key: value for key, value in merged.items() if value is not None}

    return build


@pytest.mark.parametrize(
    ("cloud", "changes", "line"),
    [
        ("aws", {"amount": None}, "amount: is required and is missing; expected an amount above 0"),
        ("aws", {"amount": 0}, "amount = 0: is nothing; expected an amount above 0"),
        ("aws", {"currency": None}, "currency: is required and is missing; expected a value"),
        (
            "gcp",
            {"currency": "US$"},
            (
                "currency = 'US$': is no currency code; expected three capital letters "
                "(ISO 4217), one currency a budget"
            ),
        ),
        (
            "aws",
            {"currency": "EUR"},
            (
                "currency = 'EUR': is not what AWS counts in: a budget has its account's currency; "
                "expected USD, or CNY in China"
            ),
        ),
        (
            "aws",
            {"thresholds_percent": [50, 50]},
            "thresholds_percent[1] = 50: is there twice; expected each threshold once",
        ),
        (
            "aws",
            {"thresholds_percent": [0]},
            "thresholds_percent[0] = 0: is no whole percent; expected 1 or more",
        ),
        (
            "aws",
            {"thresholds_percent": [], "forecast_thresholds_percent": []},
            "thresholds_percent: is empty, and so are forecasts; expected at least one threshold",
        ),
        (
            "aws",
            {"thresholds_percent": list(range(10, 110, 10))},
            (
                "thresholds_percent = 11: are more than one AWS budget takes, forecasts included; "
                "expected at most 10"
            ),
        ),
        (
            "aws",
            {"emails": [f"a{n}@example.com" for n in range(11)]},
            (
                "emails = 11: are more than one notification of an AWS budget tells; expected at "
                "most 10"
            ),
        ),
        (
            "aws",
            {"emails": ["nobody"]},
            "emails[0] = 'nobody': is no e-mail address; expected name@host",
        ),
        (
            "aws",
            {"emails": [], "aws": {}},
            (
                "emails: is missing: the budget would tell nobody; expected emails, "
                "aws.sns_topic_arn or aws.create_topic"
            ),
        ),
        (
            "aws",
            {"aws": {**OWN["aws"]["aws"], "create_topic": True}},
            (
                "aws.create_topic = 'true': and sns_topic_arn exclude each other: AWS tells one "
                "topic; expected one of the two"
            ),
        ),
        (
            "aws",
            {"start": "now"},
            "start = 'now': is no day; expected a day such as 2026-12-01",
        ),
        (
            "aws",
            {"start": "2026-12-01", "end": "2026-12-01"},
            "end = '2026-12-01': is not after the start 2026-12-01; expected a later day",
        ),
        (
            "aws",
            {"by_label": "cost-centre"},
            (
                "by_label = 'cost-centre': is no label of this budget (did you mean "
                "'cost-center'?); expected one of business-unit, cost-center, environment, "
                "managed-by, owner, platform-project, workload-class, or a label_value"
            ),
        ),
        (
            "aws",
            {"whole_account": True, "label_value": "x"},
            "label_value: and whole_account exclude each other; expected one of the two",
        ),
        (
            "aws",
            {"anomaly": {}},
            (
                "anomaly.minimum_impact: is needed: without it every cent is told; expected an "
                "amount above 0"
            ),
        ),
        (
            "aws",
            {"anomaly": {"minimum_impact": 5}, "whole_account": True},
            (
                "anomaly: is for one label, and the budget counts every charge; expected by_label, "
                "or leave it out"
            ),
        ),
        (
            "gcp",
            {"anomaly": {"minimum_impact": 5}},
            (
                "anomaly: cannot be declared: Cloud Billing detects anomalies by itself, for all "
                "projects; expected leave it out"
            ),
        ),
        (
            "gcp",
            {"start": "2026-12-01"},
            (
                "start = '2026-12-01': cannot be set alone: budgets of calendar periods have "
                "always begun; expected an end too, or leave it out"
            ),
        ),
        (
            "gcp",
            {"start": "2026-12-01", "end": "2027-12-01", "forecast_thresholds_percent": [90]},
            (
                "forecast_thresholds_percent: cannot be forecast: Cloud Billing forecasts calendar "
                "periods only; expected no forecast, or no end"
            ),
        ),
        (
            "gcp",
            {"gcp": {"billing_account": "0", "project": "p", "projects": ["acme-ml"]}},
            (
                "gcp.projects[0] = 'acme-ml': is no project number; expected a number, or "
                "projects/NUMBER"
            ),
        ),
        (
            "gcp",
            {"gcp": {"billing_account": "0"}},
            (
                "gcp.project: is needed: each e-mail address becomes a notification channel in it; "
                "expected a project"
            ),
        ),
        (
            "gcp",
            {"emails": [f"a{n}@example.com" for n in range(6)]},
            (
                "emails = 6: are more than one budget of Cloud Billing (channels included) tells; "
                "expected at most 5"
            ),
        ),
        (
            "azure",
            {"start": None},
            (
                "start: is needed: Azure never changes a budget's start, so it is pinned; expected "
                "the first day of a month, such as 2026-12-01"
            ),
        ),
        (
            "azure",
            {"start": "2026-12-02"},
            (
                "start = '2026-12-02': is not where an Azure budget can begin; expected the first "
                "day of a month"
            ),
        ),
        (
            "azure",
            {"thresholds_percent": [10, 20, 30, 40, 50]},
            (
                "thresholds_percent = 6: are more than one Azure budget takes, forecasts included; "
                "expected at most 5"
            ),
        ),
        (
            "azure",
            {"thresholds_percent": [1001]},
            (
                "thresholds_percent = 1001: is beyond what an Azure budget takes; expected at most "
                "1000"
            ),
        ),
        (
            "azure",
            {"azure": {"scope": "ml"}},
            (
                "azure.scope = 'ml': is no scope of costs; expected /subscriptions/ID, a resource "
                "group below it, or a management group"
            ),
        ),
        (
            "azure",
            {
                "azure": {"scope": f"{SUBSCRIPTION}/resourceGroups/ml"},
                "anomaly": {"until": "2027-11-30"},
            },
            (
                f"azure.scope = '{SUBSCRIPTION}/resourceGroups/ml': cannot be watched: Azure's "
                "anomaly alerts are for a whole subscription; expected /subscriptions/ID, or no "
                "anomaly"
            ),
        ),
        (
            "azure",
            {"anomaly": {}},
            (
                "anomaly.until: is needed: Azure's anomaly alerts end on a stated day; expected a "
                "day such as 2027-11-30"
            ),
        ),
        (
            "azure",
            {"gcp": {"billing_account": "0"}},
            "gcp: concerns gcp, and the budget is for azure; expected leave it out",
        ),
    ],
)
def test_what_a_cloud_refuses_or_takes_otherwise_is_refused(args, cloud, changes, line):
    with pytest.raises(InvalidInput) as caught:
        parse_budget("vision", args(cloud, **changes))

    assert str(caught.value).splitlines() == [f"budget vision: {line}"]


@pytest.mark.parametrize(
    ("cloud", "own", "key"),
    [
        ("gcp", {"project": "acme-ml"}, "billing_account"),
        ("azure", {"action_groups": ["/groups/1"]}, "scope"),
    ],
)
def test_a_budget_without_what_is_charged_is_refused_before_anything_is_registered(
    args, cloud, own, key
):
    # Outside of any engine a registration would fail otherwise.
    with pytest.raises(InvalidInput) as caught:
        CostBudget("vision", args(cloud, **{cloud: own}))

    assert str(caught.value) == (
        f"budget vision: {cloud}.{key}: is required and is missing; expected a value or an Output"
    )


def test_an_amount_that_is_known_only_later_is_refused(record, args):
    found = []

    def program():
        try:
            CostBudget("vision", args("aws", amount=pulumi.Output.from_input(5)))
        except InvalidInput as error:
            found.append(str(error))

    record(program)

    (line,) = found
    assert line.startswith("budget vision: amount: is an Output, but enters the capacity manifest")
