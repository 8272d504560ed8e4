"""What of a stack's failures its configuration can mend, and why the rest is left.

The only place in a stack's configuration that reaches resources is the default labels of a
default provider. What the stack's own labels do not give is never invented.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from tidegate.policy.graph import Resource, ResourceGraph
from tidegate.policy.remedy import LABELS_RULE, MissingLabels, find_missing_labels
from tidegate.policy.rule_set import RuleSet
from tidegate.vocabulary.capacity import Cloud
from tidegate.vocabulary.verdicts import Outcome, Verdict

DEFAULTS: Final[Mapping[Cloud, tuple[str, ...]]] = {
    Cloud.AWS: ("aws:defaultTags", "tags"),
    Cloud.GCP: ("gcp:defaultLabels",),
}
"""Cloud → where its default provider's labels stand in a stack's configuration."""

_DEFAULT_PROVIDER = re.compile(r".*::pulumi:providers:[^:]+::default(_[0-9][\w.]*)?")


@dataclass(frozen=True, slots=True)
class Left:
    """A failure that is left.

    Attributes:
        verdict: The failure.
        keys: The labels that it lacks and that are not added; empty where it is about others.
        reason: Why nothing is done.
        expected: What would help.
    """

    verdict: Verdict
    keys: tuple[str, ...]
    reason: str
    expected: str


@dataclass(frozen=True, slots=True)
class FixPlan:
    """What is added and what is left.

    Attributes:
        additions: Cloud → label → value, for its default provider.
        mended: Failures that the additions end.
        left: Failures that stay, whole or in part.
    """

    additions: Mapping[Cloud, Mapping[str, str]]
    mended: tuple[Verdict, ...]
    left: tuple[Left, ...]


def plan_fixes(
    graph: ResourceGraph,
    verdicts: Sequence[Verdict],
    own: Mapping[str, str],
    parameters: Mapping[str, Any],
    rules: RuleSet,
) -> FixPlan:
    """Return what can be added to a stack's configuration.

    Args:
        graph: The stack.
        verdicts: What the rules say of it, without what is waived or switched off.
        own: The labels that the stack's configuration gives to all that it makes.
        parameters: Of the rule of mandatory labels.
        rules: The rules, for what would help.
    """
    additions: dict[Cloud, dict[str, str]] = {}
    mended: list[Verdict] = []
    left: list[Left] = []
    for verdict in verdicts:
        if verdict.outcome is not Outcome.FAIL:
            continue
        kept = list(_plan_one(graph, verdict, own, parameters, rules, additions))
        left += kept
        if not kept:
            mended.append(verdict)
    return FixPlan(additions, tuple(mended), tuple(left))


def _plan_one(
    graph: ResourceGraph,
    verdict: Verdict,
    own: Mapping[str, str],
    parameters: Mapping[str, Any],
    rules: RuleSet,
    additions: dict[Cloud, dict[str, str]],
) -> Iterable[Left]:
    """Add what one failure lacks, and return what is left of it."""
    remedy = rules.rule(verdict.rule).remediation
    resource = graph.by_urn.get(verdict.urn)
    if verdict.rule != LABELS_RULE or resource is None:
        yield Left(verdict, (), "is not about a missing label", remedy)
        return
    missing = [
        each
        for each in find_missing_labels(resource, graph, parameters)
        if each.site.property == verdict.property
    ]
    if not missing:
        yield Left(verdict, (), "lacks no label that could be added there", remedy)
    for each in missing:
        absent = tuple(key for key in each.keys if key not in own)
        given = tuple(key for key in each.keys if key in own)
        if absent:
            reason = f"the stack's own labels do not give {', '.join(absent)}; nothing is invented"
            place = f"{graph.stack.project}:labels of the stack's configuration"
            yield Left(verdict, absent, reason, f"them in {place}, or in the program")
        obstacle = _find_obstacle(resource, each, given)
        if given and obstacle:
            yield Left(verdict, given, *obstacle)
        elif given and resource.cloud is not None:
            yield from _add_defaults(verdict, each, own, additions, resource.cloud)


def _add_defaults(
    verdict: Verdict,
    missing: MissingLabels,
    own: Mapping[str, str],
    additions: dict[Cloud, dict[str, str]],
    cloud: Cloud,
) -> Iterable[Left]:
    """Add what is given to default labels, and return what they would not reach."""
    empty = [key for key, spelt in missing.keys.items() if spelt in missing.site.labels]
    labels = {
        spelt: own[key] for key, spelt in missing.keys.items() if key in own and key not in empty
    }
    if labels:
        additions.setdefault(cloud, {}).update(labels)
    for key in empty:
        reason = f"{key} stands there with an empty value, which goes before default labels"
        yield Left(verdict, (key,), reason, f"{key} in the program, at {missing.site.property}")


def _find_obstacle(
    resource: Resource, missing: MissingLabels, given: Sequence[str]
) -> tuple[str, str] | None:
    """Return (why configuration does not reach a place, what would help); None where it does."""
    in_program = f"{', '.join(given)} in the program, at {missing.site.property}"
    if resource.cloud not in DEFAULTS:
        return f"{resource.type.partition(':')[0]} has no default labels", in_program
    if not missing.carrier.inherits:
        return f"default labels do not reach {missing.site.property}", in_program
    provider = resource.provider.urn if resource.provider else ""
    if provider and not _DEFAULT_PROVIDER.fullmatch(provider):
        name = provider.rpartition("::")[2]
        where = f"{', '.join(given)} among the default labels of {name}, in the program"
        return f"its provider {name} is declared by the program, not by configuration", where
    return None
