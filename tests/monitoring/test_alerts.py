"""The alert rules, loaded and evaluated by the real Prometheus."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from textwrap import dedent

import yaml
from support.programs import lack
from support.prometheus import WITHOUT

from tidegate.controller.metrics import ControllerMetrics

HERE = Path(__file__).parent
RULES = HERE.parents[1] / "deploy" / "prometheus" / "tidegate-controller.rules.yaml"
DOCUMENT = HERE.parents[1] / "docs" / "controller.md"
ALERT = re.compile(r"^\| `(Tidegate[A-Za-z]+)` \|", re.MULTILINE)


def promtool(*arguments: str) -> subprocess.CompletedProcess[str]:
    program = shutil.which("promtool")
    if program is None:
        lack("no promtool on PATH; Debian: apt-get install prometheus", WITHOUT)
    return subprocess.run(
        [program, *arguments], cwd=HERE, capture_output=True, text=True, timeout=120, check=False
    )


def test_the_documented_configuration_is_valid(tmp_path):
    text = DOCUMENT.read_text(encoding="utf-8")
    (block,) = re.findall(r"(?m)^    rule_files:.*\n(?:    .*\n)+", text)
    (tmp_path / RULES.name).write_text(RULES.read_text(encoding="utf-8"))
    path = tmp_path / "prometheus.yml"
    path.write_text(dedent(block))

    found = promtool("check", "config", "--syntax-only", str(path))

    assert found.returncode == 0, found.stderr


def exported() -> set[str]:
    """Return the names of all series that a controller exports."""
    endings = {
        "counter": ("_total",),
        "gauge": ("",),
        "histogram": ("_bucket", "_count", "_sum"),
    }
    return {
        f"{family.name}{ending}"
        for family in ControllerMetrics().registry.collect()
        for ending in endings[family.type]
    }


def rules() -> list[dict[str, object]]:
    groups = yaml.safe_load(RULES.read_text(encoding="utf-8"))["groups"]
    return [rule for group in groups for rule in group["rules"]]


def test_the_rules_are_valid():
    found = promtool("check", "rules", "--lint=all", "--lint-fatal", str(RULES))

    assert found.returncode == 0, found.stderr


def test_each_alert_fires_when_it_should_and_is_silent_otherwise():
    found = promtool("test", "rules", "alerts_test.yaml")

    assert found.returncode == 0, found.stdout + found.stderr
    tested = (HERE / "alerts_test.yaml").read_text(encoding="utf-8")
    assert [rule["alert"] for rule in rules() if str(rule["alert"]) not in tested] == []


def test_alerts_ask_for_figures_that_exist():
    used = {name for rule in rules() for name in re.findall(r"tidegate_\w+", str(rule["expr"]))}

    assert used - exported() == set()
    assert len(used) >= len(rules())


def test_every_alert_is_documented():
    assert ALERT.findall(DOCUMENT.read_text(encoding="utf-8")) == [
        rule["alert"] for rule in rules()
    ]
