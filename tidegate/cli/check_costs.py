"""What the change of each stack costs: the two states found, and priced by one catalog."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tidegate.catalog.catalog import Catalog
from tidegate.cli.check_files import read_document
from tidegate.cli.check_inputs import Seen
from tidegate.policy.earlier import Earlier, is_stack, read_earlier
from tidegate.policy.graph import STACK_TYPE, find_manifest
from tidegate.vocabulary.problems import refuse

if TYPE_CHECKING:
    # Loading it takes a tenth of a second, and few checks have costs.
    from tidegate.policy.stack_cost import StackCost

_BEFORE = "a stack export, a JSON preview, or a capacity manifest"
_DECLARED = "the folder of the stack's program, or a file of its manifest"
_ANY = ("", "")


@dataclass(frozen=True, slots=True)
class CostFiles:
    """What tells of costs besides what is checked.

    Attributes:
        before: Files that tell a stack before the change.
        declared: The program's folder or the manifest, for input that does not show outputs.
    """

    before: tuple[str, ...] = ()
    declared: Path | None = None


def price_stacks(
    seen: Sequence[Seen], files: CostFiles, catalog: Catalog
) -> tuple[StackCost | None, ...]:
    """Return what the change of each stack costs; None for a stack that exports no manifest.

    Raises:
        InvalidInput: When a file is none of what it should be, or of no stack that is checked.
    """
    stacks = [(each.graph.stack.project, each.graph.stack.name) for each in seen]
    before = _read_before(files.before, stacks)
    costs: list[StackCost | None] = []
    for each, stack in zip(seen, stacks, strict=True):
        manifest = each.graph.manifest
        if manifest is None and files.declared is not None:
            manifest = _read_declared(files.declared, stack)
        earlier = before.get(stack, before.get(_ANY, each.earlier))
        costs.append(_price(stack, manifest, earlier, catalog))
    return tuple(costs)


def _price(
    stack: tuple[str, str],
    manifest: Mapping[str, Any] | None,
    earlier: Earlier | None,
    catalog: Catalog,
) -> StackCost | None:
    if manifest is None and (earlier is None or earlier.manifest is None):
        return None
    from tidegate.policy.stack_cost import build_stack_cost

    return build_stack_cost("/".join(stack), manifest, earlier, catalog)


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
        states = [
            state for state in deployment.get("resources") or [] if isinstance(state, Mapping)
        ]
        stack = next((state for state in states if state.get("type") == STACK_TYPE), None)
        return _stack_of(states), read_earlier(stack)
    if "changeSummary" in document:
        steps = [step for step in document.get("steps") or [] if isinstance(step, Mapping)]
        root = next((step for step in steps if is_stack(str(step.get("urn")))), None)
        if root is None:
            raise refuse(source, "steps", None, "shows no step of the stack itself", _BEFORE)
        return _stack_of([root]), read_earlier(root.get("oldState"))
    manifest = find_manifest({"capacity": document, **document})
    if manifest is None:
        raise refuse(source, "", None, "tells no state of a stack", _BEFORE)
    stack_name = (str(manifest.get("project")), str(manifest.get("stack")))
    return stack_name, Earlier(exists=True, manifest=manifest)


def _stack_of(states: Sequence[Mapping[str, Any]]) -> tuple[str, str]:
    parts = str(states[0].get("urn")).split("::", 2) if states else []
    if len(parts) < 3:
        return _ANY
    return parts[1], parts[0].removeprefix("urn:pulumi:")


def _read_declared(path: Path, stack: tuple[str, str]) -> Mapping[str, Any]:
    if path.is_dir():
        manifest = _run_program(path, stack)
    else:
        document = read_document(str(path))
        outputs = document if isinstance(document, Mapping) else {}
        manifest = find_manifest({"capacity": outputs, **outputs})
    if manifest is None:
        raise refuse("tidegate check", "--declared", str(path), "tells no manifest", _DECLARED)
    told = (manifest.get("project"), manifest.get("stack"))
    if told != stack:
        name = "/".join(map(str, told))
        raise refuse("tidegate check", "--declared", name, "is of another stack", "/".join(stack))
    return manifest


def _run_program(folder: Path, stack: tuple[str, str]) -> Mapping[str, Any] | None:
    from tidegate.engine.collecting import Settings, collect_program
    from tidegate.engine.config import read_project
    from tidegate.policy.collected import read_collected

    project = read_project(folder.resolve())
    if project.name != stack[0]:
        raise refuse("tidegate check", "--declared", project.name, "is another project", stack[0])
    document = collect_program(project, Settings(stack=stack[1]), os.environ)
    return read_collected(f"program {project.name}", document).manifest
