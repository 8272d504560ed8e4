"""`tidegate rules new`: a rule, its tests, its cases and its page, passing from the start."""

from __future__ import annotations

from typing import Annotated

import typer

from tidegate.cli.output import FormatOption, OutputFormat, print_json
from tidegate.cli.ways_options import PackOption, open_pack
from tidegate.policy.scaffold import name_rule, render_rule
from tidegate.vocabulary.problems import refuse


def new(
    id: Annotated[str, typer.Argument(help="Its id, such as TG-STO-007.")],
    title: Annotated[str, typer.Option(help="A few words.")] = "",
    category: Annotated[
        str, typer.Option(help="The folder of its kind (default: that of rules with such an id).")
    ] = "",
    name: Annotated[str, typer.Option(help="Its own folder (default: from the title).")] = "",
    pack: PackOption = None,
    output: FormatOption = OutputFormat.TABLE,
) -> None:
    """Write the folder of a new rule. `tidegate rules test` passes at once; then change it."""
    folder, rules = open_pack(pack)
    if not (folder / "lib" / "verdicts.rego").is_file():
        expected = 'a copy of ours: cp -r "$(tidegate policies path)" DIR'
        raise refuse("--pack", "", str(folder), "has no library for rules", expected)
    rule = name_rule(rules, id, category, name, title)
    target = folder / "rules" / rule.path
    if target.exists():
        raise refuse("new rule", "name", str(target), "is there already", "another --name")
    written: list[str] = []
    try:
        target.mkdir(parents=True)
        for file_name, text in render_rule(rule).items():
            (target / file_name).write_text(text, encoding="utf-8")
            written.append(str(target / file_name))
    except OSError as error:
        reason = f"cannot be written ({error.strerror})"
        raise refuse(str(target), "", None, reason, "a pack of your own, with --pack") from error
    if output is OutputFormat.JSON:
        print_json({"id": rule.id, "path": rule.path, "title": rule.title, "files": written})
        return
    for path in written:
        typer.echo(path)
    typer.echo(f"now: tidegate rules test {target}", err=True)
