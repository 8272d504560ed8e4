"""Property values as plain JSON, with what is not known and what is secret made explicit.

The engine writes unknowns as reserved strings and secrets as signed objects, differently in
each way into a check. All of them become two markers here, so that no rule can mistake a
reserved string for a value, and no secret can travel further.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

UNKNOWN: Final[dict[str, bool]] = {"$unknown": True}
"""Stands for a value that the engine does not know yet. Never mutated, never a pass."""

SECRET: Final[dict[str, bool]] = {"$secret": True}
"""Stands for a secret value, whatever its type; the value itself is dropped."""

# Reserved strings of Pulumi's resource protocol: one for each type of value, all "not known yet"
# (pulumi/pulumi sdk/go/common/resource/plugin/rpc.go).
UNKNOWN_SENTINELS: Final[frozenset[str]] = frozenset(
    {
        "04da6b54-80e4-46f7-96ec-b56ff0331ba9",
        "1c4a061d-8072-4f0a-a4cb-0ff528b18fe7",
        "3eeb2bf0-c639-47a8-9e75-3b44932eb421",
        "6a19a0b0-7e62-4c92-b797-7f8e31da9cc2",
        "030794c1-ac77-496b-92df-f27374a8bd58",
        "e48ece36-62e2-4504-bad9-02848725956a",
        "dd056dcd-154b-4c76-9bd3-c8f88648b5ff",
    }
)

# Signatures of special objects on the same protocol (sdk/go/common/resource/properties.go).
SIGNATURE_KEY: Final = "4dabf18193072939515e22adb298388d"
SECRET_SIGNATURE: Final = "1b47061264138c4ac30d75fd1eb44270"  # noqa: S105 - a public constant
OUTPUT_SIGNATURE: Final = "d0e6a833031e9bbcd3f4e8bde6ca49a4"
REDACTED_LITERAL: Final = "[secret]"
"""What `pulumi preview --json` writes in place of a secret."""


def is_unknown(value: object) -> bool:
    """Return whether a decoded value is the marker of an unknown."""
    return isinstance(value, dict) and value.get("$unknown") is True


def is_secret(value: object) -> bool:
    """Return whether a decoded value is the marker of a secret."""
    return isinstance(value, dict) and value.get("$secret") is True


def decode_value(value: Any, secrets: frozenset[str] = frozenset()) -> Any:
    """Return a value of Pulumi's protocol as plain JSON with markers.

    Accepts what the analyzer protocol, an event log, a stack export and `preview --json` carry.
    Whole floats become integers, since the protocol has no integers. Assets, archives and other
    signed objects keep nothing but the kind of their content, which rules have no business with.

    Args:
        value: The value.
        secrets: Texts known to be secret; each becomes the marker wherever it stands.

    Raises:
        TypeError: When the value is no JSON (the message names its type, never the value).
    """
    if isinstance(value, str):
        return _decode_string(value, secrets)
    if value is None or isinstance(value, (bool, int)):
        return value
    if isinstance(value, float):
        return int(value) if math.isfinite(value) and value.is_integer() else value
    if isinstance(value, Mapping):
        if SIGNATURE_KEY in value:
            return _decode_signed(value, secrets)
        return {str(key): decode_value(item, secrets) for key, item in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, (bytes, bytearray)):
        return [decode_value(item, secrets) for item in value]
    raise TypeError(f"a property holds a {type(value).__name__}, which is no JSON value")


def decode_properties(properties: Mapping[str, Any]) -> dict[str, Any]:
    """Return a resource's properties decoded, without the engine's own `__` bookkeeping keys.

    A provider may copy a secret into another property and lose its mark (a merged map of tags);
    the copy is redacted too.
    """
    secrets = frozenset(_find_secret_texts(properties))
    return {
        key: decode_value(value, secrets)
        for key, value in properties.items()
        if not key.startswith("__")
    }


def _decode_string(value: str, secrets: frozenset[str]) -> Any:
    if value in UNKNOWN_SENTINELS:
        return UNKNOWN
    return SECRET if value == REDACTED_LITERAL or value in secrets else value


def _decode_signed(value: Mapping[str, Any], secrets: frozenset[str]) -> Any:
    signature = value[SIGNATURE_KEY]
    if signature == SECRET_SIGNATURE:
        return SECRET
    if signature == OUTPUT_SIGNATURE:
        if value.get("secret"):
            return SECRET
        return decode_value(value["value"], secrets) if "value" in value else UNKNOWN
    return {"$opaque": str(signature)}


def find_secret_texts(properties: Mapping[str, Any]) -> frozenset[str]:
    """Return the plaintext of everything that is marked as secret, where it can be read."""
    return frozenset(_find_secret_texts(properties))


def _plaintext(signed: Mapping[str, Any]) -> Any:
    """Return what a signed secret holds: a value, or JSON under `stack export --show-secrets`."""
    written = signed.get("plaintext")
    if not isinstance(written, str):
        return signed.get("value")
    try:
        return json.loads(written)
    except ValueError:
        return written


def _find_secret_texts(value: Any, *, is_secret_part: bool = False) -> Iterator[str]:
    if isinstance(value, str):
        if is_secret_part and value and value not in UNKNOWN_SENTINELS:
            yield value
    elif isinstance(value, Mapping):
        signature = value.get(SIGNATURE_KEY)
        if signature == SECRET_SIGNATURE or (value.get("secret") is True and signature):
            value, is_secret_part = {"value": _plaintext(value)}, True
        for item in value.values():
            yield from _find_secret_texts(item, is_secret_part=is_secret_part)
    elif isinstance(value, Sequence) and not isinstance(value, (bytes, bytearray)):
        for item in value:
            yield from _find_secret_texts(item, is_secret_part=is_secret_part)
