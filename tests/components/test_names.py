from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tidegate_components.names import (
    AKS_AGENT_POOL,
    EKS_NODE_GROUP,
    GCP_RESERVATION,
    GKE_NODE_POOL,
    LOG_WORKSPACE,
    S3_BUCKET,
    STORAGE_ACCOUNT,
    derive_name,
    explain_name,
)

RULES = [
    EKS_NODE_GROUP,
    GKE_NODE_POOL,
    AKS_AGENT_POOL,
    S3_BUCKET,
    STORAGE_ACCOUNT,
    GCP_RESERVATION,
    LOG_WORKSPACE,
]
IDS = st.from_regex(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?", fullmatch=True)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.what)
@given(identifier=IDS)
def test_every_id_becomes_a_name_that_its_cloud_accepts(rule, identifier):
    name = derive_name(identifier, rule)

    suffix = ("-0123456" if rule.hyphens else "01234567") if rule.suffix else ""
    assert explain_name(name + suffix, rule) == ""
    assert len(name) <= rule.limit - rule.suffix


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.what)
@given(ids=st.lists(IDS, min_size=2, max_size=8, unique=True))
def test_two_ids_never_meet_in_one_name(rule, ids):
    names = [derive_name(identifier, rule) for identifier in ids]

    assert len(set(names)) == len(ids)


@given(stem=st.from_regex(r"[a-z]{40}", fullmatch=True), tails=st.permutations(["a", "b", "c"]))
def test_ids_that_differ_only_beyond_the_limit_get_different_names(stem, tails):
    names = {derive_name(stem + tail, GKE_NODE_POOL) for tail in tails}

    assert len(names) == 3


def test_hyphens_that_azure_drops_still_tell_pools_apart():
    names = {derive_name(name, AKS_AGENT_POOL) for name in ("train-a100", "traina100")}

    assert len(names) == 2
    assert "traina100" in names


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.what)
def test_a_short_plain_id_is_its_own_name(rule):
    assert derive_name("train", rule) == "train"


@given(identifier=IDS)
def test_a_derived_name_never_changes(identifier):
    # The name is in the cloud already; another one would replace the pool.
    assert derive_name(identifier, AKS_AGENT_POOL) == derive_name(identifier, AKS_AGENT_POOL)
    assert derive_name("a-very-long-identifier", AKS_AGENT_POOL) == "averylo79mln"


@pytest.mark.parametrize(
    ("name", "rule", "reason"),
    [
        ("a" * 41, GKE_NODE_POOL, "has 41 characters, and a GKE node pool name may have 40"),
        ("gpu-pool", AKS_AGENT_POOL, "is not a valid AKS agent pool name"),
        ("GPUpool", AKS_AGENT_POOL, "is not a valid AKS agent pool name"),
        ("1pool", GKE_NODE_POOL, "is not a valid GKE node pool name"),
        ("pool-", GKE_NODE_POOL, "is not a valid GKE node pool name"),
        ("pool", GKE_NODE_POOL, ""),
    ],
)
def test_given_names_are_explained_never_changed(name, rule, reason):
    assert explain_name(name, rule) == reason


def test_every_grammar_is_anchored_by_its_use():
    for rule in RULES:
        assert re.fullmatch(rule.grammar, "train\n") is None
