"""The shipped tables are what the build script makes of the collected files, and nothing else."""

from __future__ import annotations

import csv
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[3]
PRICES = REPOSITORY.parent / "shared" / "data" / "prices"
SHIPPED = REPOSITORY / "tidegate" / "catalog" / "data"
SCRIPT = REPOSITORY / "tools" / "catalog" / "build_catalog.py"

pytestmark = pytest.mark.skipif(
    not PRICES.is_dir() or find_spec("moto") is None,
    reason="the collected price files are not beside this checkout, or moto is not installed",
)


def run_build(prices: Path, output: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(SCRIPT), str(prices), "--output", str(output)],
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_rebuild_gives_the_shipped_files_byte_for_byte(tmp_path: Path) -> None:
    result = run_build(PRICES, tmp_path)
    assert result.returncode == 0, result.stderr
    built = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert len(built) == 7
    assert built == {name: (SHIPPED / name).read_bytes() for name in built}


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        ({"accelerator": "H900"}, "p5.48xlarge: no chip is called 'H900'"),
        ({"accelerator_count": "0.375"}, "0.375 accelerators is a slice that no fact explains"),
    ],
)
def test_a_row_that_nothing_explains_stops_the_build(
    tmp_path: Path, spoil: dict[str, str], message: str
) -> None:
    changed, output = tmp_path / "prices", tmp_path / "out"
    changed.mkdir()
    output.mkdir()
    for path in PRICES.iterdir():
        (changed / path.name).write_bytes(path.read_bytes())
    target = changed / "aws_instances.csv"
    with target.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    row = next(row for row in rows if row["instance_type"] == "p5.48xlarge")
    row.update(spoil)
    with target.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, fieldnames=list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    result = run_build(changed, output)
    assert result.returncode == 1
    assert message in result.stderr
    assert not list(output.iterdir())
