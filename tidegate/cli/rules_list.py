"""A pack's rules as a list, for `tidegate rules list` and `tidegate policies list`."""

from __future__ import annotations

from tidegate.cli.output import OutputFormat, build_console, print_json
from tidegate.policy.rule_set import RuleSet


def print_rules(rules: RuleSet, output: OutputFormat) -> None:
    """Print a line a rule, in the order of their ids."""
    ordered = sorted(rules.rules, key=lambda rule: rule.id)
    rows = [
        {
            "id": rule.id,
            "severity": rule.severity.value,
            "level": rule.level.value,
            "title": rule.title,
            "docs": rule.docs,
        }
        for rule in ordered
    ]
    if output is OutputFormat.JSON:
        print_json(rows)
        return
    from rich.table import Table

    table = Table("Rule", "Severity", "Level", "Title")
    for row in rows:
        table.add_row(row["id"], row["severity"], row["level"], row["title"])
    build_console().print(table)
