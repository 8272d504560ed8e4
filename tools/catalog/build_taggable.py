"""Write `tidegate/catalog/data/taggable.csv`: which types carry labels, and where.

Usage: python tools/catalog/build_taggable.py [--check] [--output FILE]

Read from the installed SDKs as text, nothing is executed. Each resource type of the three
providers has a row; each place of it that looks like labels has one of its own:

    cloud, type, property, shape, taggable_by_rule

`property` is a path in the engine's spelling, `[]` for each element of a list. `taggable_by_rule`
is true for the one place of a type that the provider itself treats as its labels: on AWS `tags`
beside `tagsAll`, on Google Cloud what feeds `effectiveLabels`, on Azure the map `tags`.
"""
# ruff: noqa: INP001 - a script run by path, not imported

from __future__ import annotations

import argparse
import csv
import importlib.util
import io
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

TABLE = Path(__file__).resolve().parents[2] / "tidegate" / "catalog" / "data" / "taggable.csv"
PACKAGES = {"aws": "pulumi_aws", "gcp": "pulumi_gcp", "azure": "pulumi_azure_native"}
COLUMNS = ("cloud", "type", "property", "shape", "taggable_by_rule")
DEEPEST = 6

TOKEN = re.compile(
    r"super\([A-Za-z0-9_]+, __self__\)\.__init__\(\s*'((?:aws|gcp|azure-native):[^']+)'"
)
SIGNATURE = re.compile(r"def _internal_init\(__self__,(.*?)__props__=None\)", re.DOTALL)
ARGUMENT = re.compile(r"\n\s+(\w+): (.*?) = None,")
NESTED = re.compile(r"^class (\w+)Args(Dict)?\((?:TypedDict)?\):|^    (\w+): (.+)$", re.MULTILINE)
NAME = re.compile(r"(?:.*_)?(?:tags|labels|tag_specifications|tag|label)$")
TEXT_MAP = re.compile(r"Mapping\[str, (?:pulumi\.Input\[)?_builtins\.str\]")
REFERENCE = re.compile(r"'(?:\w+\.)?(\w+)ArgsDict'")

CHOOSES = re.compile(
    r"(?:^|\.)\w*(?:filter|selector|match|criteria|selection)\w*(?:\[\])?(?:\.|$)"
    r"|(?:secure|filter|match)(?:Tags|Labels)$",
    re.IGNORECASE,
)
"""Paths of what chooses by tags or labels that something else carries."""

SELECTORS = {
    ("aws:inspector/resourceGroup:ResourceGroup", "tags"),
    ("aws:devopsguru/resourceCollection:ResourceCollection", "tags"),
    ("gcp:monitoring/notificationChannel:NotificationChannel", "labels"),
    ("gcp:cloudidentity/group:Group", "labels"),
}
"""What else is called tags or labels, and chooses or parametrises instead of labelling."""


@dataclass(frozen=True, slots=True)
class Place:
    """One place of a type that looks like labels."""

    property: str
    shape: str


def list_types(cloud: str) -> Iterator[tuple[str, Path, str, dict[str, str]]]:
    """Yield (token, file, text, inputs by name with their annotation) of each resource type."""
    spec = importlib.util.find_spec(PACKAGES[cloud])
    assert spec is not None
    assert spec.submodule_search_locations is not None
    for path in sorted(Path(spec.submodule_search_locations[0]).rglob("*.py")):
        if path.name.startswith("_"):
            continue
        text = path.read_text(encoding="utf-8")
        token = TOKEN.search(text)
        signature = SIGNATURE.search(text)
        if token and signature:
            yield token[1], path, text, dict(ARGUMENT.findall(signature[1]))


@cache
def read_nested(folder: Path) -> Mapping[str, dict[str, str]]:
    """Return the nested input types of a module: name → fields with their annotation."""
    path = folder / "_inputs.py"
    found: dict[str, dict[str, str]] = {}
    fields: dict[str, str] = {}
    for match in NESTED.finditer(path.read_text(encoding="utf-8") if path.is_file() else ""):
        name, is_dict, field, annotation = match.groups()
        if name:
            fields = found.setdefault(name, {}) if is_dict else {}
        elif field:
            fields[field] = annotation
    return found


def find_places(token: str, folder: Path, inputs: Mapping[str, str]) -> list[Place]:
    """Return every place that looks like labels, nearest first."""
    nested = read_nested(folder)
    found: list[Place] = []
    waiting = [("", inputs, frozenset[str]())]
    while waiting:
        prefix, fields, above = waiting.pop(0)
        for name, annotation in fields.items():
            path = f"{prefix}{camel_case(name)}"
            if NAME.fullmatch(name):
                shape = classify(token, path, name, annotation, nested)
                found += [Place(path, shape)] if shape else []
            elif len(above) < DEEPEST:
                many = "[]" if "Sequence[" in annotation else ""
                waiting += [
                    (f"{path}{many}.", nested[inner], above | {inner})
                    for inner in dict.fromkeys(REFERENCE.findall(annotation))
                    if inner in nested and inner not in above
                ]
    return found


def classify(
    token: str, path: str, name: str, annotation: str, nested: Mapping[str, dict[str, str]]
) -> str:
    """Return the shape of a place; empty where it is one text, a switch, or a reference."""
    if (token, path) in SELECTORS or CHOOSES.search(path):
        return "selector"
    if TEXT_MAP.search(annotation):
        manager = token.startswith("gcp:") and name.endswith("tags")
        return "resource-manager-tags" if manager else "map"
    if "Sequence[" not in annotation:
        return ""
    if "tag_specifications" in name:
        return "tag-specifications"
    if "'" not in annotation:
        return "strings"
    fields = {field for inner in REFERENCE.findall(annotation) for field in nested.get(inner, ())}
    return "tag-list" if fields >= {"key", "value"} else "objects"


def is_by_rule(cloud: str, text: str, place: Place) -> bool:
    """Return whether the provider itself treats the place as the type's labels."""
    if place.shape != "map":
        return False
    if cloud == "gcp":
        feeds = '__props__.__dict__["effective_labels"] = None' in text
        return feeds and place.property in ("labels", "resourceLabels")
    return place.property == "tags"


def build_rows() -> list[tuple[str, ...]]:
    """Return the table's rows, sorted."""
    rows: list[tuple[str, ...]] = []
    for cloud in PACKAGES:
        for token, path, text, inputs in list_types(cloud):
            places = find_places(token, path.parent, inputs)
            rows += [
                (cloud, token, place.property, place.shape, render(is_by_rule(cloud, text, place)))
                for place in dict.fromkeys(places)
            ] or [(cloud, token, "", "none", render(False))]
    return sorted(rows)


def render(value: bool) -> str:
    """Return true or false, as the file spells it."""
    return "true" if value else "false"


def camel_case(name: str) -> str:
    """Return an SDK's name as the engine spells it."""
    first, *rest = name.rstrip("_").split("_")
    return first + "".join(part.capitalize() for part in rest)


def main() -> int:
    """Write the table, or compare it with what the installed SDKs say."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="exit code 1 when it is out of date")
    parser.add_argument("--output", type=Path, default=TABLE)
    asked = parser.parse_args()
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows(build_rows())
    if asked.check:
        return int(asked.output.read_text(encoding="utf-8") != buffer.getvalue())
    asked.output.write_text(buffer.getvalue(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
