"""What AWS offers where, from moto's record of DescribeInstanceTypes and -TypeOfferings."""
# ruff: noqa: INP001 - imported by build_catalog.py beside it, both run by path

from __future__ import annotations

import gzip
import json
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from accelerated_types import TypeRow

ARCHITECTURES = {"x86_64": "amd64", "arm64": "arm64"}


def _read(path: Path) -> Any:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return json.load(file)


def read_moto_types(resources: Path) -> dict[str, dict[str, Any]]:
    """Return what matters of every recorded type: size, chip, count, how it is bought."""
    recorded = _read(resources / "instance_types.json.gz")
    return {name: _describe(entry) for name, entry in recorded.items()}


def _describe(entry: dict[str, Any]) -> dict[str, Any]:
    chips = (
        entry.get("GpuInfo", {}).get("Gpus")
        or entry.get("NeuronInfo", {}).get("NeuronDevices")
        or entry.get("InferenceAcceleratorInfo", {}).get("Accelerators")
        or entry.get("FpgaInfo", {}).get("Fpgas")
        or []
    )
    arches = entry["ProcessorInfo"]["SupportedArchitectures"]
    return {
        "vcpus": str(entry["VCpuInfo"]["DefaultVCpus"]),
        "memory_gib": f"{entry['MemoryInfo']['SizeInMiB'] / 1024:g}",
        "arch": next((ARCHITECTURES[arch] for arch in arches if arch in ARCHITECTURES), ""),
        "accelerator": chips[0]["Name"] if chips else "",
        "count": str(sum(chip["Count"] for chip in chips)) if chips else "",
        "purchase": sorted(entry["SupportedUsageClasses"]),
    }


def build_offerings(resources: Path, types: Iterable[TypeRow]) -> list[tuple[str, ...]]:
    """Return one row a type: `region:zone letters` for each region that offers it.

    The first row, `*`, lists every region that the record covers: for these, a type that is
    recorded elsewhere and not here is not sold here.
    """
    names = {row.name for row in types if row.cloud == "aws"}
    zones: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    covered: dict[str, set[str]] = defaultdict(set)
    for path in sorted((resources / "instance_type_offerings" / "availability-zone").glob("*.gz")):
        region = path.name.removesuffix(".json.gz")
        for offering in _read(path):
            letter = offering["Location"].removeprefix(region)
            if len(letter) != 1:
                raise ValueError(f"{offering['Location']} is no zone of {region}")
            covered[region].add(letter)
            if offering["InstanceType"] in names:
                zones[offering["InstanceType"]][region].append(letter)
    rows = [("*", _render({region: sorted(letters) for region, letters in covered.items()}))]
    rows += [(name, _render(regions)) for name, regions in zones.items()]
    return rows


def _render(regions: dict[str, list[str]]) -> str:
    return " ".join(f"{region}:{''.join(sorted(regions[region]))}" for region in sorted(regions))
