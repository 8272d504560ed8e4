"""Cost-label inheritance: what each carrier of a resource ends up labelled with."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from tidegate.policy.graph import Provider, Resource, ResourceGraph
from tidegate.policy.label_table import LABEL_TABLE, Carrier, Scope, Shape
from tidegate.policy.values import SECRET, UNKNOWN, decode_value, is_secret, is_unknown
from tidegate.vocabulary.capacity import Cloud

LAUNCH_TEMPLATE_TYPE = "aws:ec2/launchTemplate:LaunchTemplate"
_DEFAULTS_PROPERTY: Mapping[Cloud, str] = {Cloud.AWS: "defaultTags", Cloud.GCP: "defaultLabels"}


@dataclass(frozen=True, slots=True)
class LabelSite:
    """What one carrier of one resource is labelled with.

    Attributes:
        scope: What the labels end up on.
        property: Where the labels are written ("agentPoolProfiles[0].tags").
        labels: Key as it is spelt → text, or the marker of an unknown or secret value.
        open: True when more keys may exist that nobody knows yet: an absent key is then unknown.
        declared: False when nothing is written there at all.
        elsewhere: "" for labels that stand here. For labels that stand on another resource: its
            URN, "unresolved" where it is not in this graph, "absent" where none is referred to.
    """

    scope: Scope
    property: str
    labels: Mapping[str, Any] = field(default_factory=dict)
    open: bool = False
    declared: bool = True
    elsewhere: str = ""


def build_label_sites(
    resource: Resource,
    graph: ResourceGraph,
    table: Mapping[str, tuple[Carrier, ...]] = LABEL_TABLE,
) -> tuple[LabelSite, ...] | None:
    """Return the label sites of a resource; None when its type is not known.

    An empty tuple says that the type is known and carries no cost labels.
    """
    pairs = build_carrier_sites(resource, graph, table)
    return None if pairs is None else tuple(site for _, site in pairs)


def build_carrier_sites(
    resource: Resource,
    graph: ResourceGraph,
    table: Mapping[str, tuple[Carrier, ...]] = LABEL_TABLE,
) -> tuple[tuple[Carrier, LabelSite], ...] | None:
    """Return the label sites of a resource, each with its carrier; None as above."""
    carriers = table.get(resource.type)
    if carriers is None:
        return None
    return tuple(
        (carrier, site) for carrier in carriers for site in _build_sites(resource, carrier, graph)
    )


def _build_sites(resource: Resource, carrier: Carrier, graph: ResourceGraph) -> Iterator[LabelSite]:
    for path, value in _values_at(resource.properties, carrier.property):
        yield _build_site(resource, carrier, path, value, graph)


def _build_site(
    resource: Resource, carrier: Carrier, path: str, value: Any, graph: ResourceGraph
) -> LabelSite:
    scope = carrier.scope
    if carrier.shape is Shape.LAUNCH_TEMPLATE:
        return LabelSite(
            scope,
            path,
            declared=value is not None,
            elsewhere="absent" if value is None else _find_launch_template(resource, value, graph),
        )
    if carrier.shape is Shape.TAG_SPECIFICATION:
        path, value = _find_specification(path, value, carrier.resource_type)
    written, is_open = _read_labels(value, carrier.shape)
    if not carrier.inherits:
        return LabelSite(scope, path, written, is_open, declared=value is not None)
    inherited, defaults_open = _read_defaults(resource.cloud, resource.provider)
    # The provider's own merge, where it is known, also holds what came from the environment.
    merged, _ = _read_labels(resource.properties.get("tagsAll"), Shape.MAP)
    if path != "tags":
        merged = {}
    labels = {**inherited, **merged, **written}
    return LabelSite(scope, path, labels, is_open or defaults_open, declared=value is not None)


def _values_at(properties: Mapping[str, Any], path: str) -> list[tuple[str, Any]]:
    """Return each (concrete path, value) that `path` names; an unknown parent is unknown."""
    found: list[tuple[str, Any]] = [("", dict(properties))]
    for segment in path.split("."):
        name, is_list = segment.removesuffix("[]"), segment.endswith("[]")
        step = [(f"{at}.{name}".lstrip("."), _member(value, name)) for at, value in found]
        found = [
            item
            for at, value in step
            for item in (_elements(at, value) if is_list else [(at, value)])
        ]
    return found


def _member(value: Any, name: str) -> Any:
    if is_unknown(value) or is_secret(value):
        return value
    return value.get(name) if isinstance(value, dict) else None


def _elements(path: str, value: Any) -> list[tuple[str, Any]]:
    if isinstance(value, list):
        return [(f"{path}[{index}]", item) for index, item in enumerate(value)]
    return [(path, value)] if is_unknown(value) or is_secret(value) else []


def _read_labels(value: Any, shape: Shape) -> tuple[dict[str, Any], bool]:
    """Return (labels, open) of what is written at a carrier."""
    if value is None:
        return {}, False
    if is_unknown(value) or is_secret(value):
        return {}, True
    if shape in (Shape.LIST, Shape.PROPAGATED_LIST):
        return _read_label_list(value, only_propagated=shape is Shape.PROPAGATED_LIST)
    if not isinstance(value, dict):
        return {}, True
    return {
        key: text for key, item in value.items() if (text := _label_text(item)) is not None
    }, False


def _read_label_list(value: Any, *, only_propagated: bool) -> tuple[dict[str, Any], bool]:
    labels: dict[str, Any] = {}
    is_open = not isinstance(value, list)
    for entry in value if isinstance(value, list) else ():
        key = entry.get("key") if isinstance(entry, dict) else None
        if not isinstance(key, str):
            is_open = is_open or entry is not None
            continue
        propagates = entry.get("propagateAtLaunch", False)
        text = _label_text(entry.get("value"))
        if only_propagated and is_unknown(propagates):
            text = UNKNOWN
        elif only_propagated and propagates is not True:
            continue
        if text is not None:
            labels[key] = text
    return labels, is_open


def _label_text(value: Any) -> Any:
    """Return a label's value as the provider writes it: text. None for null, which is absent."""
    if value is None or isinstance(value, str):
        return value
    if is_unknown(value):
        return UNKNOWN
    if is_secret(value):
        return SECRET
    return json.dumps(value)


