"""Fetch public prices place after place; one that fails leaves the others alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date

from tidegate.catalog.catalog import Catalog
from tidegate.catalog.feeds.gcp import parse_families
from tidegate.catalog.feeds.overlay_text import ALL_REGIONS, PriceRow, rows_of_feed
from tidegate.catalog.feeds.rows import Feed
from tidegate.catalog.load import read_machine_families
from tidegate.cli.refresh_terms import COMMAND, KEY_VARIABLE
from tidegate.clouds.aws import prices as aws_prices
from tidegate.clouds.azure import prices as azure_prices
from tidegate.clouds.fetching import Fetcher, FetchFailed
from tidegate.clouds.gcp import prices as gcp_prices
from tidegate.vocabulary.capacity import Cloud
from tidegate.vocabulary.problems import refuse, suggest

NOTHING_KNOWN = "the list has no price of any type that the catalog knows, so it is not believed"


@dataclass(frozen=True, slots=True)
class Wanted:
    """What to fetch: places that come or fail as one, and the key that Google wants."""

    places: tuple[tuple[Cloud, str], ...]
    gcp_api_key: str = field(default="", repr=False)


@dataclass(slots=True)
class Fetched:
    """What came, what did not, and why."""

    rows: list[PriceRow] = field(default_factory=list)
    done: set[tuple[Cloud, str]] = field(default_factory=set)
    failed: dict[tuple[Cloud, str], str] = field(default_factory=dict)
    skipped: Counter[str] = field(default_factory=Counter)


def plan_fetch(
    catalog: Catalog, clouds: tuple[Cloud, ...], regions: tuple[str, ...], gcp_api_key: str
) -> Wanted:
    """Return the places to fetch.

    Raises:
        InvalidInput: When a region is unknown, or Google is asked for without a key.
    """
    if Cloud.GCP in clouds and not gcp_api_key:
        expected = f"--gcp-api-key or the variable {KEY_VARIABLE}"
        raise refuse(COMMAND, "--gcp-api-key", None, "is needed for Google's prices", expected)
    chosen = clouds or tuple(each for each in Cloud if each is not Cloud.GCP or gcp_api_key)
    places: list[tuple[Cloud, str]] = []
    known: set[str] = set()
    for each in chosen:
        known |= set(catalog.regions(each))
        if each is Cloud.GCP:
            places.append((each, ALL_REGIONS))
        else:
            places += [
                (each, name) for name in catalog.regions(each) if name in regions or not regions
            ]
    for name in regions:
        if name not in known:
            hint = suggest(name, known)
            raise refuse(COMMAND, "--region", name, f"is no known region{hint}", "a known region")
    return Wanted(tuple(places), gcp_api_key)


def fetch_all(
    wanted: Wanted,
    fetcher: Fetcher,
    catalog: Catalog,
    day: date,
    advance: Callable[[str], None],
) -> Fetched:
    """Fetch place after place; one that fails leaves the others alone."""
    fetched = Fetched()
    paths: dict[str, str] | None = None
    for place in wanted.places:
        cloud, region = place
        advance(f"{cloud.value} {region}")
        try:
            if cloud is Cloud.AWS and paths is None:
                paths = aws_prices.fetch_region_paths(fetcher)
            feed = _fetch_place(wanted, fetcher, catalog, day, place, paths or {})
        except FetchFailed as error:
            fetched.failed[place] = str(error)
            continue
        rows = rows_of_feed(feed.finish(), day)
        fetched.skipped += feed.skipped
        if not rows:
            fetched.failed[place] = NOTHING_KNOWN
            continue
        fetched.rows += rows
        fetched.done |= {place, *(row.place for row in rows)}
    return fetched


def _fetch_place(
    wanted: Wanted,
    fetcher: Fetcher,
    catalog: Catalog,
    day: date,
    place: tuple[Cloud, str],
    paths: dict[str, str],
) -> Feed:
    cloud, region = place
    if cloud is Cloud.AWS:
        return aws_prices.fetch_prices(fetcher, catalog, region, day, paths)
    if cloud is Cloud.AZURE:
        return azure_prices.fetch_prices(fetcher, catalog, region, day)
    families = parse_families(read_machine_families())
    return gcp_prices.fetch_prices(fetcher, catalog, families, day, wanted.gcp_api_key)
