"""The input document that the rules read, built from a graph. `docs/policies-input.md` shows it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from tidegate.catalog.catalog import Catalog
from tidegate.policy.costs import price_machines
from tidegate.policy.facts.build import build_facts
from tidegate.policy.graph import Resource, ResourceGraph
from tidegate.policy.label_sites import LabelSite, build_label_sites
from tidegate.policy.label_table import LABEL_TABLE, Carrier
from tidegate.vocabulary.labels import DEFAULT_ALIASES, KNOWN_KEYS

SHARED_KEYS: Final = (
    "parameters",
    "storageClasses",
    "labelKeys",
    "labelSpellings",
    "labelAliases",
    "others",
)
"""What is the same in every document of a check."""


def build_document(
    graph: ResourceGraph,
    parameters: Mapping[str, Mapping[str, Any]],
    aliases: Mapping[str, str] = DEFAULT_ALIASES,
    table: Mapping[str, tuple[Carrier, ...]] = LABEL_TABLE,
    *,
    catalog: Catalog | None = None,
    date: str = "",
) -> dict[str, Any]:
    """Return the rules' input for a graph.

    Args:
        graph: What is judged.
        parameters: Rule id → its parameters, defaults filled in.
        aliases: Spellings of label keys in this estate → canonical keys.
        table: Where each resource type carries labels.
        catalog: Where prices are looked up; without one, no price is known.
        date: Today in ISO 8601, for rules that hold from a day on; "" where it is not told.
    """
    shared = build_shared(parameters, aliases, catalog)
    return build_question(graph, shared, table, catalog=catalog, date=date)


def build_shared(
    parameters: Mapping[str, Mapping[str, Any]],
    aliases: Mapping[str, str] = DEFAULT_ALIASES,
    catalog: Catalog | None = None,
) -> dict[str, Any]:
    """Return the part of the rules' input that does not depend on what is judged."""
    return {
        "parameters": {rule: dict(values) for rule, values in parameters.items()},
        "storageClasses": _storage_classes(catalog),
        "labelKeys": list(KNOWN_KEYS),
        "labelSpellings": _spellings(aliases),
        "labelAliases": {key.lower(): canonical.lower() for key, canonical in aliases.items()},
    }


def build_question(
    graph: ResourceGraph,
    shared: Mapping[str, Any],
    table: Mapping[str, tuple[Carrier, ...]] = LABEL_TABLE,
    *,
    catalog: Catalog | None = None,
    date: str = "",
    resources: Iterable[Resource] | None = None,
) -> dict[str, Any]:
    """Return the rules' input for a graph around what `build_shared` gave.

    Args:
        graph: What is judged.
        shared: What `build_shared` gave.
        table: Where each resource type carries labels.
        catalog: Where prices are looked up; without one, no price is known.
        date: Today in ISO 8601.
        resources: Those of the graph that the question is about; all, where it is not said.
    """
    stack = graph.stack
    asked = graph.resources if resources is None else resources

    def build(resource: Resource) -> dict[str, Any]:
        return build_resource(resource, graph, table, catalog)

    return {
        "stack": {
            "project": stack.project,
            "name": stack.name,
            "environment": stack.environment,
        },
        "date": date,
        "complete": graph.complete,
        "manifest": graph.manifest,
        **shared,
        "context": [build(resource) for resource in graph.context],
        "resources": [build(resource) for resource in asked],
    }


def build_resource(
    resource: Resource,
    graph: ResourceGraph,
    table: Mapping[str, tuple[Carrier, ...]] = LABEL_TABLE,
    catalog: Catalog | None = None,
) -> dict[str, Any]:
    """Return one resource as rules read it."""
    sites = build_label_sites(resource, graph, table)
    facts = build_facts(resource)
    price_machines(resource.cloud, facts, catalog)
    return {
        "urn": resource.urn,
        "type": resource.type,
        "name": resource.name,
        "cloud": resource.cloud.value if resource.cloud else "",
        "parent": resource.parent,
        "protect": resource.protect,
        "ignoreChanges": list(resource.ignore_changes),
        "operation": resource.operation,
        "properties": dict(resource.properties),
        "facts": facts,
        "identifiers": dict(resource.identifiers),
        "dependencies": {name: list(urns) for name, urns in resource.dependencies.items()},
        # null says "nobody knows where this type carries labels", [] says "nowhere".
        "labelSites": None if sites is None else [_site_document(site) for site in sites],
    }


def _spellings(aliases: Mapping[str, str]) -> dict[str, list[str]]:
    """Return canonical key → every spelling that counts as it, in lower case."""
    return {
        key: sorted({key, *(each.lower() for each, name in aliases.items() if name == key)})
        for key in KNOWN_KEYS
    }


def _storage_classes(catalog: Catalog | None) -> dict[str, Any]:
    """Return cloud → class → what its cloud bills or refuses before an age, in days."""
    return {
        cloud.value: {
            tier.name: {
                "minimumDays": tier.minimum_days,
                "earliestDays": tier.earliest_transition_days,
            }
            for tier in tiers
        }
        for cloud, tiers in (catalog.storage.items() if catalog else ())
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
