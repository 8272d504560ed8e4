"""Adds adopted pools to a stack's configuration without disturbing the rest of the file.

A YAML library would write the file anew and lose its comments, so text is added and the result
is read again: it must say what was there, and the entries, and nothing else.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from tidegate.cli.text_files import read_text
from tidegate.manifest.adopt import Adoption
from tidegate.vocabulary.problems import InvalidInput, Problem, refuse

KEY = "tidegate:existingPools"
INDENT = "  "

Entries = Mapping[str, Mapping[str, Any]]
"""Id → what is configured under it."""


def render_entries(adoptions: Sequence[Adoption], *, level: int = 0) -> str:
    """Return the entries as YAML under their configuration key; empty when there are none."""
    if not adoptions:
        return ""
    return "\n".join(_section_lines(KEY, _by_id(adoptions), level)) + "\n"


def add_to_config(path: Path, adoptions: Sequence[Adoption]) -> None:
    """Add the entries to a stack's configuration file.

    Raises:
        InvalidInput: The file is no stack configuration, has one of the ids already, or is
            written in a way that text cannot be added to; the file is as it was then.
    """
    add_entries(path, KEY, _by_id(adoptions), "a pool that is not there")


def add_entries(path: Path, key: str, entries: Entries, expected: str) -> None:
    """Add entries under a configuration key of a stack's file, which keeps its comments.

    Args:
        path: The stack's configuration file.
        key: The key ("tidegate:commitments"); added where it is missing.
        entries: Id → what is configured.
        expected: What an id should be that is there already, for people.

    Raises:
        InvalidInput: The file is no stack configuration, has one of the ids already, or is
            written in a way that text cannot be added to; the file is as it was then.
    """
    text = read_text(path)
    document = _parse(path, text)
    config = document.get("config")
    if not isinstance(config, dict) or not config:
        raise refuse(str(path), "config", None, "is missing", "a stack configuration")
    present = config.get(key) or {}
    taken = [name for name in entries if name in present]
    if taken:
        problems = [
            Problem(str(path), f"{key}.{name}", "", "is there already", expected) for name in taken
        ]
        raise InvalidInput(problems)
    wanted = copy.deepcopy(document)
    wanted["config"][key] = {**present, **entries}
    added = _insert(text, key, entries, has_key=key in config)
    if added is None or _parse(path, added) != wanted:
        raise refuse(
            str(path), key, None, "cannot be added to as text", "the printed entries, by hand"
        )
    path.write_text(added, encoding="utf-8")


def read_shared_labels(path: Path) -> set[str]:
    """Return the keys of the cost labels that the stack gives every entry.

    Raises:
        InvalidInput: The file cannot be read.
    """
    config = _parse(path, read_text(path)).get("config")
    given = config if isinstance(config, dict) else {}
    shared = given.get("tidegate:labels")
    keys = set(shared) if isinstance(shared, dict) else set()
    return keys | ({"environment"} if "tidegate:environment" in given else set())


def _parse(path: Path, text: str) -> dict[str, Any]:
    try:
        document = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise refuse(str(path), "", None, f"is no YAML ({error})", "a stack's file") from error
    return document if isinstance(document, dict) else {}


def _by_id(adoptions: Sequence[Adoption]) -> dict[str, Mapping[str, Any]]:
    return {each.id: each.entry for each in adoptions}


def _insert(text: str, key: str, entries: Entries, *, has_key: bool) -> str | None:
    """Return the text with the entries first in their section; None where that is not found."""
    lines = text.splitlines()
    heading = f"{INDENT}{key}:" if has_key else "config:"
    if heading not in lines:
        return None
    place = lines.index(heading) + 1
    if has_key:
        new = _entry_lines(entries, 2)
    else:
        new = _section_lines(key, entries, 1)
        place = _end_of_section(lines, place)
    return "\n".join([*lines[:place], *new, *lines[place:]]) + "\n"


def _end_of_section(lines: Sequence[str], start: int) -> int:
    """Return where the mapping that begins at `start` ends: before the next key at the margin."""
    end = start
    for number in range(start, len(lines)):
        line = lines[number]
        if line and not line.startswith((" ", "#")):
            break
        if line.strip() and not line.lstrip().startswith("#"):
            end = number + 1
    return end


def _section_lines(key: str, entries: Entries, level: int) -> list[str]:
    return [f"{INDENT * level}{key}:", *_entry_lines(entries, level + 1)]


def _entry_lines(entries: Entries, level: int) -> list[str]:
    lines: list[str] = []
    for name, entry in entries.items():
        text = yaml.safe_dump(
            {name: dict(entry)}, sort_keys=False, default_flow_style=False, width=96
        )
        lines += [f"{INDENT * level}{line}" for line in text.splitlines()]
    return lines
