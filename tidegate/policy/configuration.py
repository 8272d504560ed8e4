"""The configuration of rules, in the form that `pulumi --policy-pack-config` takes.

What is said of a rule can differ by environment and by stack. The nearer word goes before the
farther one, parameter by parameter: a rule's default, the document, the environment, the stack.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from tidegate.policy.graph import StackFacts
from tidegate.policy.parameters import build_parameters
from tidegate.policy.rule_set import RuleSet
from tidegate.policy.values import decode_value
from tidegate.vocabulary.problems import InvalidInput, Problem, refuse, suggest
from tidegate.vocabulary.verdicts import Level

ENVIRONMENTS: Final = "byEnvironment"
STACKS: Final = "byStack"
SECTIONS: Final = (ENVIRONMENTS, STACKS)

_ALL = "all"
_LEVEL_KEY = "enforcementLevel"
_REMEDIATE = "remediate"
# What still fails after it was remediated is refused.
_WORDS: Mapping[str, Level | None] = {
    "advisory": Level.ADVISORY,
    "mandatory": Level.MANDATORY,
    _REMEDIATE: Level.MANDATORY,
    "disabled": None,
}


@dataclass(frozen=True, slots=True)
class RuleConfiguration:
    """What configuration says of rules.

    Attributes:
        parameters: Rule id → parameters that differ from its defaults.
        levels: Rule id → level that differs from its own.
        disabled: Ids of rules that are switched off.
        remediated: Ids of rules whose failures are mended where that can be done.
        environments: Environment → what differs there.
        stacks: `stack` or `project/stack` → what differs there.
    """

    parameters: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    levels: Mapping[str, Level] = field(default_factory=dict)
    disabled: frozenset[str] = frozenset()
    remediated: frozenset[str] = frozenset()
    environments: Mapping[str, RuleConfiguration] = field(default_factory=dict)
    stacks: Mapping[str, RuleConfiguration] = field(default_factory=dict)

    def for_stack(self, stack: StackFacts) -> RuleConfiguration:
        """Return what holds for one stack, without sections."""
        found = RuleConfiguration(self.parameters, self.levels, self.disabled, self.remediated)
        for _, nearer in self.sections_of(stack):
            found = _override(found, nearer)
        return found

    def sections_of(self, stack: StackFacts) -> Iterator[tuple[str, RuleConfiguration]]:
        """Return the sections that hold for a stack with their names, the farthest first."""
        full_name = f"{stack.project}/{stack.name}"
        for section, entries, name in (
            (ENVIRONMENTS, self.environments, stack.environment),
            (STACKS, self.stacks, stack.name),
            (STACKS, self.stacks, full_name),
        ):
            if name in entries:
                yield f"{section}.{name}", entries[name]


def parse_configuration(where: str, document: object, rules: RuleSet) -> RuleConfiguration:
    """Return the configuration of a document: rule id, or "all", → level, or level and parameters.

    Among the parameters, `byEnvironment` and `byStack` hold the same once more by name. What is
    said of a rule by its id goes before what is said of all.

    Raises:
        InvalidInput: For an unknown rule or parameter (naming the nearest), an unknown level, or
            a parameter that does not fit its schema, also where another stack is meant.
    """
    if not isinstance(document, Mapping):
        raise refuse(where, "", None, "is no configuration of rules", "an object of rule ids")
    base = _Draft(where, rules)
    nearer: dict[str, dict[str, _Draft]] = {section: {} for section in SECTIONS}
    for name, entry in document.items():
        _check_name(where, name, rules)
        own, sections = _split_entry(where, name, entry)
        base.add(name, name, own)
        for section, place, inner in sections:
            draft = nearer[section].setdefault(place, _Draft(where, rules))
            draft.add(f"{name}.{section}.{place}", name, inner)
    return replace(
        base.build(),
        environments={name: draft.build() for name, draft in nearer[ENVIRONMENTS].items()},
        stacks={name: draft.build() for name, draft in nearer[STACKS].items()},
    )


class _Draft:
    """Levels and parameters of rules while they are read."""

    def __init__(self, where: str, rules: RuleSet) -> None:
        self._where = where
        self._rules = rules
        self._words: dict[str, str] = {}
        self._word_of_all = ""
        self._parameters: dict[str, Mapping[str, Any]] = {}

    def add(self, key: str, name: str, entry: object) -> None:
        """Take what is said of one rule, or of all."""
        word, values = _parse_entry(self._where, key, entry)
        if name != _ALL:
            if values:
                _check_parameters(self._where, key, name, values, self._rules)
                self._parameters[name] = values
            if word:
                self._words[name] = word
            return
        if values:
            reason = "has parameters, which each rule names for itself"
            raise refuse(self._where, key, None, reason, "a level")
        self._word_of_all = word

    def build(self) -> RuleConfiguration:
        words = dict.fromkeys(self._rules.ids, self._word_of_all) if self._word_of_all else {}
        words.update(self._words)
        levels = {rule: level for rule, word in words.items() if (level := _WORDS[word])}
        disabled = frozenset(rule for rule, word in words.items() if _WORDS[word] is None)
        remediated = frozenset(rule for rule, word in words.items() if word == _REMEDIATE)
        return RuleConfiguration(self._parameters, levels, disabled, remediated)


def _split_entry(
    where: str, name: str, entry: object
) -> tuple[object, list[tuple[str, str, object]]]:
    """Return an entry without its sections, and (section, environment or stack, entry) of each."""
    if not isinstance(entry, Mapping):
        return entry, []
    found: list[tuple[str, str, object]] = []
    for section in SECTIONS:
        inner = entry.get(section, {})
        if not isinstance(inner, Mapping):
            expected = "an environment's or stack's name → level, or level and parameters"
            raise refuse(where, f"{name}.{section}", None, "is no object", expected)
        found += [(section, str(place), each) for place, each in inner.items()]
    return {key: value for key, value in entry.items() if key not in SECTIONS}, found


def _override(base: RuleConfiguration, nearer: RuleConfiguration) -> RuleConfiguration:
    parameters = dict(base.parameters)
    for rule, values in nearer.parameters.items():
        parameters[rule] = {**parameters.get(rule, {}), **values}
    said = nearer.levels.keys() | nearer.disabled
    kept = {rule: level for rule, level in base.levels.items() if rule not in said}
    return RuleConfiguration(
        parameters,
        {**kept, **nearer.levels},
        (base.disabled - said) | nearer.disabled,
        (base.remediated - said) | nearer.remediated,
    )


def _check_name(where: str, name: object, rules: RuleSet) -> None:
    known = (*rules.ids, _ALL)
    if name in known:
        return
    hint = suggest(str(name), known)
    raise refuse(where, str(name), None, f"is no rule{hint}", "a rule's id, or all")


def _check_parameters(
    where: str, key: str, rule: str, values: Mapping[str, Any], rules: RuleSet
) -> None:
    schema = rules.rule(rule).parameters
    for name in values:
        hint = suggest(name, SECTIONS)
        if hint and name not in schema:
            reason = f"is not known{hint}"
            raise refuse(where, f"{key}.{name}", None, reason, " or ".join(SECTIONS))
    try:
        build_parameters(rule, schema, values)
    except InvalidInput as invalid:
        raise InvalidInput(
            Problem(where, f"{key}.{each.property}", each.value, each.reason, each.expected)
            for each in invalid.problems
        ) from invalid


def _parse_entry(where: str, key: str, entry: object) -> tuple[str, dict[str, Any]]:
    values: dict[str, Any] = (
        # The engine passes every number as a float.
        {str(name): decode_value(value) for name, value in entry.items()}
        if isinstance(entry, Mapping)
        else {_LEVEL_KEY: entry}
    )
    word = values.pop(_LEVEL_KEY, None)
    if word is None and isinstance(entry, Mapping):
        return "", values
    if not isinstance(word, str) or word not in _WORDS:
        raise refuse(where, key, word, "is no level", f"one of {', '.join(_WORDS)}")
    return word, values
