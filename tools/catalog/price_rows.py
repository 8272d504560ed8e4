"""Prices of the collected rows, once for all the regions that share one."""
# ruff: noqa: INP001 - imported by build_catalog.py beside it, both run by path

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from decimal import Decimal

import vendor_facts as facts

SENTINELS = (Decimal("700.0"),)
"""Amounts that SkyPilot's catalog writes where it has no price."""

CENT_MILLIONTH = Decimal("0.000001")
ATTACHED = "attached:"
CHIPS = {
    "nvidia-tesla-k80": "k80",
    "nvidia-tesla-p100": "p100",
    "nvidia-tesla-p4": "p4",
    "nvidia-tesla-t4": "t4",
    "nvidia-tesla-v100": "v100-16gb",
}

Key = tuple[str, str, str, str, str]


def parse_amount(text: str) -> Decimal | None:
    """Return a price, or None where the source has none: blank, zero or a placeholder."""
    if not text.strip():
        return None
    amount = Decimal(text)
    if amount in SENTINELS or amount <= 0:
        return None
    return amount.quantize(CENT_MILLIONTH).normalize()


def build_prices(
    rows: Iterable[Mapping[str, str]],
    tpu_rows: Iterable[Mapping[str, str]],
    attached_rows: Iterable[Mapping[str, str]],
) -> list[tuple[str, ...]]:
    """Return rows of prices.csv: cloud, type, capacity type, amount, source, regions."""
    regions: dict[Key, list[str]] = defaultdict(list)
    for row in rows:
        source = f"{row['provider']}-instances"
        for column, capacity in (
            ("on_demand_usd_per_hour", "on-demand"),
            ("spot_usd_per_hour", "spot"),
        ):
            amount = parse_amount(row[column])
            if amount is not None:
                key = (row["provider"], row["instance_type"], capacity, f"{amount:f}", source)
                regions[key].append(row["region"])
    for tpu in tpu_rows:
        _add_tpu(tpu, regions)
    for attached in attached_rows:
        _add_attached(attached, regions)
    return [(*key, " ".join(sorted(places))) for key, places in regions.items()]


def _add_tpu(row: Mapping[str, str], regions: dict[Key, list[str]]) -> None:
    source = "gcp-tpu-derived" if row["note"] else "gcp-tpu"
    for column, capacity in (
        ("on_demand_usd_per_chip_hour", "on-demand"),
        ("spot_usd_per_chip_hour", "spot"),
    ):
        chip_price = parse_amount(row[column])
        if chip_price is None:
            continue
        for machine, (chip, count) in facts.TPU_MACHINES.items():
            if chip == row["accelerator"]:
                amount = f"{(chip_price * count).normalize():f}"
                regions[("gcp", machine, capacity, amount, source)].append(row["region"])


def _add_attached(row: Mapping[str, str], regions: dict[Key, list[str]]) -> None:
    for column, capacity in (
        ("on_demand_usd_per_gpu_hour", "on-demand"),
        ("preemptible_usd_per_gpu_hour", "spot"),
    ):
        amount = parse_amount(row[column])
        if amount is not None:
            name = ATTACHED + CHIPS[row["accelerator"]]
            regions[("gcp", name, capacity, f"{amount:f}", "gce-attached-gpu")].append("*")
