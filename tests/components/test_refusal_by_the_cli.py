"""Bad input as a person at the real CLI sees it."""

from __future__ import annotations

from pathlib import Path

import pytest

STACKS = Path(__file__).resolve().parents[2] / "stacks"


@pytest.fixture
def preview(pulumi_cli, tmp_path):
    """Preview `dev` with a changed configuration; return the exit code and what was printed."""
    project = tmp_path / "project"
    project.mkdir()
    # Initialised elsewhere: the CLI writes a salt into the configuration beside the project.
    (project / "Pulumi.yaml").write_text("name: tidegate\nruntime: python\n")
    done = pulumi_cli("stack", "init", f"refused-{tmp_path.name}", directory=project)
    assert done.returncode == 0, done.stderr
    stack, salt = f"refused-{tmp_path.name}", ""
    for line in (project / f"Pulumi.{stack}.yaml").read_text().splitlines():
        salt += f"{line}\n" if line.startswith("encryptionsalt:") else ""

    def run(*changes: tuple[str, str]) -> tuple[int, str]:
        config = (STACKS / "Pulumi.dev.yaml").read_text()
        for old, new in changes:
            assert old in config
            config = config.replace(old, new)
        file = tmp_path / "Pulumi.changed.yaml"
        file.write_text(config + salt)
        arguments = ["preview", "--non-interactive", "--config-file", str(file), "--stack", stack]
        done = pulumi_cli(*arguments)
        return done.returncode, done.stdout + done.stderr

    return run


def test_every_problem_is_one_readable_line_and_nothing_is_created(preview):
    code, printed = preview(
        ("retentionDays: 14", "retentionDays: 45"),
        ("tidegate:hourlyCeiling", "tidegate:hourlyCieling"),
    )

    assert code != 0
    assert "2 problems in the configuration; nothing was declared:" in printed
    assert "(did you mean 'tidegate:hourlyCeiling'?)" in printed
    assert "telemetry dev-run-logs: retentionDays = 45: is no retention of a" in printed
    assert "Traceback" not in printed
    assert "tidegate:index" not in printed


def test_all_components_are_judged_before_any_is_declared(preview):
    code, printed = preview(
        ("retentionDays: 14", "retentionDays: 45"),
        ("maxNodes: 1\n      declaredNodes: 0.25", "maxNodes: 0\n      declaredNodes: 0.25"),
    )

    assert code != 0
    assert "2 problems in the configuration; nothing was declared:" in printed
    assert "pool dev-azure-t4: maxNodes = 0: leaves the pool without any node" in printed
    assert "telemetry dev-run-logs: retentionDays = 45: is no retention of a" in printed
    assert "Traceback" not in printed
    assert "tidegate:index" not in printed
