"""Physical names and ids for resources whose program leaves them to the provider."""

from __future__ import annotations

import hashlib
import re

from tidegate.localclouds.contracts import Call, Values
from tidegate.localclouds.rules import NO_RULES, TypeRules, load_rules

SUFFIX_LENGTH = 7


def find_rules(package: str, type_token: str) -> TypeRules:
    """Return the rules of a type, azure-native's API version left aside."""
    return load_rules(package).get(strip_version(type_token), NO_RULES)


def strip_version(type_token: str) -> str:
    """Return the token without an azure-native API version ("x/v20250101:Y" → "x:Y")."""
    return re.sub(r"/v\d{8}(preview)?:", ":", type_token)


def build_name(rules: TypeRules, logical_name: str, seed: bytes) -> str:
    """Return an auto-name: the logical name, a dash and seven hexadecimal digits.

    The logical name is cut where the cloud's limit leaves no room. The digits come from the
    engine's seed, so that a preview and its update agree.
    """
    suffix = hashlib.sha256(seed or logical_name.encode()).hexdigest()[:SUFFIX_LENGTH]
    base, separator = logical_name, "-"
    if rules.autoname_form != "plain":
        base = base.lower()
    if rules.autoname_form == "lower-alnum":
        base, separator = re.sub(r"[^a-z0-9]", "", base), ""
    if rules.autoname_max:
        base = base[: rules.autoname_max - len(suffix) - len(separator)]
    return f"{base}{separator}{suffix}"


def identify(inputs: Values, call: Call) -> str:
    """Return the id of a stored type: its data file's template, else its name, else its URN's.

    A template names inputs and settings: "projects/{project}/reservations/{name}".
    """
    rules = find_rules(call.cloud, call.type_token)
    if rules.id:
        parts = {**call.settings, **inputs}
        return re.sub(r"\{(\w+)\}", lambda match: str(parts.get(match[1], "")), rules.id)
    name = inputs.get(rules.autoname or "name")
    return name if isinstance(name, str) and name else f"{call.name}-{_digest(call.urn)}"


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:SUFFIX_LENGTH]
