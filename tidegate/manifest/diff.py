"""What changed between two manifests, said by id and property rather than by line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from tidegate.manifest.build import SECTIONS, dump_manifest
from tidegate.manifest.model import Manifest


class ChangeKind(StrEnum):
    """What happened to an entry or a property."""

    ADDED = "added"
    REMOVED = "removed"
    CHANGED = "changed"


@dataclass(frozen=True, slots=True)
class Change:
    """One difference.

    Attributes:
        kind: Added, removed or changed.
        section: The list it stands in ("pools"), or "manifest" for a value of the whole.
        id: The entry's id; empty for the whole manifest.
        property: The dotted JSON path inside the entry; empty when the whole entry came or went.
        before: The old value as JSON, None when there was none.
        after: The new value as JSON, None when there is none.
    """

    kind: ChangeKind
    section: str
    id: str
    property: str
    before: Any
    after: Any


def diff_manifests(old: Manifest, new: Manifest) -> list[Change]:
    """Return every difference, ordered by section, id and property; empty when they say the same.

    The order of entries never counts; the order of a list inside an entry does.
    """
    before, after = dump_manifest(old), dump_manifest(new)
    changes: list[Change] = []
    for section in (*SECTIONS, "quotas"):
        changes += _diff_section(section, before.pop(section), after.pop(section))
    changes += _diff_values("manifest", "", before, after)
    return changes


def _diff_section(
    section: str, before: list[dict[str, Any]], after: list[dict[str, Any]]
) -> Iterator[Change]:
    old = {_entry_key(section, entry): entry for entry in before}
    new = {_entry_key(section, entry): entry for entry in after}
    for key in sorted(old.keys() | new.keys()):
        if key not in new:
            yield Change(ChangeKind.REMOVED, section, key, "", old[key], None)
        elif key not in old:
            yield Change(ChangeKind.ADDED, section, key, "", None, new[key])
        else:
            yield from _diff_values(section, key, old[key], new[key])


def _entry_key(section: str, entry: Mapping[str, Any]) -> str:
    """Return an entry's id; a quota is known by what it limits."""
    if section != "quotas":
        return str(entry["id"])
    names = ("cloud", "account", "region", "family", "capacityType")
    return "/".join(str(entry[name]) for name in names if entry.get(name))


def _diff_values(
    section: str, entry: str, before: Mapping[str, Any], after: Mapping[str, Any]
) -> Iterator[Change]:
    old, new = dict(_flatten("", before)), dict(_flatten("", after))
    for path in sorted(old.keys() | new.keys()):
        if path not in new:
            yield Change(ChangeKind.REMOVED, section, entry, path, old[path], None)
        elif path not in old:
            yield Change(ChangeKind.ADDED, section, entry, path, None, new[path])
        elif old[path] != new[path]:
            yield Change(ChangeKind.CHANGED, section, entry, path, old[path], new[path])


def _flatten(path: str, value: Any) -> Iterator[tuple[str, Any]]:
    """Yield each leaf with its path; a list is one leaf, because its order is a value."""
    if isinstance(value, Mapping) and value:
        for key, inner in value.items():
            yield from _flatten(f"{path}.{key}" if path else key, inner)
    else:
        yield path, value
