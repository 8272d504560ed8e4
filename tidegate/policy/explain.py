"""Why a rule said what it said: its parameters and where they come from, and what it looked at."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tidegate.policy.configuration import RuleConfiguration
from tidegate.policy.graph import ResourceGraph, StackFacts
from tidegate.policy.rule_set import Rule
from tidegate.policy.values import is_secret, is_unknown
from tidegate.vocabulary.verdicts import Outcome, Verdict

_FACT = re.compile(r"\bfacts\.(\w+)")
_IMPORT = re.compile(r"^import data\.tidegate\.lib\.(\w+)", re.MULTILINE)
_SEGMENT = re.compile(r"([^.\[\]]+)|\[(\d+)\]")
_MEANING = {
    Outcome.PASS: "what it looks at is as it should be",
    Outcome.FAIL: "what it looks at is known, and is not as it should be",
    Outcome.UNKNOWN: "what it looks at cannot be seen yet, or is secret; it is judged again later",
    Outcome.NOT_APPLICABLE: "it has nothing to judge here",
}


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter as it held.

    Attributes:
        name: Its name.
        value: Its value.
        origin: Where it was said: "default", "configuration", or the section of it.
    """

    name: str
    value: Any
    origin: str


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why one rule said what it said of one resource, or of the stack.

    Attributes:
        rule: The rule.
        urn: The resource; "" for the stack.
        verdicts: All that it said of it; empty where it has nothing to say.
        parameters: By what it judged.
        facts: Name → what Python read of the resource, of those facts that the rule reads.
        label_sites: Where the resource's labels stand, if the rule reads that; None else.
        properties: Path → value, of the properties that the verdicts name.
        hidden: Paths within these that nobody can see, each with why.
    """

    rule: Rule
    urn: str
    verdicts: tuple[Verdict, ...]
    parameters: tuple[Parameter, ...]
    facts: Mapping[str, Any] = field(default_factory=dict)
    label_sites: Sequence[Mapping[str, Any]] | None = None
    properties: Mapping[str, Any] = field(default_factory=dict)
    hidden: Mapping[str, str] = field(default_factory=dict)

    @property
    def meaning(self) -> str:
        """What the verdicts come to, in words."""
        if not self.verdicts and not self.urn:
            return "nothing: it does not judge the stack as a whole, or not this one"
        if not self.verdicts:
            return "nothing: the resource is none of those that it is about"
        outcomes = dict.fromkeys(verdict.outcome for verdict in self.verdicts)
        return "; ".join(f"{outcome.value}: {_MEANING[outcome]}" for outcome in outcomes)


def explain_parameters(
    rule: Rule, values: Mapping[str, Any], configuration: RuleConfiguration, stack: StackFacts
) -> tuple[Parameter, ...]:
    """Return a rule's parameters with where each was said; the nearest word is the one that holds.

    Args:
        rule: The rule.
        values: Its parameters as they held.
        configuration: The whole configuration.
        stack: The stack that was judged.
    """
    origins = dict.fromkeys(configuration.parameters.get(rule.id, {}), "configuration")
    for name, section in configuration.sections_of(stack):
        origins.update(dict.fromkeys(section.parameters.get(rule.id, {}), name))
    return tuple(
        Parameter(name, value, origins.get(name, "default")) for name, value in values.items()
    )


def explain_verdicts(
    rule: Rule,
    urn: str,
    graph: ResourceGraph,
    document: Mapping[str, Any],
    verdicts: Sequence[Verdict],
    parameters: tuple[Parameter, ...],
    modules: Mapping[str, str],
) -> Explanation:
    """Return why a rule said what it said.

    Args:
        rule: The rule.
        urn: Of what it is to be explained; "" for the stack.
        graph: What was judged.
        document: What the rules read of it.
        verdicts: All verdicts on it.
        parameters: Of the rule.
        modules: Text of the rule's module under "", and of the library by module name.
    """
    own = tuple(each for each in verdicts if each.rule == rule.id and each.urn == urn)
    resource = next((each for each in document["resources"] if each["urn"] == urn), None)
    if resource is None:
        return Explanation(rule, urn, own, parameters)
    text = "\n".join(_with_imports("", modules, set()))
    facts = {
        name: value
        for name, value in resource["facts"].items()
        if name in set(_FACT.findall(text)) or _names_everything(text)
    }
    sites = resource["labelSites"] if "labelSites" in text else None
    given = graph.by_urn[urn].properties
    paths = dict.fromkeys(each.property for each in own if each.property)
    properties = {path: _at(given, path) for path in paths}
    looked_at = {"facts": facts, "labelSites": sites or [], "properties": properties}
    hidden = dict(_find_hidden(looked_at, ""))
    return Explanation(rule, urn, own, parameters, facts, sites, properties, hidden)


def _with_imports(name: str, modules: Mapping[str, str], seen: set[str]) -> Iterator[str]:
    if name in seen or name not in modules:
        return
    seen.add(name)
    yield modules[name]
    for imported in _IMPORT.findall(modules[name]):
        yield from _with_imports(imported, modules, seen)


def _names_everything(text: str) -> bool:
    """Return whether a rule goes through all facts without naming them."""
    return re.search(r"\bfacts(\[|\s+in\b)", text) is not None


def _at(value: Any, path: str) -> Any:
    """Return what stands at a path, a hidden parent's marker for what lies within it."""
    for name, index in _SEGMENT.findall(path):
        if is_unknown(value) or is_secret(value):
            return value
        if index:
            value = (
                value[int(index)] if isinstance(value, list) and int(index) < len(value) else None
            )
        else:
            value = value.get(name) if isinstance(value, Mapping) else None
    return value


def _find_hidden(value: Any, path: str) -> Iterator[tuple[str, str]]:
    if is_unknown(value):
        yield path, "not known yet"
    elif is_secret(value):
        yield path, "secret"
    elif isinstance(value, Mapping):
        if value.get("state") == "hidden":
            yield path, "hidden"
        for key, item in value.items():
            yield from _find_hidden(item, f"{path}.{key}".lstrip("."))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _find_hidden(item, f"{path}[{index}]")
