"""Restoring a stack's state from what a file backend keeps beside it.

The CLI writes the state whole, after copying the previous one to `.bak`, and at the end of each
update into its history. A disk that filled up or lost power can still leave half a file.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tidegate.vocabulary.problems import Unavailable


class StateLost(Unavailable):
    """The state cannot be read and no copy can; says what was tried and what to do."""


@dataclass(frozen=True, slots=True)
class Restored:
    """A state that was put back.

    Attributes:
        source: The copy that was taken; the state itself when only its attributes were damaged.
        damaged: Where the unreadable file was moved to; None when there was none.
        is_latest: Whether the copy is at most one step old; otherwise what was created since is
            not recorded.
    """

    source: Path
    damaged: Path | None
    is_latest: bool

    def sentences(self) -> list[str]:
        """Say for a person what was done."""
        said = [f"The state could not be read; restored it from {self.source.name}"]
        if self.damaged is not None:
            said.append(f"The unreadable state was kept as {self.damaged}")
        if not self.is_latest:
            said.append(
                "That copy is of the last finished run: what was created since may not be recorded"
            )
        return said


def restore_state(state: Path, project: str, stack: str) -> Restored:
    """Put the newest readable copy of a stack's state in place of an unreadable one.

    Args:
        state: The backend's folder (which holds `.pulumi`).
        project: The project's name.
        stack: The stack's name.

    Raises:
        StateLost: There is no readable copy.
    """
    current = _state_file(state, project, stack)
    # Beside each file lie attributes (`.attrs`), written just before it and not as one: a kill in
    # between leaves them empty, and the CLI then refuses the file. It does well without them.
    current.with_name(f"{current.name}.attrs").unlink(missing_ok=True)
    if _is_readable(current):
        return Restored(current, None, is_latest=True)
    tried = []
    for copy in _copies(state, project, stack, current):
        if _is_readable(copy):
            damaged = _set_aside(current)
            staged = current.with_name(f".{current.name}.restored")
            shutil.copyfile(copy, staged)
            staged.replace(current)
            return Restored(copy, damaged, is_latest=copy.name.endswith(".bak"))
        tried.append(str(copy))
    raise StateLost(
        f"{current} cannot be read, nor can any copy ({', '.join(tried) or 'there is none'}). "
        "Restore it from a backup of your own, or move it away to start an empty stack and "
        "`pulumi import` what exists."
    )


def has_copies(state: Path, project: str, stack: str) -> bool:
    """Whether a stack that seems not to exist has left copies of its state."""
    current = _state_file(state, project, stack)
    backup = current.with_name(f"{current.name}.bak")
    return not current.exists() and _is_readable(backup)


def _state_file(state: Path, project: str, stack: str) -> Path:
    return state / ".pulumi" / "stacks" / project / f"{stack}.json"


def _copies(state: Path, project: str, stack: str, current: Path) -> Iterator[Path]:
    """The copies, newest first."""
    backup = current.with_name(f"{current.name}.bak")
    if backup.is_file():
        yield backup
    history = state / ".pulumi" / "history" / project / stack
    # The names carry nanoseconds since 1970, all of one length.
    yield from sorted(history.glob(f"{stack}-*.checkpoint.json"), reverse=True)


def _is_readable(path: Path) -> bool:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return isinstance(content, dict) and isinstance(content.get("checkpoint"), dict)


def _set_aside(current: Path) -> Path | None:
    if not current.exists():
        return None
    for number in range(1, 1000):
        # Not `.json`: the CLI would list it as a stack.
        damaged = current.with_name(f"{current.name}.damaged-{number}")
        if not damaged.exists():
            current.replace(damaged)
            return damaged
    raise StateLost(f"{current.parent} holds 999 damaged states; remove those not needed")
