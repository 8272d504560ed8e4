"""Merge what the components of a stack declared into one manifest."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from pydantic import BaseModel, ValidationError

from tidegate.manifest.faults import describe_faults
from tidegate.manifest.kept import Bucket
from tidegate.manifest.model import Fragment, HourlyCeiling, Manifest, Quota
from tidegate.vocabulary.capacity import Cloud
from tidegate.vocabulary.problems import InvalidInput, Problem

SECTIONS: tuple[str, ...] = tuple(Fragment.model_fields)
"""The lists of a manifest whose entries have an `id`."""


def build_manifest(
    fragments: Iterable[Mapping[str, Any] | Fragment],
    *,
    project: str,
    stack: str,
    catalog_digest: str,
    hourly_ceiling: HourlyCeiling | Mapping[str, Any] | None = None,
    quotas: Iterable[Quota | Mapping[str, Any]] = (),
) -> Manifest:
    """Return the manifest of a stack; entries are sorted by id, so order of declaration is moot.

    Raises:
        InvalidInput: When a fragment breaks the model, or an id is declared twice in one section
            (the message names both declarations).
    """
    parsed = [parse_fragment(fragment) for fragment in fragments]
    merged = {section: _merge(section, parsed) for section in SECTIONS}
    problems = [problem for entries in merged.values() for problem in find_duplicates(entries)]
    problems += find_second_owners(merged["buckets"])
    if problems:
        raise InvalidInput(problems)
    document: dict[str, Any] = {
        "project": project,
        "stack": stack,
        "catalog_digest": catalog_digest,
        "hourly_ceiling": hourly_ceiling,
        "quotas": list(quotas),
        **{section: sorted(entries, key=_entry_id) for section, entries in merged.items()},
    }
    try:
        return Manifest.model_validate(document)
    except ValidationError as error:
        raise InvalidInput(describe_faults("stack manifest", document, error)) from error


def parse_fragment(fragment: Mapping[str, Any] | Fragment) -> Fragment:
    """Return a component's plain fragment, checked against the model."""
    if isinstance(fragment, Fragment):
        return fragment
    try:
        return Fragment.model_validate(fragment)
    except ValidationError as error:
        raise InvalidInput(describe_faults("capacity fragment", fragment, error)) from error


def dump_manifest(document: BaseModel) -> dict[str, Any]:
    """Return a manifest or fragment as plain JSON: camelCase keys, amounts as decimal strings."""
    return document.model_dump(mode="json", by_alias=True, exclude_none=True)


def find_duplicates(entries: Iterable[Any]) -> list[Problem]:
    """Return one problem for each id that a second entry of the same section declares."""
    seen: dict[str, Any] = {}
    problems: list[Problem] = []
    for entry in entries:
        first = seen.setdefault(entry.id, entry)
        if first is not entry:
            kind = type(entry).__name__.lower()
            reason = f"is declared twice: as {_describe(first)} and as {_describe(entry)}"
            expected = "one id for each, unique over the stack"
            problems.append(Problem(f"{kind} {entry.id}", "id", repr(entry.id), reason, expected))
    return problems


def find_second_owners(buckets: Iterable[Bucket]) -> list[Problem]:
    """Return one problem for each entry that would own a bucket's lifecycle a second time.

    Two owners overwrite each other's rules, and one's deletion removes both (pulumi-aws#6244).
    """
    owners: dict[tuple[Cloud, str], Bucket] = {}
    problems: list[Problem] = []
    for entry in buckets:
        if not entry.bucket:
            continue
        first = owners.setdefault((entry.cloud, entry.bucket), entry)
        if first.id != entry.id:
            reason = f"has an owner of its lifecycle already: bucket {first.id}"
            expected = "one entry for each bucket, with all of its rules"
            problems.append(
                Problem(f"bucket {entry.id}", "bucket", repr(entry.bucket), reason, expected)
            )
    return problems


def _merge(section: str, fragments: list[Fragment]) -> list[Any]:
    return [entry for fragment in fragments for entry in getattr(fragment, section)]


def _entry_id(entry: Any) -> str:
    return str(entry.id)


def _describe(entry: Any) -> str:
    """Say which of two entries of one id is meant: cloud, region and kind."""
    parts = [entry.cloud.value]
    for name in ("account", "region", "kind", "storage_class", "telemetry_class"):
        value = getattr(entry, name, "")
        if value:
            parts.append(str(value))
    return "/".join(parts)