def _read_defaults(cloud: Cloud | None, provider: Provider | None) -> tuple[dict[str, Any], bool]:
    """Return (labels, open) of the provider's defaults.

    They arrive as a JSON string (pulumi/pulumi#15477), and as an object from an explicit
    provider in some ways in; AWS nests them below `tags`.
    """
    name = _DEFAULTS_PROPERTY.get(cloud) if cloud else None
    if provider is None or name is None:
        return {}, False
    value = provider.properties.get(name)
    if isinstance(value, str):
        try:
            value = decode_value(json.loads(value))
        except ValueError:
            return {}, True
    if cloud is Cloud.AWS and isinstance(value, dict) and not is_unknown(value):
        value = value if is_secret(value) else value.get("tags")
    return _read_labels(value, Shape.MAP)


def _find_specification(path: str, value: Any, resource_type: str) -> tuple[str, Any]:
    """Return (path, tags) of one resource type's tag specification; tags None when absent."""
    if is_unknown(value) or is_secret(value):
        return path, value
    entries = value if isinstance(value, list) else []
    for index, entry in enumerate(entries):
        if isinstance(entry, dict) and entry.get("resourceType") == resource_type:
            return f"{path}[{index}].tags", entry.get("tags", {})
    unsure = any(_may_specify(entry) for entry in entries)
    return f"{path}[{resource_type}].tags", UNKNOWN if unsure else None


def _may_specify(entry: Any) -> bool:
    if is_unknown(entry) or is_secret(entry):
        return True
    return isinstance(entry, dict) and is_unknown(entry.get("resourceType"))


def _find_launch_template(resource: Resource, reference: Any, graph: ResourceGraph) -> str:
    """Return the URN of the launch template that is referred to, or "unresolved"."""
    for urn in resource.dependencies.get("launchTemplate", ()):
        found = graph.by_urn.get(urn)
        if found is not None and found.type == LAUNCH_TEMPLATE_TYPE:
            return urn
    wanted = reference if isinstance(reference, dict) else {}
    for other in graph.resources:
        if other.type == LAUNCH_TEMPLATE_TYPE and _is_named(other, wanted):
            return other.urn
    return "unresolved"


def _is_named(template: Resource, reference: Mapping[str, Any]) -> bool:
    identifiers = template.identifiers
    return any(
        isinstance(reference.get(key), str) and reference[key] == identifiers.get(key)
        for key in ("id", "name")
    )
