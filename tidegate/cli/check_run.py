"""One check from its input to its report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tidegate import __version__
from tidegate.catalog.load import load_catalog
from tidegate.cli.check_inputs import Seen
from tidegate.opa.program import find_opa
from tidegate.opa.rule_engine import OpaRuleEngine
from tidegate.opa.server import OpaServer
from tidegate.policy.check import StackCheck
from tidegate.policy.configuration import RuleConfiguration
from tidegate.policy.rule_set import RuleSet
from tidegate.policy.standing import Terms, build_judgement, review_all
from tidegate.policy.waivers import Waiver
from tidegate.report.check_report import CheckReport
from tidegate.vocabulary.problems import InvalidInput, Problem
from tidegate.vocabulary.verdicts import Verdict

ANSWER_SECONDS = 120.0
"""How long OPA may take for one stack."""


@dataclass(frozen=True, slots=True)
class Checked:
    """A check that came to its end.

    Attributes:
        report: What it found.
        verdicts: What the rules said, of all stacks.
    """

    report: CheckReport
    verdicts: tuple[Verdict, ...]


def run_check(
    seen: Sequence[Seen],
    pack: Path,
    rules: RuleSet,
    configuration: RuleConfiguration,
    terms: Terms,
    folder: str,
) -> Checked:
    """Return what the rules of a pack say of each stack.

    Raises:
        RuleEngineError: When OPA cannot answer; nothing was judged then.
        InvalidInput: When a waiver is for nothing, or a parameter of a rule does not fit.
    """
    with OpaServer(find_opa(), [pack / "lib", pack / "rules"]) as server:
        engine = OpaRuleEngine(server.client(ANSWER_SECONDS), rules)
        check = StackCheck(rules, engine, load_catalog(), terms.today.isoformat())
        check.configure(configuration.parameters)
        verdicts = [check.judge_graph(each.graph) for each in seen]
    judgements = tuple(
        build_judgement(each.source, each.graph, said, terms, each.notes)
        for each, said in zip(seen, verdicts, strict=True)
    )
    review = review_all(judgements, [each.graph for each in seen], terms)
    if all(each.is_whole for each in seen):
        _refuse_for_nothing(review.for_nothing)
    report = CheckReport(judgements, rules, review, __version__, folder)
    return Checked(report, tuple(verdict for said in verdicts for verdict in said))


def _refuse_for_nothing(waivers: Sequence[Waiver]) -> None:
    problems = [
        Problem(
            "waivers",
            waiver.rule,
            waiver.urn,
            "covers no resource of the stacks that were checked",
            "the URN of one, or no waiver",
        )
        for waiver in waivers
    ]
    if problems:
        raise InvalidInput(problems)
