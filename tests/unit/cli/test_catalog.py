"""`tidegate catalog`: what it prints, refuses and writes."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import httpx
import pytest
from typer.testing import CliRunner

from tidegate.catalog.feeds.overlay_text import merge_rows
from tidegate.catalog.load import load_catalog
from tidegate.cli import catalog_refresh
from tidegate.cli.catalog import app
from tidegate.cli.catalog_refresh import read_earlier, write_rows
from tidegate.cli.price_fetching import fetch_all, plan_fetch
from tidegate.clouds import fetching
from tidegate.clouds.fetching import open_fetcher
from tidegate.vocabulary.capacity import Cloud
from tidegate.vocabulary.money import Price
from tidegate.vocabulary.problems import InvalidInput

DATA = Path(__file__).resolve().parents[2] / "data" / "price_lists"
CATALOG = load_catalog()
DAY = date(2026, 11, 30)


def run(*arguments: str, code: int = 0) -> str:
    result = CliRunner().invoke(app, list(arguments), catch_exceptions=False)
    assert result.exit_code == code, result.output
    return result.stdout


def offers(*arguments: str) -> list[dict[str, Any]]:
    document: dict[str, Any] = json.loads(run("list", *arguments, "--format", "json"))
    assert document["catalogDigest"] == CATALOG.digest
    found: list[dict[str, Any]] = document["offers"]
    return found


def offers_with(overlay: Path, *arguments: str) -> list[dict[str, Any]]:
    text = run("list", *arguments, "--overlay", str(overlay), "--format", "json")
    found: list[dict[str, Any]] = json.loads(text)["offers"]
    return found


def test_lists_each_type_once_where_it_is_cheapest() -> None:
    found = offers("--accelerator", "a100-80gb", "--cloud", "gcp", "--capacity-type", "on-demand")
    assert [(offer["instanceType"], offer["region"]) for offer in found] == [
        (f"a2-ultragpu-{count}g", "us-central1") for count in (1, 2, 4, 8)
    ]


def test_filters_by_region_and_price_and_sorts_by_the_price_of_a_chip() -> None:
    arguments = ("--region", "us-east-1", "--cloud", "aws", "--max-price", "1")
    found = offers(*arguments, "--accelerator", "l4", "--sort", "accelerator-price")
    prices = [float(offer["price"]["perHour"]) for offer in found]
    assert all(price <= 1 for price in prices)
    whole = [offer for offer in found if offer["acceleratorsPerNode"]]
    assert whole == found[: len(whole)]
    per_chip = [float(each["price"]["perHour"]) / each["acceleratorsPerNode"] for each in whole]
    assert per_chip == sorted(per_chip)


def test_lists_accelerators_that_are_attached_to_plain_machines() -> None:
    found = offers(
        "--accelerator",
        "t4",
        "--cloud",
        "gcp",
        "--region",
        "us-central1",
        "--capacity-type",
        "on-demand",
    )
    assert [
        (
            offer["instanceType"],
            offer["acceleratorsPerNode"],
            offer["attached"],
            offer["price"]["perHour"],
        )
        for offer in found
    ] == [
        ("n1-standard-4", 1, True, "0.539999"),
        ("n1-standard-8", 1, True, "0.729998"),
        ("n1-standard-4", 2, True, "0.889999"),
        ("n1-standard-8", 2, True, "1.079998"),
        ("n1-standard-4", 4, True, "1.589999"),
        ("n1-standard-8", 4, True, "1.779998"),
    ]
    assert "4 x t4 attached" in run("show", "t4")


def test_prices_of_two_currencies_are_not_compared_for_the_cheapest_region(tmp_path: Path) -> None:
    overlay = tmp_path / "own.yaml"
    overlay.write_text(
        "version: tidegate/prices/v1\nprices:\n- {cloud: gcp, region: asia-east1,\n"
        "   instanceType: g2-standard-4, capacityType: on-demand, perHour: 0.01, currency: EUR,\n"
        "   asOf: 2026-11-01, origin: our agreement}\n"
    )
    arguments = ("--accelerator", "l4", "--cloud", "gcp", "--capacity-type", "on-demand")
    found = offers_with(overlay, *arguments)
    small = next(offer for offer in found if offer["instanceType"] == "g2-standard-4")
    assert small["price"]["currency"] == "USD"


def test_unknown_prices_stand_last_and_are_never_zero() -> None:
    found = offers("--cloud", "aws", "--accelerator", "trainium2")
    assert [offer["price"]["known"] for offer in found] == [False] * len(found)
    assert {offer["price"]["reason"] for offer in found if offer["instanceType"] == "trn2.48xlarge"}
    table = run("list", "--cloud", "aws", "--accelerator", "trainium2")
    assert "unknown" in table
    assert "0.0000" not in table


def test_a_price_limit_leaves_out_what_it_cannot_compare_and_says_how_much() -> None:
    document = json.loads(
        run("list", "--accelerator", "trainium2", "--max-price", "9", "--format", "json")
    )
    assert (document["offers"], document["leftOut"]) == ([], 4)


def test_marks_assumed_and_negotiated_prices_in_the_table(tmp_path: Path) -> None:
    overlay = tmp_path / "own.yaml"
    overlay.write_text(
        "version: tidegate/prices/v1\nprices:\n- {cloud: aws, region: us-east-1,\n"
        "   instanceType: p5.48xlarge, capacityType: on-demand, perHour: 40.1,\n"
        "   asOf: 2026-11-01, origin: our agreement}\n"
    )
    table = run("show", "p5.48xlarge", "--overlay", str(overlay))
    assert "*40.1000 USD" in table
    assert "~24.7680 USD" in table
    assert "~ assumed: a ratio or an average, not a quote" in table
    assert "* negotiated: from your overlay" in table


def test_shows_a_chip_with_the_machines_of_every_cloud() -> None:
    document = json.loads(run("show", "H100-MEGA", "--format", "json"))
    assert document["title"].startswith("h100-80gb: nvidia gpu, 80 GiB, nvidia.com/gpu; also ")
    assert {offer["cloud"] for offer in document["offers"]} == {"aws", "gcp", "azure"}


def test_explains_where_each_figure_comes_from() -> None:
    document = json.loads(run("explain", "aws", "us-east-1", "p5.48xlarge", "--format", "json"))
    assert document["accelerators"] == "8 x h100-80gb (kubernetes/autoscaler at 55c37cd5eb55)"
    assert document["availability"]["availability"] == "sold"
    by_capacity = {price["capacityType"]: price for price in document["prices"]}
    assert by_capacity["on-demand"]["asOf"] == "2026-07-20"
    assert by_capacity["on-demand"]["assumed"] is False
    assert by_capacity["spot"]["assumed"] is True
    assert by_capacity["on-demand"]["ageDays"] > 100
    assert by_capacity["reserved"] == {
        "capacityType": "reserved",
        "ageDays": None,
        "known": False,
        "reason": "reserved capacity costs what its commitment states, not a list price",
    }


def test_explains_what_is_attached() -> None:
    text = run(
        "explain", "gcp", "us-central1", "n1-standard-8", "--accelerator", "t4", "--count", "2"
    )
    assert "accelerators  2 x t4, attached" in text
    assert "on-demand     1.079998 USD an hour, assumed" in text


def test_explains_a_slice_in_words() -> None:
    text = run("explain", "azure", "eastus", "Standard_NV6ads_A10_v5")
    assert "a slice of one a10: 1/6 (MicrosoftDocs/azure-compute-docs" in text
    assert "spot          0.20430 USD an hour, assumed, 2026-06-18" in text


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("list", "--region", "us-eats-1"), r"did you mean 'us-east-1'\?"),
        (("list", "--accelerator", "a100"), "one of a100-40gb, a100-80gb"),
        (("list", "--max-price", "cheap"), "--max-price = 'cheap': is no price"),
        (("show", "p5.48xlrge"), "is not an accelerator of the catalog"),
        (("explain", "aws", "us-eats-1", "p5.48xlarge"), r"did you mean 'us-east-1'\?"),
        (("explain", "aws", "us-east-1", "p5.48xlrge"), r"such as 'p5\.48xlarge'"),
        (("refresh", "--cloud", "gcp", "--output", "x"), "is needed for Google's prices"),
        (("refresh", "--region", "nowhere", "--output", "x"), "is no known region"),
    ],
)
def test_refuses_with_one_clear_message(arguments: tuple[str, ...], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        CliRunner().invoke(app, list(arguments), catch_exceptions=False)


def answer(request: httpx.Request) -> httpx.Response:
    """Answer like all three clouds, for us-east-1 and eastus."""
    path, query = request.url.path, str(request.url)
    if request.url.host == "prices.azure.com":
        name = "azure_page_2.json" if "skip" in query else "azure_page_1.json"
    elif "region_index" in path:
        name = "aws_region_index.json"
    elif path.endswith("/us-east-1/index.csv"):
        name = "aws_us_east_1.csv"
    elif request.url.host == "cloudbilling.googleapis.com":
        name = "gcp_skus_2.json" if "pageToken" in query else "gcp_skus_1.json"
    else:
        return httpx.Response(404)
    return httpx.Response(200, text=(DATA / name).read_text(encoding="utf-8"))


def fetch_into(
    output: Path,
    answers: Callable[[httpx.Request], httpx.Response],
    regions: tuple[str, ...] = ("us-east-1", "eastus"),
) -> Any:
    wanted = plan_fetch(CATALOG, tuple(Cloud), regions, "key")
    earlier = read_earlier(output, CATALOG)
    transport = httpx.MockTransport(answers)
    with open_fetcher(lambda _: None, attempts=2, transport=transport) as fetcher:
        fetched = fetch_all(wanted, fetcher, CATALOG, DAY, lambda _: None)
    if fetched.done:
        write_rows(output, merge_rows(fetched.rows, earlier, fetched.done), CATALOG)
    return fetched


def test_refreshed_prices_are_read_back_as_public_ones_of_that_day(tmp_path: Path) -> None:
    output = tmp_path / "fresh" / "prices.yaml"
    fetched = fetch_into(output, answer)
    assert fetched.failed == {}
    catalog = load_catalog(output)
    azure = catalog.price("azure", "eastus", "Standard_NC40ads_H100_v5", "spot")
    assert isinstance(azure, Price)
    assert (str(azure.per_hour), azure.as_of, azure.assumed, azure.negotiated) == (
        "2.50 USD",
        DAY,
        False,
        False,
    )
    assert azure.origin == "Azure Retail Prices (prices.azure.com)"
    aws = catalog.price("aws", "us-east-1", "trn2.48xlarge", "on-demand")
    assert isinstance(aws, Price)
    assert str(aws.per_hour) == "40.00 USD"
    assert catalog.digest != CATALOG.digest


def test_a_refresh_of_the_same_answers_writes_the_same_file(tmp_path: Path) -> None:
    output = tmp_path / "prices.yaml"
    fetch_into(output, answer)
    first = output.read_bytes()
    fetch_into(output, answer)
    assert output.read_bytes() == first


def test_a_cloud_that_fails_keeps_its_earlier_rows_and_is_named(tmp_path: Path) -> None:
    output = tmp_path / "prices.yaml"
    fetch_into(output, answer)

    def half(request: httpx.Request) -> httpx.Response:
        down = request.url.host == "prices.azure.com"
        return httpx.Response(500) if down else answer(request)

    fetched = fetch_into(output, half)
    assert fetched.failed == {
        (Cloud.AZURE, "eastus"): "prices.azure.com: answered 500 Internal Server Error"
    }
    azure = load_catalog(output).price("azure", "eastus", "Standard_NC40ads_H100_v5", "spot")
    assert isinstance(azure, Price)
    assert not azure.assumed


def test_nothing_is_written_when_nothing_came(tmp_path: Path) -> None:
    output = tmp_path / "prices.yaml"
    fetch_into(output, answer)
    before = output.read_bytes()
    fetched = fetch_into(output, lambda _: httpx.Response(503))
    assert len(fetched.failed) == 3
    assert output.read_bytes() == before


def test_a_list_without_any_known_type_is_not_believed(tmp_path: Path) -> None:
    def empty(request: httpx.Request) -> httpx.Response:
        if request.url.host == "prices.azure.com":
            return httpx.Response(200, json={"Items": [], "Count": 0, "NextPageLink": None})
        return answer(request)

    fetched = fetch_into(tmp_path / "prices.yaml", empty)
    assert list(fetched.failed) == [(Cloud.AZURE, "eastus")]
    assert "has no price of any type" in fetched.failed[Cloud.AZURE, "eastus"]


def test_an_interrupted_write_leaves_the_earlier_file_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    output = tmp_path / "prices.yaml"
    fetch_into(output, answer)
    before = output.read_bytes()

    def full_disk(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(catalog_refresh.os, "fsync", full_disk)
    with pytest.raises(OSError, match="No space left"):
        fetch_into(output, answer)
    assert output.read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["prices.yaml"]


def test_a_file_with_entries_of_your_own_is_never_overwritten(tmp_path: Path) -> None:
    output = tmp_path / "own.yaml"
    output.write_text(
        "version: tidegate/prices/v1\n"
        "currencies: {EUR: {inUsd: 1.1, asOf: 2026-11-01, origin: ECB}}\n"
    )
    with pytest.raises(InvalidInput, match="entries of your own, which would be lost"):
        fetch_into(output, answer)


def test_the_command_says_what_failed_and_exits_with_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def offline(sleep: Callable[[float], None]) -> Any:
        def refuse_all(request: httpx.Request) -> httpx.Response:
            down = request.url.host == "prices.azure.com"
            return httpx.Response(403) if down else answer(request)

        return open_fetcher(sleep, transport=httpx.MockTransport(refuse_all))

    monkeypatch.setattr(fetching, "open_fetcher", offline)
    output = tmp_path / "prices.yaml"
    arguments = ["--region", "us-east-1", "--region", "eastus", "--output", str(output)]
    result = CliRunner().invoke(app, ["refresh", *arguments, "--format", "json"])
    assert result.exit_code == 1
    assert json.loads(result.stdout)["failed"] == [
        {
            "cloud": "azure",
            "region": "eastus",
            "reason": "prices.azure.com: answered 403 Forbidden",
        }
    ]
    assert "failed azure eastus: prices.azure.com: answered 403 Forbidden" in result.stderr
    assert output.exists()
