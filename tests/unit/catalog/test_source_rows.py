"""The shipped catalog against every row of the price files that it was made from."""

from __future__ import annotations

import csv
from decimal import Decimal
from pathlib import Path

import pytest

from tidegate.catalog.load import load_catalog
from tidegate.catalog.model import UnknownPrice
from tidegate.vocabulary.capacity import Cloud
from tidegate.vocabulary.money import Price

PRICES = Path(__file__).resolve().parents[4] / "shared" / "data" / "prices"
CATALOG = load_catalog()
CENT_MILLIONTH = Decimal("0.000001")

pytestmark = pytest.mark.skipif(
    not PRICES.is_dir(), reason="the collected price files are not beside this checkout"
)


def read(name: str) -> list[dict[str, str]]:
    with (PRICES / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def instance_rows() -> list[dict[str, str]]:
    names = ("aws_instances.csv", "azure_instances.csv", "gcp_instances.csv")
    return [row for name in names for row in read(name)]


def amount(price: Price | UnknownPrice) -> Decimal | None:
    return None if isinstance(price, UnknownPrice) else price.per_hour.amount


def test_every_row_is_in_the_catalog_or_rejected_with_a_reason() -> None:
    missing = {
        (row["provider"], row["instance_type"])
        for row in instance_rows()
        if (Cloud(row["provider"]), row["instance_type"])
        not in {**CATALOG.types, **CATALOG.rejected}
    }
    assert missing == set()
    assert all(CATALOG.rejected.values())


def test_every_stated_price_is_the_catalogs_price() -> None:
    wrong = []
    for row in instance_rows():
        if (Cloud(row["provider"]), row["instance_type"]) in CATALOG.rejected:
            continue
        place = (row["provider"], row["region"], row["instance_type"])
        for column, capacity in (
            ("on_demand_usd_per_hour", "on-demand"),
            ("spot_usd_per_hour", "spot"),
        ):
            if row[column]:
                price = CATALOG.price(*place, capacity)
                stated = Decimal(row[column]).quantize(CENT_MILLIONTH)
                if amount(price) != stated or getattr(price, "assumed", True):
                    wrong.append((place, capacity, stated, price))
    assert wrong == []


def test_a_count_is_the_sources_own_or_comes_from_a_stated_vendor_fact() -> None:
    unexplained = []
    for row in instance_rows():
        found = CATALOG.types.get((Cloud(row["provider"]), row["instance_type"]))
        if found is None or not found.accelerator:
            continue
        count = found.accelerators_per_node
        from_source = str(count) == row["accelerator_count"]
        if count is not None and not from_source and not found.source:
            unexplained.append(found.name)
        if found.sliced and count is not None:
            unexplained.append(found.name)
    assert unexplained == []


def test_fractional_counts_of_the_source_are_slices() -> None:
    fractions = {
        row["instance_type"]
        for row in instance_rows()
        if row["accelerator_count"] and not row["accelerator_count"].isdigit()
    }
    assert fractions == {"g4-standard-12", "g4-standard-24", "g4-standard-6"}
    assert all(CATALOG.instance_type("gcp", name).sliced for name in fractions)


def test_every_tpu_row_prices_every_machine_of_its_chip() -> None:
    wrong = []
    for row in read("gcp_tpu.csv"):
        for machine in CATALOG.instance_types("gcp", row["accelerator"]):
            chips = machine.accelerators_per_node
            assert chips
            for column, capacity in (
                ("on_demand_usd_per_chip_hour", "on-demand"),
                ("spot_usd_per_chip_hour", "spot"),
            ):
                price = CATALOG.price("gcp", row["region"], machine.name, capacity)
                derived = bool(row["note"])
                if amount(price) != Decimal(row[column]) * chips or price.assumed is not derived:
                    wrong.append((row, machine.name, price))
    assert wrong == []


def test_every_attached_gpu_row_adds_its_price() -> None:
    for row in read("gce_attached_gpu.csv"):
        chip = CATALOG.accelerator(row["accelerator"]).name
        for column, capacity in (
            ("on_demand_usd_per_gpu_hour", "on-demand"),
            ("preemptible_usd_per_gpu_hour", "spot"),
        ):
            bare = amount(CATALOG.price("gcp", "us-central1", "n1-standard-4", capacity))
            whole = amount(CATALOG.price("gcp", "us-central1", "n1-standard-4", capacity, chip, 1))
            assert bare is not None
            assert whole == bare + Decimal(row[column])


def test_placeholder_and_gpu_less_prices_are_nowhere_in_the_catalog() -> None:
    shipped = {
        (key[1], region, price.amount)
        for key, by_region in CATALOG.price_table.listed.items()
        for region, price in by_region.items()
    }
    assert not [entry for entry in shipped if entry[2] >= 700]
    for row in read("skypilot_raw_excerpt_sentinel.csv"):
        if row["InstanceType"].startswith("a2-"):
            wrong = Decimal(row["Price"])
            assert (row["InstanceType"], row["Region"], wrong) not in shipped
        if Decimal(row["Price"]) == 700:
            chip = row["AcceleratorName"].rsplit("-", 1)[0]
            for machine in CATALOG.instance_types("gcp", chip):
                price = CATALOG.price("gcp", row["Region"], machine.name, "on-demand")
                assert isinstance(price, UnknownPrice)
