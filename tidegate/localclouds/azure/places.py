"""Azure's regions and virtual machine sizes."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from functools import cache
from importlib import resources

from tidegate.catalog.catalog import Catalog
from tidegate.catalog.load import load_catalog
from tidegate.catalog.model import Availability, InstanceType
from tidegate.vocabulary.capacity import Cloud
from tidegate.vocabulary.problems import nearest

GLOBAL = "global"
VM_SIZE = re.compile(r"(?:Standard|Basic)_[A-Z][A-Za-z0-9]*(?:[-_][A-Za-z0-9]+)*")


@cache
def _catalog() -> Catalog:
    return load_catalog()


@cache
def _regions() -> frozenset[str]:
    file = resources.files("tidegate.localclouds") / "data" / "azure_regions.toml"
    return frozenset(tomllib.loads(file.read_text(encoding="utf-8"))["regions"])


@cache
def _sizes() -> dict[str, InstanceType]:
    return {
        name.lower(): listed
        for (cloud, name), listed in _catalog().types.items()
        if cloud is Cloud.AZURE
    }


def fold_region(name: str) -> str:
    """Return a region's name as ids and API answers spell it ("East US" → "eastus")."""
    return name.replace(" ", "").lower()


def check_region(name: str) -> Iterator[str]:
    """Say why a location is none of Azure's."""
    folded = fold_region(name)
    if folded not in _regions():
        guess = nearest(folded, _regions())
        hint = f" Did you mean '{guess}'?" if guess else ""
        yield f"The provided location '{name}' is not available.{hint}"


def find_size(name: str) -> InstanceType | None:
    """Return what the catalog knows of a virtual machine size; Azure's names know no case."""
    return _sizes().get(name.lower())


def check_size(name: str, region: str) -> Iterator[str]:
    """Say why a virtual machine size cannot be had in a region.

    The catalog holds every accelerated size, so that an N size it does not know is none. Other
    sizes are held against their grammar alone.
    """
    listed = find_size(name)
    is_accelerated = name.lower().startswith("standard_n")
    if listed is None and (is_accelerated or not VM_SIZE.fullmatch(name)):
        guess = nearest(name.lower(), _sizes())
        hint = f" Did you mean '{_sizes()[guess].name}'?" if guess else ""
        yield f"The VM size of {name} is not known.{hint}"
    elif listed is not None and region:
        sold = _catalog().availability(Cloud.AZURE, fold_region(region), listed.name)
        if sold is Availability.NOT_SOLD:
            yield f"The VM size of {name} is not allowed in location '{region}'."


def has_gpu(name: str) -> bool:
    """Tell whether a size is known to have a GPU."""
    listed = find_size(name)
    return listed is not None and bool(listed.accelerator)


def can_partition(name: str) -> bool:
    """Tell whether a size's GPUs can be split (NVIDIA multi-instance GPU); true when unknown."""
    listed = find_size(name)
    if listed is None:
        return True
    return listed.accelerator.split("-")[0] in {"a100", "h100", "h200", "b200", "gb200"}
