"""Which Python runs a program, and the environment that makes it that program's own."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path


class NoInterpreter(RuntimeError):
    """No Python can run the program; the message says what to do."""


@dataclass(frozen=True, slots=True)
class Interpreter:
    """A Python and the virtual environment it belongs to.

    Attributes:
        executable: The absolute path of `python`.
        environment_dir: The virtual environment, or None for a Python of its own.
    """

    executable: str
    environment_dir: Path | None

    @property
    def is_own(self) -> bool:
        """Whether it is the Python that runs this process, so nothing need be asked of another."""
        return self.executable == sys.executable

    def activate(self, base: Mapping[str, str]) -> dict[str, str]:
        """Return `base` as if the virtual environment had been activated in it."""
        environment = dict(base)
        folder = str(Path(self.executable).parent)
        environment["PATH"] = os.pathsep.join([folder, environment.get("PATH", os.defpath)])
        environment.pop("PYTHONHOME", None)
        # Compiled modules are kept: without them each start of three cloud SDKs costs seconds.
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        if self.environment_dir is not None:
            environment["VIRTUAL_ENV"] = str(self.environment_dir)
        return environment


def find_interpreter(
    root: Path, options: Mapping[str, object], environment: Mapping[str, str]
) -> Interpreter:
    """Find the Python for the program under `root`.

    In this order: the `virtualenv` option of Pulumi.yaml (relative to `root`), `PULUMI_PYTHON_CMD`,
    the active virtual environment, the Python that runs the language host.

    Raises:
        NoInterpreter: The named environment or command does not exist.
    """
    named = str(options.get("virtualenv") or "")
    if named:
        return _in_environment(root / Path(named).expanduser(), f"option virtualenv: {named}")
    command = environment.get("PULUMI_PYTHON_CMD")
    if command:
        path = shutil.which(command, path=environment.get("PATH"))
        if path is None:
            raise NoInterpreter(f"PULUMI_PYTHON_CMD names {command!r}, which is not on PATH")
        return Interpreter(path, None)
    active = environment.get("VIRTUAL_ENV")
    if active and _python_in(Path(active)).is_file():
        return _in_environment(Path(active), "VIRTUAL_ENV")
    prefix = Path(sys.prefix) if sys.prefix != sys.base_prefix else None
    return Interpreter(sys.executable, prefix)


def _in_environment(folder: Path, origin: str) -> Interpreter:
    python = _python_in(folder)
    if not python.is_file():
        raise NoInterpreter(
            f"{folder} ({origin}) is no virtual environment: create it with "
            f"`python3 -m venv {folder}` and install the program's dependencies there"
        )
    return Interpreter(str(python), folder)


def _python_in(folder: Path) -> Path:
    return folder.absolute() / "bin" / "python"
