"""AWS's price list: an index of regions, and one CSV file of all EC2 prices a region.

The list has no spot prices: AWS states those only to signed-in accounts.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from decimal import Decimal, InvalidOperation

from tidegate.catalog.feeds.rows import Feed, FetchedPrice, UnreadableFeed, need, parse_document
from tidegate.vocabulary.capacity import CapacityType, Cloud

COLUMNS = (
    "TermType",
    "EffectiveDate",
    "Unit",
    "PricePerUnit",
    "Currency",
    "Instance Type",
    "Tenancy",
    "Operating System",
    "Pre Installed S/W",
    "CapacityStatus",
    "operation",
)
WANTED = {
    "TermType": "OnDemand",
    "Tenancy": "Shared",
    "Operating System": "Linux",
    "Pre Installed S/W": "NA",
    "CapacityStatus": "Used",
    "Unit": "Hrs",
    "operation": "RunInstances",
}
"""What an hour of a plain Linux machine on demand says in each column."""

MAX_HEAD_LINES = 10
"""Lines about the file before its header; the list has five."""


def parse_region_index(text: str) -> dict[str, str]:
    """Return region → the path of its newest CSV file.

    Raises:
        UnreadableFeed: When the index is cut off or of another shape.
    """
    regions = need(parse_document(text), "regions", dict)
    paths = {}
    for region, entry in regions.items():
        if not isinstance(entry, dict):
            raise UnreadableFeed(f"the index entry of {region} is no JSON object")
        path = need(entry, "currentVersionUrl", str)
        if not path.endswith("/index.json"):
            raise UnreadableFeed(f"the index points {region} to {path!r}, no index.json")
        paths[region] = path.removesuffix(".json") + ".csv"
    return paths


def read_region_file(lines: Iterable[str], region: str, feed: Feed) -> None:
    """Take the on-demand Linux prices of one region's file, line by line.

    Raises:
        UnreadableFeed: When the file has no header or lacks a column.
    """
    rows = csv.reader(lines)
    columns = _find_header(rows)
    width = max(columns.values()) + 1
    for row in rows:
        if len(row) < width:
            raise UnreadableFeed(f"a line of {region} has {len(row)} fields: the file is cut off")
        name = row[columns["Instance Type"]]
        if not feed.wants(Cloud.AWS, name):
            continue
        if any(row[columns[column]] != value for column, value in WANTED.items()):
            feed.skip("the price is not for a shared Linux machine on demand")
            continue
        _take(row, columns, region, feed)


def _find_header(rows: Iterator[list[str]]) -> dict[str, int]:
    for _, row in zip(range(MAX_HEAD_LINES), rows, strict=False):
        if "TermType" in row:
            missing = [column for column in COLUMNS if column not in row]
            if missing:
                raise UnreadableFeed(f"the file has no column {missing[0]!r}")
            return {column: row.index(column) for column in COLUMNS}
    raise UnreadableFeed("the file has no header with a column 'TermType'")


def _take(row: list[str], columns: dict[str, int], region: str, feed: Feed) -> None:
    text = row[columns["PricePerUnit"]]
    try:
        amount = Decimal(text)
    except InvalidOperation:
        feed.skip("the price is no number")
        return
    feed.take(
        FetchedPrice(
            key=(Cloud.AWS, row[columns["Instance Type"]], CapacityType.ON_DEMAND),
            region=region,
            amount=amount.normalize(),
            currency=row[columns["Currency"]],
            effective=row[columns["EffectiveDate"]],
        )
    )
