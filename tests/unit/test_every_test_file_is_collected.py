"""A file of tests that pytest does not collect protects nothing."""

from __future__ import annotations

import ast
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
HOLDS_NO_TESTS = {"data"}


def defines_tests(path: Path) -> bool:
    """Whether a file has a function or method that pytest would take for a test."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return any(
        isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test")
        for node in ast.walk(tree)
    )


def python_files() -> list[Path]:
    return [
        path
        for path in sorted(TESTS.rglob("*.py"))
        if not HOLDS_NO_TESTS & set(path.relative_to(TESTS).parts)
    ]


def test_every_file_with_tests_has_a_name_that_is_collected() -> None:
    missed = [
        str(path.relative_to(TESTS))
        for path in python_files()
        if defines_tests(path) and not path.name.startswith("test_")
    ]
    assert missed == []


def test_every_collected_file_has_tests() -> None:
    empty = [
        str(path.relative_to(TESTS))
        for path in python_files()
        if path.name.startswith("test_") and not defines_tests(path)
    ]
    assert empty == []


def test_test_functions_stand_where_pytest_looks() -> None:
    """A test nested in a function is never run; one in a class only if that is called Test…."""
    lost = []
    for path in python_files():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) or (
                isinstance(node, ast.ClassDef)
                and not node.name.startswith("Test")
                and not any("StateMachine" in ast.unparse(base) for base in node.bases)
            ):
                lost += [
                    f"{path.relative_to(TESTS)}: {inner.name}"
                    for inner in node.body
                    if isinstance(inner, ast.FunctionDef | ast.AsyncFunctionDef)
                    and inner.name.startswith("test_")
                ]
    assert lost == []
