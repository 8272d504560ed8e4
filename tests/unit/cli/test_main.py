"""The command line as a whole: help, bad input, what is not available."""

from __future__ import annotations

import importlib
import subprocess
import sys

import pytest

from tidegate.cli import main
from tidegate.vocabulary.problems import Unavailable, refuse


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    code = "from tidegate.cli.main import run; run()"
    return subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=False
    )


def test_help_names_every_group_and_shows_an_example() -> None:
    shown = run("--help")
    assert shown.returncode == 0
    assert set(main.GROUPS) - set(shown.stdout.split()) == set()
    assert "Example" in shown.stdout


@pytest.mark.parametrize("group", sorted(main.GROUPS))
def test_every_group_is_a_module_with_an_app(group: str) -> None:
    assert importlib.import_module(main.GROUPS[group]).app is not None


def test_only_the_group_that_is_asked_for_is_imported() -> None:
    code = (
        "import sys; from tidegate.cli.main import run\n"
        "try: run()\n"
        "except SystemExit: pass\n"
        "print(sorted(name for name in sys.modules if name.startswith('tidegate.cli.')))"
    )
    shown = subprocess.run(
        [sys.executable, "-c", code, "manifest", "schema"], capture_output=True, text=True
    )
    assert "tidegate.cli.catalog'" not in shown.stdout
    assert "tidegate.cli.manifest'" in shown.stdout


def test_help_of_a_simulation_loads_no_numpy() -> None:
    code = "import sys; sys.modules['numpy'] = None; from tidegate.cli.main import run; run()"
    shown = subprocess.run(
        [sys.executable, "-c", code, "simulate", "--help"], capture_output=True, text=True
    )
    assert (shown.returncode, shown.stderr) == (0, "")


def run_lacking(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the command line where two groups need a package that nobody has."""
    code = (
        "from tidegate.cli import main\n"
        "main.GROUPS.update(local='absent_package.app', up='absent_package')\n"
        "main.run()"
    )
    return subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=False
    )


def test_help_says_what_to_install_for_a_group_that_cannot_be_loaded() -> None:
    shown = run_lacking("--help")

    assert (shown.returncode, shown.stderr) == (0, "")
    lines = [line.strip("│ \n") for line in shown.stdout.splitlines()]
    told = {name: text for name, _, text in (line.partition(" ") for line in lines)}
    assert told["local"].strip() == "Not installed: install tidegate[local]."
    assert told["up"].strip() == "Not installed: install tidegate[local]."
    assert "Observe demand" in told["controller"]
    alone = run_lacking("local", "--help")
    assert "Not installed: install tidegate[local]." in alone.stdout


@pytest.mark.parametrize("arguments", [("local", "up"), ("up", "dev", "--format", "json")])
def test_a_group_that_cannot_be_loaded_ends_with_1_and_says_what_to_install(
    arguments: tuple[str, ...],
) -> None:
    shown = run_lacking(*arguments)

    message = f"error: `tidegate {arguments[0]}` needs absent_package: install tidegate[local]\n"
    assert (shown.returncode, shown.stdout, shown.stderr) == (1, "", message)


def test_help_of_every_group_needs_no_provider_sdk() -> None:
    code = "import sys; sys.modules['pulumi'] = None; from tidegate.cli.main import run; run()"
    shown = subprocess.run([sys.executable, "-c", code, "--help"], capture_output=True, text=True)

    assert (shown.returncode, shown.stderr) == (0, "")
    assert "Not installed" not in shown.stdout


def test_a_module_that_tidegate_itself_lacks_is_no_missing_extra() -> None:
    fault = ModuleNotFoundError("No module", name="tidegate.cli.nothing")
    with pytest.raises(ModuleNotFoundError):
        main.build_lacking("local", fault)


def test_bad_input_ends_with_2_and_one_line_a_problem(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refuse_input() -> None:
        raise refuse("pool a", "maxNodes", 0, "leaves no node", "at least 1")

    monkeypatch.setattr(main, "app", refuse_input)
    with pytest.raises(SystemExit) as ended:
        main.run()
    assert ended.value.code == 2
    assert (
        capsys.readouterr().err
        == "error: pool a: maxNodes = 0: leaves no node; expected at least 1\n"
    )


def test_what_is_not_available_ends_with_1_and_its_message(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail() -> None:
        raise Unavailable("opa is missing: run ./scripts/setup")

    monkeypatch.setattr(main, "app", fail)
    with pytest.raises(SystemExit) as ended:
        main.run()
    assert ended.value.code == 1
    assert capsys.readouterr().err == "error: opa is missing: run ./scripts/setup\n"
