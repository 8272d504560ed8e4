"""Options that several commands share: what is read, and by which pack it is judged."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tidegate.opa.pack import find_pack, load_rules
from tidegate.policy.rule_set import Rule, RuleSet
from tidegate.ports import RuleEngineError
from tidegate.vocabulary.problems import refuse, suggest

_Reading = "What is read"
_Program = "How a program is run"

ProgramOption = Annotated[
    Path | None,
    typer.Option("--program", help="The folder of a program.", rich_help_panel=_Reading),
]
StackOption = Annotated[
    list[str] | None,
    typer.Option(
        "--stack",
        help="A stack of the program; may be repeated (default: each that has a file).",
        rich_help_panel=_Reading,
    ),
]
EnvironmentOption = Annotated[
    str,
    typer.Option(
        "--environment",
        help="The environment (default: <project>:environment, else the stack's name).",
        rich_help_panel=_Reading,
    ),
]
ConfigOption = Annotated[
    list[str] | None,
    typer.Option(
        "--config",
        metavar="KEY=VALUE",
        help="Configuration over the stack's; may be repeated.",
        rich_help_panel=_Program,
    ),
]
AnswersOption = Annotated[
    Path | None,
    typer.Option(
        "--answers",
        help="Answers of provider functions and other stacks.",
        rich_help_panel=_Program,
    ),
]
PassEnvOption = Annotated[
    list[str] | None,
    typer.Option(
        "--pass-env",
        metavar="NAME",
        help="An environment variable that the program may see; may be repeated.",
        rich_help_panel=_Program,
    ),
]
PolicyConfigOption = Annotated[
    Path | None,
    typer.Option("--policy-config", help="Levels and parameters of rules, as Pulumi takes them."),
]
PackOption = Annotated[
    Path | None, typer.Option("--pack", help="The policy pack (default: Tidegate's own).")
]
OpaUrlOption = Annotated[
    str,
    typer.Option("--opa-url", help="A central OPA that has the rules (default: one of our own)."),
]


def parse_pairs(command: str, option: str, given: list[str] | None) -> dict[str, str]:
    """Return KEY=VALUE options as a mapping.

    Raises:
        InvalidInput: When one is no pair.
    """
    pairs = [each.partition("=") for each in given or ()]
    for key, equals, _ in pairs:
        if not key or not equals:
            raise refuse(command, option, key, "is no pair", "KEY=VALUE")
    return {key: value for key, _, value in pairs}


def open_pack(pack: Path | None) -> tuple[Path, RuleSet]:
    """Return a policy pack, by default our own, and its rules.

    Raises:
        InvalidInput: When it is none, or a rule of it would not run.
    """
    try:
        found = pack or find_pack()
    except RuleEngineError as error:
        raise refuse("policy pack", "", None, str(error)) from error
    if not (found / "rules").is_dir():
        raise refuse("--pack", "", str(found), "is no policy pack", "a folder with rules")
    return found, load_rules(found)


def find_rule(rules: RuleSet, id: str) -> Rule:
    """Return a rule by its id.

    Raises:
        InvalidInput: When there is none; names the nearest.
    """
    if id not in rules.ids:
        hint = suggest(id, rules.ids)
        raise refuse("rule", "", id, f"is no rule of this pack{hint}", "`tidegate rules list`")
    return rules.rule(id)
