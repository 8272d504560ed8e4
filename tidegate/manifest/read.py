"""Read a manifest in every version that was ever published, or say what cannot be read."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from pydantic import ValidationError

from tidegate.manifest.faults import describe_faults
from tidegate.manifest.model import MANIFEST_VERSION, Manifest
from tidegate.vocabulary.problems import InvalidInput, refuse, suggest

_PREFIX = "tidegate/capacity/v"


def _read_v1(where: str, document: Mapping[str, Any]) -> Manifest:
    try:
        return Manifest.model_validate(document)
    except ValidationError as error:
        raise InvalidInput(describe_faults(where, document, error)) from error


READERS: Mapping[str, Callable[[str, Mapping[str, Any]], Manifest]] = {MANIFEST_VERSION: _read_v1}
"""A reader for each published version; each returns the newest model."""


def read_manifest_text(where: str, text: str) -> Manifest:
    """Read a manifest, or a `pulumi stack output --json` document that holds one, from JSON text.

    Raises:
        InvalidInput: When the text is no JSON, holds no manifest, or breaks its version's model.
    """
    try:
        document = json.loads(text, parse_float=str, parse_constant=str)
    except ValueError as error:
        expected = "a manifest, or the output of `pulumi stack output --json`"
        raise refuse(where, "", None, f"is not JSON ({error})", expected) from error
    return read_manifest(where, document)


def read_manifest(where: str, document: object) -> Manifest:
    """Read a manifest from parsed JSON: the manifest itself, or stack outputs with `capacity`.

    Raises:
        InvalidInput: When no manifest is there, its version is unknown, or it breaks its model.
    """
    found = _find_manifest(where, document)
    version = found.get("version")
    reader = READERS.get(version) if isinstance(version, str) else None
    if reader is None:
        raise _refuse_version(where, version)
    return reader(where, found)


def _find_manifest(where: str, document: object) -> Mapping[str, Any]:
    if isinstance(document, Mapping):
        inner = document.get("capacity")
        if isinstance(inner, Mapping):
            return inner
        if inner == "[secret]":
            reason = "is a secret output; the manifest is public by design"
            raise refuse(where, "capacity", None, reason, "`--show-secrets`, or a plain output")
        if "version" in document:
            return document
    expected = f"an object with version {MANIFEST_VERSION!r}, or stack outputs with `capacity`"
    raise refuse(where, "", None, "holds no capacity manifest", expected)


def _refuse_version(where: str, version: object) -> InvalidInput:
    readable = ", ".join(READERS)
    text = version if isinstance(version, str) else ""
    number = text.removeprefix(_PREFIX)
    newest = max(int(known.removeprefix(_PREFIX)) for known in READERS)
    if text.startswith(_PREFIX) and number.isdecimal() and int(number) > newest:
        reason = "was written by a newer Tidegate than this one; upgrade to read it"
    else:
        reason = "is not a published version" + suggest(text, READERS)
    return refuse(where, "version", version, reason, f"one of {readable}")
