"""What can be mended without asking anybody: labels that the stack's own labels give.

Nobody is invented: a key that the stack does not give stays missing.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from tidegate.policy.graph import Resource, ResourceGraph
from tidegate.policy.label_sites import LabelSite, build_carrier_sites
from tidegate.policy.label_table import Carrier, Shape
from tidegate.policy.values import SIGNATURE_KEY, UNKNOWN_SENTINELS, is_secret, is_unknown
from tidegate.vocabulary.labels import DEFAULT_ALIASES, LabelAliases, check_label_value

LABELS_RULE: Final = "TG-LBL-001"
"""The rule whose failures are mended."""

_NAMESPACE = "tidegate"


@dataclass(frozen=True, slots=True)
class MissingLabels:
    """Cost labels that one place lacks.

    Attributes:
        carrier: How labels are written there.
        site: The place.
        keys: Canonical key → how it is to be written there: as it stands there with an empty
            value, else as it is required.
    """

    carrier: Carrier
    site: LabelSite
    keys: Mapping[str, str]


def read_own_labels(
    config: Mapping[str, Any], project: str, secret_keys: Iterable[str] = ()
) -> dict[str, str]:
    """Return the labels that a stack's configuration gives to all that it makes.

    They are `<project>:labels` and `<project>:environment`, else those of `tidegate`. What is
    secret, no plain text, or no valid label is left out, and so is a key spelt in ways that
    disagree.

    Args:
        config: `namespace:key` → value; a mapping may be JSON.
        project: The project's name.
        secret_keys: Keys whose values are secret.
    """
    secret = set(secret_keys)
    own: dict[str, str] = {}
    for namespace in dict.fromkeys((_NAMESPACE, project)):
        found: dict[str, Any] = {}
        for key, value in _labels_at(config, f"{namespace}:labels", secret).items():
            name = LabelAliases().canonical(str(key)).strip().lower()
            found[name] = value if found.get(name, value) == value else None
        environment = f"{namespace}:environment"
        if environment in config and environment not in secret:
            found["environment"] = config[environment]
        own.update({key: text for key, text in found.items() if not _faults(key, text)})
    return own


def find_missing_labels(
    resource: Resource, graph: ResourceGraph, parameters: Mapping[str, Any]
) -> tuple[MissingLabels, ...]:
    """Return what a resource is known to lack, place by place.

    Args:
        resource: The resource.
        graph: Where it stands.
        parameters: Of the rule of mandatory labels: `requiredKeys` and `aliases`.
    """
    aliases = _build_aliases(parameters.get("aliases") or {})
    found: list[MissingLabels] = []
    for carrier, site in build_carrier_sites(resource, graph) or ():
        if site.elsewhere or site.open:
            continue
        keys = _missing_keys(site, parameters.get("requiredKeys") or (), aliases)
        if keys:
            found.append(MissingLabels(carrier, site, keys))
    return tuple(found)


def add_labels(properties: dict[str, Any], missing: MissingLabels, own: Mapping[str, str]) -> bool:
    """Add what the stack gives to properties in the form of Pulumi's protocol.

    Returns whether anything was added: not where the place lies within what is not known yet or
    secret, and not where the stack gives nothing that lacks there.

    Args:
        properties: The resource's inputs; changed.
        missing: What lacks, and where.
        own: The stack's own labels.
    """
    given = {spelt: own[key] for key, spelt in missing.keys.items() if key in own}
    if not given:
        return False
    if missing.carrier.shape in (Shape.LIST, Shape.PROPAGATED_LIST):
        return _add_to_list(properties, missing.site.property, given)
    if missing.carrier.shape is Shape.TAG_SPECIFICATION:
        return _add_to_specification(properties, missing, given)
    return _add_to_map(properties, missing.site.property, given)


def _labels_at(config: Mapping[str, Any], key: str, secret: set[str]) -> Mapping[Any, Any]:
    value = None if key in secret else config.get(key)
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except ValueError:
            return {}
    return value if isinstance(value, Mapping) else {}


def _faults(key: str, text: object) -> bool:
    return bool(check_label_value("stack", key, text)) or text in UNKNOWN_SENTINELS


def _build_aliases(given: Mapping[str, str]) -> LabelAliases:
    own = {spelling.strip().lower(): key.strip().lower() for spelling, key in given.items()}
    return LabelAliases({**DEFAULT_ALIASES, **own})


def _missing_keys(
    site: LabelSite, required: Iterable[str], aliases: LabelAliases
) -> dict[str, str]:
    spelt: dict[str, str] = {}
    present: set[str] = set()
    for key, value in site.labels.items():
        name = aliases.canonical(key).strip().lower()
        if is_unknown(value) or is_secret(value) or str(value).strip():
            present.add(name)
        else:
            spelt[name] = key
    wanted = {key: aliases.canonical(key).strip().lower() for key in required}
    return {name: spelt.get(name, key) for key, name in wanted.items() if name not in present}


def _add_to_map(properties: dict[str, Any], path: str, given: Mapping[str, str]) -> bool:
    target = _reach(properties, path)
    if target is None:
        return False
    target.update(given)
    return True


def _reach(value: Any, path: str) -> dict[str, Any] | None:
    """Return the mapping at a concrete path, made where it is absent; None within the hidden."""
    for segment in path.split("."):
        name, _, index = segment.partition("[")
        if not _is_plain_map(value):
            return None
        if index:
            items = value.get(name)
            position = int(index.removesuffix("]"))
            value = items[position] if isinstance(items, list) and position < len(items) else None
        else:
            if value.get(name) is None:
                value[name] = {}
            value = value[name]
    return value if _is_plain_map(value) else None


def _is_plain_map(value: Any) -> bool:
    return isinstance(value, dict) and SIGNATURE_KEY not in value


def _add_to_list(properties: dict[str, Any], path: str, given: Mapping[str, str]) -> bool:
    items = properties.get(path)
    if items is None:
        items = properties[path] = []
    if not isinstance(items, list) or not all(_is_plain_map(item) for item in items):
        return False
    # What is declared with a value stays as it is, even where it does not propagate.
    present = {item.get("key") for item in items if item.get("value")}
    added = [
        {"key": key, "value": text, "propagateAtLaunch": True}
        for key, text in given.items()
        if key not in present
    ]
    names = {item["key"] for item in added}
    items[:] = [*(item for item in items if item.get("key") not in names), *added]
    return bool(added)


def _add_to_specification(
    properties: dict[str, Any], missing: MissingLabels, given: Mapping[str, str]
) -> bool:
    name, _, rest = missing.site.property.partition("[")
    index = rest.partition("]")[0]
    if index.isdigit():
        return _add_to_map(properties, missing.site.property, given)
    entries = properties.get(name)
    if entries is None:
        entries = properties[name] = []
    if not isinstance(entries, list) or not all(_is_plain_map(entry) for entry in entries):
        return False
    entries.append({"resourceType": missing.carrier.resource_type, "tags": dict(given)})
    return True
