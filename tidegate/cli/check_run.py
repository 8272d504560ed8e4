"""One check from its input to its report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from tidegate import __version__
from tidegate.catalog.catalog import Catalog
from tidegate.cli.check_costs import price_stacks
from tidegate.cli.check_inputs import Seen
from tidegate.opa.central import CentralOpa
from tidegate.opa.opening import open_rule_engine
from tidegate.policy.check import StackCheck
from tidegate.policy.configuration import RuleConfiguration
from tidegate.policy.rule_set import RuleSet
from tidegate.policy.standing import Terms, build_judgement, review_all
from tidegate.policy.waivers import Waiver
from tidegate.report.check_report import CheckReport
from tidegate.vocabulary.problems import InvalidInput, Problem
from tidegate.vocabulary.verdicts import Verdict

ANSWER_SECONDS = 120.0
"""How long OPA may take for one question."""

GARBAGE_PERCENT = 300
"""It saves a fifth of OPA's time, and its memory has a limit of its own."""


@dataclass(frozen=True, slots=True)
class Checked:
    """A check that came to its end.

    Attributes:
        report: What it found.
        verdicts: What the rules said, of all stacks.
    """

    report: CheckReport
    verdicts: tuple[Verdict, ...]


@dataclass(frozen=True, slots=True)
class Prices:
    """By what a check prices.

    Attributes:
        catalog: Where prices are looked up, by rules and for costs alike.
        before: Files that tell a stack before the change; None where nobody wants costs.
    """

    catalog: Catalog
    before: tuple[str, ...] | None = None


def run_check(
    seen: Sequence[Seen],
    pack: Path,
    rules: RuleSet,
    configuration: RuleConfiguration,
    terms: Terms,
    folder: str,
    central: CentralOpa | None = None,
    *,
    prices: Prices,
) -> Checked:
    """Return what the rules of a pack say of each stack.

    Raises:
        RuleEngineError: When OPA cannot answer; nothing was judged then.
        InvalidInput: When a waiver is for nothing, or a parameter of a rule does not fit.
    """
    with open_rule_engine(
        pack, rules, ANSWER_SECONDS, central, garbage_percent=GARBAGE_PERCENT
    ) as engine:
        check = StackCheck(rules, engine, prices.catalog, terms.today.isoformat())
        verdicts = [_judge(check, configuration, each) for each in seen]
    judgements = tuple(
        build_judgement(
            each.source, each.graph, said, _weigh_by(terms, configuration, each), each.notes
        )
        for each, said in zip(seen, verdicts, strict=True)
    )
    review = review_all(judgements, [each.graph for each in seen], terms)
    if all(each.is_whole for each in seen):
        _refuse_for_nothing(review.for_nothing)
    costs = () if prices.before is None else price_stacks(seen, prices.before, prices.catalog)
    report = CheckReport(judgements, rules, review, __version__, folder, terms.today, costs)
    return Checked(report, tuple(verdict for said in verdicts for verdict in said))


def _judge(check: StackCheck, configuration: RuleConfiguration, seen: Seen) -> tuple[Verdict, ...]:
    check.configure(configuration.for_stack(seen.graph.stack).parameters)
    return check.judge_graph(seen.graph)


def _weigh_by(terms: Terms, configuration: RuleConfiguration, seen: Seen) -> Terms:
    """Return the terms with the levels that hold for one stack."""
    own = configuration.for_stack(seen.graph.stack)
    return replace(terms, levels=own.levels, disabled=own.disabled)


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
