"""The data of custom resources, patches and quantities by themselves."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidegate.localclouds.bodies import merge_patch
from tidegate.localclouds.differences import overlay
from tidegate.localclouds.kubernetes.crds import load_custom_kinds, parse_form
from tidegate.localclouds.kubernetes.patches import apply_json_patch, apply_patch
from tidegate.localclouds.kubernetes.quantities import parse_quantity
from tidegate.localclouds.naming import find_rules, read_name, write_name
from tidegate.localclouds.rules import find_values
from tidegate.localclouds.schema import ANY, Shape

KEYS = st.sampled_from("abc")
OBJECTS = st.recursive(
    st.integers() | st.text(max_size=3),
    lambda inner: st.dictionaries(KEYS, inner) | st.lists(inner, max_size=3),
    max_leaves=8,
)


def walk(shape: Shape) -> int:
    """Derive a form to its leaves; return how many there are."""
    parts = [*shape.properties.values(), *([shape.item] if shape.item else [])]
    return sum(map(walk, parts)) if parts else 1


@pytest.mark.parametrize("token", sorted(load_custom_kinds()))
def test_every_word_of_a_custom_resource_is_a_form(token):
    custom = load_custom_kinds()[token]
    own = {k: v for k, v in custom.schema.inputs.properties.items() if k != "metadata"}

    assert sum(map(walk, own.values())) > 1
    assert custom.schema.inputs.required <= set(own)


@pytest.mark.parametrize("token", sorted(load_custom_kinds()))
def test_every_limit_of_a_custom_resource_is_on_a_property_that_it_has(token):
    schema = load_custom_kinds()[token].schema
    for limit in find_rules("kubernetes", token).limits:
        shape = schema.inputs
        for step in limit.property.replace("[]", ".[]").split("."):
            inner = shape.item if step == "[]" else shape.properties.get(step)
            assert inner is not None, limit.property
            shape = inner


def test_a_word_that_is_no_form_is_an_error():
    with pytest.raises(ValueError, match="no shape is called 'Flavour'"):
        parse_form("Flavour[]", {"Flavor": {}})


@given(OBJECTS, OBJECTS)
def test_a_json_patch_replaces_what_it_names_and_nothing_else(before, after):
    body = {"kept": before, "changed": before}

    patched = apply_json_patch(body, [{"op": "replace", "path": "/changed", "value": after}])

    assert patched == {"kept": before, "changed": after}
    assert body == {"kept": before, "changed": before}


@given(st.dictionaries(KEYS, OBJECTS), st.dictionaries(KEYS, OBJECTS))
def test_a_merge_patch_of_an_objects_own_parts_changes_nothing(body, other):
    assert merge_patch(body, body) == merge_patch({}, body)
    merged = merge_patch(body, other)
    assert merge_patch(merged, other) == merged


def test_a_strategic_patch_merges_containers_by_name_and_removes_on_demand():
    body = {"containers": [{"name": "a", "image": "1"}, {"name": "b", "image": "1"}]}
    patch = b'{"containers": [{"name": "a", "image": "2"}, {"name": "b", "$patch": "delete"}]}'

    patched = apply_patch(body, "application/strategic-merge-patch+json", patch)

    assert patched == {"containers": [{"name": "a", "image": "2"}]}


@given(st.integers(0, 10**6), st.sampled_from(["", "m", "k", "Ki", "M", "Mi", "G", "Gi", "Ti"]))
def test_quantities_keep_their_order_and_scale(number, suffix):
    unit = parse_quantity(f"1{suffix}")

    assert parse_quantity(f"{number}{suffix}") == number * unit
    assert unit > 0
    assert parse_quantity("1Gi") == Decimal(1024) ** 3


@given(st.dictionaries(KEYS, OBJECTS), st.text(min_size=1))
def test_a_name_is_written_where_it_is_read(inputs, name):
    inputs = {**inputs, "metadata": {"labels": {"a": "b"}}}

    written = write_name("metadata.name", inputs, name)

    assert read_name("metadata.name", written) == name
    assert write_name("metadata.name", written, None) == inputs
    assert [*find_values(written, "metadata.labels.a")] == [("metadata.labels.a", "b")]


@given(OBJECTS)
def test_what_tells_all_shows_removals_and_order_where_others_do_not(value):
    shape = Shape("object")
    assert overlay(shape, {"a": value}, {}) == {"a": value}
    assert overlay(shape, {"a": value}, {}, whole=True) == {}
    assert overlay(ANY, [1, 2], [2, 1]) == [1, 2]
    assert overlay(ANY, [1, 2], [2, 1], whole=True) == [2, 1]
