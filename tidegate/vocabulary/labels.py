"""Cost labels: the keys, their grammar and the spellings that existing estates use.

Values hold in AWS tags, Google Cloud labels, Azure tags and Kubernetes labels alike, so one
value is valid everywhere it is stamped.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from tidegate.vocabulary.capacity import WorkloadClass
from tidegate.vocabulary.problems import InvalidInput, Problem, suggest

REQUIRED_KEYS: tuple[str, ...] = (
    "environment",
    "owner",
    "business-unit",
    "platform-project",
    "workload-class",
    "cost-center",
)
OPTIONAL_KEYS: tuple[str, ...] = ("team", "model", "expires-on")
COMPONENT_KEYS: tuple[str, ...] = ("capacity-pool", "managed-by")
KNOWN_KEYS: tuple[str, ...] = REQUIRED_KEYS + OPTIONAL_KEYS + COMPONENT_KEYS

VALUE_GRAMMAR = re.compile(r"[a-z0-9]([-_a-z0-9]{0,61}[a-z0-9])?")
VALUE_RULE = (
    "1 to 63 lowercase letters, digits, '-' or '_', starting and ending with a letter or digit "
    "(what AWS, Google Cloud, Azure and Kubernetes all accept)"
)

DEFAULT_ALIASES: Mapping[str, str] = {
    "cost center": "cost-center",
    "cost_center": "cost-center",
    "costcenter": "cost-center",
    "costcentre": "cost-center",
    "cost-centre": "cost-center",
    "env": "environment",
    "business unit": "business-unit",
    "business_unit": "business-unit",
    "businessunit": "business-unit",
    "bu": "business-unit",
    "platform_project": "platform-project",
    "workload_class": "workload-class",
}
"""Spellings found in existing estates, folded to lower case → the canonical key."""


@dataclass(frozen=True, slots=True)
class LabelAliases:
    """A map from the spellings an estate uses to the canonical keys, case-insensitive."""

    spellings: Mapping[str, str] = field(default_factory=lambda: dict(DEFAULT_ALIASES))

    def canonical(self, key: str) -> str:
        """Return the canonical key for a spelling, or the key itself, unchanged, if unknown."""
        folded = key.strip().lower()
        if folded in KNOWN_KEYS:
            return folded
        return self.spellings.get(folded, key)


@dataclass(frozen=True, slots=True)
class CostLabels:
    """The cost labels of one resource: the six required keys and what else was declared."""

    environment: str
    owner: str
    business_unit: str
    platform_project: str
    workload_class: WorkloadClass
    cost_center: str
    optional: Mapping[str, str] = field(default_factory=dict)

    def to_mapping(self, **set_by_components: str) -> dict[str, str]:
        """Return the labels as a cloud takes them; keyword `capacity_pool` sets `capacity-pool`."""
        stamped = {key.replace("_", "-"): value for key, value in set_by_components.items()}
        return {
            "environment": self.environment,
            "owner": self.owner,
            "business-unit": self.business_unit,
            "platform-project": self.platform_project,
            "workload-class": self.workload_class.value,
            "cost-center": self.cost_center,
            **self.optional,
            "managed-by": "tidegate",
            **stamped,
        }


def check_label_value(where: str, key: str, value: object) -> list[Problem]:
    """Return what is wrong with one label value; an empty list when it is valid."""
    if not isinstance(value, str) or not VALUE_GRAMMAR.fullmatch(value):
        reason = "is not a valid cost label value"
        return [Problem(where, f"labels.{key}", repr(value), reason, VALUE_RULE)]
    classes = [member.value for member in WorkloadClass]
    if key == "workload-class" and value not in classes:
        hint = suggest(value, classes)
        reason = f"is not a workload class{hint}"
        expected = f"one of {', '.join(classes)}"
        return [Problem(where, f"labels.{key}", repr(value), reason, expected)]
    return []


def parse_cost_labels(
    where: str, raw: Mapping[str, object], aliases: LabelAliases | None = None
) -> CostLabels:
    """Check a mapping of labels once, at the boundary, and return it typed.

    Keys may be spelt as the alias map knows them. Two spellings of one key that disagree, an
    unknown key, a missing required key and a malformed value are all reported together.

    Raises:
        InvalidInput: With one problem for each fault, naming key, value and rule.
    """
    aliases = aliases or LabelAliases()
    problems: list[Problem] = []
    values: dict[str, str] = {}
    for key, value in raw.items():
        name = aliases.canonical(key)
        problems += _check_key(where, key, name)
        problems += check_label_value(where, name, value)
        if name in values and values[name] != value:
            reason = f"is another spelling of {name}, which is already {values[name]!r}"
            problems.append(Problem(where, f"labels.{key}", repr(value), reason, "one value a key"))
        values[name] = str(value)
    problems += [
        Problem(where, f"labels.{key}", "", "is a required cost label and is missing", VALUE_RULE)
        for key in REQUIRED_KEYS
        if key not in values
    ]
    if problems:
        raise InvalidInput(problems)
    return CostLabels(
        environment=values["environment"],
        owner=values["owner"],
        business_unit=values["business-unit"],
        platform_project=values["platform-project"],
        workload_class=WorkloadClass(values["workload-class"]),
        cost_center=values["cost-center"],
        optional={key: values[key] for key in OPTIONAL_KEYS if key in values},
    )


def _check_key(where: str, key: str, canonical: str) -> list[Problem]:
    if canonical in COMPONENT_KEYS:
        reason = "is set by the components and cannot be given"
        return [Problem(where, f"labels.{key}", "", reason, "leave it out")]
    if canonical in KNOWN_KEYS:
        return []
    hint = suggest(key, REQUIRED_KEYS + OPTIONAL_KEYS)
    expected = f"one of {', '.join(REQUIRED_KEYS + OPTIONAL_KEYS)}"
    return [Problem(where, f"labels.{key}", "", f"is not a cost label{hint}", expected)]
