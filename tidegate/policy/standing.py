"""From verdicts to a judgement: what is waived, what was known, what makes the check fail."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date

from tidegate.policy.baseline import Baseline
from tidegate.policy.graph import ResourceGraph
from tidegate.policy.judgement import (
    Finding,
    Judgement,
    Standing,
    Threshold,
    decide_standing,
    find_not_covered,
)
from tidegate.policy.levels import apply_levels
from tidegate.policy.waivers import Waiver, WaiverReview, find_waiver, review_waivers
from tidegate.vocabulary.verdicts import Level, Outcome, Verdict


@dataclass(frozen=True, slots=True)
class Terms:
    """By what verdicts are weighed.

    Attributes:
        today: The day, for waivers.
        threshold: What makes the check fail.
        levels: Rule id → level that configuration sets.
        disabled: Ids of rules that configuration switches off.
        waivers: What is let through, by whom.
        baseline: What was there before.
    """

    today: date
    threshold: Threshold = field(default_factory=Threshold)
    levels: Mapping[str, Level] = field(default_factory=dict)
    disabled: frozenset[str] = frozenset()
    waivers: tuple[Waiver, ...] = ()
    baseline: Baseline = field(default_factory=lambda: Baseline({}))


def build_judgement(
    source: str,
    graph: ResourceGraph,
    verdicts: Sequence[Verdict],
    terms: Terms,
    notes: Iterable[str] = (),
) -> Judgement:
    """Return what verdicts come to under the terms of a check.

    A waiver comes before the baseline, so that a waiver that is needed never seems unused.

    Args:
        source: What was read, for people.
        graph: What was judged.
        verdicts: What the rules said of it.
        terms: By what they are weighed.
        notes: What a reader must know of the input.
    """
    levelled = apply_levels(verdicts, terms.levels, terms.disabled)
    waivers = [find_waiver(verdict, terms.waivers, terms.today) for verdict in levelled]
    unwaived = [index for index, waiver in enumerate(waivers) if waiver is None]
    known, gone = terms.baseline.split([levelled[index] for index in unwaived])
    in_baseline = {unwaived[index] for index in known}
    findings = tuple(
        _weigh(verdict, waivers[index], terms.threshold, is_known=index in in_baseline)
        for index, verdict in enumerate(levelled)
    )
    here = f"urn:pulumi:{graph.stack.name}::{graph.stack.project}::"
    fixed = sum(thing.urn.startswith(here) for thing in gone)
    said = [*notes]
    if fixed:
        said.append(f"{fixed} of the baseline no longer occur(s): write the baseline again")
    return Judgement(
        stack=graph.stack,
        source=source,
        resources=sum(not each.type.startswith("pulumi:") for each in graph.resources),
        findings=findings,
        not_covered=find_not_covered(graph, verdicts),
        notes=tuple(said),
    )


def review_all(
    judgements: Iterable[Judgement], graphs: Iterable[ResourceGraph], terms: Terms
) -> WaiverReview:
    """Return what became of the waivers over all stacks of a check."""
    used = [
        finding.waiver
        for judgement in judgements
        for finding in judgement.findings
        if finding.waiver is not None
    ]
    urns = [resource.urn for graph in graphs for resource in graph.resources]
    return review_waivers(terms.waivers, used, urns, terms.today)


def _weigh(
    verdict: Verdict, waiver: Waiver | None, threshold: Threshold, *, is_known: bool
) -> Finding:
    if waiver is not None:
        return Finding(replace(verdict, outcome=Outcome.WAIVED), Standing.WAIVED, waiver)
    standing = decide_standing(verdict, threshold)
    if is_known and standing is not Standing.FINE:
        return Finding(verdict, Standing.BASELINE)
    return Finding(verdict, standing)
