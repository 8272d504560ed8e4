from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidegate.policy.values import (
    OUTPUT_SIGNATURE,
    SECRET,
    SECRET_SIGNATURE,
    SIGNATURE_KEY,
    UNKNOWN,
    UNKNOWN_SENTINELS,
    decode_properties,
    decode_value,
    is_secret,
    is_unknown,
)

MARK = "plaintext-of-a-secret"
KNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9"
PLAIN_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
)
SECRETS = st.sampled_from(
    [
        {SIGNATURE_KEY: SECRET_SIGNATURE, "value": MARK},
        {SIGNATURE_KEY: SECRET_SIGNATURE, "value": {"deep": [MARK]}},
        {SIGNATURE_KEY: SECRET_SIGNATURE, "plaintext": json.dumps(MARK)},
        {SIGNATURE_KEY: SECRET_SIGNATURE, "ciphertext": MARK},
        {SIGNATURE_KEY: OUTPUT_SIGNATURE, "value": MARK, "secret": True},
    ]
)


def test_sentinels_are_those_of_the_installed_sdk():
    from pulumi_policy import proxy

    named = {
        value
        for name, value in vars(proxy).items()
        if name.startswith("UNKNOWN_") and isinstance(value, str)
    }
    assert named == UNKNOWN_SENTINELS


def test_signatures_are_those_of_the_installed_sdk():
    from pulumi.runtime import rpc
    from pulumi_policy import deserialize

    assert deserialize.SPECIAL_SIG_KEY == SIGNATURE_KEY
    assert deserialize.SPECIAL_SECRET_SIG == SECRET_SIGNATURE
    assert rpc._special_output_value_sig == OUTPUT_SIGNATURE


@pytest.mark.parametrize("sentinel", sorted(UNKNOWN_SENTINELS))
def test_each_sentinel_is_unknown_wherever_it_stands(sentinel):
    assert decode_value({"a": [sentinel]}) == {"a": [UNKNOWN]}
    assert is_unknown(decode_value(sentinel))


def test_a_text_that_contains_a_sentinel_is_a_text():
    assert decode_value(f"arn:{KNOWN}") == f"arn:{KNOWN}"


def test_the_literal_of_previews_is_a_secret():
    assert is_secret(decode_value("[secret]"))


def test_an_output_without_value_is_unknown():
    assert decode_value({SIGNATURE_KEY: OUTPUT_SIGNATURE}) == UNKNOWN
    assert decode_value({SIGNATURE_KEY: OUTPUT_SIGNATURE, "value": 1.0}) == 1


def test_assets_keep_nothing_of_their_content():
    asset = {SIGNATURE_KEY: "c44067f5952c0a294b673a41bacd8c17", "text": MARK}
    assert decode_value(asset) == {"$opaque": "c44067f5952c0a294b673a41bacd8c17"}


@pytest.mark.parametrize(
    ("given_value", "decoded"),
    [(3.0, 3), (0.0, 0), (1.5, 1.5), (True, True), (None, None), ("3", "3")],
)
def test_whole_floats_become_integers(given_value, decoded):
    assert (decode_value(given_value), type(decode_value(given_value))) == (decoded, type(decoded))


def test_the_engines_own_keys_are_left_out():
    assert decode_properties({"__defaults": [], "tags": {"__mine": "1"}}) == {
        "tags": {"__mine": "1"}
    }


def test_what_is_no_json_is_refused_without_its_content():
    with pytest.raises(TypeError, match="bytes") as caught:
        decode_value({"a": MARK.encode()})
    assert MARK not in str(caught.value)


def test_a_copy_that_lost_its_mark_is_redacted_too():
    secret_map = {SIGNATURE_KEY: SECRET_SIGNATURE, "value": {"owner": MARK, "team": "ml"}}
    properties = {"tags": secret_map, "tagsAll": {"owner": MARK, "extra": "kept"}, "name": "a"}
    assert decode_properties(properties) == {
        "tags": SECRET,
        "tagsAll": {"owner": SECRET, "extra": "kept"},
        "name": "a",
    }


@given(PLAIN_JSON)
def test_plain_json_is_kept_as_it_is(value):
    assert decode_value(value) == value


@given(PLAIN_JSON, SECRETS, st.lists(st.sampled_from(["map", "list"]), max_size=4))
def test_no_secret_survives_at_any_depth(beside, secret, path):
    value = secret
    for step in path:
        value = {"in": value, "beside": beside} if step == "map" else [beside, value]
    decoded = decode_value(value)
    assert MARK not in json.dumps(decoded)
    assert json.dumps(SECRET)[1:-1] in json.dumps(decoded)
