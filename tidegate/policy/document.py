"""The input document that the rules read, built from a graph. `docs/policies-input.md` shows it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tidegate.policy.graph import Resource, ResourceGraph
from tidegate.policy.label_sites import LabelSite, build_label_sites
from tidegate.policy.label_table import LABEL_TABLE, Carrier
from tidegate.vocabulary.labels import DEFAULT_ALIASES, KNOWN_KEYS


def build_document(
    graph: ResourceGraph,
    parameters: Mapping[str, Mapping[str, Any]],
    aliases: Mapping[str, str] = DEFAULT_ALIASES,
    table: Mapping[str, tuple[Carrier, ...]] = LABEL_TABLE,
) -> dict[str, Any]:
    """Return the rules' input for a graph.

    Args:
        graph: What is judged.
        parameters: Rule id → its parameters, defaults filled in.
        aliases: Spellings of label keys in this estate → canonical keys.
        table: Where each resource type carries labels.
    """
    stack = graph.stack
    return {
        "stack": {
            "project": stack.project,
            "name": stack.name,
            "environment": stack.environment,
        },
        "complete": graph.complete,
        "parameters": {rule: dict(values) for rule, values in parameters.items()},
        "labelKeys": list(KNOWN_KEYS),
        "labelAliases": {key.lower(): canonical.lower() for key, canonical in aliases.items()},
        "context": [_resource_document(resource, graph, table) for resource in graph.context],
        "resources": [_resource_document(resource, graph, table) for resource in graph.resources],
    }


def _resource_document(
    resource: Resource, graph: ResourceGraph, table: Mapping[str, tuple[Carrier, ...]]
) -> dict[str, Any]:
    sites = build_label_sites(resource, graph, table)
    return {
        "urn": resource.urn,
        "type": resource.type,
        "name": resource.name,
        "cloud": resource.cloud.value if resource.cloud else "",
        "parent": resource.parent,
        "protect": resource.protect,
        "ignoreChanges": list(resource.ignore_changes),
        "properties": dict(resource.properties),
        "identifiers": dict(resource.identifiers),
        "dependencies": {name: list(urns) for name, urns in resource.dependencies.items()},
        # null says "nobody knows where this type carries labels", [] says "nowhere".
        "labelSites": None if sites is None else [_site_document(site) for site in sites],
    }


def _site_document(site: LabelSite) -> dict[str, Any]:
    return {
        "scope": site.scope.value,
        "property": site.property,
        "labels": dict(site.labels),
        "open": site.open,
        "declared": site.declared,
        "elsewhere": site.elsewhere,
    }
