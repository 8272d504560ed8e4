"""Cost labels: one grammar that holds in every cloud, one spelling for every key."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidegate.vocabulary.capacity import WorkloadClass
from tidegate.vocabulary.labels import (
    DEFAULT_ALIASES,
    KNOWN_KEYS,
    REQUIRED_KEYS,
    CostLabels,
    LabelAliases,
    check_label_value,
    parse_cost_labels,
)
from tidegate.vocabulary.problems import InvalidInput

VALID = {
    "environment": "prod",
    "owner": "ml-platform",
    "business-unit": "search",
    "platform-project": "ranker",
    "workload-class": "training",
    "cost-center": "cc-1234",
}

GRAMMARS = {
    "aws": re.compile(r"[\w\s.:/=+\-@]{0,256}"),
    "gcp": re.compile(r"[a-z0-9_-]{0,63}"),
    "azure": re.compile(r".{0,256}"),
    "kubernetes": re.compile(r"(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?"),
}


def test_parses_the_required_keys_and_keeps_declared_optional_ones() -> None:
    parsed = parse_cost_labels("pool a", {**VALID, "team": "rank", "expires-on": "2027-01-31"})
    assert parsed == CostLabels(
        environment="prod",
        owner="ml-platform",
        business_unit="search",
        platform_project="ranker",
        workload_class=WorkloadClass.TRAINING,
        cost_center="cc-1234",
        optional={"team": "rank", "expires-on": "2027-01-31"},
    )
    assert parsed.to_mapping(capacity_pool="a") == {
        **VALID,
        "team": "rank",
        "expires-on": "2027-01-31",
        "managed-by": "tidegate",
        "capacity-pool": "a",
    }


def test_reports_every_fault_at_once_naming_key_value_and_rule() -> None:
    faulty = {**VALID, "owner": "ML@Team", "workload-class": "trainin", "color": "red"}
    del faulty["cost-center"]
    with pytest.raises(InvalidInput) as caught:
        parse_cost_labels("pool a", faulty)
    found = {problem.property: (problem.value, problem.reason) for problem in caught.value.problems}
    assert found == {
        "labels.owner": ("'ML@Team'", "is not a valid cost label value"),
        "labels.workload-class": (
            "'trainin'",
            "is not a workload class (did you mean 'training'?)",
        ),
        "labels.color": ("", "is not a cost label"),
        "labels.cost-center": ("", "is a required cost label and is missing"),
    }


@pytest.mark.parametrize("spelling", sorted(DEFAULT_ALIASES))
def test_folds_the_spellings_of_existing_estates(spelling: str) -> None:
    aliases = LabelAliases()
    assert aliases.canonical(spelling) == DEFAULT_ALIASES[spelling]
    assert aliases.canonical(spelling.title()) == DEFAULT_ALIASES[spelling]


def test_refuses_two_spellings_of_one_key_that_disagree() -> None:
    with pytest.raises(InvalidInput, match="another spelling of cost-center"):
        parse_cost_labels("pool a", {**VALID, "CostCenter": "cc-9"})


def test_accepts_two_spellings_of_one_key_that_agree() -> None:
    assert parse_cost_labels("a", {**VALID, "CostCenter": "cc-1234"}) == parse_cost_labels(
        "a", VALID
    )


@pytest.mark.parametrize("key", ["capacity-pool", "managed-by"])
def test_refuses_labels_that_only_components_set(key: str) -> None:
    with pytest.raises(InvalidInput, match="set by the components"):
        parse_cost_labels("pool a", {**VALID, key: "x"})


@pytest.mark.parametrize("value", ["", "A", "-a", "a-", "a.b", "ü", "a" * 64, 1234, None, True])
def test_refuses_values_that_some_cloud_would_not_take(value: object) -> None:
    assert [problem.property for problem in check_label_value("pool a", "owner", value)] == [
        "labels.owner"
    ]


@given(st.from_regex(r"\A[a-z0-9]([-_a-z0-9]{0,61}[a-z0-9])?\Z"))
def test_every_accepted_value_is_valid_in_all_clouds_and_kubernetes(value: str) -> None:
    assert check_label_value("pool a", "owner", value) == []
    assert {name for name, rule in GRAMMARS.items() if not rule.fullmatch(value)} == set()


@given(st.text(max_size=70))
def test_any_text_is_accepted_or_refused_with_its_key(value: str) -> None:
    problems = check_label_value("pool a", "team", value)
    accepted = bool(re.fullmatch(r"[a-z0-9]([-_a-z0-9]{0,61}[a-z0-9])?", value))
    assert [problem.property for problem in problems] == ([] if accepted else ["labels.team"])


def test_canonical_keys_are_fixed_points_of_the_alias_map() -> None:
    aliases = LabelAliases()
    assert [aliases.canonical(key) for key in KNOWN_KEYS] == list(KNOWN_KEYS)
    assert set(DEFAULT_ALIASES.values()) <= set(REQUIRED_KEYS)
