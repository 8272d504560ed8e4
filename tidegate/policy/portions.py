"""A large stack put to the rules in portions, so that memory does not grow with it.

Most rules judge each resource by itself and look up what it refers to; they are asked portion by
portion, with all that can be referred to beside. The few that add up a whole stack are asked
once, about names, labels and facts alone. The verdicts are the same as of one question.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from tidegate.catalog.catalog import Catalog
from tidegate.policy.document import build_question, build_resource
from tidegate.policy.facts.storage import build_lifecycle, build_versioning
from tidegate.policy.graph import Resource, ResourceGraph
from tidegate.policy.label_sites import LAUNCH_TEMPLATE_TYPE
from tidegate.policy.rule_set import RuleSet, Scope

PORTION: Final = 1000
"""Resources a question. OPA needs about 50 kB for each while it judges them."""

# What `lib/others.rego` is asked for, besides lifecycles and versioning.
_REFERRED_TYPES: Final = frozenset(
    {
        LAUNCH_TEMPLATE_TYPE,
        "aws:ec2/capacityReservation:CapacityReservation",
        "azure-native:compute:CapacityReservation",
        "azure-native:operationalinsights:Workspace",
        "gcp:compute/reservation:Reservation",
        "kubernetes:core/v1:ResourceQuota",
    }
)
_ADDED_UP: Final = frozenset({"machines", "budget", "region"})
_QUEUE: Final = ":LocalQueue"


def build_questions(
    graph: ResourceGraph,
    rules: RuleSet,
    shared: Mapping[str, Any],
    catalog: Catalog | None = None,
    date: str = "",
    portion: int = PORTION,
) -> Iterator[dict[str, Any]]:
    """Yield the documents whose answers together are what all rules say of a graph.

    Args:
        graph: What is judged.
        rules: The rules, each with its scope.
        shared: What all documents have in common.
        catalog: Where prices are looked up.
        date: Today in ISO 8601.
        portion: The most resources that are asked about at once where that is possible.
    """
    if len(graph.resources) <= portion:
        yield build_question(graph, shared, catalog=catalog, date=date)
        return
    others = [build_resource(each, graph) for each in graph.resources if _is_referred(each)]
    # What needs most memory comes first, while there are no verdicts yet.
    for scope in reversed(Scope):
        terms = _decide_terms(rules, scope)
        if not terms["asked"]:
            continue
        is_portion = scope is Scope.RESOURCE
        common = {**shared, "others": others} if is_portion else shared
        size = portion if is_portion else len(graph.resources)
        for start in range(0, len(graph.resources), size):
            part = graph.resources[start : start + size]
            whole = () if scope is Scope.STACK else part
            question = build_question(graph, common, catalog=catalog, date=date, resources=whole)
            if scope is Scope.STACK:
                # Each is made thin at once: all of them whole would be most of the memory.
                built = (build_resource(each, graph, catalog=catalog) for each in part)
                question["resources"] = [_thin(each) for each in built]
            yield {**question, **terms}


def _decide_terms(rules: RuleSet, scope: Scope) -> dict[str, Any]:
    """Return whom a question of one scope is for."""
    return {
        "asked": [rule.path for rule in rules.rules if rule.scope is scope],
        "unasked": [rule.path for rule in rules.rules if rule.scope is not scope],
        "portion": scope is Scope.RESOURCE,
    }


def _is_referred(resource: Resource) -> bool:
    """Return whether a rule may look a resource up while it judges another one."""
    return resource.type in _REFERRED_TYPES or bool(
        build_lifecycle(resource) or build_versioning(resource) or resource.type.endswith(_QUEUE)
    )


def _thin(resource: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the rules that add up a stack read of a resource's document."""
    sites = resource["labelSites"]
    metadata = resource["properties"].get("metadata")
    facts = {name: resource["facts"][name] for name in _ADDED_UP & resource["facts"].keys()}
    return {
        **{key: resource[key] for key in ("urn", "type", "name", "cloud")},
        "properties": {} if metadata is None else {"metadata": metadata},
        "facts": {**facts, **({"bucket": {}} if "bucket" in resource["facts"] else {})},
        "labelSites": sites and [{"labels": site["labels"]} for site in sites],
    }
