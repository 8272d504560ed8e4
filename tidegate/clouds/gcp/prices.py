"""Google's Cloud Billing Catalog API. It needs an API key, which goes in a header only."""

from __future__ import annotations

from datetime import date

from tidegate.catalog.catalog import Catalog
from tidegate.catalog.feeds.gcp import Families, Parts, compose_prices, parse_page, read_parts
from tidegate.catalog.feeds.rows import Feed
from tidegate.clouds.fetching import Fetcher, FetchFailed

HOST = "cloudbilling.googleapis.com"
COMPUTE_ENGINE = "6F81-5844-456A"
URL = f"https://{HOST}/v1/services/{COMPUTE_ENGINE}/skus"
PAGE_SIZE = "5000"
MOST_PAGES = 200
"""More pages than the service has by far: a list that goes on longer goes in circles."""


def fetch_prices(
    fetcher: Fetcher, catalog: Catalog, families: Families, day: date, api_key: str
) -> Feed:
    """Return the prices of all regions, composed of the prices of parts.

    Raises:
        FetchFailed: When any page cannot be had; nothing is then returned.
    """
    parts = Parts()
    params = {"currencyCode": "USD", "pageSize": PAGE_SIZE}
    headers = {"X-Goog-Api-Key": api_key}
    for _ in range(MOST_PAGES):
        skus, token = fetcher.fetch(URL, parse_page, params, headers)
        read_parts(skus, families, parts)
        if not token:
            feed = Feed(catalog, day)
            compose_prices(parts, families, feed)
            return feed
        params = {**params, "pageToken": token}
    raise FetchFailed(f"{HOST}: the list has more than {MOST_PAGES} pages")
