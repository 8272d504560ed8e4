"""Programs that nobody here wrote, run as a check runs them."""

from __future__ import annotations

import os

import pytest

from tidegate.engine.collecting import Settings, collect_program
from tidegate.engine.config import read_project
from tidegate.vocabulary.problems import InvalidInput

PROJECT = "name: theirs\nruntime: python\n"


@pytest.fixture
def write_program(tmp_path):
    """Return what writes a program and its project: `write_program(source, files)` → its folder."""

    def write(source, files=None):
        for name, text in {"Pulumi.yaml": PROJECT, "__main__.py": source, **(files or {})}.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return tmp_path

    return write


@pytest.fixture
def collect(write_program):
    """Return what runs a program: `collect(source, files=…, **settings)` → resources by name."""

    def run(source, files=None, environment=os.environ, **settings):
        project = read_project(write_program(source, files))
        document = collect_program(project, Settings("dev", **settings), environment)
        run.document = document
        return {state["urn"].rsplit("::", 1)[-1]: state for state in document["resources"]}

    return run


@pytest.fixture
def refusal(collect):
    """Return what runs a program that is refused, and gives the one line about it."""

    def run(source, **others):
        with pytest.raises(InvalidInput) as caught:
            collect(source, **others)
        (problem,) = caught.value.problems
        assert "\n" not in str(problem)
        return str(problem)

    return run
