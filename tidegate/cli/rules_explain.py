"""`tidegate rules explain`: why a rule says what it says of a resource."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

import typer

from tidegate.catalog.load import load_catalog
from tidegate.cli.check_files import read_rule_configuration
from tidegate.cli.check_inputs import Seen, Ways, read_stacks
from tidegate.cli.output import FormatOption, OutputFormat, print_json
from tidegate.cli.ways_options import (
    AnswersOption,
    ConfigOption,
    EnvironmentOption,
    PackOption,
    PassEnvOption,
    PolicyConfigOption,
    ProgramOption,
    StackOption,
    find_rule,
    open_pack,
    parse_pairs,
)
from tidegate.opa.central import read_central_opa
from tidegate.opa.opening import open_rule_engine
from tidegate.policy.check import StackCheck
from tidegate.policy.configuration import RuleConfiguration
from tidegate.policy.document import build_document
from tidegate.policy.explain import Explanation, explain_parameters, explain_verdicts
from tidegate.policy.graph import ResourceGraph
from tidegate.policy.levels import apply_levels
from tidegate.policy.parameters import build_parameters
from tidegate.policy.rule_set import Rule, RuleSet
from tidegate.ports import RuleEngineError
from tidegate.vocabulary.problems import refuse, suggest
from tidegate.vocabulary.verdicts import Outcome, Verdict

ANSWER_SECONDS = 120.0
STACK = "stack"
"""How the stack as a whole is named where a resource could be."""

_ERROR = 2
_Loud = (Outcome.FAIL, Outcome.UNKNOWN)


def explain(
    rule: Annotated[str, typer.Argument(help="The rule's id.")],
    resource: Annotated[
        str,
        typer.Argument(
            help="A resource's name or URN, or `stack` (default: all that does not pass)."
        ),
    ] = "",
    program: ProgramOption = None,
    preview: Annotated[str | None, typer.Option(metavar="FILE", help="A preview, or '-'.")] = None,
    export: Annotated[str | None, typer.Option(metavar="FILE", help="A stack export.")] = None,
    events: Annotated[str | None, typer.Option(metavar="FILE", help="An event log.")] = None,
    stack: StackOption = None,
    environment: EnvironmentOption = "",
    config: ConfigOption = None,
    answers: AnswersOption = None,
    pass_env: PassEnvOption = None,
    policy_config: PolicyConfigOption = None,
    pack: PackOption = None,
    output: FormatOption = OutputFormat.TABLE,
) -> None:
    """Say why a rule passes, fails or cannot tell, by which parameters and facts.

    Without an input it is the program in the working directory. Exit code 0, or 2 when there is
    no such rule or resource, or nothing could be judged.
    """
    folder, rules = open_pack(pack)
    wanted = find_rule(rules, rule)
    ways = Ways(
        program=program,
        preview=preview,
        export=export,
        events=events,
        stacks=tuple(stack or ()),
        environment=environment,
        values=parse_pairs("tidegate rules explain", "--config", config),
        answers=answers,
        variables=tuple(pass_env or ()),
    )
    configuration = read_rule_configuration(policy_config, rules)
    try:
        found = _explain_all(read_stacks(ways), folder, rules, wanted, resource, configuration)
    except RuleEngineError as error:
        typer.echo(f"error: {error}", err=True)
        raise typer.Exit(_ERROR) from error
    if output is OutputFormat.JSON:
        print_json([_describe(each) for each in found])
        return
    if not found:
        typer.echo(f"{rule}: nothing fails and nothing is unknown; name a resource to see why")
    typer.echo("\n\n".join("\n".join(_render(each)) for each in found), nl=bool(found))


def _explain_all(
    seen: Sequence[Seen],
    pack: Path,
    rules: RuleSet,
    rule: Rule,
    resource: str,
    configuration: RuleConfiguration,
) -> list[Explanation]:
    named = {each.source: _find_urns(each.graph, resource) for each in seen}
    if resource and not any(named.values()):
        names = {each.name for one in seen for each in one.graph.resources}
        hint = suggest(resource, names)
        where = ", ".join(each.source for each in seen)
        raise refuse(where, "", resource, f"is no resource of it{hint}", "a name or URN, or stack")
    modules = _read_modules(pack, rule)
    found: list[Explanation] = []
    central = read_central_opa(os.environ)
    with open_rule_engine(pack, rules, ANSWER_SECONDS, central) as engine:
        catalog, today = load_catalog(), datetime.now(UTC).date().isoformat()
        check = StackCheck(rules, engine, catalog, today)
        for each in seen:
            own = configuration.for_stack(each.graph.stack)
            given = own.parameters
            check.configure(given)
            values = build_parameters(rule.id, rule.parameters, given.get(rule.id, {}))
            document = build_document(each.graph, {rule.id: values}, catalog=catalog, date=today)
            said = apply_levels(check.judge_graph(each.graph), own.levels)
            parameters = explain_parameters(rule, values, configuration, each.graph.stack)
            found += [
                explain_verdicts(rule, urn, each.graph, document, said, parameters, modules)
                for urn in (named[each.source] if resource else _find_loud(rule, said))
            ]
    return found


def _find_urns(graph: ResourceGraph, name: str) -> list[str]:
    if name == STACK:
        return [""]
    return [each.urn for each in graph.resources if name in (each.urn, each.name)]


def _find_loud(rule: Rule, verdicts: Sequence[Verdict]) -> list[str]:
    loud = (each for each in verdicts if each.rule == rule.id and each.outcome in _Loud)
    return list(dict.fromkeys(each.urn for each in loud))


def _read_modules(pack: Path, rule: Rule) -> dict[str, str]:
    own = pack / "rules" / rule.path / f"{rule.path.rpartition('/')[2]}.rego"
    library = {path.stem: path for path in (pack / "lib").glob("*.rego")}
    paths = {"": own, **library}
    return {name: path.read_text(encoding="utf-8") for name, path in paths.items()}


def _describe(each: Explanation) -> dict[str, Any]:
    return {
        "rule": each.rule.id,
        "title": each.rule.title,
        "urn": each.urn,
        "source": _place(each, "{}"),
        "meaning": each.meaning,
        "verdicts": [
            {
                "outcome": verdict.outcome.value,
                "level": verdict.level.value,
                "message": verdict.message,
                "property": verdict.property,
                "expected": verdict.expected,
                "found": verdict.found,
            }
            for verdict in each.verdicts
        ],
        "parameters": [
            {"name": parameter.name, "value": parameter.value, "from": parameter.origin}
            for parameter in each.parameters
        ],
        "facts": each.facts,
        "labelSites": each.label_sites,
        "properties": each.properties,
        "hidden": each.hidden,
        "remediation": each.rule.remediation,
        "docs": each.rule.docs,
    }


def _render(each: Explanation) -> list[str]:
    lines = [
        f"{each.rule.id}: {each.rule.title}",
        f"  of:        {each.urn or 'the stack'}{_place(each, ' ({})')}",
        f"  it says:   {each.meaning}",
    ]
    for verdict in each.verdicts:
        level = f" ({verdict.level.value})" if verdict.outcome is Outcome.FAIL else ""
        lines.append(f"  {verdict.outcome.value}{level}:")
        texts = {
            "message": verdict.message,
            "property": verdict.property,
            "found": verdict.found,
            "expected": verdict.expected,
        }
        lines += [f"    {key + ':':<10} {text}" for key, text in texts.items() if text]
    lines.append("  by these parameters:")
    for parameter in each.parameters:
        lines.append(f"    {parameter.name} = {_json(parameter.value)} ({parameter.origin})")
    lines += _render_inputs(each)
    if any(verdict.outcome in _Loud for verdict in each.verdicts):
        lines.append(f"  right would be: {each.rule.remediation}")
    return [*lines, f"  more:      {each.rule.docs}"]


def _render_inputs(each: Explanation) -> list[str]:
    inputs: dict[str, Any] = {
        **{f"fact {name}": value for name, value in each.facts.items()},
        **{
            f"labels at {site['property']} ({site['scope']})": _shown_labels(site)
            for site in each.label_sites or ()
        },
        **{f"property {path}": value for path, value in each.properties.items()},
    }
    lines = ["  and what it reads:"] if inputs else []
    lines += [f"    {name}: {_json(value)}" for name, value in inputs.items()]
    if each.hidden:
        lines.append("  nobody can see:")
        lines += [f"    {path}: {why}" for path, why in each.hidden.items()]
    return lines


def _place(each: Explanation, form: str) -> str:
    """Return the program's line that declares the resource, in a form; "" where nobody knows."""
    source = next((verdict.source for verdict in each.verdicts if verdict.source), None)
    return form.format(f"{source.path}:{source.line}") if source else ""


def _shown_labels(site: Mapping[str, Any]) -> Any:
    return site["elsewhere"] or site["labels"]


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
