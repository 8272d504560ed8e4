"""Running commands as the console script does, on what the real engine exported."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tidegate.cli import (
    check,  # noqa: F401 - what is replaced in it must be there
    main,
)
from tidegate.opa.pack import find_pack

RULES = ("labels/mandatory_cost_labels", "scaling/scale_to_zero", "telemetry/log_retention")

EXPORT = Path(__file__).resolve().parents[2] / "policies" / "data" / "ways" / "export.json"


@pytest.fixture(scope="session")
def three_rules(tmp_path_factory):
    """Return a pack of three rules, so that what they say stays as more are written."""
    pack = shutil.copytree(find_pack(), tmp_path_factory.mktemp("pack"), dirs_exist_ok=True)
    for folder in (pack / "rules").glob("*/*"):
        if f"{folder.parent.name}/{folder.name}" not in RULES:
            shutil.rmtree(folder)
    return pack


@pytest.fixture
def tidegate(monkeypatch, capsys, three_rules):
    """Return what runs `tidegate …` as the console script does: (exit code, stdout, stderr)."""
    monkeypatch.setattr("tidegate.cli.check.find_pack", lambda: three_rules)

    def invoke(*arguments):
        monkeypatch.setattr("sys.argv", ["tidegate", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            main.run()
        shown = capsys.readouterr()
        return ended.value.code or 0, shown.out, shown.err

    return invoke


@pytest.fixture
def export_of():
    """Return what writes a part of the recorded export: these resources and their providers."""

    def write(path: Path, *urns: str) -> Path:
        document = json.loads(EXPORT.read_text())
        states = document["deployment"]["resources"]
        document["deployment"]["resources"] = [
            state for state in states if state["urn"] in urns or "pulumi:providers" in state["type"]
        ]
        path.write_text(json.dumps(document))
        return path

    return write
