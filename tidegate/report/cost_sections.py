"""The cost of every stack of a check, in the form that a report wants.

What renders costs is loaded only where there are some: most checks are of stacks without a
manifest, and a check that takes a second notices a tenth of one.
"""

from __future__ import annotations

from typing import Any

from tidegate.policy.judgement import Judgement
from tidegate.report.check_report import CheckReport, name_stack


def render_costs(report: CheckReport, *, as_markdown: bool = False) -> list[str]:
    """Return lines for each stack whose cost is told; none where there is no such stack."""
    told = [(each, cost) for each in report.judgements if (cost := report.cost_of(each))]
    if not told:
        return []
    from tidegate.report.cost_text import render_cost_lines, render_cost_markdown

    render = render_cost_markdown if as_markdown else render_cost_lines
    return [line for judgement, cost in told for line in render(name_stack(judgement), cost)]


def dump_cost_of(report: CheckReport, judgement: Judgement) -> dict[str, Any] | None:
    """Return the cost of a stack as JSON; None where it is not told."""
    cost = report.cost_of(judgement)
    if cost is None:
        return None
    from tidegate.report.cost_json import dump_cost

    return dump_cost(cost)
