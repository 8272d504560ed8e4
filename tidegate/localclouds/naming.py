"""Physical names and ids for resources whose program leaves them to the provider."""

from __future__ import annotations

import hashlib
import re
import uuid
from typing import Any

from tidegate.localclouds.contracts import Call, Values
from tidegate.localclouds.rules import TypeRules, find_values, load_every, load_rules

UUID_MARK = 4
"""Bytes of a UUID that come from the logical name, by which it is known as an auto-name."""


def find_rules(package: str, type_token: str) -> TypeRules:
    """Return the rules of a type, azure-native's API version left aside."""
    return load_rules(package).get(strip_version(type_token)) or load_every(package)


def strip_version(type_token: str) -> str:
    """Return the token without an azure-native API version ("x/v20250101:Y" → "x:Y")."""
    return re.sub(r"/v\d{8}(preview)?:", ":", type_token)


def build_name(rules: TypeRules, logical_name: str, seed: bytes) -> str:
    """Return an auto-name: the logical name, a dash and seven hexadecimal digits; or a UUID.

    The logical name is cut where the cloud's limit leaves no room. The digits come from the
    engine's seed, so that a preview and its update agree.
    """
    digest = hashlib.sha256(seed or logical_name.encode())
    if rules.autoname_form == "uuid":
        own = hashlib.sha256(logical_name.encode()).digest()[:UUID_MARK]
        return str(uuid.UUID(bytes=own + digest.digest()[UUID_MARK:16], version=4))
    stem = _build_stem(rules, logical_name)
    return f"{stem}{digest.hexdigest()[: rules.autoname_suffix]}"


def is_auto_name(rules: TypeRules, logical_name: str, name: str) -> bool:
    """Tell whether a name is one that `build_name` gives, whatever the seed.

    Providers remember which names they chose: a resource that is declared under another logical
    name, with an alias, keeps the one that it has. A UUID is known by its logical name alone, as
    it looks the same when it was given.
    """
    if rules.autoname_form == "uuid":
        mark = build_name(rules, logical_name, b"").partition("-")[0]
        return re.fullmatch(rf"{mark}(-[0-9a-f]+){{4}}", name) is not None
    separator = "" if rules.autoname_form == "lower-alnum" else "-"
    return re.fullmatch(f".*{separator}[0-9a-f]{{{rules.autoname_suffix}}}", name) is not None


def _build_stem(rules: TypeRules, logical_name: str) -> str:
    base, separator = logical_name, "-"
    if rules.autoname_form != "plain":
        base = base.lower()
    if rules.autoname_form == "lower-alnum":
        base, separator = re.sub(r"[^a-z0-9]", "", base), ""
    if rules.autoname_max:
        base = base[: rules.autoname_max - rules.autoname_suffix - len(separator)]
    return f"{base}{separator}"


def identify(inputs: Values, call: Call) -> str:
    """Return the id of a stored type: its data file's template, else its name, else its URN's.

    A template names inputs and settings: "projects/{project}/reservations/{name}".
    """
    rules = find_rules(call.cloud, call.type_token)
    if rules.id:
        parts = {**call.settings, **inputs}
        filled = re.sub(
            r"\{([\w.]+)\}", lambda match: str(read_name(match[1], parts) or ""), rules.id
        )
        return filled.removeprefix("/") if rules.id.startswith("{") else filled
    name = read_name(rules.autoname or "name", inputs)
    return name if isinstance(name, str) and name else f"{call.name}-{_digest(call.urn)}"


def read_name(path: str, inputs: Values) -> Any:
    """Return what stands at a property path such as "name" or "metadata.name", None when absent."""
    return next((value for _, value in find_values(inputs, path)), None)


def write_name(path: str, inputs: Values, name: str | None) -> Values:
    """Return the inputs with a name at a property path, or without any."""
    head, _, rest = path.partition(".")
    if rest and not isinstance(inputs.get(head) or {}, dict):
        return inputs  # not known yet
    if rest:
        return {**inputs, head: write_name(rest, inputs.get(head) or {}, name)}
    others = {key: value for key, value in inputs.items() if key != head}
    return others if name is None else {**others, head: name}


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:7]
