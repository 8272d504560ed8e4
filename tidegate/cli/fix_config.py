"""Adds labels to a stack's configuration as text, so that what people wrote stays as it is.

The result is read again: it must say what was there, and the labels, and nothing else.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Mapping, Sequence
from typing import Any

import yaml

from tidegate.vocabulary.problems import refuse

Additions = Mapping[tuple[str, ...], Mapping[str, str]]
"""Path below `config` → label → value."""


def add_labels_to_config(where: str, text: str, additions: Additions) -> str:
    """Return the text of a stack's configuration with labels added.

    Args:
        where: What the file is called.
        text: What it holds; "" for a file that is not there.
        additions: What is added.

    Raises:
        InvalidInput: When it is no configuration, or written in a way that text cannot be added
            to (JSON, flow style, anchors).
    """
    document = _parse(where, text)
    wanted = copy.deepcopy(document)
    lines = text.splitlines()
    for path, labels in additions.items():
        place = wanted
        for name in ("config", *path):
            inner = place.setdefault(name, {})
            if inner is None:
                inner = place[name] = {}
            if not isinstance(inner, dict):
                raise _refuse(where, name)
            place = inner
        place.update(labels)
        lines = _insert(where, lines, ("config", *path), labels)
    added = "\n".join(lines) + "\n"
    if _parse(where, added) != wanted:
        raise _refuse(where, ".".join(next(iter(additions))))
    return added


def _parse(where: str, text: str) -> dict[str, Any]:
    try:
        document = yaml.safe_load(text)
    except yaml.YAMLError as error:
        reason = f"is no YAML: {' '.join(str(error).split())}"
        raise refuse(where, "", None, reason, "a stack's configuration") from error
    if document is None:
        return {}
    if not isinstance(document, dict):
        raise refuse(where, "", None, "is no mapping", "a stack's configuration")
    return document


def _insert(
    where: str, lines: Sequence[str], path: Sequence[str], labels: Mapping[str, str]
) -> list[str]:
    start, end, indent = 0, len(lines), 0
    for depth, name in enumerate(path):
        heading = _find_heading(where, lines[start:end], indent, name)
        if heading is None:
            new = _render(path[depth:], labels, indent)
            place = start + _content_length(lines[start:end])
            return [*lines[:place], *new, *lines[place:]]
        start += heading + 1
        end = start + _block_length(lines[start:end], indent)
        indent = _indent_of_first(lines[start:end], indent + 2)
    place = start + _content_length(lines[start:end])
    return [*lines[:place], *_render((), labels, indent), *lines[place:]]


def _find_heading(where: str, lines: Sequence[str], indent: int, name: str) -> int | None:
    """Return where a key stands that has a block below it; None where there is no such key."""
    key = re.compile(rf"{' ' * indent}([\"']?){re.escape(name)}\1\s*:(?P<rest>.*)")
    for number, line in enumerate(lines):
        found = key.fullmatch(line)
        if found is None:
            continue
        if found["rest"].strip() and not found["rest"].lstrip().startswith("#"):
            raise _refuse(where, name)
        return number
    return None


def _block_length(lines: Sequence[str], indent: int) -> int:
    """Return how many lines lie deeper than `indent`, empty ones and comments among them."""
    for number, line in enumerate(lines):
        stripped = line.lstrip()
        if stripped and not stripped.startswith("#") and len(line) - len(stripped) <= indent:
            return number
    return len(lines)


def _content_length(lines: Sequence[str]) -> int:
    """Return the length without the empty lines and comments at the end, which are the next's."""
    length = len(lines)
    while length and (not lines[length - 1].strip() or lines[length - 1].lstrip()[0] == "#"):
        length -= 1
    return length


def _indent_of_first(lines: Sequence[str], otherwise: int) -> int:
    for line in lines:
        stripped = line.lstrip()
        if stripped and not stripped.startswith("#"):
            return len(line) - len(stripped)
    return otherwise


def _render(path: Sequence[str], labels: Mapping[str, str], indent: int) -> list[str]:
    document: Any = dict(labels)
    for name in reversed(path):
        document = {name: document}
    text = yaml.safe_dump(document, sort_keys=False, default_flow_style=False, width=1000)
    return [f"{' ' * indent}{line}" for line in text.splitlines()]


def _refuse(where: str, name: str) -> Exception:
    reason = "is written in a way that text cannot be added to"
    return refuse(where, name, None, reason, "a mapping in block style, one key a line")
