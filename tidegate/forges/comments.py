"""One comment that stays one: found by its marker, changed in place, never repeated."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from tidegate.forges.api import ForgeUnclear

CREATE_ATTEMPTS = 3


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment of a pull request.

    Attributes:
        id: Its id at the forge.
        body: Its text.
        url: Where people read it; "" where the forge does not say.
    """

    id: int
    body: str
    url: str = ""


class Thread(Protocol):
    """The comments of one pull request."""

    limit_bytes: int
    """How long a comment may be, as UTF-8."""

    def own_comments(self, marker: str) -> Iterator[Comment]:
        """Yield comments of this token's owner that begin with a marker, the oldest first."""
        ...

    def create(self, body: str) -> Comment:
        """Write a comment."""
        ...

    def update(self, comment: Comment, body: str) -> Comment:
        """Change a comment."""
        ...

    def delete(self, comment: Comment) -> None:
        """Take a comment away."""
        ...


class Action(StrEnum):
    """What became of the comment."""

    CREATED = "created"
    UPDATED = "updated"
    UNCHANGED = "unchanged"


@dataclass(frozen=True, slots=True)
class Applied:
    """The one comment there is now, and what was done to it."""

    action: Action
    comment: Comment


def apply_comment(thread: Thread, marker: str, body: str) -> Applied:
    """Make a body the one comment of its marker.

    Two runs at once may each have written one: the oldest stays and the others go.

    Args:
        thread: The pull request's comments.
        marker: What the body begins with, and no other comment does.
        body: The whole comment.

    Raises:
        ForgeRefused: When the token may not.
        ForgeUnreachable: When the forge gives no usable answer.
    """
    error: ForgeUnclear | None = None
    for _ in range(CREATE_ATTEMPTS):
        found = list(thread.own_comments(marker))
        if found:
            return _keep_one(thread, found, body)
        try:
            return Applied(Action.CREATED, thread.create(body))
        except ForgeUnclear as unclear:
            # It may be there all the same: look before writing it again.
            error = unclear
    assert error is not None
    raise error


def _keep_one(thread: Thread, found: list[Comment], body: str) -> Applied:
    first, *others = found
    for other in others:
        thread.delete(other)
    if _normalize(first.body) == _normalize(body):
        return Applied(Action.UNCHANGED, first)
    return Applied(Action.UPDATED, thread.update(first, body))


def _normalize(body: str) -> str:
    return body.replace("\r\n", "\n").strip()
