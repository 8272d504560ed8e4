"""Read the shipped data files into a `Catalog`."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from importlib import resources
from pathlib import Path

from tidegate.catalog import tables
from tidegate.catalog.catalog import Catalog
from tidegate.catalog.instruments import parse_instruments
from tidegate.catalog.storage_tables import parse_storage
from tidegate.vocabulary.problems import refuse

FILES = (
    "accelerators.json",
    "aws_offerings.csv",
    "commitments.json",
    "instance_types.csv",
    "instruments.json",
    "prices.csv",
    "rejected.csv",
    "retention.json",
    "sources.json",
    "storage.json",
    "storage_moves.json",
    "telemetry.json",
)


def load_catalog(overlay: Path | Sequence[Path] | None = None) -> Catalog:
    """Return the catalog of the shipped data, with the user's overlay files on top.

    Args:
        overlay: One file of prices and currencies, or several, later ones going first.

    Raises:
        InvalidInput: When an overlay cannot be read, or says what the catalog cannot take.
    """
    catalog = build_catalog(read_shipped())
    paths = [overlay] if isinstance(overlay, Path) else list(overlay or ())
    if not paths:
        return catalog
    # YAML is loaded only for who has an overlay: start-up stays short.
    from tidegate.catalog.overlay import apply_overlay, parse_overlay

    for path in paths:
        text = _read_overlay(path)
        catalog = apply_overlay(catalog, parse_overlay(text, str(path), catalog), text)
    return catalog


def _read_overlay(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError as error:
        raise refuse(str(path), "", None, "the price overlay does not exist") from error
    except (OSError, UnicodeDecodeError) as error:
        raise refuse(str(path), "", None, f"the price overlay cannot be read: {error}") from error


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
        offering_table=tables.parse_offerings(texts["aws_offerings.csv"], texts["sources.json"]),
        rejected=tables.parse_rejected(texts["rejected.csv"]),
        spot_assumption=spot,
        discounts=tables.parse_discounts(texts["commitments.json"]),
        instruments=parse_instruments(texts["instruments.json"]),
        retention=tables.parse_retention(texts["retention.json"]),
        storage=parse_storage(texts["storage.json"], texts["storage_moves.json"]),
        telemetry=tables.parse_telemetry(texts["telemetry.json"]),
        digest=digest_texts(texts),
    )


def digest_texts(texts: Mapping[str, str]) -> str:
    """Return one SHA-256 over named texts, independent of their order."""
    digest = hashlib.sha256()
    for name in sorted(texts):
        digest.update(f"{name}\0{len(texts[name])}\0{texts[name]}".encode())
    return f"sha256:{digest.hexdigest()}"


def read_machine_families() -> str:
    """Return how Google's billing catalog names the parts of a machine, for `feeds.gcp`."""
    return (resources.files("tidegate.catalog") / "data" / "gcp_families.json").read_text(
        encoding="utf-8"
    )
