"""Which machine types Compute Engine has, and which accelerators fit them."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from tidegate.catalog.catalog import Catalog
from tidegate.catalog.load import load_catalog
from tidegate.catalog.model import Availability, InstanceType
from tidegate.localclouds.gcp import names
from tidegate.vocabulary.capacity import Cloud
from tidegate.vocabulary.problems import InvalidInput, nearest

MACHINE_TYPE = re.compile(r"[a-z]{1,3}\d{1,2}[a-z]{0,2}-[a-z0-9-]+|f1-micro|g1-small")
CUSTOM = re.compile(r"([a-z]\d[a-z]?-)?custom-\d+-\d+(-ext)?")
ACCELERATED_FAMILIES = frozenset({"a2", "a3", "a4", "a4x", "g2", "g4"})


@dataclass(frozen=True, slots=True)
class Machine:
    """What is known of a machine type.

    Attributes:
        name: The machine type.
        accelerator: Its built-in accelerator as Google names it; empty for none, or unknown.
        count: How many of it; 0 where it has none or only a part of one.
        attachable: Google's accelerator types that can be attached → the counts allowed; None
            where nothing is known of it.
    """

    name: str
    accelerator: str = ""
    count: int = 0
    attachable: dict[str, tuple[int, ...]] | None = None


@cache
def _catalog() -> Catalog:
    return load_catalog()


@cache
def _table() -> dict[str, Any]:
    file = resources.files("tidegate.localclouds") / "data" / "gcp_machines.toml"
    return tomllib.loads(file.read_text(encoding="utf-8"))


@cache
def _known_names() -> frozenset[str]:
    found = set(_table()["accelerated"])
    for family, series in _table()["families"].items():
        for name, sizes in series.items():
            found |= set(sizes) if name == "names" else {f"{family}-{name}-{n}" for n in sizes}
    for family, series in _table()["tpus"].items():
        found |= {f"{family}-{name}-{size}" for name, sizes in series.items() for size in sizes}
    return frozenset(found | {name for cloud, name in _catalog().types if cloud is Cloud.GCP})


@cache
def find_machine(name: str) -> Machine | None:
    """Return what is known of a machine type; None when Compute Engine has no such type.

    A type of a family that no list covers is taken as it is: a new family is no error.
    """
    if name in _table()["accelerated"]:
        accelerator, count = _table()["accelerated"][name]
        return Machine(name, accelerator, count, {})
    try:
        listed = _catalog().instance_type(Cloud.GCP, name)
    except InvalidInput:
        family = name.split("-", 1)[0]
        known = name in _known_names() or CUSTOM.fullmatch(name)
        table = _table()
        complete = family in {*table["families"], *table["tpus"], *ACCELERATED_FAMILIES}
        if known or (MACHINE_TYPE.fullmatch(name) and not complete):
            return Machine(name, attachable=_attachable(name))
        return None
    return _from_catalog(listed)


def check_machine(name: str, zones: list[str]) -> Iterator[str]:
    """Say why a machine type cannot stand in these zones."""
    if find_machine(name) is None:
        guess = nearest(name, _known_names())
        hint = f" Did you mean '{guess}'?" if guess else ""
        place = zones[0] if zones else "any zone"
        yield f"Machine type with name '{name}' does not exist in zone '{place}'.{hint}"
        return
    if (Cloud.GCP, name) not in _catalog().types:
        return
    for zone in zones:
        region = names.region_of(zone)
        if _catalog().availability(Cloud.GCP, region, name) is Availability.NOT_SOLD:
            yield f"Machine type with name '{name}' does not exist in zone '{zone}'."


def check_accelerator(machine_name: str, accelerator: str, count: int) -> Iterator[str]:
    """Say why an accelerator does not fit a machine type."""
    machine = find_machine(machine_name)
    if machine is None or machine.attachable is None:
        return
    if machine.accelerator:
        if accelerator != machine.accelerator:
            yield (
                f"Accelerator type '{accelerator}' does not match machine type '{machine_name}', "
                f"which comes with '{machine.accelerator}'."
            )
        elif machine.count and count != machine.count:
            yield (
                f"Accelerator count {count} does not match machine type '{machine_name}', "
                f"which comes with {machine.count} of '{machine.accelerator}'."
            )
        return
    counts = machine.attachable.get(accelerator)
    if counts is None:
        fitting = ", ".join(sorted(machine.attachable)) or "none"
        yield (
            f"Accelerator type '{accelerator}' cannot be attached to machine type "
            f"'{machine_name}'. Accelerators that can: {fitting}."
        )
    elif count not in counts:
        allowed = ", ".join(str(n) for n in counts)
        yield (
            f"[{count}] '{accelerator}' cannot be attached to machine type '{machine_name}'. "
            f"Counts that can: {allowed}."
        )


def chips_of(machine_name: str) -> int:
    """Return how many TPU chips a machine type carries; 0 for one without."""
    family, _, rest = machine_name.partition("-")
    if family not in _table()["tpus"]:
        return 0
    count = rest.rpartition("-")[2].removesuffix("t")
    return int(count) if count.isdigit() else 0


def partitions_of(accelerator: str) -> tuple[str, ...]:
    """Return the sizes into which a GPU can be partitioned; none where it cannot."""
    return tuple(_table()["partitions"].get(accelerator, ()))


@cache
def accelerator_types() -> dict[str, str]:
    """Return Google's accelerator type names → what they are, in words."""
    chips = _catalog().accelerators.values()
    found = {chip.gke_type: chip.name for chip in chips if chip.gke_type}
    listed = [t for (cloud, _), t in _catalog().types.items() if cloud is Cloud.GCP]
    found |= {t.provider_accelerator: t.accelerator for t in listed if t.provider_accelerator}
    return found | {kind: kind for kind, _ in _table()["accelerated"].values()}


def machine_names() -> list[str]:
    """Return every machine type of the lists."""
    return sorted(_known_names())


def size_of(name: str) -> tuple[int, int]:
    """Return virtual CPUs and memory in MiB, 0 where no source states them."""
    listed = _catalog().types.get((Cloud.GCP, name))
    if listed is None:
        return 0, 0
    memory = int(listed.memory_gib * 1024) if listed.memory_gib is not None else 0
    return listed.vcpus or 0, memory


def _from_catalog(listed: InstanceType) -> Machine:
    if not listed.accelerator:
        return Machine(listed.name, attachable=_attachable(listed.name))
    if listed.accelerator.startswith("tpu"):
        return Machine(listed.name)
    google = listed.provider_accelerator or _catalog().accelerators[listed.accelerator].gke_type
    return Machine(listed.name, google, listed.accelerators_per_node or 0, {})


def _attachable(name: str) -> dict[str, tuple[int, ...]]:
    listed = _catalog().types.get((Cloud.GCP, name))
    if listed is None and name.startswith("n1-"):
        # Every N1 size takes the same accelerators as the sizes that the catalog prices.
        listed = _catalog().types.get((Cloud.GCP, "n1-standard-8"))
    if listed is None:
        return {}
    chips = _catalog().accelerators
    return {chips[chip].gke_type: counts for chip, counts in listed.attachable.items()}
