"""Finding the `opa` program, and running it to its end."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator, Sequence
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


def run_opa(
    arguments: Sequence[str], folder: Path, seconds: float, failure: str
) -> subprocess.CompletedProcess[str]:
    """Return what a command of OPA's came to, which may be a failure.

    Args:
        arguments: The command and its options.
        folder: Where it runs.
        seconds: How long it may take.
        failure: What is said where it does not come to its end ("OPA could not run the tests").

    Raises:
        RuleEngineError: When it cannot be started or is not done in time.
    """
    command = [str(find_opa()), *arguments]
    try:
        return subprocess.run(  # noqa: S603 - the program was found by us, the rest is ours
            command, cwd=folder, capture_output=True, text=True, check=False, timeout=seconds
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise RuleEngineError(f"{failure}: {error}") from error


def _checkouts() -> Iterator[Path]:
    yield Path(__file__).resolve().parents[2]
    here = Path.cwd()
    yield from (here, *here.parents)
