"""Where in a program its stack is said: no resource of its own has a line for it."""

from __future__ import annotations

import sys
from pathlib import Path
from types import FrameType
from typing import Any
from urllib.parse import quote

from pulumi.runtime.stack import Stack

MANIFEST = "capacity"
"""The output that a capacity manifest is."""


class StackPlace:
    """Remembers the line that exports the manifest; without one, that of the first export."""

    def __init__(self, root: str, program: str) -> None:
        """Start with the first line of the program.

        Args:
            root: The project's folder.
            program: The program's folder or file.
        """
        self._root = f"{root}/"
        path = Path(program)
        self._frame = self._position(str(path / "__main__.py" if path.is_dir() else path), 1)
        self._exported = ""

    def follow_exports(self) -> None:
        """See each export of the program from now on."""
        original = Stack.output

        def output(stack: Stack, name: str, value: Any) -> None:
            self._note(name, sys._getframe(1))  # noqa: SLF001 - as tracebacks find it
            original(stack, name, value)

        setattr(Stack, "output", output)  # noqa: B010 - a method is no name to assign

    def frames(self) -> list[dict[str, str]]:
        """Return the place as the engine writes a stack trace."""
        return [{"sourcePosition": self._frame}]

    def _note(self, name: str, frame: FrameType | None) -> None:
        if self._exported and name != MANIFEST:
            return
        while frame is not None:
            path = frame.f_code.co_filename
            if path.startswith(self._root) and "site-packages" not in path:
                self._frame, self._exported = self._position(path, frame.f_lineno), name
                return
            frame = frame.f_back

    def _position(self, path: str, line: int) -> str:
        return f"project:///{quote(path.removeprefix(self._root))}#{line}"
