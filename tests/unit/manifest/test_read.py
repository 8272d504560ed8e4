from __future__ import annotations

import json

import pytest

from tidegate.manifest.build import dump_manifest
from tidegate.manifest.read import read_manifest, read_manifest_text
from tidegate.vocabulary.problems import InvalidInput


def test_reads_back_what_was_written(manifest_of, pool):
    manifest = manifest_of(pools=[pool()])

    assert read_manifest_text("a file", json.dumps(dump_manifest(manifest))) == manifest


def test_reads_the_capacity_out_of_stack_outputs(manifest_of):
    manifest = manifest_of()
    outputs = {"bindings": {}, "capacity": dump_manifest(manifest)}

    assert read_manifest_text("outputs", json.dumps(outputs)) == manifest


def test_money_keeps_every_digit_of_a_json_number(manifest_of):
    document = dump_manifest(manifest_of())
    text = json.dumps(document).replace('"500"', "0.1000000000000000055")

    ceiling = read_manifest_text("a file", text).hourly_ceiling

    assert ceiling is not None
    assert str(ceiling.amount) == "0.1000000000000000055"


@pytest.mark.parametrize(
    ("document", "message"),
    [
        (
            {"version": "tidegate/capacity/v9"},
            (
                "x: version = 'tidegate/capacity/v9': was written by a newer Tidegate than this "
                "one; upgrade to read it; expected one of tidegate/capacity/v1"
            ),
        ),
        (
            {"version": "tidegate/capacty/v1"},
            (
                "x: version = 'tidegate/capacty/v1': is not a published version (did you mean "
                "'tidegate/capacity/v1'?); expected one of tidegate/capacity/v1"
            ),
        ),
        (
            {"bindings": {}},
            (
                "x: holds no capacity manifest; expected an object with version "
                "'tidegate/capacity/v1', or stack outputs with `capacity`"
            ),
        ),
        (
            {"capacity": "[secret]"},
            (
                "x: capacity: is a secret output; the manifest is public by design; "
                "expected `--show-secrets`, or a plain output"
            ),
        ),
        (
            [],
            (
                "x: holds no capacity manifest; expected an object with version "
                "'tidegate/capacity/v1', or stack outputs with `capacity`"
            ),
        ),
    ],
)
def test_says_what_it_cannot_read(document, message):
    with pytest.raises(InvalidInput) as caught:
        read_manifest("x", document)

    assert str(caught.value) == message


def test_text_that_is_no_json_is_refused():
    with pytest.raises(InvalidInput, match="x: is not JSON"):
        read_manifest_text("x", "{")


def test_an_amount_that_is_no_number_is_refused(manifest_of):
    text = json.dumps(dump_manifest(manifest_of())).replace('"500"', "NaN")

    with pytest.raises(InvalidInput, match=r"x: hourlyCeiling\.amount = 'NaN'"):
        read_manifest_text("x", text)
