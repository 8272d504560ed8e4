"""The edges of the reaper as Protocols."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from tidegate.vocabulary.reaping import ReapableState
from tidegate.vocabulary.use import UseReport


class Reapables(Protocol):
    """Notebooks and endpoints in their clouds, by "notebook/NAME" and "endpoint/NAME"."""

    def fetch_state(self, name: str) -> ReapableState:
        """Return one as its cloud shows it.

        Raises:
            CloudRefused: It could not be read.
        """
        ...

    def apply_stop(self, name: str) -> None:
        """Stop a notebook; one that is stopped already is done.

        Raises:
            CloudRefused: Refused.
        """
        ...

    def apply_size(self, name: str, seen: int, wanted: int) -> None:
        """Set an endpoint's size, if it is still what it was when the decision was made.

        Raises:
            CloudRefused: Refused; CONFLICT when somebody else changed it meanwhile.
        """
        ...

    def apply_removal(self, name: str) -> None:
        """Take an endpoint's model away; one that has none is done.

        Raises:
            CloudRefused: Refused.
        """
        ...


class UseSource(Protocol):
    """One source of utilisation. Its calls block and end by themselves within its time-out."""

    @property
    def name(self) -> str:
        """What people call it; unique."""
        ...

    @property
    def about(self) -> str:
        """What it speaks of: "notebook/NAME", "endpoint/NAME" or "pool/NAME"."""
        ...

    def fetch(self) -> UseReport:
        """Ask.

        Raises:
            SourceFault: No answer, or one that cannot be believed.
        """
        ...


class Messenger(Protocol):
    """Tells people what is about to happen."""

    def tell(self, message: Mapping[str, str]) -> None:
        """Send a message.

        Raises:
            Unavailable: It was not taken.
        """
        ...
