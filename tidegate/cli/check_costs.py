"""What the change of each stack costs: the two states found, and priced by one catalog."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tidegate.catalog.catalog import Catalog
from tidegate.cli.check_files import read_document
from tidegate.cli.check_inputs import Seen
from tidegate.policy.earlier import Earlier, is_stack, read_earlier
from tidegate.policy.facts.capacity import has_machines
from tidegate.policy.graph import STACK_TYPE, ResourceGraph, find_manifest, normalize_type
from tidegate.vocabulary.problems import refuse

if TYPE_CHECKING:
    # Loading it takes a tenth of a second, and few checks have costs.
    from tidegate.policy.stack_cost import StackCost

_BEFORE = "a stack export, a JSON preview, or a capacity manifest"
_ANY = ("", "")


def price_stacks(
    seen: Sequence[Seen], sources: Sequence[str], catalog: Catalog
) -> tuple[StackCost | None, ...]:
    """Return what the change of each stack costs; None for a stack of which nothing is priced.

    Args:
        seen: The stacks after the change.
        sources: Files that tell a stack before it, where its way in does not.
        catalog: Where prices are looked up.

    Raises:
        InvalidInput: When a file is none of what it should be, or of no stack that is checked.
    """
    stacks = [(each.graph.stack.project, each.graph.stack.name) for each in seen]
    before = _read_before(sources, stacks)
    costs: list[StackCost | None] = []
    for each, stack in zip(seen, stacks, strict=True):
        earlier = before.get(stack, before.get(_ANY, each.earlier))
        costs.append(_price(stack, each.graph, earlier, catalog))
    return tuple(costs)


def _price(
    stack: tuple[str, str], graph: ResourceGraph, earlier: Earlier | None, catalog: Catalog
) -> StackCost | None:
    if graph.manifest is not None or (earlier is not None and earlier.manifest is not None):
        from tidegate.policy.stack_cost import build_stack_cost

        return build_stack_cost("/".join(stack), graph.manifest, earlier, catalog)
    old = () if earlier is None else earlier.states
    types = {
        *(each.type for each in graph.resources),
        *(normalize_type(str(state.get("type"))) for state in old),
    }
    if not any(has_machines(type_) for type_ in types):
        return None
    from tidegate.policy.machine_costs import build_machine_cost

    return build_machine_cost(graph, earlier, catalog)


def _read_before(
    sources: Sequence[str], stacks: Sequence[tuple[str, str]]
) -> dict[tuple[str, str], Earlier]:
    found: dict[tuple[str, str], Earlier] = {}
    for source in sources:
        stack, earlier = _read_state(source, read_document(source))
        if stack not in stacks and (stack != _ANY or len(stacks) > 1):
            names = ", ".join("/".join(each) for each in stacks)
            name = "/".join(stack) if stack != _ANY else None
            raise refuse("tidegate check", "--before", name, "is of no stack of the check", names)
        if stack in found:
            raise refuse("tidegate check", "--before", "/".join(stack), "is told twice", "one file")
        found[stack] = earlier
    return found


def _read_state(source: str, document: Any) -> tuple[tuple[str, str], Earlier]:
    """Return whose state a document tells, and the state; an empty export is of any stack."""
    if not isinstance(document, Mapping):
        raise refuse(source, "", None, "tells no state of a stack", _BEFORE)
    deployment = document.get("deployment")
    if isinstance(deployment, Mapping):
        states = _mappings(deployment.get("resources"))
        # An export of a part has no stack among its states, and is of one that exists all the same.
        first = states[0] if states else None
        stack = next((state for state in states if state.get("type") == STACK_TYPE), first)
        return _stack_of(states), read_earlier(stack, states)
    if "changeSummary" in document:
        steps = _mappings(document.get("steps"))
        root = next((step for step in steps if is_stack(str(step.get("urn")))), None)
        if root is None:
            raise refuse(source, "steps", None, "shows no step of the stack itself", _BEFORE)
        config = document.get("config")
        olds = [step.get("oldState") for step in steps]
        settings = config if isinstance(config, Mapping) else {}
        return _stack_of([root]), read_earlier(root.get("oldState"), olds, settings)
    manifest = find_manifest({"capacity": document, **document})
    if manifest is None:
        raise refuse(source, "", None, "tells no state of a stack", _BEFORE)
    stack_name = (str(manifest.get("project")), str(manifest.get("stack")))
    return stack_name, Earlier(exists=True, manifest=manifest)


def _mappings(entries: object) -> list[Mapping[str, Any]]:
    found = entries if isinstance(entries, list) else []
    return [each for each in found if isinstance(each, Mapping)]


def _stack_of(states: Sequence[Mapping[str, Any]]) -> tuple[str, str]:
    parts = str(states[0].get("urn")).split("::", 2) if states else []
    if len(parts) < 3:
        return _ANY
    return parts[1], parts[0].removeprefix("urn:pulumi:")
