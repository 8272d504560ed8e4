"""Which resource types carry labels, and where: the table generated from the providers' SDKs.

A type that has no row is not known, which is neither "carries none" nor "carries some". The table
is written by `tools/catalog/build_taggable.py` from pulumi-aws 7.51.1, pulumi-gcp 10.2.0 and
pulumi-azure-native 3.29.0.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib import resources


class PlaceShape(StrEnum):
    """How something that is called tags or labels is written."""

    MAP = "map"
    TAG_LIST = "tag-list"
    """A list of `{key, value, …}`."""
    TAG_SPECIFICATIONS = "tag-specifications"
    """A list of `{resourceType, tags}`."""
    RESOURCE_MANAGER_TAGS = "resource-manager-tags"
    """Google Cloud's tags, which carry policy and no cost."""
    OBJECTS = "objects"
    STRINGS = "strings"
    """A list of plain words, such as network tags."""
    SELECTOR = "selector"
    """Chooses or parametrises, and labels nothing."""
    NONE = "none"
    """The type has no such place."""


@dataclass(frozen=True, slots=True)
class LabelPlace:
    """One place of a resource type that is called tags or labels.

    Attributes:
        type: The type token.
        property: Its path, in the engine's spelling; `[]` stands for each element of a list.
        shape: How it is written.
        by_rule: Whether the provider itself treats it as the labels of the resource.
    """

    type: str
    property: str
    shape: PlaceShape
    by_rule: bool


@cache
def load_taggable() -> Mapping[str, tuple[LabelPlace, ...]]:
    """Return the shipped table: type token → its places; a type without any has one, NONE."""
    path = resources.files("tidegate.catalog") / "data" / "taggable.csv"
    return parse_taggable(path.read_text(encoding="utf-8").splitlines())


def parse_taggable(lines: Iterable[str]) -> Mapping[str, tuple[LabelPlace, ...]]:
    """Return a table from its lines, header first."""
    found: dict[str, tuple[LabelPlace, ...]] = {}
    rows = csv.reader(lines)
    next(rows, None)
    for _, token, path, shape, by_rule in rows:
        place = LabelPlace(token, path, PlaceShape(shape), by_rule == "true")
        found[token] = (*found.get(token, ()), place)
    return found
