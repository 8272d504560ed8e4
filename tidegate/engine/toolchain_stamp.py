"""What was found last time, so that a warm run asks no program its version again."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tidegate.engine.programs import SPECS
from tidegate.engine.toolchain import LANGUAGE_HOST, tools_bin


def is_current(root: Path, environment: Mapping[str, str]) -> bool:
    """Whether the programs are the very files that were judged last time."""
    try:
        recorded = json.loads(_stamp(root).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    known = bool(recorded == _describe(root, environment))
    return known and (root / ".tools" / "environment").is_file()


def record(root: Path, environment: Mapping[str, str]) -> None:
    """Remember the programs as they are now."""
    path = _stamp(root)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(_describe(root, environment), indent=1), encoding="utf-8")


def _stamp(root: Path) -> Path:
    return root / ".tools" / "found.json"


def _describe(root: Path, environment: Mapping[str, str]) -> dict[str, Any]:
    """Each program on PATH and in `.tools/bin` by size and time; and what decides among them."""
    search = environment.get("PATH", os.defpath)
    description: dict[str, Any] = {"minimum": {spec.name: list(spec.minimum) for spec in SPECS}}
    for name in (*(spec.name for spec in SPECS), LANGUAGE_HOST):
        kept = str(tools_bin(root) / name)
        on_path = shutil.which(name, path=search)
        # With .tools/bin on PATH it is the same program: no reason to judge it anew.
        places = [None if on_path == kept else on_path, kept]
        description[name] = [_describe_file(place) for place in places]
    description["any"] = all(
        any(description[name]) for name in (*(spec.name for spec in SPECS), LANGUAGE_HOST)
    )
    return description


def _describe_file(place: str | None) -> list[Any] | None:
    if place is None or not Path(place).is_file():
        return None
    facts = Path(place).stat()
    return [place, facts.st_size, facts.st_mtime_ns]
