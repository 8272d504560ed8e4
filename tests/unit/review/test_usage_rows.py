from __future__ import annotations

from datetime import UTC, datetime
from io import StringIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidegate.pricing.usage import to_micro
from tidegate.review.remarks import Remark
from tidegate.review.usage_rows import parse_micro_nodes, parse_usage_csv
from tidegate.review.used_hours import UNUSABLE, Place
from tidegate.vocabulary.capacity import Cloud
from tidegate.vocabulary.problems import InvalidInput

HEAD = "hour,pool,nodes\n"


def parse(text: str):
    return parse_usage_csv("u.csv", StringIO(text))


def test_hours_of_any_zone_are_read_as_utc():
    used, remarks = parse(HEAD + "2026-10-25T02:00+02:00,a,1.5\n")
    assert list(used.rows()) == [(datetime(2026, 10, 25, 0, tzinfo=UTC), Place("a"), 1_500_000)]
    assert remarks == []


def test_where_and_on_what_a_pool_runs_can_stand_in_its_rows():
    text = "hour,pool,nodes,instance_type,cloud,region,simulated\n"
    text += "2026-10-25T02:00Z,a,1,p5.48xlarge,aws,us-east-1,true\n"
    used, _ = parse(text)
    assert list(used.series) == [Place("a", "p5.48xlarge", Cloud.AWS, "us-east-1")]
    assert used.simulated


@pytest.mark.parametrize("nodes", ["-1", "NaN", "", "many", "Infinity", "1e30"])
def test_nodes_that_are_no_number_are_unknown_and_said(nodes):
    used, remarks = parse(HEAD + f"2026-10-25T02:00Z,a,{nodes}\n")
    assert [micro for _, _, micro in used.rows()] == [UNUSABLE]
    message = "has 1 rows whose nodes are negative, beyond a million or no number"
    consequence = "their hours count as not measured for every pool"
    assert remarks == [Remark("u.csv", f"{message}: line 2 ({nodes!r})", consequence)]


@given(st.decimals(0, 1_000_001, allow_nan=False, allow_infinity=False), st.booleans())
def test_nodes_are_read_to_the_millionth_however_they_are_written(nodes, plain):
    text = f"{nodes:f}" if plain else str(nodes)
    expected = to_micro(nodes) if nodes <= 1_000_000 else UNUSABLE
    assert parse_micro_nodes(text) == expected


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "has no column 'hour'"),
        ("hour,pool\n", "has no column 'nodes'"),
        ("hour,pool,nodes,nodes\n", "is there twice"),
        ("hour,pool,nodes,instnce_type\n", "did you mean 'instance_type'"),
        (HEAD + "yesterday,a,1\n", "is no time"),
        (HEAD + "2026-10-25T02:00,a,1\n", "has no zone"),
        (HEAD + "2026-10-25T02:30Z,a,1\n", "is no whole hour"),
        (HEAD + "2026-10-25T02:00Z,,1\n", "is empty"),
        (HEAD + "2026-10-25T02:00Z,a\n", "more or fewer cells"),
        (HEAD + "2026-10-25T02:00Z,a,1,2\n", "more or fewer cells"),
        ("hour,pool,nodes,cloud\n2026-10-25T02:00Z,a,1,oracle\n", "is no cloud"),
        ("hour,pool,nodes,simulated\n2026-10-25T02:00Z,a,1,maybe\n", "neither true nor false"),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_reason(text, reason):
    with pytest.raises(InvalidInput, match=reason):
        parse(text)
