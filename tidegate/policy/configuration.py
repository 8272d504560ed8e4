"""The configuration of rules, in the form that `pulumi --policy-pack-config` takes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tidegate.policy.rule_set import RuleSet
from tidegate.vocabulary.problems import nearest, refuse
from tidegate.vocabulary.verdicts import Level

_LEVEL_KEY = "enforcementLevel"
# No rule changes what is declared, so that what still fails under "remediate" is refused.
_WORDS: Mapping[str, Level | None] = {
    "advisory": Level.ADVISORY,
    "mandatory": Level.MANDATORY,
    "remediate": Level.MANDATORY,
    "disabled": None,
}


@dataclass(frozen=True, slots=True)
class RuleConfiguration:
    """What configuration says of rules.

    Attributes:
        parameters: Rule id → parameters that differ from its defaults.
        levels: Rule id → level that differs from its own.
        disabled: Ids of rules that are switched off.
    """

    parameters: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    levels: Mapping[str, Level] = field(default_factory=dict)
    disabled: frozenset[str] = frozenset()


def parse_configuration(where: str, document: object, rules: RuleSet) -> RuleConfiguration:
    """Return the configuration of a document: rule id, or "all", → level, or level and parameters.

    What is said of a rule by its id goes before what is said of all.

    Raises:
        InvalidInput: For an unknown rule (naming the nearest) or level. Parameters are checked
            where they are used.
    """
    if not isinstance(document, Mapping):
        raise refuse(where, "", None, "is no configuration of rules", "an object of rule ids")
    words: dict[str, str] = {}
    parameters: dict[str, Mapping[str, Any]] = {}
    for name, entry in document.items():
        if name != "all" and name not in rules.ids:
            guess = nearest(str(name), rules.ids)
            hint = f" (did you mean {guess!r}?)" if guess else ""
            raise refuse(where, str(name), None, f"is no rule{hint}", "a rule's id, or all")
        word, values = _parse_entry(where, name, entry)
        for rule in rules.ids if name == "all" else (name,):
            if word and (name != "all" or rule not in words):
                words[rule] = word
        if values and name != "all":
            parameters[name] = values
    levels = {rule: level for rule, word in words.items() if (level := _WORDS[word]) is not None}
    disabled = frozenset(rule for rule, word in words.items() if _WORDS[word] is None)
    return RuleConfiguration(parameters, levels, disabled)


def _parse_entry(where: str, name: str, entry: object) -> tuple[str, dict[str, Any]]:
    values: dict[str, Any] = (
        {str(key): value for key, value in entry.items()}
        if isinstance(entry, Mapping)
        else {_LEVEL_KEY: entry}
    )
    word = values.pop(_LEVEL_KEY, None)
    if word is None and isinstance(entry, Mapping):
        return "", values
    if not isinstance(word, str) or word not in _WORDS:
        raise refuse(where, name, word, "is no level", f"one of {', '.join(_WORDS)}")
    return word, values
