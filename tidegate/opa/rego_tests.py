"""The Rego tests of rules, run by OPA: what fails, what nothing runs, what no test reaches."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tidegate.opa.program import find_opa
from tidegate.ports import RuleEngineError

_SECONDS = 300.0
_DEFINED = re.compile(r"^(?:default )?([a-z_]\w*)(?=[\s(\[])", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class RegoTests:
    """What the tests of some rules came to.

    Attributes:
        passed: How many passed.
        faults: Rule's path → what is wrong, each a sentence.
    """

    passed: int
    faults: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


def run_rego_tests(pack: Path, paths: Sequence[str]) -> RegoTests:
    """Run the tests of rules with what they import.

    A rule without a test, a test that fails, is skipped or has a name that nothing runs, and a
    line of a rule that no test reaches are faults.

    Args:
        pack: The policy pack.
        paths: The rules (`category/name`).

    Raises:
        RuleEngineError: When a module does not compile, with OPA's words.
    """
    sources = ["lib", *(f"rules/{path}" for path in paths)]
    results = _run_opa(pack, sources)
    own = {path: _of_rule(results, path) for path in paths}
    failing = any(entry.get("fail") for entries in own.values() for entry in entries)
    unreached = {} if failing else _find_unreached(pack, sources, paths)
    faults = {
        path: (*_find_faults(pack, path, entries), *unreached.get(path, ()))
        for path, entries in own.items()
    }
    passed = sum(
        not entry.get("fail") and not entry.get("skip")
        for entries in own.values()
        for entry in entries
    )
    return RegoTests(passed, {path: found for path, found in faults.items() if found})


def _of_rule(results: Sequence[Mapping[str, Any]], path: str) -> list[Mapping[str, Any]]:
    return [each for each in results if each["location"]["file"].startswith(f"rules/{path}/")]


def _find_faults(pack: Path, path: str, entries: Sequence[Mapping[str, Any]]) -> list[str]:
    name = path.rpartition("/")[2]
    module = pack / "rules" / path / f"{name}_test.rego"
    written = {
        found for found in _DEFINED.findall(module.read_text(encoding="utf-8")) if "test" in found
    }
    ran = {entry["name"] for entry in entries}
    faults = [] if ran else ["it has no test"]
    for entry in sorted(entries, key=lambda entry: entry["location"]["row"]):
        place = f"{module.name}:{entry['location']['row']}"
        if entry.get("fail"):
            faults.append(f"{place}: {entry['name']} fails: what it expects is not what is found")
        elif entry.get("skip"):
            faults.append(f"{place}: {entry['name']} is skipped")
    return faults + [f"{module.name}: nothing runs {each}" for each in sorted(written - ran)]


def _find_unreached(
    pack: Path, sources: Sequence[str], paths: Sequence[str]
) -> dict[str, tuple[str, ...]]:
    report = _run_opa(pack, sources, "--coverage")
    found: dict[str, tuple[str, ...]] = {}
    for path in paths:
        module = f"{path.rpartition('/')[2]}.rego"
        entry = report["files"].get(f"rules/{path}/{module}", {})
        rows = [each["start"]["row"] for each in entry.get("not_covered") or ()]
        if rows:
            lines = ", ".join(map(str, rows))
            found[path] = (f"{module}: no test reaches what is found in line {lines}",)
    return found


def _run_opa(pack: Path, sources: Sequence[str], *options: str) -> Any:
    # The library's own tests are about all rules together.
    only = ["--format=json", "--ignore=*.yaml", r"--run=^data\.tidegate\.rules\."]
    command = [str(find_opa()), "test", *only, *options, *sources]
    try:
        done = subprocess.run(  # noqa: S603 - the program was found by us, the rest is ours
            command, cwd=pack, capture_output=True, text=True, check=False, timeout=_SECONDS
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise RuleEngineError(f"OPA could not run the tests: {error}") from error
    try:
        return json.loads(done.stdout) or []
    except ValueError as error:
        words = (done.stderr or done.stdout).strip()[:2000]
        raise RuleEngineError(f"OPA could not run the tests: {words}") from error
