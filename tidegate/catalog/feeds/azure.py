"""Azure's Retail Prices API: pages of meters, on-demand and spot beside each other."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from tidegate.catalog.feeds.rows import Feed, FetchedPrice, UnreadableFeed, need, parse_document
from tidegate.vocabulary.capacity import CapacityType, Cloud

HOUR = "1 Hour"


@dataclass(frozen=True, slots=True)
class Page:
    """One page of the list.

    Attributes:
        items: The meters on it.
        next_link: Where the next page is; empty on the last.
    """

    items: tuple[dict[str, Any], ...]
    next_link: str


def parse_page(text: str) -> Page:
    """Return one page.

    Raises:
        UnreadableFeed: When it is cut off or of another shape.
    """
    document = parse_document(text)
    items = need(document, "Items", list)
    count = document.get("Count")
    if isinstance(count, int) and count != len(items):
        raise UnreadableFeed(f"the page says {count} items and has {len(items)}")
    if not all(isinstance(item, dict) for item in items):
        raise UnreadableFeed("an item of the page is no JSON object")
    return Page(tuple(items), document.get("NextPageLink") or "")


def read_items(items: tuple[dict[str, Any], ...], feed: Feed) -> None:
    """Take the Linux prices of virtual machines that the catalog knows."""
    for item in items:
        name = item.get("armSkuName")
        if not isinstance(name, str) or not feed.wants(Cloud.AZURE, name):
            continue
        reason = _reason_to_skip(item)
        if reason:
            feed.skip(reason)
            continue
        amount = item["retailPrice"]
        feed.take(
            FetchedPrice(
                key=(Cloud.AZURE, name, _capacity_of(item)),
                region=item["armRegionName"],
                amount=Decimal(amount),
                currency=item["currencyCode"],
                effective=str(item.get("effectiveStartDate", "")),
            )
        )


def _reason_to_skip(item: dict[str, Any]) -> str:
    """Return why a meter is no hourly Linux price; empty when it is one."""
    for key in ("armRegionName", "currencyCode", "productName", "skuName"):
        if not isinstance(item.get(key), str) or not item[key]:
            return f"the meter has no {key}"
    if isinstance(item.get("retailPrice"), bool) or not isinstance(
        item.get("retailPrice"), int | Decimal
    ):
        return "the meter has no retailPrice"
    if "Windows" in item["productName"]:
        return "the price is for Windows"
    if item["skuName"].endswith("Low Priority"):
        return "the price is for low priority, which spot replaced"
    if item.get("type") != "Consumption":
        return "the price is for a reservation or dev/test"
    if item.get("unitOfMeasure") != HOUR:
        return "the price is not for one hour"
    return ""


def _capacity_of(item: dict[str, Any]) -> CapacityType:
    return CapacityType.SPOT if item["skuName"].endswith(" Spot") else CapacityType.ON_DEMAND
