"""Running commands as the console script does, on what the real engine exported."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tidegate.cli import main

EXPORT = Path(__file__).resolve().parents[2] / "policies" / "data" / "ways" / "export.json"


@pytest.fixture
def tidegate(monkeypatch, capsys):
    """Return what runs `tidegate …` as the console script does: (exit code, stdout, stderr)."""

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
