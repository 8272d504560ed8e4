"""Read the shipped data files into a `Catalog`."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from importlib import resources

from tidegate.catalog import tables
from tidegate.catalog.catalog import Catalog

FILES = (
    "accelerators.json",
    "aws_offerings.csv",
    "commitments.json",
    "instance_types.csv",
    "prices.csv",
    "retention.json",
    "sources.json",
    "storage.json",
)


def load_catalog() -> Catalog:
    """Return the catalog of the shipped data."""
    return build_catalog(read_shipped())


def read_shipped() -> dict[str, str]:
    """Return the shipped data files, name → text."""
    folder = resources.files("tidegate.catalog") / "data"
    return {name: (folder / name).read_text(encoding="utf-8") for name in FILES}


def build_catalog(texts: Mapping[str, str]) -> Catalog:
    """Build a catalog from the texts of its data files."""
    accelerators, attachable = tables.parse_accelerators(texts["accelerators.json"])
    sources, spot, currency = tables.parse_sources(texts["sources.json"])
    return Catalog(
        accelerators=accelerators,
        types=tables.parse_types(texts["instance_types.csv"], attachable),
        price_table=tables.parse_prices(texts["prices.csv"], sources, currency),
        offering_table=tables.parse_offerings(texts["aws_offerings.csv"]),
        spot_assumption=spot,
        discounts=tables.parse_discounts(texts["commitments.json"]),
        retention=tables.parse_retention(texts["retention.json"]),
        storage=tables.parse_storage(texts["storage.json"]),
        digest=digest_texts(texts),
    )


def digest_texts(texts: Mapping[str, str]) -> str:
    """Return one SHA-256 over named texts, independent of their order."""
    digest = hashlib.sha256()
    for name in sorted(texts):
        digest.update(f"{name}\0{len(texts[name])}\0{texts[name]}".encode())
    return f"sha256:{digest.hexdigest()}"
