"""Reader: an engine event log (`--event-log FILE`) as a resource graph."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tidegate.policy.earlier import Earlier, is_stack, read_earlier
from tidegate.policy.graph import ResourceGraph
from tidegate.policy.states import build_graph
from tidegate.vocabulary.problems import refuse

_EXPECTED = "an event log of `pulumi preview` or `pulumi up`, one JSON object a line"
_GONE = frozenset({"delete", "delete-replaced", "read-discard", "discard-replaced"})
_STEPS = ("resourcePreEvent", "resOutputsEvent")


@dataclass(frozen=True, slots=True)
class EventLog:
    """What an event log shows.

    Attributes:
        graph: What exists after the run, or would.
        stopped_by: The policies that stopped the run, so that resources after them are not in
            the log; empty where it ran to its end.
        earlier: The stack before the run; None where no event is of the stack itself.
    """

    graph: ResourceGraph
    stopped_by: tuple[str, ...]
    earlier: Earlier | None = None


def read_event_log(where: str, text: str, environment: str = "") -> EventLog:
    """Return what an event log shows of a stack.

    Args:
        where: What to call the log in a message.
        text: The log.
        environment: The stack's environment; without one the log's configuration says it.

    Raises:
        InvalidInput: When it is no event log, a truncated one, or that of a run that failed for
            another reason than a policy's refusal (a crash of the pack is no violation).
    """
    events = _parse_lines(where, text)
    starts = [index for index, event in enumerate(events) if "preludeEvent" in event]
    if not starts:
        raise refuse(where, "preludeEvent", None, "is no event log", _EXPECTED)
    phase = events[starts[-1] :]
    stopped_by = _read_end(where, phase)
    config = phase[0]["preludeEvent"]
    graph = build_graph(
        where,
        list(_read_states(where, phase).values()),
        environment=environment,
        config=_mapping(config.get("config")) if isinstance(config, Mapping) else {},
        complete=not stopped_by,
    )
    return EventLog(graph, stopped_by, _find_earlier(phase))


def _parse_lines(where: str, text: str) -> list[Mapping[str, Any]]:
    events: list[Mapping[str, Any]] = []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        try:
            event = json.loads(line)
        except json.JSONDecodeError as error:
            raise refuse(where, f"line {number}", None, "is no JSON", _EXPECTED) from error
        if not isinstance(event, dict):
            raise refuse(where, f"line {number}", None, "is no event", _EXPECTED)
        events.append(event)
    return events


def _read_end(where: str, phase: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    """Return the policies that stopped the run; raise where it ended otherwise than well."""
    summaries = [_mapping(event["summaryEvent"]) for event in phase if "summaryEvent" in event]
    if not summaries:
        reason = "has no summary: the log is truncated, or its run was killed"
        raise refuse(where, "summaryEvent", None, reason, _EXPECTED)
    if summaries[-1].get("result") != "failed":
        return ()
    violated = {
        str(_mapping(event["policyEvent"]).get("policyName"))
        for event in phase
        if _mapping(event.get("policyEvent")).get("enforcementLevel") == "mandatory"
    }
    if not violated:
        reason = "is of a run that failed before all resources were seen, and not by a policy"
        raise refuse(where, "summaryEvent.result", "failed", reason, "the log of a run that ended")
    return tuple(sorted(violated))


def _read_states(where: str, phase: Sequence[Mapping[str, Any]]) -> dict[str, Mapping[str, Any]]:
    states: dict[str, Mapping[str, Any]] = {}
    for event in phase:
        for kind in _STEPS:
            if kind in event:
                _take_step(where, _mapping(_mapping(event[kind]).get("metadata")), states)
    return states


def _take_step(
    where: str, metadata: Mapping[str, Any], states: dict[str, Mapping[str, Any]]
) -> None:
    urn, operation = metadata.get("urn"), metadata.get("op")
    if not isinstance(urn, str) or not isinstance(operation, str):
        raise refuse(where, "metadata", None, "is a step without urn and op", _EXPECTED)
    state = metadata.get("new")
    if operation in _GONE:
        return
    if not isinstance(state, Mapping):
        raise refuse(where, f"step {urn}", None, "has no state", _EXPECTED)
    # The later event of a step has the id and the outputs beside the same inputs.
    is_read = operation.startswith("read")
    marks = {"external": True} if is_read else {}
    states[urn] = {**state, **marks, "operation": operation}


def _find_earlier(phase: Sequence[Mapping[str, Any]]) -> Earlier | None:
    steps = [
        _mapping(_mapping(event["resourcePreEvent"]).get("metadata"))
        for event in phase
        if "resourcePreEvent" in event
    ]
    stack = next((step for step in steps if is_stack(str(step.get("urn")))), None)
    if stack is None:
        return None
    config = _mapping(_mapping(phase[0]["preludeEvent"]).get("config"))
    return read_earlier(stack.get("old"), [step.get("old") for step in steps], config)


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
