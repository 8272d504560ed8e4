"""Which pull request a job is of, as the forge tells its jobs by environment variables."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any


class Forge(StrEnum):
    """Who keeps the pull request."""

    GITHUB = "GitHub"
    GITLAB = "GitLab"


GITHUB_TOKENS = ("TIDEGATE_COMMENT_TOKEN", "GITHUB_TOKEN", "GH_TOKEN")
GITLAB_TOKENS = ("TIDEGATE_COMMENT_TOKEN", "GITLAB_TOKEN")


@dataclass(frozen=True, slots=True)
class Surroundings:
    """Where a comment goes, or why there is nowhere.

    Attributes:
        forge: Whose job it is; None outside of any.
        base: Where its REST interface begins.
        project: "owner/repository", or GitLab's number of the project.
        number: The pull request's number; None where the job is of none.
        token: What may comment; "" where there is none. In no message and no `repr`.
        summary: GitHub's file of the job's summary; None where there is none.
        missing: Why no comment can be written, as a clause; "" where one can.
    """

    forge: Forge | None
    base: str = ""
    project: str = ""
    number: int | None = None
    token: str = field(default="", repr=False)
    summary: Path | None = None
    missing: str = ""


def read_surroundings(variables: Mapping[str, str]) -> Surroundings:
    """Return where a job's comment goes, from its environment variables."""
    if variables.get("GITHUB_REPOSITORY"):
        return _read_github(variables)
    if variables.get("CI_PROJECT_ID"):
        return _read_gitlab(variables)
    return Surroundings(None, missing="this is neither a job of GitHub Actions nor of GitLab")


def _read_github(variables: Mapping[str, str]) -> Surroundings:
    number = _find_number(variables.get("GITHUB_EVENT_PATH", ""))
    token = _find_token(variables, GITHUB_TOKENS)
    summary = variables.get("GITHUB_STEP_SUMMARY")
    return Surroundings(
        Forge.GITHUB,
        base=variables.get("GITHUB_API_URL") or "https://api.github.com",
        project=variables["GITHUB_REPOSITORY"],
        number=number,
        token=token,
        summary=Path(summary) if summary else None,
        missing=_say_missing(number, token, "pull request", GITHUB_TOKENS),
    )


def _read_gitlab(variables: Mapping[str, str]) -> Surroundings:
    said = variables.get("CI_MERGE_REQUEST_IID", "")
    number = int(said) if said.isdecimal() else None
    token = _find_token(variables, GITLAB_TOKENS)
    return Surroundings(
        Forge.GITLAB,
        base=variables.get("CI_API_V4_URL") or "https://gitlab.com/api/v4",
        # A fork's pipeline runs in the fork, and the merge request is of another project.
        project=variables.get("CI_MERGE_REQUEST_PROJECT_ID") or variables["CI_PROJECT_ID"],
        number=number,
        token=token,
        missing=_say_missing(number, token, "merge request", GITLAB_TOKENS),
    )


def _say_missing(number: int | None, token: str, what: str, names: tuple[str, ...]) -> str:
    if number is None:
        return f"the job is of no {what}"
    return "" if token else f"there is no token in {' or '.join(names)}"


def _find_token(variables: Mapping[str, str], names: tuple[str, ...]) -> str:
    found = (variables.get(name, "").strip() for name in names)
    return next((each for each in found if each), "")


def _find_number(path: str) -> int | None:
    """Return the pull request's number from the event that started the job.

    `pull_request` and `pull_request_target` tell it twice; a comment on a pull request tells it
    as an issue that has a pull request.
    """
    event = _read_event(path)
    request = event.get("pull_request")
    if isinstance(request, Mapping):
        number = request.get("number", event.get("number"))
        return number if isinstance(number, int) else None
    issue = event.get("issue")
    if isinstance(issue, Mapping) and issue.get("pull_request"):
        number = issue.get("number")
        return number if isinstance(number, int) else None
    return None


def _read_event(path: str) -> Mapping[str, Any]:
    if not path:
        return {}
    try:
        event = json.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return event if isinstance(event, Mapping) else {}
