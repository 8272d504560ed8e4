from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import duckdb
import pytest
from support.focus import COLUMNS, build_charge, read_charges, render_charges

from tidegate.cli.parquet_files import read_charges_parquet, read_usage_parquet
from tidegate.review.charge_rows import ChargeReader
from tidegate.review.used_hours import UNUSABLE, Place
from tidegate.vocabulary.capacity import Cloud
from tidegate.vocabulary.problems import InvalidInput

USAGE = """
SELECT TIMESTAMPTZ '2026-10-25 02:00:00+02' AS hour, 'a' AS pool, 1.5::DOUBLE AS nodes,
    'p5.48xlarge' AS instance_type, 'aws' AS cloud, 'us-east-1' AS region, true AS simulated
UNION ALL SELECT TIMESTAMPTZ '2026-10-25 01:00:00+00', 'a', 'nan'::DOUBLE, 'p5.48xlarge', 'aws',
    'us-east-1', true
UNION ALL SELECT TIMESTAMPTZ '2026-10-25 02:00:00+00', 'b', 0.1, NULL, NULL, NULL, false
"""


def write(path: Path, query: str) -> Path:
    with duckdb.connect() as connection:
        connection.execute(f"COPY ({query}) TO '{path}' (FORMAT parquet)")
    return path


def test_hourly_use_is_read_as_from_csv(tmp_path):
    used, remarks = read_usage_parquet(write(tmp_path / "u.parquet", USAGE))
    first = Place("a", "p5.48xlarge", Cloud.AWS, "us-east-1")
    assert list(used.rows()) == [
        (datetime(2026, 10, 25, 0, tzinfo=UTC), first, 1_500_000),
        (datetime(2026, 10, 25, 1, tzinfo=UTC), first, UNUSABLE),
        (datetime(2026, 10, 25, 2, tzinfo=UTC), Place("b"), 100_000),
    ]
    assert used.simulated
    assert ["has 1 rows whose nodes are negative" in str(each) for each in remarks] == [True]


@pytest.mark.parametrize(
    ("query", "reason"),
    [
        ("SELECT TIMESTAMP '2026-10-25 02:00:00' AS hour, 'a' AS pool, 1 AS nodes", "has no zone"),
        ("SELECT '2026-10-25T02:00Z' AS hour, 'a' AS pool, 1 AS nodes", "is of type VARCHAR"),
        (
            "SELECT TIMESTAMPTZ '2026-10-25 02:30:00+00' AS hour, 'a' AS pool, 1 AS nodes",
            "no whole hour in UTC in 1 rows",
        ),
        ("SELECT NULL::TIMESTAMPTZ AS hour, 'a' AS pool, 1 AS nodes", "no whole hour"),
        ("SELECT TIMESTAMPTZ '2026-10-25 02:00:00+00' AS hour, 1 AS nodes", "no column 'pool'"),
        (
            "SELECT TIMESTAMPTZ '2026-10-25 02:00:00+00' AS hour, '' AS pool, 1 AS nodes",
            "is empty",
        ),
    ],
)
def test_what_is_no_hourly_use_is_refused(tmp_path, query, reason):
    with pytest.raises(InvalidInput, match=reason):
        read_usage_parquet(write(tmp_path / "u.parquet", query))


def test_a_file_that_is_no_parquet_is_refused(tmp_path):
    path = tmp_path / "u.parquet"
    path.write_text("hour,pool,nodes\n", encoding="utf-8")
    with pytest.raises(InvalidInput, match="cannot be read"):
        read_usage_parquet(path)


def test_charges_are_read_as_from_csv_whatever_their_types(tmp_path):
    charges = [build_charge(0), build_charge(1, pool=""), build_charge(2, BilledCost="0.1")]
    text = render_charges(charges)
    (tmp_path / "f.csv").write_text(text, encoding="utf-8")
    plain = f"SELECT * FROM read_csv('{tmp_path / 'f.csv'}', all_varchar = true)"
    typed = (
        "SELECT * REPLACE (ChargePeriodStart::TIMESTAMPTZ AS ChargePeriodStart, "
        "ChargePeriodEnd::TIMESTAMP AS ChargePeriodEnd, BilledCost::DOUBLE AS BilledCost, "
        "EffectiveCost::DECIMAL(20, 10) AS EffectiveCost, "
        "CASE WHEN Tags IS NULL THEN NULL ELSE MAP {'capacity-pool': 'serve'} END AS Tags) "
        f"FROM ({plain})"
    )
    expected = read_charges(text)
    for name, query in (("plain", plain), ("typed", typed)):
        reader = ChargeReader()
        read_charges_parquet(write(tmp_path / f"{name}.parquet", query), reader)
        assert reader.finish() == expected


def test_a_parquet_file_without_the_columns_of_charges_is_refused(tmp_path):
    path = write(tmp_path / "f.parquet", "SELECT 1 AS line_item_usage")
    with pytest.raises(InvalidInput, match=f"has no column '{COLUMNS[2]}'"):
        read_charges_parquet(path, ChargeReader())
