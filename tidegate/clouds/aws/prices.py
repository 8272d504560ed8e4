"""AWS's bulk price list. Public: no account is needed."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

from tidegate.catalog.catalog import Catalog
from tidegate.catalog.feeds.aws import parse_region_index, read_region_file
from tidegate.catalog.feeds.rows import Feed
from tidegate.clouds.fetching import Fetcher, FetchFailed

HOST = "pricing.us-east-1.amazonaws.com"
INDEX_URL = f"https://{HOST}/offers/v1.0/aws/AmazonEC2/current/region_index.json"


def fetch_region_paths(fetcher: Fetcher) -> dict[str, str]:
    """Return region → the path of its newest price file.

    Raises:
        FetchFailed: When the index cannot be had.
    """
    return fetcher.fetch(INDEX_URL, parse_region_index)


def fetch_prices(
    fetcher: Fetcher, catalog: Catalog, region: str, day: date, paths: dict[str, str]
) -> Feed:
    """Return the on-demand prices of one region; its file is large and read as it comes.

    Raises:
        FetchFailed: When the file cannot be had whole; nothing of the region is then returned.
    """
    path = paths.get(region)
    if path is None:
        raise FetchFailed(f"{HOST}: the index of prices has no region {region}")

    def read(lines: Iterator[str]) -> Feed:
        feed = Feed(catalog, day)
        read_region_file(lines, region, feed)
        return feed

    return fetcher.fetch_lines(f"https://{HOST}{path}", read)
