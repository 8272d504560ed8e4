"""Finding the `opa` program."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from tidegate.ports import RuleEngineError


def find_opa() -> Path:
    """Return the `opa` program: from PATH, else from `.tools/bin` of the checkout.

    `.tools/bin` is looked for in the directory above this package and in the working directory
    and those above it, so that it is found wherever the engine starts a policy pack.

    Raises:
        RuleEngineError: When there is none, saying where it was looked for.
    """
    on_path = shutil.which("opa")
    if on_path:
        return Path(on_path)
    for directory in _checkouts():
        candidate = directory / ".tools" / "bin" / "opa"
        if os.access(candidate, os.X_OK):
            return candidate
    raise RuleEngineError(
        "the program opa was found neither on PATH nor in .tools/bin of this checkout; "
        "install it (https://www.openpolicyagent.org/docs/latest/#running-opa) "
        "or run ./scripts/setup"
    )


def _checkouts() -> Iterator[Path]:
    yield Path(__file__).resolve().parents[2]
    here = Path.cwd()
    yield from (here, *here.parents)
