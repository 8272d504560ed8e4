"""What the core does alike for every type: schemas, limits, names, wire form, differences."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidegate.localclouds.contracts import UNKNOWN, CheckFailure
from tidegate.localclouds.differences import (
    Change,
    find_changes,
    forces_replacement,
    overlay_inputs,
)
from tidegate.localclouds.naming import build_name, is_auto_name, strip_version
from tidegate.localclouds.rules import Limit, TypeRules, check_limits
from tidegate.localclouds.schema import UnknownType, load_schema
from tidegate.localclouds.shapes import check_shapes
from tidegate.localclouds.wire import (
    SECRET,
    SIGNATURE,
    UNKNOWN_STRING,
    mark_secrets,
    parse_struct,
    render_struct,
    unmark_secrets,
)

NODE_GROUP = "aws:eks/nodeGroup:NodeGroup"
AGENT_POOL = "azure-native:containerservice:AgentPool"
VALID = {
    "clusterName": "c",
    "nodeRoleArn": "r",
    "subnetIds": ["s"],
    "scalingConfig": {"minSize": 0, "maxSize": 1, "desiredSize": 0},
}


def failures(token, inputs):
    found = check_shapes(load_schema(token), inputs)
    return {failure.property: failure.reason for failure in found}


@pytest.mark.parametrize(
    ("token", "hint"),
    [
        ("aws:eks/nodeGrup:NodeGrup", "aws:eks/nodeGroup:NodeGroup"),
        ("gcp:container/nodePol:NodePol", "gcp:container/nodePool:NodePool"),
        ("azure-native:containerservice:AgentPol", "azure-native:containerservice:AgentPool"),
    ],
)
def test_an_unknown_type_is_refused_with_the_nearest(token, hint):
    with pytest.raises(UnknownType, match=hint):
        load_schema(token)


def test_an_unknown_package_is_refused():
    with pytest.raises(UnknownType, match="no local cloud for package oci"):
        load_schema("oci:core:Instance")


@pytest.mark.parametrize(
    ("changes", "place", "words"),
    [
        ({"instanceType": "x"}, "instanceType", "did you mean 'instanceTypes'?"),
        (
            {"scalingConfig": {"minSize": 0, "maxSize": 1, "desiredSize": 0, "minSizes": 1}},
            "scalingConfig.minSizes",
            "did you mean 'minSize'?",
        ),
        ({"zzz": 1}, "zzz", "unknown property 'zzz'"),
        ({"clusterName": None}, "clusterName", "missing required property 'clusterName'"),
        (
            {"scalingConfig": {"minSize": 0, "maxSize": 1}},
            "scalingConfig.desiredSize",
            "missing required property 'desiredSize'",
        ),
        ({"subnetIds": "s"}, "subnetIds", "expected a list, got the string 's'"),
        ({"subnetIds": ["s", 1]}, "subnetIds[1]", "expected a string, got the integer 1"),
        ({"scalingConfig": 3}, "scalingConfig", "expected an object, got the integer 3"),
        ({"diskSize": "20"}, "diskSize", "expected an integer, got the string '20'"),
        ({"diskSize": True}, "diskSize", "expected an integer, got the boolean True"),
        ({"labels": {"a": 1}}, "labels.a", "expected a string, got the integer 1"),
        ({"tags": ["a"]}, "tags", "expected a map, got the list ['a']"),
    ],
)
def test_names_required_ones_and_shapes_come_from_the_sdk(changes, place, words):
    found = failures(NODE_GROUP, {**VALID, **changes})

    assert list(found) == [place]
    assert words in found[place]


def test_closed_sets_come_from_the_sdk():
    inputs = {"resourceGroupName": "g", "resourceName": "c", "mode": "Sytem"}

    assert failures(AGENT_POOL, inputs) == {
        "mode": "expected one of [System, User, Gateway], got 'Sytem'"
    }


def test_what_is_not_known_yet_is_not_judged():
    inputs = dict.fromkeys(VALID, UNKNOWN)

    assert failures(NODE_GROUP, inputs) == {}
    assert failures(NODE_GROUP, {**VALID, "labels": {"a": UNKNOWN}}) == {}


def test_a_type_whose_name_another_type_nests_has_its_own_inputs():
    schema = load_schema("aws:s3/bucketVersioning:BucketVersioning")

    assert schema.inputs.required == {"bucket", "versioningConfiguration"}


def test_an_api_version_leads_to_the_same_type():
    assert strip_version("azure-native:compute/v20240701:Disk") == "azure-native:compute:Disk"
    assert load_schema("azure-native:containerservice/v20250101:AgentPool").outputs


@pytest.mark.parametrize(
    ("limit", "inputs", "expected"),
    [
        (Limit("a", min=1), {"a": 0}, [("a", "expected at least 1, got 0")]),
        (Limit("a", max=1), {"a": 2}, [("a", "expected at most 1, got 2")]),
        (Limit("a", one_of=(1, 2)), {"a": 3}, [("a", "expected one of [1, 2], got 3")]),
        (Limit("a", pattern="[a-z]+"), {"a": "A"}, [("a", "'A' does not match [a-z]+")]),
        (Limit("a", max_length=2), {"a": "abc"}, [("a", "expected at most 2 characters, got 3")]),
        (Limit("a", min_length=2), {"a": "b"}, [("a", "expected at least 2 characters, got 1")]),
        (Limit("a", max_items=1), {"a": [1, 2]}, [("a", "expected at most 1 items, got 2")]),
        (Limit("a", min_items=1), {"a": {}}, [("a", "expected at least 1 items, got 0")]),
        (Limit("a", not_with=("b",)), {"a": 1, "b": 2}, [("a", "conflicts with b")]),
        (Limit("a", requires=("b",)), {"a": 1}, [("a", "requires b")]),
        (Limit("a", reason="no", max=1), {"a": 2}, [("a", "no")]),
        (
            Limit("a[].b", max=1),
            {"a": [{"b": 1}, {"b": 2}]},
            [("a[1].b", "expected at most 1, got 2")],
        ),
        (Limit("a[]", max=1), {"a": {"x": 2}}, [("a.x", "expected at most 1, got 2")]),
        (Limit("a", max=1), {}, []),
        (Limit("a", max=1), {"a": UNKNOWN}, []),
        (Limit("a[].b", max=1), {"a": UNKNOWN}, []),
    ],
)
def test_limits(limit, inputs, expected):
    found = check_limits(TypeRules(limits=(limit,)), inputs)

    assert found == [CheckFailure(*pair) for pair in expected]


@given(st.text(st.characters(codec="ascii", categories=["L", "N"]), min_size=1), st.binary())
def test_auto_names_fit_and_are_the_same_in_preview_and_update(name, seed):
    rules = TypeRules(autoname="name", autoname_max=20, autoname_form="lower")

    made = build_name(rules, name, seed)

    assert len(made) <= 20
    assert made == made.lower() == build_name(rules, name, seed)


def test_auto_names_without_a_dash_where_the_cloud_allows_none():
    rules = TypeRules(autoname="name", autoname_max=12, autoname_form="lower-alnum")

    assert build_name(rules, "My-Pool", b"s").startswith("mypoo")
    assert build_name(rules, "My-Pool", b"s").isalnum()


@pytest.mark.parametrize("form", ["lower", "lower-alnum", "plain"])
@given(st.from_regex(r"[a-z][-a-z0-9]{0,30}", fullmatch=True), st.binary())
def test_auto_names_are_known_as_such_whatever_the_resource_is_called_now(form, name, seed):
    rules = TypeRules(autoname="name", autoname_max=40, autoname_form=form)

    assert is_auto_name(rules, "renamed", build_name(rules, name, seed))
    assert not is_auto_name(rules, "renamed", "mine")
    assert not is_auto_name(rules, "train", "train-1234")


wire_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.text(max_size=10)
    | st.just(UNKNOWN),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=8,
)


@given(st.dictionaries(st.text(max_size=5), wire_values, max_size=4))
def test_the_wire_form_goes_there_and_back(values):
    assert parse_struct(render_struct(values)).values == values


def test_secrets_are_marked_where_they_were():
    values = {"a": {"b": ["x", "y"]}, "c": 1}
    secrets = frozenset({("a", "b", 1), ("c",)})

    marked = mark_secrets(values, secrets)

    assert marked["c"] == {SIGNATURE: SECRET, "value": 1}
    assert marked["a"]["b"][0] == "x"
    assert unmark_secrets(marked).values == values
    assert unmark_secrets(marked).secrets == secrets
    wired = parse_struct(render_struct(values, secrets))
    assert (wired.values, wired.secrets) == (values, secrets)


def test_an_unknown_is_the_engines_word_on_the_wire():
    assert render_struct({"a": UNKNOWN})["a"] == UNKNOWN_STRING


def test_changes_are_told_at_the_deepest_place():
    old = {"a": {"b": 1, "c": 2, "k8s.io/x": 1}, "d": [1, 2], "e": 1, "f": None}
    new = {"a": {"b": 1, "c": 3, "k8s.io/x": 2}, "d": [1, 9], "g": 4}

    assert find_changes(old, new) == [
        Change("a.c", "update"),
        Change('a["k8s.io/x"]', "update"),
        Change("d[1]", "update"),
        Change("e", "delete"),
        Change("g", "add"),
    ]


def test_a_nested_path_replaces_what_lies_below_it_alone():
    rules = TypeRules(replace=("a.b",))

    assert forces_replacement(Change("a.b", "update"), rules)
    assert forces_replacement(Change("a.b.c", "update"), rules)
    assert forces_replacement(Change("a[0].b", "update"), rules)
    assert forces_replacement(Change('a.b["x.y/z"]', "update"), rules)
    assert not forces_replacement(Change("a.bc", "update"), rules)
    assert not forces_replacement(Change("a", "add"), rules)


def test_drift_is_laid_over_what_was_asked_for():
    shape = load_schema(NODE_GROUP).inputs
    asked = {**VALID, "labels": {"a": "b"}, "subnetIds": ["s1", "s2"]}
    live = {
        **VALID,
        "scalingConfig": {"minSize": 0, "maxSize": 1, "desiredSize": 1},
        "labels": {"a": "b", "by": "hand"},
        "subnetIds": ["s2", "s1"],
        "diskSize": 20,
        "tags": {"by": "hand"},
    }

    assert overlay_inputs(shape, asked, live) == {
        **asked,
        "scalingConfig": {"minSize": 0, "maxSize": 1, "desiredSize": 1},
        "labels": {"a": "b", "by": "hand"},
        "tags": {"by": "hand"},
    }
