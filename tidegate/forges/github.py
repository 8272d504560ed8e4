"""A pull request's comments at GitHub (REST, version 2022-11-28)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import httpx

from tidegate.forges.api import TIMEOUT, ForgeApi, ForgeRefused, ForgeUnreachable, check_token
from tidegate.forges.comments import Comment

LIMIT = 65_536
"""How long a comment may be ("Body is too long (maximum is 65536 characters)"); counted in bytes
here, which is never too long."""


class GitHubThread:
    """The comments of one pull request, which GitHub keeps as an issue's."""

    limit_bytes = LIMIT

    def __init__(self, api: ForgeApi, repository: str, number: int) -> None:
        self._api = api
        self._comments = f"/repos/{repository}/issues"
        self._number = number

    def own_comments(self, marker: str) -> Iterator[Comment]:
        """Yield comments that begin with a marker and were written with this token."""
        path = f"{self._comments}/{self._number}/comments?per_page=100"
        marked = [
            each
            for each in self._api.read_pages(path)
            if str(each.get("body") or "").startswith(marker)
        ]
        # Whoever can comment can write the marker; only what is ours is changed.
        login = self._find_login() if marked else ""
        return (_read_comment(each) for each in marked if _is_own(each, login))

    def create(self, body: str) -> Comment:
        """Write a comment."""
        path = f"{self._comments}/{self._number}/comments"
        return _read_comment(self._api.ask("POST", path, {"body": body}).json())

    def update(self, comment: Comment, body: str) -> Comment:
        """Change a comment."""
        path = f"{self._comments}/comments/{comment.id}"
        return _read_comment(self._api.ask("PATCH", path, {"body": body}).json())

    def delete(self, comment: Comment) -> None:
        """Take a comment away."""
        self._api.ask("DELETE", f"{self._comments}/comments/{comment.id}")

    def _find_login(self) -> str:
        """Return whose token it is; "" for an installation's, which GitHub does not tell."""
        try:
            user = self._api.read("/user")
        except ForgeRefused:
            return ""
        return str(user.get("login") or "") if isinstance(user, Mapping) else ""


@contextmanager
def open_github(base: str, token: str, sleep: Callable[[float], None]) -> Iterator[ForgeApi]:
    """Open GitHub's REST interface with a token."""
    headers = {
        "Accept": "application/vnd.github+json",
        "Authorization": f"Bearer {check_token(token)}",
        "User-Agent": "tidegate",
        "X-GitHub-Api-Version": "2022-11-28",
    }
    with httpx.Client(timeout=TIMEOUT, headers=headers) as client:
        yield ForgeApi(client, base.rstrip("/"), sleep)


def _is_own(comment: Mapping[str, Any], login: str) -> bool:
    user = comment.get("user")
    if not isinstance(user, Mapping):
        return False
    return user.get("login") == login if login else user.get("type") == "Bot"


def _read_comment(document: Any) -> Comment:
    if not isinstance(document, Mapping) or not isinstance(document.get("id"), int):
        raise ForgeUnreachable("GitHub answered a comment without an id")
    return Comment(
        document["id"], str(document.get("body") or ""), str(document.get("html_url") or "")
    )
