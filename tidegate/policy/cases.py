"""Cases of a rule: resources, and all that it should find in them.

A case fails on what is expected and not found, and on what is found and not expected.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from tidegate.policy.graph import ResourceGraph
from tidegate.policy.judgement import is_shown
from tidegate.policy.states import build_graph
from tidegate.vocabulary.problems import InvalidInput, Problem, suggest
from tidegate.vocabulary.verdicts import Outcome, Verdict

CASES_FILE: Final = "cases.yaml"

_SOURCES = ("resources", "preview", "export")
_CASE_KEYS = ("name", *_SOURCES, "stack", "environment", "parameters", "expect")
_RESOURCE_KEYS = ("type", "name", "properties", "protect")
_TEXTS = ("property", "message", "expected", "found")
_EXPECT_KEYS = ("resource", "outcome", *_TEXTS)
_STACK = "prod"
_PROJECT = "cases"


@dataclass(frozen=True, slots=True)
class Expectation:
    """One finding that should be there.

    Attributes:
        outcome: What the rule says.
        resource: The resource's name or URN; "" for the stack as a whole.
        texts: Of `property`, `message`, `expected` and `found`, those that matter, whole.
    """

    outcome: Outcome
    resource: str = ""
    texts: Mapping[str, str] = field(default_factory=dict)

    def matches(self, verdict: Verdict) -> bool:
        """Return whether a verdict is the one."""
        names = (verdict.urn, verdict.urn.rpartition("::")[2])
        return (
            verdict.outcome is self.outcome
            and self.resource in names
            and all(getattr(verdict, key) == text for key, text in self.texts.items())
        )

    def __str__(self) -> str:
        texts = "".join(f", {key} {text!r}" for key, text in self.texts.items())
        return f"{self.outcome.value} on {self.resource or 'the stack'}{texts}"


@dataclass(frozen=True, slots=True)
class Case:
    """One case.

    Attributes:
        name: What it shows.
        source: `resources`, `preview` or `export`: what `content` is.
        content: Resources, or the name of a file beside the case's.
        stack: The stack's name.
        environment: The stack's environment; "" where its name or the file says it.
        parameters: Of the rule, over its defaults.
        expect: All that it should find.
    """

    name: str
    source: str
    content: Any
    stack: str = _STACK
    environment: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    expect: tuple[Expectation, ...] = ()


def parse_cases(where: str, document: object) -> tuple[Case, ...]:
    """Return the cases of a document (`cases.yaml`).

    Raises:
        InvalidInput: Naming everything that is not understood: what nobody reads tests nothing.
    """
    entries = document.get("cases") if isinstance(document, Mapping) else None
    if not isinstance(document, Mapping) or set(document) != {"cases"} or not entries:
        raise InvalidInput(Problem(where, "", "", "has no cases", "cases: a list of cases"))
    problems: list[Problem] = []
    if not isinstance(entries, list):
        raise InvalidInput(Problem(where, "cases", "", "is no list", "a list of cases"))
    for index, entry in enumerate(entries):
        problems += _check_case(where, f"cases[{index}]", entry)
    if problems:
        raise InvalidInput(problems)
    return tuple(_parse_case(entry) for entry in entries)


def build_case_graph(where: str, case: Case) -> ResourceGraph:
    """Return the graph of a case that lists its resources, as a reader of states makes it."""
    states = []
    for entry in case.content:
        urn = f"urn:pulumi:{case.stack}::{_PROJECT}::{entry['type']}::{entry.get('name', 'it')}"
        states.append(
            {
                "urn": urn,
                "type": entry["type"],
                "custom": True,
                "protect": entry.get("protect", False),
                "inputs": entry.get("properties") or {},
            }
        )
    return build_graph(where, states, environment=case.environment)


def compare_case(case: Case, verdicts: Sequence[Verdict]) -> tuple[str, ...]:
    """Return what is expected and not found, and what is found and not expected.

    Args:
        case: The case.
        verdicts: What its rule said, passes included. A pass without a remark, and a rule that
            does not apply, need not be expected.
    """
    left = list(verdicts)
    faults: list[str] = []
    # The narrowest first, so that a wide one does not take what another needs.
    for expected in sorted(case.expect, key=lambda each: -len(each.texts)):
        found = next((verdict for verdict in left if expected.matches(verdict)), None)
        if found is None:
            faults.append(f"expected and not found: {expected}")
        else:
            left.remove(found)
    faults += [f"found and not expected: {_render(each)}" for each in left if is_shown(each)]
    return tuple(faults)


def _render(verdict: Verdict) -> str:
    texts = {key: getattr(verdict, key) for key in _TEXTS if getattr(verdict, key)}
    return str(Expectation(verdict.outcome, verdict.urn.rpartition("::")[2], texts))


def _parse_case(entry: Mapping[str, Any]) -> Case:
    source = next(key for key in _SOURCES if key in entry)
    return Case(
        name=entry["name"],
        source=source,
        content=entry[source],
        stack=str(entry.get("stack", _STACK)),
        environment=str(entry.get("environment", "")),
        parameters=entry.get("parameters") or {},
        expect=tuple(_parse_expectation(each) for each in entry["expect"] or ()),
    )


def _parse_expectation(entry: Mapping[str, Any]) -> Expectation:
    texts = {key: str(entry[key]) for key in _TEXTS if key in entry}
    return Expectation(Outcome(entry["outcome"]), str(entry.get("resource", "")), texts)


def _check_case(where: str, place: str, entry: object) -> Iterator[Problem]:
    if not isinstance(entry, Mapping):
        yield Problem(where, place, "", "is no case", ", ".join(_CASE_KEYS))
        return
    yield from _check_keys(where, place, entry, _CASE_KEYS)
    yield from _check_input(where, place, entry)
    for key in ("resources", "expect"):
        if not isinstance(entry.get(key, []), list) or (key == "expect" and key not in entry):
            yield Problem(where, f"{place}.{key}", "", "is no list", "a list, [] for nothing")
            return
    for index, resource in enumerate(entry.get("resources", [])):
        yield from _check_resource(where, f"{place}.resources[{index}]", resource)
    for index, expected in enumerate(entry["expect"]):
        yield from _check_expectation(where, f"{place}.expect[{index}]", expected)


def _check_input(where: str, place: str, entry: Mapping[str, Any]) -> Iterator[Problem]:
    if not isinstance(entry.get("name"), str):
        yield Problem(where, f"{place}.name", "", "is missing", "what the case shows")
    if sum(key in entry for key in _SOURCES) != 1:
        yield Problem(where, place, "", "has no input, or several", "one of " + ", ".join(_SOURCES))
    for key in ("preview", "export"):
        if key in entry and not isinstance(entry[key], str):
            yield Problem(where, f"{place}.{key}", "", "is no file", "a file beside this one")
    if not isinstance(entry.get("parameters", {}), Mapping):
        yield Problem(where, f"{place}.parameters", "", "is no mapping", "parameter → value")


def _check_resource(where: str, place: str, entry: object) -> Iterator[Problem]:
    if not isinstance(entry, Mapping) or not isinstance(entry.get("type"), str):
        yield Problem(where, place, "", "is no resource", ", ".join(_RESOURCE_KEYS))
        return
    yield from _check_keys(where, place, entry, _RESOURCE_KEYS)
    if not isinstance(entry.get("properties") or {}, Mapping):
        yield Problem(where, f"{place}.properties", "", "is no mapping", "property → value")


def _check_expectation(where: str, place: str, entry: object) -> Iterator[Problem]:
    if not isinstance(entry, Mapping):
        yield Problem(where, place, "", "is no expectation", ", ".join(_EXPECT_KEYS))
        return
    yield from _check_keys(where, place, entry, _EXPECT_KEYS)
    words = [outcome.value for outcome in Outcome if outcome is not Outcome.WAIVED]
    if entry.get("outcome") not in words:
        word = str(entry.get("outcome") or "")
        yield Problem(where, f"{place}.outcome", word, "is no outcome", f"one of {words}")


def _check_keys(
    where: str, place: str, entry: Mapping[Any, Any], known: Sequence[str]
) -> Iterator[Problem]:
    for key in entry:
        if key not in known:
            hint = suggest(str(key), known)
            yield Problem(where, f"{place}.{key}", "", f"is not known{hint}", ", ".join(known))
