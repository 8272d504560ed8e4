"""The cases of rules, put to the real OPA through the real readers."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml

from tidegate.catalog.catalog import Catalog
from tidegate.policy.cases import CASES_FILE, Case, build_case_graph, compare_case, parse_cases
from tidegate.policy.check import StackCheck
from tidegate.policy.export import read_export
from tidegate.policy.graph import ResourceGraph
from tidegate.policy.preview import read_preview
from tidegate.policy.rule_set import Rule, RuleSet
from tidegate.ports import RuleEngine
from tidegate.vocabulary.problems import refuse

DAY = "2026-11-30"
"""The day on which cases are judged, so that they stay as they are."""


def read_cases(folder: Path) -> tuple[Case, ...]:
    """Return the cases in a rule's folder; none where it has no such file.

    Raises:
        InvalidInput: When the file is not understood.
    """
    path = folder / CASES_FILE
    if not path.is_file():
        return ()
    try:
        document = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        reason = f"is no YAML: {' '.join(str(error).split())}"
        raise refuse(str(path), "", None, reason) from error
    return parse_cases(str(path), document)


def run_cases(
    rule: Rule,
    folder: Path,
    cases: Sequence[Case],
    rules: RuleSet,
    engine: RuleEngine,
    catalog: Catalog,
) -> tuple[str, ...]:
    """Return what is wrong with a rule by its cases, each a sentence.

    Raises:
        InvalidInput: When a case's file or parameters do not fit.
        RuleEngineError: When OPA cannot answer.
    """
    faults: list[str] = []
    for case in cases:
        check = StackCheck(rules, engine, catalog, DAY)
        check.configure({rule.id: case.parameters})
        said = check.judge_graph(_read_graph(folder, case))
        own = [verdict for verdict in said if verdict.rule == rule.id]
        faults += [f"case {case.name!r}: {fault}" for fault in compare_case(case, own)]
    return tuple(faults)


def _read_graph(folder: Path, case: Case) -> ResourceGraph:
    where = f"{folder.name}: case {case.name!r}"
    if case.source == "resources":
        return build_case_graph(where, case)
    path = folder / case.content
    document = _read_json(path)
    if case.source == "export":
        return read_export(str(path), document, case.environment)
    return read_preview(str(path), document, case.environment).graph


def _read_json(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise refuse(str(path), "", None, "cannot be read as JSON", "a recorded file") from error
