"""Write the catalog's data files from collected price files and moto's record of AWS.

Usage: python tools/catalog/build_catalog.py PRICES_DIR [--moto DIR] [--output DIR]

PRICES_DIR holds the collected price files (see docs/catalog.md for where each comes from).
What is written is the project's own table: types once, prices once for all the regions that
share one, offerings as zones by region, with the origin of each in sources.json.
"""
# ruff: noqa: INP001 - a script run by path, not imported

from __future__ import annotations

import argparse
import csv
import sys
from importlib.util import find_spec
from pathlib import Path

from accelerated_types import TypeRow, build_types
from aws_offerings import build_offerings, read_moto_types
from price_rows import build_prices
from terms import build_commitments, build_sources, build_storage

HERE = Path(__file__).resolve().parent
DATA = HERE.parent.parent / "tidegate" / "catalog" / "data"


def read_rows(path: Path) -> list[dict[str, str]]:
    """Return the rows of one collected CSV file."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def write_table(path: Path, header: tuple[str, ...], rows: list[tuple[str, ...]]) -> None:
    """Write one data file, sorted, so that a rebuild changes only what changed."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(sorted(rows))
    sys.stderr.write(f"{path.name}: {len(rows)} rows\n")


def build(prices_dir: Path, moto_resources: Path, output: Path) -> None:
    """Build every derived data file of the catalog."""
    rows = [
        row
        for name in ("aws_instances.csv", "azure_instances.csv", "gcp_instances.csv")
        for row in read_rows(prices_dir / name)
    ]
    moto_types = read_moto_types(moto_resources)
    types, rejected = build_types(rows, moto_types)
    tpu_rows = read_rows(prices_dir / "gcp_tpu.csv")
    attached_rows = read_rows(prices_dir / "gce_attached_gpu.csv")
    kept = {row.name for row in types}
    prices = build_prices([r for r in rows if r["instance_type"] in kept], tpu_rows, attached_rows)
    write_table(output / "instance_types.csv", TypeRow._fields, [tuple(row) for row in types])
    write_table(output / "rejected.csv", ("cloud", "name", "reason"), rejected)
    header = ("cloud", "name", "capacity_type", "amount", "source", "regions")
    write_table(output / "prices.csv", header, prices)
    write_table(
        output / "aws_offerings.csv", ("name", "zones"), build_offerings(moto_resources, types)
    )
    build_storage(prices_dir / "cloudprice_object_storage_prices.json", output / "storage.json")
    build_commitments(prices_dir / "cloudprice_ri_tiers.json", output / "commitments.json")
    build_sources(rows, output / "sources.json")


def find_moto() -> Path:
    """Return where the installed moto keeps its EC2 records, without importing it."""
    found = find_spec("moto")
    if found is None or found.origin is None:
        raise SystemExit("moto is not installed; name its ec2/resources directory with --moto")
    return Path(found.origin).parent / "ec2" / "resources"


def main() -> None:
    """Parse the command line and build."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("prices", type=Path, help="the directory of the collected price files")
    parser.add_argument("--moto", type=Path, help="moto's ec2/resources directory")
    parser.add_argument("--output", type=Path, default=DATA, help="where the data files go")
    options = parser.parse_args()
    build(options.prices, options.moto or find_moto(), options.output)


if __name__ == "__main__":
    main()
