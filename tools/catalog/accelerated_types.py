"""Instance types from the collected rows, moto's record and the vendors' stated facts."""
# ruff: noqa: INP001 - imported by build_catalog.py beside it, both run by path

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import vendor_facts as facts

CANONICAL = {
    "A10": "a10",
    "A100": "a100-40gb",
    "A100-80GB": "a100-80gb",
    "A10G": "a10g",
    "B200": "b200",
    "B300": "b300",
    "FPGA-U250": "fpga-u250",
    "GB200": "gb200",
    "Gaudi-HL205": "gaudi1",
    "H100": "h100-80gb",
    "H100-MEGA": "h100-80gb",
    "H200": "h200-141gb",
    "Inferentia": "inferentia1",
    "Inferentia2": "inferentia2",
    "K80": "k80",
    "L4": "l4",
    "L4-fraction": "l4",
    "L40S": "l40s",
    "M60": "m60",
    "MI25": "mi25",
    "MI300X": "mi300x",
    "Qualcomm AI100": "qualcomm-ai100",
    "RTX PRO 4500": "rtx-pro-4500",
    "RTXPRO6000": "rtx-pro-6000",
    "RadeonProV520": "v520",
    "T4": "t4",
    "T4g": "t4g",
    "Trainium": "trainium1",
    "Trainium2": "trainium2",
    "V100": "v100-16gb",
    "V100-32GB": "v100-32gb",
    "V620": "v620",
    "V710": "v710",
    "Virtex UltraScale+ (VU47P)": "fpga-vu47p",
}
"""The sources' spellings → the canonical chip. A spelling that is not here stops the build."""

COUNT_SOURCES = {
    "autoscaler": "kubernetes/autoscaler at 55c37cd5eb55",
    "vendor-known": "AWS documentation, Inferentia and Trainium instance sizes",
    "machine-name": "the machine's own name",
    "": "",
}


class TypeRow(NamedTuple):
    """One row of instance_types.csv; empty is "not known", `share` only for a slice."""

    cloud: str
    name: str
    vcpus: str
    memory_gib: str
    arch: str
    accelerator: str
    count: str
    sliced: str
    share: str
    provider_accelerator: str
    purchase: str
    source: str
    retired: str = ""
    retired_source: str = ""


def build_types(
    rows: Iterable[Mapping[str, str]], moto_types: Mapping[str, Mapping[str, Any]]
) -> tuple[list[TypeRow], list[tuple[str, ...]]]:
    """Return the types to ship and the ones left out with the reason."""
    types: dict[str, TypeRow] = {}
    rejected: dict[str, tuple[str, ...]] = {}
    for row in rows:
        name = row["instance_type"]
        if name in facts.REJECTED:
            rejected[name] = (row["provider"], name, facts.REJECTED[name])
        elif name not in types:
            types[name] = _type_of(row, moto_types.get(name))
    for name, described in moto_types.items():
        if name not in types and described["accelerator"]:
            types[name] = _moto_only(name, described)
    for name, (chip, count) in facts.TPU_MACHINES.items():
        row_ = TypeRow("gcp", name, "", "", "amd64", chip, str(count), "", "", "", "", "")
        types[name] = row_._replace(source=facts.GOOGLE_TPU)
    return [_retire(row) for row in types.values()], list(rejected.values())


def _retire(row: TypeRow) -> TypeRow:
    day, source = facts.RETIRED.get(row.name, ("", ""))
    return row._replace(retired=day, retired_source=source)


def _type_of(row: Mapping[str, str], described: Mapping[str, Any] | None) -> TypeRow:
    name, cloud = row["instance_type"], row["provider"]
    vcpus, memory = row["vcpus"], row["memory_gib"].removesuffix(".0")
    if cloud == "gcp":
        vcpus, memory = facts.GOOGLE_SIZES[name]
    chip = _canonical(name, row["accelerator"])
    if name in facts.H100_NVL:
        chip = "h100-94gb"
    count, source = row["accelerator_count"], COUNT_SOURCES[row["accelerator_count_source"]]
    sliced, share = "", ""
    if name in facts.COUNTS:
        known_vcpus, known_memory, count, source = facts.COUNTS[name]
        vcpus, memory = known_vcpus or vcpus, known_memory or memory
    elif name in facts.SLICES:
        share, source = facts.SLICES[name]
        sliced, count = "yes", ""
    elif name in facts.UNCONFIRMED:
        count, source = "", facts.UNCONFIRMED[name]
    if count and not count.isdigit():
        raise ValueError(f"{name}: {count} accelerators is a slice that no fact explains")
    arch = row["arch"] or ("amd64" if cloud == "gcp" else described["arch"] if described else "")
    variant = facts.GKE_VARIANTS.get(name, "")
    purchase = " ".join(described["purchase"]) if described else ""
    return TypeRow(
        cloud, name, vcpus, memory, arch, chip, count, sliced, share, variant, purchase, source
    )


def _canonical(name: str, spelling: str) -> str:
    if spelling and spelling not in CANONICAL:
        raise ValueError(f"{name}: no chip is called {spelling!r}; add it to CANONICAL")
    return CANONICAL[spelling] if spelling else ""


def _moto_only(name: str, described: Mapping[str, Any]) -> TypeRow:
    """An accelerated AWS type that the price source lacks: its price stays unknown."""
    return TypeRow(
        cloud="aws",
        name=name,
        vcpus=described["vcpus"],
        memory_gib=described["memory_gib"],
        arch=described["arch"],
        accelerator=_canonical(name, described["accelerator"]),
        count=described["count"],
        sliced="",
        share="",
        provider_accelerator="",
        purchase=" ".join(described["purchase"]),
        source=facts.AWS_API,
    )
