"""Rules as data: what a rule's `# METADATA` says of it, checked when rules are loaded."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final

import yaml

from tidegate.policy.parameters import check_schema
from tidegate.vocabulary.problems import InvalidInput, Problem
from tidegate.vocabulary.verdicts import Level, Severity

MANDATORY_FROM: Final = "mandatoryFrom"
"""The parameter of every advisory rule that names the day from which it is mandatory."""

_DATE: Mapping[str, Any] = {
    "type": "string",
    "description": "The day from which a failure is mandatory, such as 2027-01-31.",
    "default": "",
}


class Scope(StrEnum):
    """What a rule must see at once, which says how a large stack is put to it in portions."""

    RESOURCE = "resource"
    """Each resource by itself; what it refers to is looked up through `lib/others.rego`."""
    STACK = "stack"
    """All resources, but of each only its names, labels and facts."""
    EVERYTHING = "everything"
    """All of all resources."""


RULE_ID = re.compile(r"TG-[A-Z]{3}-\d{3}")
_PACKAGE = re.compile(r"^package\s+(\S+)\s*$", re.MULTILINE)
_REQUIRED = ("id", "severity", "level", "remediation", "docs")
_KNOWN = (*_REQUIRED, "parameters", "scope")


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule, as its metadata declares it.

    Attributes:
        id: Stable identifier ("TG-LBL-001"), used in configuration, waivers and reports.
        path: `category/name`, its folder below `rules` and the end of its Rego package.
        title: A few words.
        description: Why the rule exists.
        severity: How bad a failure is.
        level: What a failure does unless configuration says otherwise.
        remediation: What to do about a failure, one sentence.
        docs: Its page, relative to the project's root.
        parameters: Parameter name → JSON Schema with a `default`.
        scope: What it must see at once.
    """

    id: str
    path: str
    title: str
    description: str
    severity: Severity
    level: Level
    remediation: str
    docs: str
    parameters: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    scope: Scope = Scope.EVERYTHING


@dataclass(frozen=True)
class RuleSet:
    """Every rule that must answer; an engine that answers for fewer is at fault."""

    rules: tuple[Rule, ...]

    def __post_init__(self) -> None:
        problems = [*_repeated(self.rules, "id"), *_repeated(self.rules, "path")]
        if not self.rules:
            problems.append(Problem("rules", "", "", "no rule was found", "at least one rule"))
        if problems:
            raise InvalidInput(problems)

    @property
    def ids(self) -> tuple[str, ...]:
        """The rules' ids, sorted."""
        return tuple(sorted(rule.id for rule in self.rules))

    def rule(self, id: str) -> Rule:
        """Return a rule by its id; KeyError when there is none."""
        return next(rule for rule in self.rules if rule.id == id)


def parse_rule(path: str, text: str) -> Rule:
    """Return the rule that a Rego module declares.

    Args:
        path: `category/name`, the folder that the module stands in.
        text: The module's source.

    Raises:
        InvalidInput: When the metadata is missing or malformed, names an unknown key, or the
            package is not the folder's: such a rule would never run, and nothing would say so.
    """
    where = f"rule {path}"
    metadata = _parse_metadata(where, text)
    custom = metadata.get("custom") or {}
    problems = [*_check_package(where, path, text), *_check_custom(where, custom)]
    problems += [
        Problem(where, key, "", "is missing from # METADATA", "a text")
        for key in ("title", "description")
        if not isinstance(metadata.get(key), str)
    ]
    problems += check_schema(where, custom.get("parameters") or {})
    if problems:
        raise InvalidInput(problems)
    return Rule(
        id=custom["id"],
        path=path,
        title=metadata["title"].strip(),
        description=" ".join(metadata["description"].split()),
        severity=Severity(custom["severity"]),
        level=Level(custom["level"]),
        remediation=" ".join(custom["remediation"].split()),
        docs=custom["docs"],
        parameters=_with_date(Level(custom["level"]), custom.get("parameters") or {}),
        scope=Scope(custom.get("scope", Scope.EVERYTHING)),
    )


def _with_date(level: Level, parameters: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the parameters with the day from which an advisory rule is mandatory."""
    return parameters if level is Level.MANDATORY else {**parameters, MANDATORY_FROM: _DATE}


def _parse_metadata(where: str, text: str) -> Mapping[str, Any]:
    lines = text.splitlines()
    if "# METADATA" not in lines:
        raise InvalidInput(Problem(where, "", "", "has no # METADATA block", "a rule's metadata"))
    block: list[str] = []
    for line in lines[lines.index("# METADATA") + 1 :]:
        if not line.startswith("#"):
            break
        block.append(line.removeprefix("#").removeprefix(" "))
    try:
        parsed = yaml.load("\n".join(block), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))  # noqa: S506 - CSafeLoader is SafeLoader in C
    except yaml.YAMLError as error:
        reason = f"has metadata that is no YAML: {' '.join(str(error).split())}"
        raise InvalidInput(Problem(where, "", "", reason, "")) from error
    if not isinstance(parsed, dict):
        raise InvalidInput(Problem(where, "", "", "has empty metadata", "title, custom.id, …"))
    return parsed


def _check_package(where: str, path: str, text: str) -> list[Problem]:
    found = _PACKAGE.search(text)
    package = found.group(1) if found else ""
    expected = f"tidegate.rules.{path.replace('/', '.')}"
    if package == expected:
        return []
    reason = "is not its folder's package, so that nothing would run it"
    return [Problem(where, "package", repr(package), reason, expected)]


def _check_custom(where: str, custom: Mapping[str, Any]) -> list[Problem]:
    problems = [
        Problem(where, f"custom.{key}", "", "is missing from # METADATA", "a text")
        for key in _REQUIRED
        if not isinstance(custom.get(key), str)
    ]
    problems += [
        Problem(where, f"custom.{key}", "", "is not known", f"one of {', '.join(_KNOWN)}")
        for key in custom
        if key not in _KNOWN
    ]
    if not RULE_ID.fullmatch(str(custom.get("id"))):
        problems.append(
            Problem(where, "custom.id", repr(custom.get("id")), "is no rule id", "TG-ABC-001")
        )
    for key, choices in (("severity", Severity), ("level", Level), ("scope", Scope)):
        words = [choice.value for choice in choices]
        if custom.get(key) not in words and (key in custom or key in _REQUIRED):
            reason = f"is no {key}"
            problems.append(
                Problem(where, f"custom.{key}", repr(custom.get(key)), reason, f"one of {words}")
            )
    return problems


def _repeated(rules: Iterable[Rule], attribute: str) -> list[Problem]:
    seen: dict[str, Rule] = {}
    problems: list[Problem] = []
    for rule in rules:
        value = getattr(rule, attribute)
        if value in seen:
            reason = f"is already the {attribute} of {seen[value].path}"
            problems.append(Problem(f"rule {rule.path}", attribute, value, reason, "another one"))
        seen[value] = rule
    return problems
