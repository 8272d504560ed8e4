"""`tidegate rules`: what a pack's rules are, why they say what they say, and new ones."""

from __future__ import annotations

import json
from typing import Annotated, Any

import typer

from tidegate.cli.output import FormatOption, OutputFormat, print_json
from tidegate.cli.rules_cases import run_tests
from tidegate.cli.rules_explain import explain
from tidegate.cli.rules_list import print_rules
from tidegate.cli.rules_new import new
from tidegate.cli.ways_options import PackOption, open_pack
from tidegate.policy.rule_set import Rule, RuleSet
from tidegate.vocabulary.problems import nearest, refuse

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="rich",
    help=(
        "The rules of a policy pack, for those who use and those who write them.\n\n"
        "Example: [bold]tidegate rules explain TG-LBL-001 --preview plan.json[/bold]"
    ),
)
app.command("explain", epilog="Example: tidegate rules explain TG-SCL-001 gpu --preview plan.json")(
    explain
)
app.command("new", epilog="Example: tidegate rules new TG-STO-007 --title 'Buckets have owners'")(
    new
)
app.command("test", epilog="Example: tidegate rules test policies/rules/storage")(run_tests)


@app.command("list", epilog="Example: tidegate rules list --format json")
def list_rules(pack: PackOption = None, output: FormatOption = OutputFormat.TABLE) -> None:
    """List the rules of a pack."""
    _, rules = open_pack(pack)
    print_rules(rules, output)


@app.command("show", epilog="Example: tidegate rules show TG-LBL-001 --page")
def show(
    rule: Annotated[str, typer.Argument(help="The rule's id.")],
    page: Annotated[bool, typer.Option("--page", help="Print its page as well.")] = False,
    pack: PackOption = None,
    output: FormatOption = OutputFormat.TABLE,
) -> None:
    """Show one rule: what it is for, its parameters with their defaults, what to do."""
    folder, rules = open_pack(pack)
    found = find_rule(rules, rule)
    text = (folder / "rules" / found.path / "README.md").read_text(encoding="utf-8") if page else ""
    if output is OutputFormat.JSON:
        print_json({**_describe(found), **({"page": text} if page else {})})
        return
    typer.echo("\n".join(_render(found)))
    if page:
        typer.echo(f"\n{text}", nl=False)


def find_rule(rules: RuleSet, id: str) -> Rule:
    """Return a rule by its id.

    Raises:
        InvalidInput: When there is none; names the nearest.
    """
    if id not in rules.ids:
        guess = nearest(id, rules.ids)
        hint = f" (did you mean {guess!r}?)" if guess else ""
        raise refuse("rule", "", id, f"is no rule of this pack{hint}", "`tidegate rules list`")
    return rules.rule(id)


def _describe(rule: Rule) -> dict[str, Any]:
    return {
        "id": rule.id,
        "path": rule.path,
        "title": rule.title,
        "description": rule.description,
        "severity": rule.severity.value,
        "level": rule.level.value,
        "scope": rule.scope.value,
        "remediation": rule.remediation,
        "docs": rule.docs,
        "parameters": {name: dict(schema) for name, schema in rule.parameters.items()},
    }


def _render(rule: Rule) -> list[str]:
    lines = [
        f"{rule.id}: {rule.title}",
        f"  {rule.description}",
        f"  severity:    {rule.severity.value}",
        f"  level:       {rule.level.value}",
        f"  scope:       {rule.scope.value}",
        f"  remedy:      {rule.remediation}",
        f"  page:        {rule.docs}",
        "  parameters:" if rule.parameters else "  parameters:  none",
    ]
    for name, schema in rule.parameters.items():
        default = json.dumps(schema["default"], ensure_ascii=False)
        lines.append(f"    {name} ({schema['type']}): {schema.get('description', '')}")
        lines.append(f"      default: {default}")
    return lines
