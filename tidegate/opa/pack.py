"""The policy pack on disk: where it is, and the rules that it holds."""

from __future__ import annotations

import importlib.util
from pathlib import Path

from tidegate.policy.rule_set import Rule, RuleSet, parse_rule
from tidegate.ports import RuleEngineError
from tidegate.vocabulary.problems import InvalidInput, Problem

_PACKAGED = "tidegate_policies"
_FILES = ("{name}.rego", "{name}_test.rego", "README.md")


def find_pack() -> Path:
    """Return the directory of the policy pack: the checkout's, else the installed one.

    The checkout comes first because an editable install also leaves a copy of the pack among
    the installed packages, where it goes stale.

    Raises:
        RuleEngineError: When neither is there.
    """
    checkout = Path(__file__).resolve().parents[2] / "policies"
    if _is_pack(checkout):
        return checkout
    spec = importlib.util.find_spec(_PACKAGED)
    for location in spec.submodule_search_locations or () if spec else ():
        if _is_pack(Path(location)):
            return Path(location)
    raise RuleEngineError(
        "the policy pack was found neither in this checkout nor among the installed packages; "
        "install tidegate from its wheel"
    )


def load_rules(pack: Path) -> RuleSet:
    """Return the rules of a pack, each checked.

    Raises:
        InvalidInput: For everything that would make a rule not run, or not be tested, without
            anybody hearing of it: a stray file, a missing test or page, bad metadata, an id or
            package that is not unique.
    """
    rules: list[Rule] = []
    problems: list[Problem] = []
    for directory in sorted((pack / "rules").glob("*/*")):
        path = f"{directory.parent.name}/{directory.name}"
        problems += _check_folder(path, directory)
        try:
            module = directory / f"{directory.name}.rego"
            rules.append(parse_rule(path, module.read_text(encoding="utf-8")))
        except InvalidInput as invalid:
            problems += invalid.problems
        except (FileNotFoundError, NotADirectoryError):
            continue  # already among the problems of its folder
    if problems:
        raise InvalidInput(problems)
    return RuleSet(tuple(rules))


def _is_pack(directory: Path) -> bool:
    return (directory / "PulumiPolicy.yaml").is_file() and (directory / "rules").is_dir()


def _check_folder(path: str, directory: Path) -> list[Problem]:
    where = f"rule {path}"
    if not directory.is_dir():
        return [Problem(where, "", "", "is no folder, so that nothing runs it", "a rule's folder")]
    expected = {pattern.format(name=directory.name) for pattern in _FILES}
    present = {entry.name for entry in directory.iterdir()}
    missing = [
        Problem(where, name, "", "is missing from the rule's folder", ", ".join(sorted(expected)))
        for name in sorted(expected - present)
    ]
    stray = [
        Problem(where, name, "", "is a Rego file that is no rule and no test", directory.name)
        for name in sorted(present - expected)
        if name.endswith(".rego")
    ]
    return missing + stray
