"""A merge request's notes at GitLab (REST, version 4)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any
from urllib.parse import quote

import httpx

from tidegate.forges.api import TIMEOUT, ForgeApi, ForgeUnreachable, check_token
from tidegate.forges.comments import Comment

LIMIT = 1_000_000
"""How long a note may be, in characters; counted in bytes here, which is never too long."""


class GitLabThread:
    """The notes of one merge request."""

    limit_bytes = LIMIT

    def __init__(self, api: ForgeApi, project: str, number: int) -> None:
        self._api = api
        self._notes = f"/projects/{quote(project, safe='')}/merge_requests/{number}/notes"

    def own_comments(self, marker: str) -> Iterator[Comment]:
        """Yield notes that begin with a marker and were written with this token."""
        path = f"{self._notes}?sort=asc&order_by=created_at&per_page=100"
        marked = [
            each
            for each in self._api.read_pages(path)
            if str(each.get("body") or "").startswith(marker) and not each.get("system")
        ]
        # Whoever can comment can write the marker; only what is ours is changed.
        owner = self._find_owner() if marked else None
        return (_read_note(each) for each in marked if _author(each) == owner)

    def create(self, body: str) -> Comment:
        """Write a note."""
        return _read_note(self._api.ask("POST", self._notes, {"body": body}).json())

    def update(self, comment: Comment, body: str) -> Comment:
        """Change a note."""
        path = f"{self._notes}/{comment.id}"
        return _read_note(self._api.ask("PUT", path, {"body": body}).json())

    def delete(self, comment: Comment) -> None:
        """Take a note away."""
        self._api.ask("DELETE", f"{self._notes}/{comment.id}")

    def _find_owner(self) -> int:
        user = self._api.read("/user")
        if not isinstance(user, Mapping) or not isinstance(user.get("id"), int):
            raise ForgeUnreachable("GitLab did not say whose token it is")
        return int(user["id"])


@contextmanager
def open_gitlab(base: str, token: str, sleep: Callable[[float], None]) -> Iterator[ForgeApi]:
    """Open GitLab's REST interface with a token."""
    headers = {"PRIVATE-TOKEN": check_token(token), "User-Agent": "tidegate"}
    with httpx.Client(timeout=TIMEOUT, headers=headers) as client:
        yield ForgeApi(client, base.rstrip("/"), sleep)


def _author(note: Mapping[str, Any]) -> object:
    author = note.get("author")
    return author.get("id") if isinstance(author, Mapping) else None


def _read_note(document: Any) -> Comment:
    if not isinstance(document, Mapping) or not isinstance(document.get("id"), int):
        raise ForgeUnreachable("GitLab answered a note without an id")
    return Comment(document["id"], str(document.get("body") or ""))
