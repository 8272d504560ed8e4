"""Reader: a stack export (`pulumi stack export`) as a resource graph."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tidegate.policy.graph import (
    STACK_TYPE,
    Provider,
    Resource,
    ResourceGraph,
    StackFacts,
    find_manifest,
    normalize_type,
)
from tidegate.policy.values import decode_properties
from tidegate.vocabulary.problems import refuse

_PROVIDER_PREFIX = "pulumi:providers:"
_IDENTIFIERS = ("id", "name", "arn")


def read_export(where: str, document: object, environment: str = "") -> ResourceGraph:
    """Return the graph of an exported stack: what exists, with the inputs that made it.

    An export knows no unknowns. Resources about to be deleted are left out.

    Args:
        where: What to call the document in a message.
        document: The parsed export.
        environment: The stack's environment; without one, the stack's name stands for it.

    Raises:
        InvalidInput: When the document is no stack export.
    """
    if not isinstance(document, Mapping) or not isinstance(document.get("deployment"), Mapping):
        expected = "the output of `pulumi stack export`"
        raise refuse(where, "deployment", None, "is no stack export", expected)
    found = document["deployment"].get("resources") or []
    if not all(_is_resource(state) for state in found):
        expected = "a list of resources, each with urn and type"
        raise refuse(where, "deployment.resources", None, "is no list of resources", expected)
    states = [state for state in found if not state.get("delete")]
    providers = {
        f"{state['urn']}::{state.get('id', '')}": Provider(state["urn"], _inputs(state))
        for state in states
        if state["type"].startswith(_PROVIDER_PREFIX)
    }
    resources = tuple(_read_resource(state, providers) for state in states)
    stack = _read_stack(states, environment)
    return ResourceGraph(stack, resources, complete=True, manifest=_read_manifest(states))


def _read_manifest(states: list[Mapping[str, Any]]) -> Mapping[str, Any] | None:
    outputs = [state.get("outputs") or {} for state in states if state["type"] == STACK_TYPE]
    found = [find_manifest(decode_properties(each)) for each in outputs]
    return next((manifest for manifest in found if manifest), None)


def _is_resource(state: object) -> bool:
    if not isinstance(state, Mapping):
        return False
    return isinstance(state.get("urn"), str) and isinstance(state.get("type"), str)


def _inputs(state: Mapping[str, Any]) -> dict[str, Any]:
    return decode_properties(state.get("inputs") or {})


def _read_resource(state: Mapping[str, Any], providers: Mapping[str, Provider]) -> Resource:
    known = {"id": state.get("id"), **(state.get("outputs") or {})}
    return Resource(
        urn=state["urn"],
        type=normalize_type(state["type"]),
        name=state["urn"].rsplit("::", 1)[-1],
        properties=_inputs(state),
        identifiers={
            key: value for key in _IDENTIFIERS if isinstance(value := known.get(key), str)
        },
        provider=providers.get(state.get("provider", "")),
        parent=state.get("parent", ""),
        protect=bool(state.get("protect")),
        ignore_changes=tuple(state.get("ignoreChanges") or ()),
        dependencies={
            name: tuple(urns or ())
            for name, urns in (state.get("propertyDependencies") or {}).items()
        },
    )


def _read_stack(states: list[Mapping[str, Any]], environment: str) -> StackFacts:
    if not states:
        return StackFacts(environment=environment)
    head, project, _ = states[0]["urn"].split("::", 2)
    stack = head.removeprefix("urn:pulumi:")
    return StackFacts(project, stack, environment or stack)
