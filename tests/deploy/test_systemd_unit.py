"""The systemd unit: read by systemd itself, held to a level of exposure, with known options."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest
import typer
from support.programs import lack

from tidegate.cli.controller import app

UNIT = Path(__file__).resolve().parents[2] / "deploy" / "tidegate-controller.service"
MOST_EXPOSED = 1.5
"""Of 10, as systemd counts; the network that the controller needs alone is 0.5."""


@pytest.fixture
def analyze():
    program = shutil.which("systemd-analyze")
    if program is None:
        lack("systemd-analyze is absent: install systemd", "TIDEGATE_WITHOUT_SYSTEMD")

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([program, *arguments], capture_output=True, text=True, check=False)

    return run


def read_command() -> list[str]:
    text = UNIT.read_text(encoding="utf-8").replace("\\\n", " ")
    (line,) = re.findall(r"^ExecStart=(.*)$", text, re.MULTILINE)
    return shlex.split(line)


def test_systemd_takes_every_line_of_it(analyze, tmp_path):
    program, *_ = read_command()
    copy = tmp_path / UNIT.name
    copy.write_text(UNIT.read_text("utf-8").replace(program, "/bin/true"), encoding="utf-8")

    checked = analyze("verify", "--man=no", str(copy))

    ours = [line for line in checked.stderr.splitlines() if UNIT.name in line]
    assert (checked.returncode, ours) == (0, []), checked.stderr


def test_it_is_exposed_to_no_more_than_it_needs(analyze):
    judged = analyze("security", "--offline=true", "--no-pager", str(UNIT))

    found = re.search(r"exposure level for \S+: ([0-9.]+)", judged.stdout)
    assert found is not None, judged.stdout + judged.stderr
    assert float(found[1]) <= MOST_EXPOSED


def test_it_starts_the_controller_by_options_that_there_are():
    program, *words = read_command()
    command = typer.main.get_command(app)
    run = command.get_command(None, "run")  # type: ignore[arg-type,attr-defined]

    assert (program, words[:2]) == ("/opt/tidegate/bin/tidegate", ["controller", "run"])
    known = {name for each in run.params for name in each.opts}
    assert {word for word in words if word.startswith("--")} <= known


def test_state_and_secrets_are_for_it_alone():
    lines = set(UNIT.read_text("utf-8").splitlines())

    assert {"DynamicUser=yes", "StateDirectoryMode=0700", "UMask=0077"} <= lines
    assert "EnvironmentFile=-/etc/tidegate/environment" in lines
