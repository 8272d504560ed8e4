"""Reading the files of a check: documents, waivers, baseline, configuration of rules."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import yaml

from tidegate.cli.text_files import read_text
from tidegate.engine.collecting import Fixtures
from tidegate.policy.baseline import Baseline, parse_baseline
from tidegate.policy.configuration import RuleConfiguration, parse_configuration
from tidegate.policy.rule_set import RuleSet
from tidegate.policy.waivers import Waiver, parse_waivers
from tidegate.vocabulary.problems import refuse

WAIVERS_FILE = "waivers.yaml"


def read_document(source: str) -> Any:
    """Return a JSON document.

    Raises:
        InvalidInput: When it is none; a truncated one is said to be so.
    """
    text = read_text(Path(source))
    if not text.strip():
        raise refuse(source, "", None, "is empty", "a JSON document")
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        at_end = error.pos >= len(text.rstrip()) - 1 or error.msg.startswith("Unterminated")
        reason = "is truncated: its JSON has no end" if at_end else f"is no JSON ({error.msg})"
        raise refuse(source, f"line {error.lineno}", None, reason, "a JSON document") from error


def read_waivers(path: Path | None, folder: Path, rules: RuleSet) -> tuple[Waiver, ...]:
    """Return the waivers of a file; by default of `waivers.yaml` in a folder, if it is there."""
    found = path or folder / WAIVERS_FILE
    if path is None and not found.is_file():
        return ()
    return parse_waivers(str(found), read_yaml(found), rules)


def read_baseline(path: Path | None) -> Baseline:
    """Return the baseline of a file; without one nothing was there before."""
    if path is None:
        return Baseline({})
    return parse_baseline(str(path), read_document(str(path)))


def read_rule_configuration(path: Path | None, rules: RuleSet) -> RuleConfiguration:
    """Return the configuration of rules in a file; without one every rule is as it is."""
    if path is None:
        return RuleConfiguration()
    return parse_configuration(str(path), read_document(str(path)), rules)


def read_fixtures(path: Path | None) -> Fixtures:
    """Return answers from outside: `functions` (token → result), `stacks` (name → outputs)."""
    if path is None:
        return Fixtures()
    document = read_yaml(path)
    expected = "`functions` (token → result) and `stacks` (name → outputs)"
    if not isinstance(document, dict) or set(document) - {"functions", "stacks"}:
        raise refuse(str(path), "", None, "is no file of answers", expected)
    functions, stacks = document.get("functions") or {}, document.get("stacks") or {}
    for key, answers in (("functions", functions), ("stacks", stacks)):
        good = isinstance(answers, dict) and all(isinstance(a, dict) for a in answers.values())
        if not good:
            raise refuse(str(path), key, None, "is no mapping of mappings", expected)
    return Fixtures(functions, stacks)


def read_yaml(path: Path) -> Any:
    """Return a YAML document.

    Raises:
        InvalidInput: When it is none.
    """
    try:
        return yaml.safe_load(read_text(path))
    except yaml.YAMLError as error:
        reason = f"is no YAML: {' '.join(str(error).split())}"
        raise refuse(str(path), "", None, reason, "a YAML document") from error
