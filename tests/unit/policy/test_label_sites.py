"""Inheritance as the providers do it, for any labels that a program can write."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from tidegate.policy.graph import Provider, Resource, ResourceGraph, StackFacts
from tidegate.policy.label_sites import LabelSite, build_label_sites
from tidegate.policy.label_table import Scope
from tidegate.policy.values import SECRET, UNKNOWN

LABELS = st.dictionaries(
    st.sampled_from(["owner", "Owner", "team", "cost-center"]), st.text(max_size=3), max_size=4
)
GROUP = "aws:autoscaling/group:Group"


def sites_of(type_token, properties, defaults=None, name="defaultTags"):
    provider = Provider("urn:provider", {} if defaults is None else {name: defaults})
    resource = Resource("urn:a", type_token, "a", properties, provider=provider)
    graph = ResourceGraph(StackFacts(), (resource,), complete=False)
    return build_label_sites(resource, graph)


@given(own=LABELS, defaults=LABELS, as_text=st.booleans())
def test_own_labels_come_before_the_providers_and_none_is_lost(own, defaults, as_text):
    given_defaults = {"tags": defaults}
    (site,) = sites_of(
        "aws:s3/bucket:Bucket",
        {"tags": own},
        json.dumps(given_defaults) if as_text else given_defaults,
    )
    assert site == LabelSite(Scope.RESOURCE, "tags", {**defaults, **own})


@given(own=LABELS, defaults=LABELS)
def test_google_defaults_are_not_nested(own, defaults):
    (site,) = sites_of(
        "gcp:storage/bucket:Bucket", {"labels": own}, json.dumps(defaults), "defaultLabels"
    )
    assert site.labels == {**defaults, **own}


@given(own=LABELS, defaults=LABELS)
def test_azure_inherits_nothing(own, defaults):
    (site,) = sites_of("azure-native:storage:StorageAccount", {"tags": own}, json.dumps(defaults))
    assert site.labels == own


@given(labels=LABELS, propagated=st.sets(st.sampled_from(["owner", "Owner", "team"])))
def test_instances_of_a_group_have_exactly_what_it_passes_on(labels, propagated):
    tags = [
        {"key": key, "value": value, "propagateAtLaunch": key in propagated}
        for key, value in labels.items()
    ]
    group, instances = sites_of(GROUP, {"tags": tags})
    assert group.labels == labels
    assert instances.labels == {key: labels[key] for key in labels.keys() & propagated}


def test_an_entry_without_a_readable_key_leaves_the_list_open():
    for entry in (UNKNOWN, {"key": UNKNOWN, "value": "a"}, {"value": "a"}):
        group, instances = sites_of(GROUP, {"tags": [entry]})
        assert (group.open, instances.open) == (True, True)


def test_nothing_written_differs_from_nothing_known():
    for properties, declared, is_open in (
        ({}, False, False),
        ({"tags": None}, False, False),
        ({"tags": {}}, True, False),
        ({"tags": UNKNOWN}, True, True),
        ({"tags": SECRET}, True, True),
    ):
        (site,) = sites_of("azure-native:resources:ResourceGroup", properties)
        assert (site.labels, site.declared, site.open) == ({}, declared, is_open)


def test_values_are_written_as_text():
    tags = {"number": 1234, "share": 1.5, "yes": True, "none": None, "list": ["a"], "new": UNKNOWN}
    (site,) = sites_of("aws:s3/bucket:Bucket", {"tags": tags})
    assert site.labels == {
        "number": "1234",
        "share": "1.5",
        "yes": "true",
        "list": '["a"]',
        "new": UNKNOWN,
    }


def test_each_pool_of_a_cluster_has_a_site_of_its_own():
    profiles = [{"tags": {"a": "1"}}, {}, UNKNOWN]
    _, *pools = sites_of(
        "azure-native:containerservice:ManagedCluster", {"agentPoolProfiles": profiles}
    )
    assert [(site.property, site.labels, site.open) for site in pools] == [
        ("agentPoolProfiles[0].tags", {"a": "1"}, False),
        ("agentPoolProfiles[1].tags", {}, False),
        ("agentPoolProfiles[2].tags", {}, True),
    ]


def test_types_that_nobody_knows_have_no_sites_and_known_ones_without_labels_have_none_of_them():
    assert sites_of("aws:odd/thing:Thing", {"tags": {"a": "1"}}) is None
    assert sites_of("aws:s3/bucketPolicy:BucketPolicy", {}) == ()
