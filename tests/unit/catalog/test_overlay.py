"""A user's prices on top of the shipped ones: what they change and what is refused."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidegate.catalog.load import load_catalog
from tidegate.catalog.model import CurrencyRate, UnknownPrice
from tidegate.catalog.overlay import apply_overlay, parse_overlay
from tidegate.vocabulary.money import Money, Price
from tidegate.vocabulary.problems import InvalidInput

CATALOG = load_catalog()

HEAD = "version: tidegate/prices/v1\n"
DEFAULTS = HEAD + "defaults: {cloud: aws, asOf: 2026-11-01, origin: our agreement}\n"
P5 = "{region: us-east-1, instanceType: p5.48xlarge, capacityType: on-demand, perHour: 40.10}"


def write(folder: Path, text: str, name: str = "prices.yaml") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def problems_of(text: str) -> list[str]:
    with pytest.raises(InvalidInput) as caught:
        parse_overlay(text, "prices.yaml", CATALOG)
    return [str(problem) for problem in caught.value.problems]


def test_negotiated_price_replaces_the_public_one_and_says_so(tmp_path: Path) -> None:
    catalog = load_catalog(write(tmp_path, DEFAULTS + f"prices: [{P5}]\n"))
    assert catalog.price("aws", "us-east-1", "p5.48xlarge", "on-demand") == Price(
        Money(Decimal("40.10")), date(2026, 11, 1), "our agreement", negotiated=True
    )
    assert catalog.price("aws", "us-east-1", "p4d.24xlarge", "on-demand") == CATALOG.price(
        "aws", "us-east-1", "p4d.24xlarge", "on-demand"
    )


def test_an_assumed_spot_price_rests_on_the_public_price_not_the_negotiated_one(
    tmp_path: Path,
) -> None:
    catalog = load_catalog(write(tmp_path, DEFAULTS + f"prices: [{P5}]\n"))
    place = ("aws", "us-east-1", "p5.48xlarge", "spot")
    assert catalog.price(*place) == CATALOG.price(*place)


def test_refreshed_public_prices_go_before_shipped_and_after_negotiated(tmp_path: Path) -> None:
    public = P5.replace("40.10", "50.00, negotiated: false")
    own = P5.replace("us-east-1", "us-west-2")
    text = DEFAULTS + f"prices:\n- {public}\n- {own}\n- {public.replace('us-east-1', 'us-west-2')}"
    catalog = load_catalog(write(tmp_path, text))
    found = [
        catalog.price("aws", region, "p5.48xlarge", "on-demand")
        for region in ("us-east-1", "us-west-2")
    ]
    assert [(str(price.per_hour), price.negotiated) for price in found] == [  # type: ignore[union-attr]
        ("50.00 USD", False),
        ("40.10 USD", True),
    ]
    spot = catalog.price("aws", "us-west-2", "p5.48xlarge", "spot")
    assert isinstance(spot, Price)
    assert spot.per_hour == Money(Decimal(50) * CATALOG.spot_assumption.ratio)


def test_a_price_for_every_region_holds_where_nothing_nearer_is_stated(tmp_path: Path) -> None:
    everywhere = P5.replace("us-east-1", '"*"').replace("40.10", "30")
    catalog = load_catalog(write(tmp_path, DEFAULTS + f"prices:\n- {everywhere}\n- {P5}\n"))
    prices = [
        catalog.price("aws", region, "p5.48xlarge", "on-demand").per_hour.amount  # type: ignore[union-attr]
        for region in ("us-east-1", "eu-west-1")
    ]
    assert prices == [Decimal("40.10"), Decimal(30)]


def test_reserved_price_is_known_only_when_negotiated(tmp_path: Path) -> None:
    catalog = load_catalog(
        write(tmp_path, DEFAULTS + f"prices: [{P5.replace('on-demand', 'reserved')}]\n")
    )
    price = catalog.price("aws", "us-east-1", "p5.48xlarge", "reserved")
    assert isinstance(price, Price)
    assert price.negotiated


def test_own_currency_keeps_its_dated_rate(tmp_path: Path) -> None:
    rate = "currencies: {EUR: {inUsd: 1.0825, asOf: 2026-11-27, origin: ECB}}\n"
    text = DEFAULTS + rate + f"prices: [{P5.replace('40.10', '40.10, currency: EUR')}]\n"
    catalog = load_catalog(write(tmp_path, text))
    assert catalog.rates == {
        "EUR": CurrencyRate("EUR", Decimal("1.0825"), date(2026, 11, 27), "ECB")
    }
    price = catalog.price("aws", "us-east-1", "p5.48xlarge", "on-demand")
    assert isinstance(price, Price)
    assert price.per_hour == Money(Decimal("40.10"), "EUR")


def test_own_spot_ratio_and_instance_types(tmp_path: Path) -> None:
    text = HEAD + (
        "assumedSpotRatio: {ratio: 0.3, clouds: [azure], asOf: 2026-11-01, origin: our bills}\n"
        "instanceTypes:\n"
        "- {cloud: azure, name: Standard_ND96isr_H300_v7, vcpus: 96, memoryGib: 1900,\n"
        "   arch: amd64, accelerator: h200, acceleratorsPerNode: 8}\n"
        "prices:\n"
        "- {cloud: azure, region: eastus, instanceType: Standard_ND96isr_H300_v7,\n"
        "   capacityType: on-demand, perHour: 100, asOf: 2026-11-01, origin: x, negotiated: false}"
    )
    catalog = load_catalog(write(tmp_path, text))
    spot = catalog.price("azure", "eastus", "Standard_ND96isr_H300_v7", "spot")
    assert isinstance(spot, Price)
    assert spot.per_hour == Money(Decimal("30.0"))
    assert spot.origin == "0.3 of the on-demand price (x); our bills"
    assert isinstance(catalog.price("aws", "us-east-1", "p5.48xlarge", "spot"), UnknownPrice)
    found = catalog.instance_types("azure", "h200-141gb", 8)
    assert [each.name for each in found] == [
        "Standard_ND96isr_H200_v5",
        "Standard_ND96isr_H300_v7",
    ]


def test_later_overlays_go_on_top_of_earlier_ones(tmp_path: Path) -> None:
    first = write(tmp_path, DEFAULTS + f"prices: [{P5}]\n", "a.yaml")
    second = write(tmp_path, DEFAULTS + f"prices: [{P5.replace('40.10', '39')}]\n", "b.yaml")
    price = load_catalog([first, second]).price("aws", "us-east-1", "p5.48xlarge", "on-demand")
    assert isinstance(price, Price)
    assert price.per_hour.amount == Decimal(39)


def test_digest_changes_with_the_overlay_and_only_with_it(tmp_path: Path) -> None:
    first = write(tmp_path, DEFAULTS + f"prices: [{P5}]\n", "a.yaml")
    other = write(tmp_path, DEFAULTS + f"prices: [{P5.replace('40.10', '39')}]\n", "b.yaml")
    digests = [load_catalog(path).digest for path in (None, first, first, other)]
    assert digests[1] == digests[2]
    assert len(set(digests)) == 3


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            HEAD + "curencies: {}\n",
            (
                "prices.yaml: curencies: is not a known key (did you mean 'currencies'?); expected "
                "one of version, regions, currencies, assumedSpotRatio, instanceTypes, defaults, "
                "prices"
            ),
        ),
        (
            "version: tidegate/prices/v2\n",
            (
                "prices.yaml: version = 'tidegate/prices/v2': is not known (did you mean "
                "'tidegate/prices/v1'?); expected one of tidegate/prices/v1"
            ),
        ),
        ("prices: []\n", "prices.yaml: version: is missing; expected one of tidegate/prices/v1"),
        (
            DEFAULTS + f"prices: [{P5.replace('p5.48xlarge', 'p5.48xlage')}]",
            (
                "prices.yaml: prices[0].instanceType = 'p5.48xlage': is not known (did you mean "
                "'p5.48xlarge'?); expected one of "
            ),
        ),
        (
            DEFAULTS + f"prices: [{P5.replace('us-east-1', 'us-eats-1')}]",
            (
                "prices.yaml: prices[0].region = 'us-eats-1': is not known (did you mean "
                "'us-east-1'?); expected one of *, "
            ),
        ),
        (
            DEFAULTS + f"prices: [{P5.replace('on-demand', 'ondemand')}]",
            (
                "prices.yaml: prices[0].capacityType = 'ondemand': is not known (did you mean "
                "'on-demand'?); expected one of on-demand, reserved, spot"
            ),
        ),
        (
            DEFAULTS + f"prices: [{P5.replace('40.10', '40.10, currency: eur')}]",
            (
                "prices.yaml: prices[0].currency = 'eur': is no currency code; expected three "
                "capital letters (ISO 4217), such as EUR"
            ),
        ),
        (
            HEAD + "assumedSpotRatio: {ratio: 1.2, asOf: 2026-11-01, origin: x}",
            (
                "prices.yaml: assumedSpotRatio.ratio = '1.2': is out of range or no number; "
                "expected a decimal number above 0, at most 1"
            ),
        ),
        (
            DEFAULTS.replace("2026-11-01", "yesterday") + f"prices: [{P5}]",
            "prices.yaml: prices[0].asOf = 'yesterday': is no day; expected a day, YYYY-MM-DD",
        ),
        (
            DEFAULTS + f"prices: [{P5}, {P5}]",
            (
                "prices.yaml: prices[1].instanceType = p5.48xlarge: has two prices for one region "
                "and capacity type in this file; expected one price each"
            ),
        ),
        (
            HEAD + "instanceTypes: [{cloud: aws, name: p9.large, vcpus: 4, memoryGib: 8, "
            "arch: amd64, accelerator: a100, acceleratorsPerNode: 1}]",
            (
                "prices.yaml: instanceTypes[0].accelerator = 'a100': can mean more than one chip; "
                "expected one of a100-40gb, a100-80gb"
            ),
        ),
        (
            HEAD + "prices: {cloud: aws}\n",
            (
                "prices.yaml: prices: is not a list; expected a list of mappings, each beginning "
                "with `- `"
            ),
        ),
        (
            HEAD + "version: again\n",
            "prices.yaml: cannot be read as YAML: the key 'version' is written twice",
        ),
        ("- a list\n", "prices.yaml: is not a mapping of keys to values; expected a mapping that"),
        ("prices: [", "prices.yaml: cannot be read as YAML: "),
        ("", "prices.yaml: is not a mapping of keys to values"),
        ("? [a]\n: b\n", "prices.yaml: cannot be read as YAML: a key is no plain word"),
    ],
)
def test_refuses_with_file_key_value_and_what_would_be_right(text: str, expected: str) -> None:
    assert problems_of(text)[0].startswith(expected)


@pytest.mark.parametrize(
    "amount", ["-1", "0", "nan", "Infinity", "free", "1e400000000", "1e-999999", '""', "[1]"]
)
def test_refuses_what_is_no_price(amount: str) -> None:
    found = problems_of(DEFAULTS + f"prices: [{P5.replace('40.10', amount)}]")
    assert len(found) == 1
    assert found[0].startswith("prices.yaml: prices[0].perHour")


def test_reports_every_fault_of_a_file_at_once() -> None:
    text = DEFAULTS + "prices:\n- {cloud: asw}\n- 3\n"
    assert [line.split(";")[0] for line in problems_of(text)] == [
        "prices.yaml: prices[0].cloud = 'asw': is not known (did you mean 'aws'?)",
        "prices.yaml: prices[0].capacityType: is missing",
        "prices.yaml: prices[0].perHour: is missing",
        "prices.yaml: prices[1] = '3': is not a mapping",
    ]


def test_refuses_a_missing_and_an_unreadable_file(tmp_path: Path) -> None:
    missing = tmp_path / "none.yaml"
    with pytest.raises(InvalidInput, match="the price overlay does not exist"):
        load_catalog(missing)
    missing.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InvalidInput, match="the price overlay cannot be read"):
        load_catalog(missing)


@given(
    amount=st.decimals(
        min_value=Decimal("0.000001"), max_value=Decimal(100000), places=6, allow_nan=False
    )
)
def test_a_price_passes_through_no_float(amount: Decimal) -> None:
    text = DEFAULTS + f"prices: [{P5.replace('40.10', str(amount))}]"
    overlay = parse_overlay(text, "prices.yaml", CATALOG)
    price = apply_overlay(CATALOG, overlay, text).price(
        "aws", "us-east-1", "p5.48xlarge", "on-demand"
    )
    assert isinstance(price, Price)
    assert price.per_hour.amount == amount


@given(text=st.text(max_size=60))
def test_any_text_is_read_or_refused_never_a_crash(text: str) -> None:
    try:
        parse_overlay(HEAD + text, "prices.yaml", CATALOG)
    except InvalidInput as error:
        refused = str(error)
    else:
        refused = "prices.yaml: "
    assert refused.startswith("prices.yaml: ")
