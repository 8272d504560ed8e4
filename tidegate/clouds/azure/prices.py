"""Azure's Retail Prices API. Public: no account is needed."""

from __future__ import annotations

from datetime import date

import httpx

from tidegate.catalog.catalog import Catalog
from tidegate.catalog.feeds.azure import parse_page, read_items
from tidegate.catalog.feeds.rows import Feed
from tidegate.clouds.fetching import Fetcher, FetchFailed

HOST = "prices.azure.com"
URL = f"https://{HOST}/api/retail/prices"
API_VERSION = "2023-01-01-preview"
MOST_PAGES = 1000
"""More pages than a region has by far: a list that goes on longer goes in circles."""


def fetch_prices(fetcher: Fetcher, catalog: Catalog, region: str, day: date) -> Feed:
    """Return the prices of one region's virtual machines, page after page.

    Raises:
        FetchFailed: When any page cannot be had; nothing of the region is then returned.
    """
    feed = Feed(catalog, day)
    wanted = (
        f"serviceName eq 'Virtual Machines' and priceType eq 'Consumption' "
        f"and armRegionName eq '{region}'"
    )
    params: dict[str, str] | None = {"api-version": API_VERSION, "$filter": wanted}
    link = URL
    for _ in range(MOST_PAGES):
        page = fetcher.fetch(link, parse_page, params)
        read_items(page.items, feed)
        if not page.next_link:
            return feed
        link, params = page.next_link, None
        if httpx.URL(link).host != HOST:
            raise FetchFailed(f"{HOST}: the next page lies elsewhere, at {httpx.URL(link).host}")
    raise FetchFailed(f"{HOST}: {region} has more than {MOST_PAGES} pages")
