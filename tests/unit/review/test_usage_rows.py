from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal

import pytest

from tidegate.review.remarks import Remark
from tidegate.review.usage_rows import UsedHour, parse_usage_csv
from tidegate.vocabulary.capacity import Cloud
from tidegate.vocabulary.problems import InvalidInput

HEAD = "hour,pool,nodes\n"


def test_hours_of_any_zone_are_read_as_utc():
    rows, remarks = parse_usage_csv("u.csv", HEAD + "2026-10-25T02:00+02:00,a,1.5\n")
    assert rows == [UsedHour(datetime(2026, 10, 25, 0, tzinfo=UTC), "a", Decimal("1.5"))]
    assert remarks == []


def test_where_and_on_what_a_pool_runs_can_stand_in_its_rows():
    text = "hour,pool,nodes,instance_type,cloud,region,simulated\n"
    text += "2026-10-25T02:00Z,a,1,p5.48xlarge,aws,us-east-1,true\n"
    row = parse_usage_csv("u.csv", text)[0][0]
    place = (row.instance_type, row.cloud, row.region, row.simulated)
    assert place == ("p5.48xlarge", Cloud.AWS, "us-east-1", True)


@pytest.mark.parametrize("nodes", ["-1", "NaN", "", "many", "Infinity"])
def test_nodes_that_are_no_number_are_unknown_and_said(nodes):
    rows, remarks = parse_usage_csv("u.csv", HEAD + f"2026-10-25T02:00Z,a,{nodes}\n")
    assert rows[0].nodes is None
    message = f"has 1 rows whose nodes are negative or no number: line 2 ({nodes!r})"
    consequence = "their hours count as not measured for every pool"
    assert remarks == [Remark("u.csv", message, consequence)]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "has no column 'hour'"),
        ("hour,pool\n", "has no column 'nodes'"),
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
        parse_usage_csv("u.csv", text)
