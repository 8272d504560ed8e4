"""Fetching the clouds' price lists: pages, retries, cut-off answers and unbelievable prices."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import date
from decimal import Decimal
from pathlib import Path

import httpx
import pytest

from tidegate.catalog.feeds.gcp import parse_families
from tidegate.catalog.feeds.rows import Feed
from tidegate.catalog.load import load_catalog, read_machine_families
from tidegate.clouds.aws import prices as aws
from tidegate.clouds.azure import prices as azure
from tidegate.clouds.fetching import Fetcher, FetchFailed, open_fetcher
from tidegate.clouds.gcp import prices as gcp

DATA = Path(__file__).resolve().parents[2] / "data" / "price_lists"
CATALOG = load_catalog()
DAY = date(2026, 11, 30)
FAMILIES = parse_families(read_machine_families())

Answers = Callable[[httpx.Request], httpx.Response]


def recorded(name: str) -> str:
    return (DATA / name).read_text(encoding="utf-8")


class Waits(list[float]):
    """Remembers how long the fetcher wanted to wait."""

    def __call__(self, seconds: float) -> None:
        self.append(seconds)


@pytest.fixture
def waits() -> Waits:
    return Waits()


@pytest.fixture
def fetcher_of(waits: Waits) -> Iterator[Callable[[Answers], Fetcher]]:
    opened = []

    def build(answers: Answers) -> Fetcher:
        context = open_fetcher(waits, attempts=3, transport=httpx.MockTransport(answers))
        opened.append(context)
        return context.__enter__()

    yield build
    for context in opened:
        context.__exit__(None, None, None)


def amounts(feed: Feed) -> dict[tuple[str, str, str], Decimal]:
    return {
        (price.region, price.key[1], price.key[2].value): price.amount for price in feed.finish()
    }


def answer_azure(request: httpx.Request) -> httpx.Response:
    page = "azure_page_2.json" if "skip" in str(request.url) else "azure_page_1.json"
    return httpx.Response(200, text=recorded(page))


def answer_aws(request: httpx.Request) -> httpx.Response:
    name = "aws_region_index.json" if "region_index" in request.url.path else "aws_us_east_1.csv"
    return httpx.Response(200, text=recorded(name))


def answer_gcp(request: httpx.Request) -> httpx.Response:
    token = request.url.params.get("pageToken")
    return httpx.Response(200, text=recorded(f"gcp_skus_{2 if token else 1}.json"))


def test_azure_takes_linux_prices_from_every_page(
    fetcher_of: Callable[[Answers], Fetcher],
) -> None:
    feed = azure.fetch_prices(fetcher_of(answer_azure), CATALOG, "eastus", DAY)
    assert amounts(feed) == {
        ("eastus", "Standard_NC40ads_H100_v5", "on-demand"): Decimal("7.1"),
        ("eastus", "Standard_NC40ads_H100_v5", "spot"): Decimal("2.5"),
        ("eastus", "Standard_NC96ads_A100_v4", "on-demand"): Decimal("14.9"),
    }
    assert feed.skipped == Counter(
        {
            "the price is for Windows": 1,
            "the price is for low priority, which spot replaced": 1,
            "the price is zero, a placeholder": 1,
            "the price is a known placeholder": 1,
            "the price holds only from a later day": 1,
            "the price is for a reservation or dev/test": 1,
            "the price is not for one hour": 1,
            "the meter has no retailPrice": 1,
            "the list has two prices for one day": 1,
        }
    )


def test_azure_asks_for_one_region_and_follows_the_links(
    fetcher_of: Callable[[Answers], Fetcher],
) -> None:
    asked: list[httpx.URL] = []

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append(request.url)
        return answer_azure(request)

    azure.fetch_prices(fetcher_of(answer), CATALOG, "eastus", DAY)
    assert [url.host for url in asked] == ["prices.azure.com", "prices.azure.com"]
    assert asked[0].params["$filter"] == (
        "serviceName eq 'Virtual Machines' and priceType eq 'Consumption' "
        "and armRegionName eq 'eastus'"
    )
    assert asked[1].params["$skip"] == "1000"


def test_azure_does_not_follow_a_link_to_another_host(
    fetcher_of: Callable[[Answers], Fetcher],
) -> None:
    page = json.loads(recorded("azure_page_1.json"))
    page["NextPageLink"] = "https://prices.example.com/next"
    fetcher = fetcher_of(lambda _: httpx.Response(200, json=page))
    with pytest.raises(FetchFailed, match=r"lies elsewhere, at prices\.example\.com"):
        azure.fetch_prices(fetcher, CATALOG, "eastus", DAY)


def test_azure_gives_up_on_pages_that_go_in_circles(
    fetcher_of: Callable[[Answers], Fetcher], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(azure, "MOST_PAGES", 5)
    fetcher = fetcher_of(lambda _: httpx.Response(200, text=recorded("azure_page_1.json")))
    with pytest.raises(FetchFailed, match="eastus has more than 5 pages"):
        azure.fetch_prices(fetcher, CATALOG, "eastus", DAY)


def test_aws_takes_shared_linux_machines_on_demand(
    fetcher_of: Callable[[Answers], Fetcher],
) -> None:
    fetcher = fetcher_of(answer_aws)
    paths = aws.fetch_region_paths(fetcher)
    assert paths["us-east-1"] == "/offers/v1.0/aws/AmazonEC2/20261125000000/us-east-1/index.csv"
    feed = aws.fetch_prices(fetcher, CATALOG, "us-east-1", DAY, paths)
    assert amounts(feed) == {
        ("us-east-1", "p5.48xlarge", "on-demand"): Decimal("55.04"),
        ("us-east-1", "g5.xlarge", "on-demand"): Decimal("1.006"),
        ("us-east-1", "trn2.48xlarge", "on-demand"): Decimal(40),
    }
    assert feed.skipped == Counter(
        {
            "the price is not for a shared Linux machine on demand": 4,
            "the price is zero, a placeholder": 1,
            "the price is a known placeholder": 1,
            "the price is 10 times off what is known, a placeholder": 1,
        }
    )


def test_aws_has_no_file_of_an_unlisted_region(fetcher_of: Callable[[Answers], Fetcher]) -> None:
    fetcher = fetcher_of(answer_aws)
    paths = aws.fetch_region_paths(fetcher)
    with pytest.raises(FetchFailed, match="the index of prices has no region ap-south-2"):
        aws.fetch_prices(fetcher, CATALOG, "ap-south-2", DAY, paths)


@pytest.mark.parametrize(
    ("spoil", "reason"),
    [
        (lambda text: text[:-400], "fields: the file is cut off"),
        (lambda text: text.replace('"Tenancy"', '"Tenure"'), "the file has no column 'Tenancy'"),
        (lambda _: "<html>sign in</html>", "no header with a column 'TermType'"),
        (lambda _: "", "no header with a column 'TermType'"),
    ],
)
def test_aws_believes_no_file_that_is_cut_off_or_of_another_shape(
    fetcher_of: Callable[[Answers], Fetcher], spoil: Callable[[str], str], reason: str
) -> None:
    text = spoil(recorded("aws_us_east_1.csv"))
    fetcher = fetcher_of(lambda _: httpx.Response(200, text=text))
    with pytest.raises(FetchFailed, match=reason):
        aws.fetch_prices(fetcher, CATALOG, "us-east-1", DAY, {"us-east-1": "/x.csv"})


def test_gcp_composes_machines_of_their_parts(fetcher_of: Callable[[Answers], Fetcher]) -> None:
    feed = gcp.fetch_prices(fetcher_of(answer_gcp), CATALOG, FAMILIES, DAY, "a-key")
    found = amounts(feed)
    core, ram, chip = Decimal("0.031611"), Decimal("0.004237"), Decimal("2.933908")
    ssd = 375 * Decimal("0.08") / 730
    big_chip = Decimal("3.9277")
    expected = {
        ("a2-highgpu-1g", "on-demand"): 12 * core + 85 * ram + chip,
        ("a2-highgpu-8g", "on-demand"): 96 * core + 680 * ram + 8 * chip,
        ("a2-highgpu-1g", "spot"): 12 * Decimal("0.012644")
        + 85 * Decimal("0.001695")
        + 1
        + Decimal("0.632"),
        ("n1-standard-4", "on-demand"): 4 * core + 15 * ram,
        ("a2-ultragpu-1g", "on-demand"): 12 * core + 170 * ram + big_chip + ssd,
    }
    assert {key: found["us-central1", *key] for key in expected} == expected
    assert ("us-central1", "g2-standard-4", "on-demand") not in found
    assert feed.skipped["a part of the machine has no price in the region"] > 0


def test_composed_google_prices_agree_with_the_shipped_ones(
    fetcher_of: Callable[[Answers], Fetcher],
) -> None:
    feed = gcp.fetch_prices(fetcher_of(answer_gcp), CATALOG, FAMILIES, DAY, "a-key")
    for name in ("a2-highgpu-1g", "a2-megagpu-16g", "a2-ultragpu-1g", "n1-standard-4"):
        shipped = CATALOG.price("gcp", "us-central1", name, "on-demand")
        composed = amounts(feed)["us-central1", name, "on-demand"]
        assert abs(composed / shipped.per_hour.amount - 1) < Decimal("0.001"), name  # type: ignore[union-attr]


def test_gcp_sends_its_key_in_a_header_and_never_in_an_error(
    fetcher_of: Callable[[Answers], Fetcher],
) -> None:
    asked: list[httpx.Request] = []

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append(request)
        return httpx.Response(403, json={"error": {"message": "API key not valid: secret-key"}})

    with pytest.raises(FetchFailed) as caught:
        gcp.fetch_prices(fetcher_of(answer), CATALOG, FAMILIES, DAY, "secret-key")
    assert asked[0].headers["X-Goog-Api-Key"] == "secret-key"
    assert "secret-key" not in str(asked[0].url)
    assert str(caught.value) == "cloudbilling.googleapis.com: answered 403 Forbidden"
    assert len(asked) == 1


@pytest.mark.parametrize("status", [429, 500, 502, 503, 504])
def test_a_transient_answer_is_asked_for_again_with_growing_patience(
    fetcher_of: Callable[[Answers], Fetcher], waits: Waits, status: int
) -> None:
    answers = [httpx.Response(status), httpx.Response(status)]

    def answer(request: httpx.Request) -> httpx.Response:
        return answers.pop() if answers else answer_azure(request)

    feed = azure.fetch_prices(fetcher_of(answer), CATALOG, "eastus", DAY)
    assert len(amounts(feed)) == 3
    assert len(waits) == 2
    assert 1 <= waits[0] <= waits[1] + 1 <= 61


def test_a_server_that_says_how_long_to_wait_is_obeyed_within_reason(
    fetcher_of: Callable[[Answers], Fetcher], waits: Waits
) -> None:
    answers = [
        httpx.Response(429, headers={"Retry-After": "7"}),
        httpx.Response(503, headers={"Retry-After": "86400"}),
    ]

    def answer(request: httpx.Request) -> httpx.Response:
        return answers.pop(0) if answers else answer_azure(request)

    azure.fetch_prices(fetcher_of(answer), CATALOG, "eastus", DAY)
    assert waits == [7.0, 60.0]


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (lambda _: httpx.Response(503), "prices.azure.com: answered 503 Service Unavailable"),
        (
            lambda _: httpx.Response(200, text=recorded("azure_page_1.json")[:900]),
            "prices.azure.com: the answer is no whole JSON document",
        ),
        (lambda _: httpx.Response(200, text="[]"), "the answer is no JSON object"),
        (lambda _: httpx.Response(200, json={"Count": 0}), "the answer has no list field 'Items'"),
        (
            lambda _: httpx.Response(200, json={"Items": [], "Count": 3}),
            "the page says 3 items and has 0",
        ),
        (
            lambda _: httpx.Response(200, json={"Items": [3]}),
            "an item of the page is no JSON object",
        ),
    ],
)
def test_what_cannot_be_had_whole_fails_after_the_last_attempt(
    fetcher_of: Callable[[Answers], Fetcher], waits: Waits, answer: Answers, reason: str
) -> None:
    with pytest.raises(FetchFailed, match=reason):
        azure.fetch_prices(fetcher_of(answer), CATALOG, "eastus", DAY)
    assert len(waits) == 2


def test_a_lost_connection_is_tried_again_and_then_said(
    fetcher_of: Callable[[Answers], Fetcher], waits: Waits
) -> None:
    def answer(request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectTimeout("timed out", request=request)

    with pytest.raises(FetchFailed, match=r"prices\.azure\.com: timed out"):
        azure.fetch_prices(fetcher_of(answer), CATALOG, "eastus", DAY)
    assert len(waits) == 2


def test_an_attempt_that_broke_off_leaves_nothing_behind(
    fetcher_of: Callable[[Answers], Fetcher],
) -> None:
    whole = recorded("aws_us_east_1.csv")
    answers = [whole[:-400].replace("55.0400000000", "54.0000000000"), whole]
    fetcher = fetcher_of(lambda _: httpx.Response(200, text=answers.pop(0)))
    feed = aws.fetch_prices(fetcher, CATALOG, "us-east-1", DAY, {"us-east-1": "/x.csv"})
    assert amounts(feed)["us-east-1", "p5.48xlarge", "on-demand"] == Decimal("55.04")
    assert feed.skipped["the price is zero, a placeholder"] == 1
