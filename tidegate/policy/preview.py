"""Reader: `pulumi preview --json` as a resource graph."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tidegate.policy.earlier import Earlier, is_stack, read_earlier
from tidegate.policy.graph import ResourceGraph
from tidegate.policy.states import build_graph
from tidegate.vocabulary.problems import InvalidInput, refuse

_EXPECTED = "the output of `pulumi preview --json --show-sames`"
_GONE = frozenset({"delete", "delete-replaced", "read-discard", "discard-replaced"})
"""Operations after which there is nothing left to judge."""


@dataclass(frozen=True, slots=True)
class Preview:
    """What a preview shows.

    Attributes:
        graph: What will exist.
        hidden: Resources that stay as they are and that it does not show, because it was made
            without `--show-sames`.
        earlier: The stack before the change; None where no step is of the stack itself.
    """

    graph: ResourceGraph
    hidden: int
    earlier: Earlier | None = None


def read_preview(where: str, document: object, environment: str = "") -> Preview:
    """Return what a preview shows of a stack.

    Args:
        where: What to call the document in a message.
        document: The parsed preview.
        environment: The stack's environment; without one the preview's configuration says it.

    Raises:
        InvalidInput: When the document is no preview, or one that failed: it ends where the
            engine stopped, and what comes after was never seen.
    """
    if isinstance(document, Mapping):
        _refuse_failed(where, document)
    steps = _read_steps(where, document)
    assert isinstance(document, Mapping)
    config = document.get("config") or {}
    if not isinstance(config, Mapping):
        raise refuse(where, "config", None, "is no configuration", _EXPECTED)
    states: dict[str, Mapping[str, Any]] = {}
    for step in steps:
        if step["op"] not in _GONE:
            state = step.get("newState") or step.get("oldState")
            if not isinstance(state, Mapping):
                raise refuse(where, f"step {step['urn']}", None, "has no state", _EXPECTED)
            is_read = step["op"].startswith("read")
            marks = {"external": True} if is_read else {}
            states[step["urn"]] = {**state, **marks, "operation": step["op"]}
    hidden = _count_hidden(document.get("changeSummary"), steps)
    graph = build_graph(
        where,
        list(states.values()),
        environment=environment,
        config=config,
        complete=hidden == 0,
    )
    stacks = [step for step in steps if is_stack(step["urn"])]
    olds = [step.get("oldState") for step in steps]
    earlier = read_earlier(stacks[0].get("oldState"), olds, config) if stacks else None
    return Preview(graph, hidden, earlier)


def _read_steps(where: str, document: object) -> Sequence[Mapping[str, Any]]:
    steps = document.get("steps", []) if isinstance(document, Mapping) else None
    if not isinstance(document, Mapping) or "changeSummary" not in document:
        reason = "is no preview" if _looks_different(document) else "is no whole preview"
        raise refuse(where, "changeSummary", None, reason, _EXPECTED)
    if not isinstance(steps, list) or not all(_is_step(step) for step in steps):
        raise refuse(where, "steps", None, "is no list of steps", _EXPECTED)
    return steps


def _looks_different(document: object) -> bool:
    return not isinstance(document, Mapping) or "steps" not in document


def _is_step(step: object) -> bool:
    if not isinstance(step, Mapping):
        return False
    return isinstance(step.get("op"), str) and isinstance(step.get("urn"), str)


def _refuse_failed(where: str, document: Mapping[str, Any]) -> None:
    said = document.get("diagnostics") or []
    errors = [
        " ".join(str(each.get("message", "")).split())
        for each in said
        if isinstance(each, Mapping) and each.get("severity") == "error"
    ]
    if errors:
        # Its words may quote a value of the program: they are not repeated.
        reason = f"is of a preview that failed, with {len(errors)} error(s)"
        raise InvalidInput(refuse(where, "diagnostics", None, reason, _EXPECTED).problems)


def _count_hidden(summary: object, steps: Sequence[Mapping[str, Any]]) -> int:
    same = summary.get("same", 0) if isinstance(summary, Mapping) else 0
    shown = sum(step["op"] == "same" for step in steps)
    return max(int(same) - shown, 0) if isinstance(same, int) else 0
